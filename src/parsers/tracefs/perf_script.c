/* What `perf script` and simpleperf's report_sample print: a line about the sample, a line for each
 * frame, innermost first, and an empty line; or all on one line where no stacks were recorded.
 *
 *     comm 31850/31881 [001] 684943.449406: 250000 cpu-clock:
 *         7531abf528 function+0x12 (/system/lib64/libhwui.so)
 *       file.c:12
 *
 *     comm 31850  684943.449406:     250000    cpu-clock:  7531abf528 function+0x12 (/bin/app)
 *
 * Trace Processor reads the first form, if it names threads and microseconds, and no lines of
 * source; that is read as it reads it.
 *
 * Of files whose first sample lacks a thread's number or the time (-F comm,ip,sym and the like),
 * each sample's line may say any of the command, the numbers, the CPU, the time, the period and the
 * event, in this order, or be missing. Samples without times are a microsecond apart; a command
 * without numbers is a thread of its own.
 *
 * Tracepoints are events of ftrace's text, too.
 *
 * The form is what perf-script(1) says of the option --fields, and what stackcollapse-perf.pl of
 * FlameGraph takes. */
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/samples/samples.h"
#include "parsers/text/civil_time.h"
#include "parsers/text/perf_notice.h"
#include "parsers/text/text_lines.h"
#include "parsers/tracefs/ftrace_text.h"
#include "parsers/tracefs/perf_line.h"

enum { COMM_MOST = 64, ADDRESS_DIGITS = 6, NS_PER_ORDER = 1000 };

/* "comm 31850/31881 [001] 684943.449406: ..." */
struct header {
    struct str comm, rest; /* `rest`: behind the time */
    uint64_t pid, tid;
    int64_t ts;
    bool has_pid, has_tid, has_time;
};

/* A line of a sample; what is not there is empty. */
struct printed_frame {
    struct str function, mapping;
};

/* Of a sample, until its time comes. */
struct printed_sample {
    uint32_t pid, tid;
    bool has_pid, has_tid;
    string_id comm;
    uint32_t callsite;
};

/* A frame of the sample that is being read. */
struct script_frame {
    string_id function, mapping, file;
    uint32_t line;
};

struct perf_script {
    struct trace *trace;
    struct samples samples;
    VEC(struct script_frame) frames;
    VEC(struct printed_sample) printed;
    VEC(struct timed) order; /* rank is the index in `printed` */
    struct printed_sample sample;
    int64_t ts;
    bool in_sample, of_event; /* of_event: a tracepoint, whose fields are printed */
    bool is_loose;            /* samples' lines lack what the usual ones have */
    bool is_unread;           /* the line of the sample that is being read */
    struct perf_notice notice;
    struct map comms;           /* of threads without a number: comm -> utid */
    struct ftrace_text *events; /* tracepoints; NULL before the first */
};

/* The number at the end, which is taken off; empty where it is no word of its own. Looks no further
 * back than the number goes: lines may be long. */
static struct str take_last_number(struct str *rest)
{
    size_t start = rest->n;
    while (start > 0 &&
           ((rest->p[start - 1] >= '0' && rest->p[start - 1] <= '9') || rest->p[start - 1] == '.'))
        start--;
    struct str number = str_skip(*rest, start);
    rest->n = start;
    return start > 0 && str_is_blank(rest->p[start - 1]) ? number : (struct str){rest->p, 0};
}

static bool is_in_brackets(struct str word)
{
    return str_starts(word, STR("[")) && str_ends(word, STR("]"));
}

static bool read_ids(struct str word, struct header *h)
{
    size_t slash = str_find(word, '/');
    h->has_pid = slash < word.n;
    if (!str_to_u64(str_from_to(word, 0, slash), 10, &h->pid))
        return false;
    h->tid = h->pid;
    if (h->has_pid && !str_to_u64(str_skip(word, slash + 1), 10, &h->tid))
        return false;
    return h->pid <= UINT32_MAX && h->tid <= UINT32_MAX;
}

/* What stands before a colon, if that ends a time. */
static bool read_before_time(struct str before, struct header *h)
{
    int64_t day;
    if (!perf_line_read_time(take_last_number(&before), &h->ts))
        return false;
    perf_line_take_day(&before, &day);
    struct str word = perf_line_take_last(&before);
    if (is_in_brackets(word))
        word = perf_line_take_last(&before);
    if (perf_line_is_misc(word))
        word = perf_line_take_last(&before);
    h->comm = str_trim(before);
    h->has_tid = h->has_time = true;
    return read_ids(word, h);
}

/* A colon may stand in the name of the thread, too. */
static bool read_header(struct str line, struct header *h)
{
    for (size_t colon = str_find(line, ':'); colon < line.n;) {
        if (read_before_time(str_from_to(line, 0, colon), h)) {
            h->rest = str_skip(line, colon + 1);
            return true;
        }
        colon += 1 + str_find(str_skip(line, colon + 1), ':');
    }
    return false;
}

/* "comm", "comm 31850 [001] 250000 cpu-clock:", "comm 684943.449406: cpu-clock:" */
static struct header read_loose_header(struct str line)
{
    struct header h = {.comm = {line.p, 0}, .rest = {line.p, 0}};
    struct str rest = line, text = str_trim(line);
    bool in_comm = true;
    while (rest.n > 0) {
        struct str behind = rest, word = str_take_word(&behind), day = {word.p, 0};
        struct civil_time civil;
        size_t at = (size_t)(word.p - line.p);
        day.n = line.n - at;
        if (!h.has_time && at > 0 && civil_time_take(&day, &civil)) {
            h.ts = civil_time_ns(&civil);
            h.has_time = true;
            in_comm = false;
            h.rest = rest = day;
            continue;
        }
        bool ends = str_ends(word, STR(":"));
        bool is_time = ends && perf_line_read_time(str_from_to(word, 0, word.n - 1), &h.ts);
        bool is_ids = !is_time && !h.has_tid && !h.has_time && at > 0 && read_ids(word, &h);
        if (!is_time && !is_ids && !is_in_brackets(word) && (ends || !in_comm)) {
            h.rest = rest;
            break;
        }
        in_comm = in_comm && !is_time && !is_ids && !is_in_brackets(word);
        if (in_comm && word.n > 0)
            h.comm = str_from_to(text, 0, (size_t)(word.p + word.n - text.p));
        h.has_tid |= is_ids;
        h.has_time |= is_time;
        h.rest = rest = behind;
    }
    return h;
}

/* "7531abf528 function+0x12 (/system/lib64/libhwui.so)"; registers and the like may follow. */
static bool read_frame(struct str text, struct printed_frame *f)
{
    uint64_t address;
    struct str function = text, rest;
    *f = (struct printed_frame){{text.p, 0}, {text.p, 0}};
    if (!str_to_u64(str_take_word(&function), 16, &address))
        return false;
    rest = function;
    struct str word = str_take_word(&rest);
    if (word.n >= ADDRESS_DIGITS && str_to_u64(word, 16, &address)) /* the first is of -F addr */
        function = rest;
    function = str_trim(function);
    size_t open = function.n;
    while (open > 0 && function.p[open - 1] != '(')
        open--;
    if (open > 0 && str_ends(function, STR(")"))) {
        f->mapping = str_from_to(function, open, function.n - 1);
        function = str_trim(str_from_to(function, 0, open - 1));
    }
    const char *offset = function.n ? memrchr(function.p, '+', function.n) : NULL;
    if (offset)
        function.n = (size_t)(offset - function.p);
    f->function = function;
    return true;
}

/* "function (inlined)", of which some versions print no address. */
static bool read_inlined(struct str text, struct printed_frame *f)
{
    struct str mark = STR(" (inlined)"), mark_of_old = STR(" (inline)");
    size_t n = str_ends(text, mark) ? mark.n : str_ends(text, mark_of_old) ? mark_of_old.n : 0;
    *f = (struct printed_frame){.function = str_trim(str_from_to(text, 0, text.n - n)),
                                .mapping = STR("inlined")};
    return n > 0 && f->function.n > 0;
}

static void add_frame(struct perf_script *s, const struct printed_frame *f)
{
    *vec_push(&s->frames) = (struct script_frame){.function = trace_intern(s->trace, f->function),
                                                  .mapping = trace_intern(s->trace, f->mapping),
                                                  .line = NULL_U32};
}

/* "  malloc.c:3012" behind a frame's line; false where it is none. */
static bool add_source(struct perf_script *s, struct str text)
{
    uint64_t line;
    size_t colon = text.n;
    while (colon > 0 && text.p[colon - 1] != ':')
        colon--;
    if (s->frames.count == 0 || colon == 0 || !str_to_u64(str_skip(text, colon), 10, &line) ||
        line >= NULL_U32)
        return false;
    vec_last(&s->frames).file = trace_intern(s->trace, str_from_to(text, 0, colon - 1));
    vec_last(&s->frames).line = (uint32_t)line;
    return true;
}

/* Trace Processor counts the depth of these stacks from 1. */
static uint32_t add_callsite(struct perf_script *s, uint32_t parent, const struct script_frame *f)
{
    struct trace *t = s->trace;
    uint32_t frame = samples_named_frame(t, f->mapping, f->function, f->file, f->line);
    uint32_t callsite = stack_callsite_intern(t, parent, frame);
    if (parent == NULL_U32)
        table_set_u32(&t->tables.stack_profile_callsite, stack_profile_callsite_col_depth, callsite,
                      1);
    return callsite;
}

/* A sample ends where an empty line stands, or the next one begins. */
static void finish_sample(struct perf_script *s, bool at_empty_line)
{
    if (!s->in_sample)
        return;
    s->in_sample = false;
    if (s->frames.count == 0 && at_empty_line && !s->of_event)
        stats_count(s->trace, STAT_perf_text_importer_sample_no_frames);
    if (s->frames.count == 0 && (at_empty_line || s->of_event))
        return;
    s->sample.callsite = NULL_U32;
    for (size_t i = s->frames.count; i-- > 0;)
        s->sample.callsite = add_callsite(s, s->sample.callsite, &s->frames.items[i]);
    *vec_push(&s->order) = (struct timed){.ts = s->ts, .rank = (int64_t)s->printed.count};
    *vec_push(&s->printed) = s->sample;
}

/* With one space between its words, as Trace Processor has it. */
static string_id intern_comm(struct perf_script *s, struct str comm)
{
    char text[COMM_MOST];
    size_t n = 0;
    while (comm.n > 0) {
        struct str word = str_take_word(&comm);
        if (n + 1 + word.n > sizeof text)
            break;
        if (n > 0)
            text[n++] = ' ';
        memcpy(text + n, word.p, word.n);
        n += word.n;
    }
    return n ? trace_intern(s->trace, (struct str){text, n}) : NULL_STRING;
}

/* Its fields, and the frame behind them. */
static void read_tracepoint(struct perf_script *s, struct str event, struct str rest)
{
    struct printed_frame f;
    s->of_event = str_find(event, ':') + 1 < event.n;
    if (s->of_event && read_frame(perf_line_args(rest).frame, &f))
        add_frame(s, &f);
}

/* What the decoder of a processor's trace prints of a branch: "tr strt call  7f6f write+0x4
 * (libc.so)
 * =>  7ffd clock+0x0 ([vdso])". The frame is where it was. */
static bool read_branch(struct str rest, struct printed_frame *f)
{
    const char *arrow = rest.n ? memmem(rest.p, rest.n, "=>", 2) : NULL;
    uint64_t address;
    if (!arrow)
        return false;
    struct str from = str_trim(str_from_to(rest, 0, (size_t)(arrow - rest.p)));
    for (struct str words = from; from.n > 0; from = str_trim(words)) {
        words = from;
        if (str_to_u64(str_take_word(&words), 16, &address))
            return read_frame(from, f);
    }
    return false;
}

/* "281166  cpu-clock:  7f95d62533e0 main+0x270 (/bin/app)", "sched:sched_switch: prev_comm=perf
 * ...": what stands behind the event's name is a frame or the fields of a tracepoint. */
static void read_event(struct perf_script *s, struct str rest)
{
    struct printed_frame f;
    uint64_t period;
    struct str all = rest, event = str_take_word(&rest);
    if (str_to_u64(event, 10, &period))
        event = str_take_word(&rest);
    bool is_named = str_ends(event, STR(":"));
    rest = is_named ? str_trim(rest) : all; /* branches may come without (-F -event) */
    s->of_event = false;
    if (rest.n == 0)
        return;
    if (read_branch(rest, &f)) {
        add_frame(s, &f);
        return;
    }
    if (!is_named)
        return;
    const char *last = memrchr(rest.p, ')', rest.n);
    if (last)
        rest.n = (size_t)(last - rest.p) + 1;
    bool is_frame = read_frame(rest, &f) && (last || str_find(rest, ' ') >= ADDRESS_DIGITS);
    if (is_frame)
        add_frame(s, &f);
    else
        read_tracepoint(s, event, rest);
}

static void begin_sample(struct perf_script *s, const struct header *h)
{
    if (!clock_file_time(s->trace, h->ts, &s->ts))
        return;
    s->in_sample = true;
    s->frames.count = 0;
    s->sample = (struct printed_sample){.pid = (uint32_t)h->pid,
                                        .tid = (uint32_t)h->tid,
                                        .has_pid = h->has_pid,
                                        .has_tid = h->has_tid,
                                        .comm = intern_comm(s, h->comm)};
    read_event(s, h->rest);
}

static bool add_event(struct perf_script *s, struct str line)
{
    struct trace_line l;
    if (!perf_line_read(line, &l))
        return false;
    if (!s->events)
        s->events = ftrace_text_new(s->trace);
    ftrace_text_add_perf(s->events, line, false);
    return true;
}

/* "7f7241fbe6d8 main (/usr/bin/app)", whose blanks in front may have got lost. */
static bool is_bare_frame(struct str line)
{
    struct printed_frame f;
    struct str rest = line, address = str_take_word(&rest);
    bool has_digit = false;
    for (size_t i = 0; i < address.n; i++) {
        has_digit |= str_is_digit(address.p[i]);
        if (!str_is_digit(address.p[i]) && (address.p[i] < 'a' || address.p[i] > 'f'))
            return false;
    }
    return has_digit && address.n >= ADDRESS_DIGITS && str_ends(str_trim(rest), STR(")")) &&
           read_frame(str_trim(line), &f) && f.function.n > 0;
}

static bool is_of_frame(struct str line)
{
    return *line.p == '\t' || (str_is_blank(*line.p) && str_starts(str_trim(line), STR("ffff"))) ||
           is_bare_frame(line);
}

/* In files without times, a frame may even be the first line of its sample. */
static void begin_loose_sample(struct perf_script *s, struct str line)
{
    struct header h = is_of_frame(line) ? (struct header){.comm = {line.p, 0}, .rest = {line.p, 0}}
                                        : read_loose_header(line);
    if (!h.has_time)
        h.ts = ((int64_t)s->printed.count + 1) * NS_PER_ORDER;
    begin_sample(s, &h);
}

/* Where symbols were not asked for (-F ip), the address is all that there is. What else stands
 * below a sample may be anything that perf knows of it: registers, code, the bytes of an event.
 * Frames alone follow a tab. */
static void add_below(struct perf_script *s, struct str line)
{
    struct printed_frame f;
    struct str text = str_trim(line), rest = text;
    bool is_frame = read_frame(text, &f);
    if (is_frame && s->is_loose && f.function.n == 0 && f.mapping.n == 0)
        f.function = str_take_word(&rest);
    if (is_frame || read_inlined(text, &f))
        add_frame(s, &f);
    else if (!add_source(s, text) && *line.p == '\t' && *text.p != '|')
        text_lines_unread(s->trace, line);
}

/* What belongs to a sample whose own line cannot be read counts with that. */
static void count_unread(struct perf_script *s, struct str line)
{
    if (!s->is_unread || !(str_is_blank(*line.p) || is_bare_frame(line)))
        text_lines_unread(s->trace, line);
    s->is_unread = true;
}

static void add_loose_line(struct perf_script *s, struct str line)
{
    if (!s->in_sample || !(str_is_blank(*line.p) || is_bare_frame(line))) {
        finish_sample(s, false);
        begin_loose_sample(s, line);
        if (s->in_sample && s->of_event)
            add_event(s, line);
    }
    if (is_of_frame(line) && s->in_sample)
        add_below(s, line);
}

/* Samples are indented below their line, notices are not. */
static bool is_of_notice(const struct perf_script *s, struct str line)
{
    return s->notice.goes_on && !str_is_blank(*line.p);
}

/* "instruction trace error type 1 ...", "AUX data lost 3 times out of 40!" */
static bool add_aux_loss(struct perf_script *s, struct str text)
{
    struct str lost = STR("AUX data lost ");
    uint64_t times = 1;
    if (str_starts(text, lost)) {
        text = str_skip(text, lost.n);
        if (!str_to_u64(str_take_word(&text), 10, &times) || times > INT32_MAX)
            return false;
    } else if (!str_starts(text, STR("instruction trace error"))) {
        return false;
    }
    stats_add(s->trace, STAT_perf_aux_partial, STAT_SINGLE, (int64_t)times);
    return true;
}

/* What is printed besides samples, as with --show-lost-events: "PERF_RECORD_LOST lost 12". */
static bool take_record(struct perf_script *s, struct str text)
{
    uint64_t lost;
    if (!str_starts(text, STR("PERF_RECORD_")))
        return false;
    struct str rest = text, kind = str_take_word(&rest);
    if (str_starts(kind, STR("PERF_RECORD_LOST")) && str_eq(str_take_word(&rest), STR("lost")) &&
        str_to_u64(str_trim(rest), 10, &lost) && lost <= INT64_MAX)
        stats_add(s->trace, STAT_perf_cpu_lost_records, 0, (int64_t)lost);
    return true;
}

static void add_line(void *self, struct str line)
{
    struct perf_script *s = self;
    struct header h;
    struct str text = str_trim(line);
    bool is_notice = perf_notice_begins(&s->notice, line);
    if (text.n == 0) {
        finish_sample(s, true);
        s->is_unread = false;
        return;
    }
    if (*line.p == '#' || is_notice)
        return;
    if (add_aux_loss(s, text))
        return;
    bool is_header = *line.p != '\t' && read_header(line, &h);
    if (is_header) {
        finish_sample(s, false);
        s->is_unread = s->notice.goes_on = false;
        if (take_record(s, str_trim(h.rest)))
            return;
        begin_sample(s, &h);
        if (s->in_sample && s->of_event)
            add_event(s, line);
    } else if (s->is_loose) {
        bool is_front = !s->in_sample && s->printed.count == 0 && trace_format_is_prompt(line);
        if (!is_front && !is_of_notice(s, line))
            add_loose_line(s, line);
    } else if (*line.p != '\t' && add_event(s, line)) { /* of a thread that has ended: "-1/-1" */
        finish_sample(s, false);
    } else if (s->in_sample && !s->is_unread && (str_is_blank(*line.p) || is_bare_frame(line))) {
        add_below(s, line);
    } else if (!is_of_notice(s, line)) {
        count_unread(s, line);
    }
}

static uint32_t thread_of(struct perf_script *s, const struct printed_sample *p)
{
    struct trace *t = s->trace;
    uint32_t machine = stats_scope(t)->machine;
    if (p->has_pid)
        return process_tracker_update_thread(t, machine, p->tid, p->pid);
    if (p->has_tid)
        return process_tracker_thread(t, machine, p->tid);
    bool inserted;
    uint32_t *utid = map_insert(&s->comms, p->comm, &inserted);
    if (inserted)
        *utid = samples_new_thread(t, 0, p->comm);
    return *utid;
}

static void apply_sample(struct perf_script *s, int64_t ts, const struct printed_sample *p)
{
    struct trace *t = s->trace;
    uint32_t utid = thread_of(s, p);
    if (p->comm && p->has_tid) {
        process_tracker_set_thread_name(t, utid, p->comm, THREAD_NAME_OTHER);
        process_tracker_set_process_name_if_main(t, utid, p->comm, PROCESS_NAME_SYSTEM);
    }
    samples_add(&s->samples, ts, utid, p->callsite);
}

static void apply_samples(struct perf_script *s)
{
    time_sort(s->order.items, s->order.count);
    for (size_t i = 0; i < s->order.count; i++)
        apply_sample(s, s->order.items[i].ts, &s->printed.items[s->order.items[i].rank]);
}

/* An address and a function, or the line of a sample with such a one below it. */
static bool is_loose_text(struct str line, struct str below)
{
    struct printed_frame f;
    struct str frame = is_of_frame(line) ? line : below, words = frame;
    struct str address = str_take_word(&words);
    bool has_digit = false;
    for (size_t i = 0; i < address.n; i++)
        has_digit |= address.p[i] >= '0' && address.p[i] <= '9';
    return address.n >= ADDRESS_DIGITS - 1 && has_digit && is_of_frame(frame) &&
           read_frame(str_trim(frame), &f) && f.function.n > 0;
}

static bool is_in_front(struct perf_notice *n, struct str line)
{
    struct header h;
    return perf_notice_begins(n, line) || !str_trim(line).n || *line.p == '#' ||
           trace_format_is_prompt(line) ||
           (n->goes_on && !str_is_blank(*line.p) && !read_header(line, &h));
}

/* The line of a sample and what belongs to it, or another one: perhaps behind what perf said while
 * it recorded, however much that is. */
static bool has_sample(struct str data)
{
    enum { LINES_LOOKED_AT = 4096 };
    struct header h;
    struct perf_notice notice = {false};
    bool after_header = false;
    size_t lines = 0;
    for (struct str line; lines < LINES_LOOKED_AT && str_next_line(&data, &line);) {
        if (is_in_front(&notice, line))
            continue;
        bool is_header = *line.p != '\t' && read_header(line, &h);
        if ((is_header && (lines == 0 || after_header)) || (after_header && is_of_frame(line)))
            return true;
        after_header = is_header;
        lines++;
    }
    return false;
}

/* A time, and a frame below it or on the same line. */
static bool is_timed_text(struct str line, struct str below)
{
    struct printed_frame f;
    struct header h = read_loose_header(line);
    struct str rest = h.rest, event = str_take_word(&rest), address = rest;
    struct trace_line of_ftrace;
    if (is_of_frame(line) || !h.has_time || trace_line_read(line, &of_ftrace))
        return false;
    if (below.n > 0 && *below.p == '\t' && read_frame(str_trim(below), &f))
        return true;
    return str_ends(event, STR(":")) && str_take_word(&address).n >= ADDRESS_DIGITS &&
           read_frame(str_trim(rest), &f) && f.function.n > 0;
}

static bool has_loose_sample(struct str head)
{
    struct perf_notice notice = {false};
    struct str below = {"", 0};
    for (struct str line; str_next_line(&head, &line);) {
        if (is_in_front(&notice, line))
            continue;
        str_next_line(&head, &below);
        return is_loose_text(line, below) || is_timed_text(line, below);
    }
    return false;
}

static bool perf_script_sniff(struct bytes data)
{
    struct str all = {(const char *)data.p, data.n};
    return has_sample(all) || has_loose_sample(all);
}

static struct status perf_script_import(struct trace *t, const char *name,
                                        struct byte_source *source)
{
    struct str all = {(const char *)source->window.p, source->window.n};
    struct perf_script s = {.trace = t,
                            .samples = samples_begin(t, STR("perf_text")),
                            .is_loose = !has_sample(all) && has_loose_sample(all)};
    bool whole = text_lines_read(t, source, add_line, &s);
    finish_sample(&s, false);
    if (whole)
        apply_samples(&s);
    if (whole && s.events) {
        process_tracker_name_idle_task(t, stats_scope(t)->machine);
        ftrace_text_apply(s.events);
    }
    if (s.events)
        ftrace_text_free(s.events);
    samples_release(&s.samples);
    vec_release(&s.frames);
    vec_release(&s.printed);
    vec_release(&s.order);
    map_release(&s.comms);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format perf_script_trace_format = {
    .name = "perf script",
    .type = "perf_text",
    .about = "text of perf script: lines \"comm pid time: event:\" with call stacks below",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .by_lines = true,
    .sniff = perf_script_sniff,
    .read_source = perf_script_import,
};
