#include "parsers/text/android_log.h"

#include <string.h>

#include "core/trace_builder.h"
#include "parsers/text/civil_time.h"
#include "parsers/text/text_lines.h"

/* Trace Processor counts no shorter lines: these are lines that cannot be read. */
enum { SHORTEST_EVENT = 30 };

static enum android_log_priority priority_of(char c)
{
    switch (c) {
    case 'V':
        return ANDROID_LOG_VERBOSE;
    case 'D':
        return ANDROID_LOG_DEBUG;
    case 'I':
        return ANDROID_LOG_INFO;
    case 'W':
        return ANDROID_LOG_WARN;
    case 'E':
        return ANDROID_LOG_ERROR;
    case 'F':
    case 'A':
        return ANDROID_LOG_FATAL;
    default:
        return ANDROID_LOG_UNSPECIFIED;
    }
}

static bool is_priority(char c)
{
    return priority_of(c) != ANDROID_LOG_UNSPECIFIED || c == 'S';
}

static bool is_number(struct str s, uint32_t *out)
{
    uint64_t v;
    bool is_hex = str_starts(s, STR("0x")); /* threads of older ones */
    if (!str_to_u64(s, is_hex ? 16 : 10, &v) || v > UINT32_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

/* What a line says, in text. */
struct log_line {
    bool has_time, opens_long, of_studio;
    int64_t ts;
    uint32_t pid, tid;
    char priority;
    struct str process, tag, message;
};

/* "tag: message". Tags may have colons of their own. */
static void split_message(struct log_line *l, struct str rest)
{
    const char *colon = rest.n ? memmem(rest.p, rest.n, ": ", 2) : NULL;
    if (!colon && str_ends(rest, STR(":")))
        colon = rest.p + rest.n - 1;
    l->message = rest;
    if (!colon)
        return;
    size_t at = (size_t)(colon - rest.p);
    l->tag = str_trim(str_from_to(rest, 0, at));
    l->message = str_skip(rest, at + 2 < rest.n ? at + 2 : rest.n);
}

/* "123" or "1000: 123", the user before the process. */
static bool read_pid(struct str text, uint32_t *pid)
{
    size_t colon = str_find(text, ':');
    if (colon < text.n)
        text = str_skip(text, colon + 1);
    return is_number(str_trim(text), pid);
}

/* "[1000] 123 456 I tag: message" */
static bool read_threadtime(struct str rest, struct log_line *l)
{
    struct str user = str_take_word(&rest), pid = str_take_word(&rest), tid = str_take_word(&rest);
    if (tid.n == 1 && is_priority(*tid.p)) { /* no user */
        l->priority = *tid.p;
        tid = pid;
        pid = user;
    } else {
        struct str priority = str_take_word(&rest);
        if (priority.n != 1 || !is_priority(*priority.p))
            return false;
        l->priority = *priority.p;
    }
    if (!is_number(pid, &l->pid) || !is_number(tid, &l->tid))
        return false;
    split_message(l, rest.n ? str_skip(rest, 1) : rest);
    return true;
}

/* "I/tag     (  123): message" */
static bool read_brief(struct str rest, struct log_line *l)
{
    if (rest.n < 3 || !is_priority(*rest.p) || rest.p[1] != '/')
        return false;
    const char *end = memmem(rest.p, rest.n, "): ", 3);
    if (!end && str_ends(rest, STR("):")))
        end = rest.p + rest.n - 2;
    if (!end)
        return false;
    size_t close = (size_t)(end - rest.p), open = close;
    while (open > 2 && rest.p[open - 1] != '(')
        open--;
    if (open <= 2 || !read_pid(str_from_to(rest, open, close), &l->pid))
        return false;
    l->tid = l->pid;
    l->priority = *rest.p;
    l->tag = str_trim(str_from_to(rest, 2, open - 1));
    l->message = str_skip(rest, close + 3 < rest.n ? close + 3 : rest.n);
    return true;
}

/* "I(  123:  456) message" or "I(  123) message  (tag)" */
static bool read_thread(struct str rest, struct log_line *l)
{
    size_t close = str_find(rest, ')');
    if (rest.n < 4 || close == rest.n || !is_priority(*rest.p) || rest.p[1] != '(')
        return false;
    struct str ids = str_from_to(rest, 2, close);
    size_t last = ids.n;
    while (last > 0 && ids.p[last - 1] != ':')
        last--;
    struct str tid = str_trim(str_skip(ids, last));
    l->priority = *rest.p;
    l->message = str_skip(rest, close + 2 < rest.n ? close + 2 : rest.n);
    if (last > 0)
        return is_number(tid, &l->tid) && read_pid(str_from_to(ids, 0, last - 1), &l->pid);
    if (!is_number(tid, &l->pid))
        return false;
    l->tid = l->pid;
    size_t open = l->message.n;
    while (open > 0 && l->message.p[open - 1] != '(')
        open--;
    if (open > 1 && str_ends(l->message, STR(")"))) {
        l->tag = str_trim(str_from_to(l->message, open, l->message.n - 1));
        l->message = str_trim(str_from_to(l->message, 0, open - 1));
    }
    return true;
}

/* "I/tag     : message" */
static bool read_tag(struct str rest, struct log_line *l)
{
    if (rest.n < 4 || !is_priority(*rest.p) || rest.p[1] != '/')
        return false;
    l->priority = *rest.p;
    split_message(l, str_skip(rest, 2));
    return l->tag.n > 0;
}

/* "[1000:] 123: 456 I/tag ]" */
static bool read_long(struct str rest, struct log_line *l)
{
    if (!str_ends(rest, STR("]")))
        return false;
    rest = str_trim(str_from_to(rest, 0, rest.n - 1));
    size_t slash = str_find(rest, '/');
    if (slash == rest.n || slash < 1 || !is_priority(rest.p[slash - 1]))
        return false;
    l->priority = rest.p[slash - 1];
    l->tag = str_trim(str_skip(rest, slash + 1));
    struct str ids = str_trim(str_from_to(rest, 0, slash - 1));
    size_t last = ids.n;
    while (last > 0 && ids.p[last - 1] != ':')
        last--;
    l->opens_long = true;
    return last > 0 && is_number(str_trim(str_skip(ids, last)), &l->tid) &&
           read_pid(str_from_to(ids, 0, last - 1), &l->pid);
}

/* Behind "123-456  ": "tag   com.app   I  message"; one of the columns may be missing. */
static bool read_columns(struct str rest, struct log_line *l)
{
    enum { TAG_WIDTH = 23 }; /* longer ones are shortened, one blank follows */
    struct str column[2] = {{rest.p, 0}, {rest.p, 0}};
    struct str left = rest;
    for (size_t n = 0; left.n > 0;) {
        struct str word = str_take_word(&left);
        if (word.n == 1 && n > 0 && is_priority(*word.p) && str_starts(left, STR("  "))) {
            l->priority = *word.p;
            l->tag = column[0];
            l->process = column[1];
            l->message = str_skip(left, 2);
            return true;
        }
        bool is_full = n == 1 && column[0].n >= TAG_WIDTH;
        bool goes_on = n > 0 && !is_full && word.p == column[n - 1].p + column[n - 1].n + 1;
        if (!goes_on && n < 2)
            column[n++] = word;
        else
            column[n - 1].n = (size_t)(word.p + word.n - column[n - 1].p);
    }
    return false;
}

/* "123-456/com.app I/tag: message", "123-456  tag   com.app   I  message" */
static bool read_studio(struct str rest, struct log_line *l)
{
    struct str ids = str_take_word(&rest);
    size_t dash = str_find(ids, '-'), slash = str_find(ids, '/');
    if (dash >= slash || !is_number(str_from_to(ids, 0, dash), &l->pid) ||
        !is_number(str_from_to(ids, dash + 1, slash), &l->tid))
        return false;
    l->of_studio = true;
    if (slash == ids.n)
        return read_columns(rest, l);
    l->process = str_skip(ids, slash + 1);
    if (str_eq(l->process, STR("?")))
        l->process.n = 0;
    return read_tag(str_trim(rest), l);
}

/* A date, or seconds since some beginning. */
static bool take_time(struct str *rest, int32_t year, int64_t *ts)
{
    struct civil_time c;
    if (civil_time_take(rest, &c)) {
        c.year = c.year ? c.year : year;
        *ts = civil_time_ns(&c);
        return true;
    }
    struct str after = *rest, word = str_take_word(&after);
    if (!text_seconds(word, ts))
        return false;
    *rest = str_trim(after);
    return true;
}

static bool read_line(struct str line, int32_t year, struct log_line *l)
{
    struct str rest = str_trim(line);
    *l = (struct log_line){0};
    bool is_long = str_starts(rest, STR("[ "));
    if (is_long)
        rest = str_trim(str_skip(rest, 2));
    l->has_time = take_time(&rest, year, &l->ts);
    if (is_long)
        return l->has_time && read_long(rest, l);
    if (l->has_time)
        return read_threadtime(rest, l) || read_brief(rest, l) || read_studio(rest, l);
    return read_brief(rest, l) || read_thread(rest, l) || read_tag(rest, l);
}

/* What logcat says of its buffers, and adb in front of it. */
static bool is_marker(struct str line)
{
    return str_starts(line, STR("---")) || str_eq(line, STR("- waiting for device -"));
}

void android_log_begin(struct android_log *l, struct trace *t, const char *name)
{
    *l = (struct android_log){.trace = t, .year = t->builder->logs.year};
    arena_init(&l->arena);
    if (l->year == 0)
        l->year = android_bug_report_year(str_from(name));
    if (l->year == 0)
        l->year = civil_year(0);
}

static void add_event(struct android_log *l, const struct log_line *line)
{
    struct android_log_event e = {
        .ts = line->ts,
        .pid = line->pid,
        .tid = line->tid,
        .priority = priority_of(line->priority),
        .tag = line->tag.n ? trace_intern(l->trace, line->tag) : NULL_STRING,
        .message = trace_intern(l->trace, line->message),
    };
    if (!line->has_time)
        e.ts = l->untimed++;
    struct android_log_event *kept = arena_alloc(&l->arena, sizeof *kept);
    *kept = e;
    *vec_push(&l->entries) = (struct timed){.ts = e.ts, .record = kept};
    if (line->opens_long) {
        l->open = kept;
        l->message.count = 0;
    }
    l->studio = line->of_studio ? kept : NULL;
    if (line->process.n)
        map_set(&l->processes, line->pid, trace_intern(l->trace, line->process));
}

/* A line below the one that has the head. */
static void add_same(struct android_log *l, struct str line)
{
    struct android_log_event *kept = arena_alloc(&l->arena, sizeof *kept);
    *kept = *l->studio;
    kept->message = trace_intern(l->trace, str_trim(line));
    *vec_push(&l->entries) = (struct timed){.ts = kept->ts, .record = kept};
}

/* Without "\033[38;5;40m" in front and "\033[0m" behind. */
static struct str without_colour(struct str line)
{
    size_t end;
    while (line.n && *line.p == '\033' && (end = str_find(line, 'm')) < line.n)
        line = str_skip(line, end + 1);
    const char *last = line.n ? memrchr(line.p, '\033', line.n) : NULL;
    if (last && str_ends(line, STR("m")))
        line.n = (size_t)(last - line.p);
    return line;
}

/* Lines of a message in long format are joined; the empty line that ends it is not part of it. */
static void close_long(struct android_log *l)
{
    struct str text = {l->message.items, l->message.count};
    while (text.n && text.p[text.n - 1] == '\n')
        text.n--;
    if (l->open)
        l->open->message = trace_intern(l->trace, text);
    l->open = NULL;
}

static void continue_long(struct android_log *l, struct str line)
{
    vec_append(&l->message, line.p, line.n);
    l->message.items[l->message.count++] = '\n';
}

void android_log_line(struct android_log *l, struct str line)
{
    struct log_line read;
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    line = without_colour(line);
    if (is_marker(line)) {
        close_long(l);
        return;
    }
    bool is_event = read_line(line, l->year, &read);
    if (l->open && !(is_event && read.opens_long)) {
        continue_long(l, line);
        return;
    }
    close_long(l);
    if (is_event) {
        add_event(l, &read);
    } else if (l->studio && line.n && str_is_blank(*line.p)) {
        add_same(l, line);
    } else if (l->takes_anything && line.n) {
        read = (struct log_line){.message = line};
        add_event(l, &read);
    } else if (line.n >= SHORTEST_EVENT) {
        stats_count(l->trace, l->entries.count > 0 ? STAT_android_log_num_failed
                                                   : STAT_android_log_format_invalid);
    } else {
        text_lines_unread(l->trace, line);
    }
}

static void name_processes(struct android_log *l)
{
    struct trace *t = l->trace;
    uint32_t machine = stats_scope(t)->machine;
    for (size_t i = 0; i < l->processes.cap; i++) {
        const struct map_slot *slot = &l->processes.slots[i];
        uint32_t upid =
            slot->used ? process_tracker_find_process(t, machine, (int64_t)slot->key) : NULL_U32;
        if (upid != NULL_U32)
            process_tracker_set_process_name(t, upid, slot->value, PROCESS_NAME_OTHER);
    }
}

void android_log_finish(struct android_log *l)
{
    close_long(l);
    time_sort(l->entries.items, l->entries.count);
    for (size_t i = 0; i < l->entries.count; i++) {
        struct android_log_event e = *(const struct android_log_event *)l->entries.items[i].record;
        if (l->is_bug_report && android_logs_take(l->trace, &e))
            continue;
        if (!l->is_bug_report)
            android_logs_note(l->trace, &e);
        if (clock_file_time(l->trace, e.ts, &e.ts))
            android_log_append(l->trace, &e);
    }
    name_processes(l);
    map_release(&l->processes);
    vec_release(&l->entries);
    vec_release(&l->message);
    arena_release(&l->arena);
}

static void add_line(void *self, struct str line)
{
    android_log_line(self, line);
}

/* The first line that is no marker. */
static struct str first_event(struct str head, bool *after_marker)
{
    *after_marker = false;
    while (head.n > 0) {
        size_t n = str_find(head, '\n');
        struct str line = str_from_to(head, 0, n);
        if (n == head.n)
            break; /* it may be cut */
        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        line = without_colour(line);
        if (line.n && !is_marker(line))
            return line;
        *after_marker |= str_starts(line, STR("--------- beginning of "));
        head = str_skip(head, n + 1);
    }
    return (struct str){NULL, 0};
}

/* A log may begin with the command, or in the middle of a message: most lines then have times. */
static bool has_event_lines(struct str head)
{
    enum { LINES_LOOKED_AT = 32, EVENTS_WANTED = 4 };
    struct log_line l;
    size_t events = 0, lines = 0;
    for (struct str line; lines < LINES_LOOKED_AT && str_next_line(&head, &line); lines++) {
        line = without_colour(str_trim(line));
        bool dated = line.n > 5 && (line.p[2] == '-' || line.p[4] == '-');
        events += dated && read_line(line, 0, &l) && l.has_time && l.tag.n > 0;
    }
    return events >= EVENTS_WANTED && events * 2 >= lines;
}

/* Formats without a time look like much else, unless logcat says where its buffers begin. */
static bool android_log_sniff(struct bytes data)
{
    struct log_line l;
    bool after_marker;
    struct str line = first_event(trace_format_head(data), &after_marker);
    if (line.n == 0)
        return false;
    if (after_marker)
        return true;
    bool dated = line.n > 5 && (line.p[2] == '-' || line.p[4] == '-' || *line.p == '[');
    struct str words = line, seconds = str_take_word(&words);
    bool monotonic = str_find(seconds, '.') < seconds.n && read_line(line, 0, &l) && l.has_time &&
                     l.tid > 0 && l.tag.n > 0;
    bool brief = line.n > 2 && line.p[1] == '/' && read_brief(line, &l);
    return (dated && read_line(line, 0, &l) && l.has_time) || brief || monotonic ||
           has_event_lines(trace_format_head(data));
}

static struct status android_log_import(struct trace *t, const char *name,
                                        struct byte_source *source)
{
    struct android_log l;
    struct log_line first;
    android_log_begin(&l, t, name);
    bool after_marker;
    struct str line = first_event(trace_format_body(source->window), &after_marker);
    l.takes_anything = after_marker && !read_line(line, 0, &first);
    bool whole = text_lines_read(t, source, add_line, &l);
    android_log_finish(&l);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format android_log_trace_format = {
    .name = "Android log",
    .type = "android_logcat",
    .about = "what logcat prints, in each of its formats: lines \"06-24 16:24:23.441 123 456 I "
             "tag: message\" and the like",
    .by_lines = true,
    .sniff = android_log_sniff,
    .clock = CLOCK_REALTIME_NUMBER,
    .read_source = android_log_import,
};
