/* What `perf trace` prints: system calls as slices of threads, with the args `args` and `ret`; page
 * faults and tracepoints as instants. Below a line its stack may stand, the arg `stack`.
 *
 *          0.053 ( 0.012 ms): ls/859 brk(brk: 0x1000)                       = 0x563a05e0f000
 *          0.060 (         ): ls/859 read(fd: 3, count: 10)                 ...
 *          0.060 ( 1.020 ms): ls/859  ... [continued]: read())              = 10
 *          0.070 ( 0.000 ms): ls/859 minfault [elf_load+0x28a] => 0x55c19a4e35c0 (?k)
 *          0.080 ls/859 sched:sched_process_exit(comm: "ls", prio: 120)
 *              ? (         ): ls/859  ... [continued]: execve())            = 0
 *
 * Times are ms, of when the call began. Of a call with "?" that is not known: it is left out. The
 * thread is missing where only one was traced. The form is that of perf-trace(1). */
#include "base/alloc.h"
#include "core/trace_builder.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/perf_notice.h"
#include "parsers/text/text_lines.h"

enum { LONE_TID = 1, FRACTION_DIGITS = 3, US_TO_NS = 1000 };

/* A line; strings are within it. */
struct trace_call {
    int64_t ts, dur;
    uint64_t tid;
    bool has_time, has_tid, has_dur, goes_on, continued;
    struct str comm, name, args, result;
};

struct perf_call {
    int64_t ts, dur; /* dur is -1 where the end is not known */
    uint32_t tid;
    string_id comm, name, args, result, stack;
};

struct perf_trace {
    struct trace *trace;
    struct arena arena;
    VEC(struct timed) entries;
    VEC(struct perf_call *) open;
    struct map open_of; /* tid -> place in `open` */
    struct perf_call *last;
    VEC(char) stack;
    struct perf_notice notice;
    bool in_summary; /* behind the calls (-S) */
};

/* "48107728.950" of ms in ns. */
static bool read_ms(struct str word, int64_t *ns)
{
    uint64_t whole, fraction;
    size_t point = str_find(word, '.');
    if (point + 1 + FRACTION_DIGITS != word.n ||
        !str_to_u64(str_from_to(word, 0, point), 10, &whole) ||
        !str_to_u64(str_skip(word, point + 1), 10, &fraction) || whole > INT64_MAX / 2000000)
        return false;
    *ns = (int64_t)(whole * 1000 + fraction) * US_TO_NS;
    return true;
}

/* "( 0.012 ms):" or "(         ):", which events lack. */
static bool take_duration(struct str *rest, struct trace_call *c)
{
    *rest = str_trim(*rest);
    if (!str_starts(*rest, STR("(")))
        return true;
    size_t close = str_find(*rest, ')');
    struct str inside = str_trim(str_from_to(*rest, 1, close));
    if (close + 1 >= rest->n || rest->p[close + 1] != ':')
        return false;
    c->has_dur = str_ends(inside, STR(" ms")) &&
                 read_ms(str_trim(str_from_to(inside, 0, inside.n - 3)), &c->dur);
    *rest = str_trim(str_skip(*rest, close + 2));
    return c->has_dur || inside.n == 0;
}

/* "kworker/0:1/12 " in front of the call. */
static void take_thread(struct str *rest, struct trace_call *c)
{
    size_t end = rest->n > 1 ? 1 + str_find(str_skip(*rest, 1), '(') : rest->n;
    for (size_t at = 1; at < end; at++) {
        if (rest->p[at] != '/')
            continue;
        struct str behind = str_skip(*rest, at + 1);
        size_t digits = str_count_digits(behind);
        if (digits == 0 || digits == behind.n || behind.p[digits] != ' ' ||
            !str_to_u64(str_from_to(behind, 0, digits), 10, &c->tid) || c->tid > UINT32_MAX)
            continue;
        c->has_tid = true;
        c->comm = *rest->p == ':' ? str_from_to(*rest, 0, 0) : str_from_to(*rest, 0, at);
        *rest = str_trim(str_skip(behind, digits));
        return;
    }
}

/* Takes "= 3" and what is before it off the end. */
static void take_result(struct str *rest, struct trace_call *c)
{
    for (size_t at = rest->n; at > 1; at--) {
        if (rest->p[at - 1] != '=' || !str_is_blank(rest->p[at - 2]) || at == rest->n ||
            rest->p[at] != ' ')
            continue;
        c->result = str_trim(str_skip(*rest, at));
        *rest = str_trim(str_from_to(*rest, 0, at - 1));
        return;
    }
}

/* "openat(dfd: CWD, flags: RDONLY) = 3", and its other forms. */
static bool read_call(struct str text, struct trace_call *c)
{
    struct str more = STR("... [continued]: "), dots = STR("...");
    struct str rest = text, name = str_take_word(&rest);
    if (str_eq(name, STR("minfault")) || str_eq(name, STR("majfault"))) {
        c->name = name;
        c->args = str_trim(rest);
        return true;
    }
    c->continued = str_starts(text, more);
    text = c->continued ? str_skip(text, more.n) : text;
    c->goes_on = !c->continued && str_ends(text, dots);
    if (c->goes_on)
        text = str_trim(str_from_to(text, 0, text.n - dots.n));
    else
        take_result(&text, c);
    size_t open = str_find(text, '(');
    c->name = str_from_to(text, 0, open);
    if (open == 0 || open == text.n || str_find(c->name, ' ') < open)
        return false;
    struct str args = str_skip(text, open + 1);
    c->args = str_ends(args, STR(")")) ? str_from_to(args, 0, args.n - 1) : args;
    if (c->continued)
        c->args.n = 0;
    return true;
}

static bool read_line(struct str line, struct trace_call *c)
{
    struct str rest = line, word = str_take_word(&rest);
    *c = (struct trace_call){.comm = {line.p, 0}, .result = {line.p, 0}};
    c->has_time = read_ms(word, &c->ts);
    if ((!c->has_time && !str_eq(word, STR("?"))) || !take_duration(&rest, c))
        return false;
    take_thread(&rest, c);
    return read_call(rest, c);
}

static void close_stack(struct perf_trace *p)
{
    if (p->last && p->stack.count > 0)
        p->last->stack = trace_intern(p->trace, (struct str){p->stack.items, p->stack.count - 1});
    p->last = NULL;
    p->stack.count = 0;
}

static void add_frame(struct perf_trace *p, struct str text)
{
    if (!p->last)
        return;
    vec_append(&p->stack, text.p, text.n);
    *vec_push(&p->stack) = '\n';
}

static string_id intern(struct perf_trace *p, struct str text)
{
    return text.n ? trace_intern(p->trace, text) : NULL_STRING;
}

/* The call of the thread that an earlier line began. */
static struct perf_call *take_open(struct perf_trace *p, uint32_t tid)
{
    uint32_t *at = map_find(&p->open_of, tid);
    struct perf_call *call = at ? p->open.items[*at] : NULL;
    if (at)
        p->open.items[*at] = NULL;
    return call;
}

static void set_open(struct perf_trace *p, struct perf_call *call)
{
    bool inserted;
    uint32_t *at = map_insert(&p->open_of, call->tid, &inserted);
    if (inserted) {
        *at = (uint32_t)p->open.count;
        *vec_push(&p->open) = NULL;
    }
    p->open.items[*at] = call;
}

static void add_call(struct perf_trace *p, const struct trace_call *c)
{
    uint32_t tid = c->has_tid ? (uint32_t)c->tid : LONE_TID;
    int64_t ts;
    string_id name = intern(p, c->name);
    struct perf_call *open = take_open(p, tid);
    if (c->continued && open && open->name == name && c->has_dur) {
        open->dur = c->dur;
        open->result = intern(p, c->result);
        p->last = open;
        return;
    }
    if (!c->has_time || !clock_file_time(p->trace, c->ts, &ts))
        return;
    if (open) /* it did not return, as sigreturn does not */
        open->dur = ts > open->ts ? ts - open->ts : 0;
    struct perf_call *call = arena_alloc(&p->arena, sizeof *call);
    *call = (struct perf_call){.ts = ts,
                               .dur = c->goes_on ? -1 : c->dur,
                               .tid = tid,
                               .comm = intern(p, c->comm),
                               .name = name,
                               .args = intern(p, c->args),
                               .result = intern(p, c->result)};
    *vec_push(&p->entries) = (struct timed){.ts = ts, .rank = -c->dur, .record = call};
    if (c->goes_on)
        set_open(p, call);
    p->last = call;
}

/* They are indented further than times are, which a word that begins with a digit may be one of. */
static bool is_frame(struct str line)
{
    struct str text = str_trim(line);
    return str_is_blank(*line.p) && !str_is_digit(*text.p) && *text.p != '?';
}

static bool is_other_line(struct perf_trace *p, struct str text)
{
    p->in_summary |= str_starts(text, STR("Summary of events"));
    return p->in_summary || perf_notice_begins(&p->notice, text) ||
           perf_notice_count_lost(p->trace, text) || p->notice.goes_on;
}

static void add_line(void *self, struct str line)
{
    struct perf_trace *p = self;
    struct trace_call c;
    struct str text = str_trim(line);
    if (text.n == 0) {
        p->notice.goes_on = false;
        return;
    }
    if (read_line(line, &c)) {
        p->notice.goes_on = false;
        close_stack(p);
        add_call(p, &c);
    } else if (is_other_line(p, text)) {
        close_stack(p);
    } else if (is_frame(line)) {
        add_frame(p, text);
    } else {
        close_stack(p);
        text_lines_unread(p->trace, line);
    }
}

static void add_arg(struct trace *t, struct arg_list *args, struct str key, string_id value)
{
    if (value)
        arg_list_str(args, trace_intern(t, key), value);
}

static void apply(struct perf_trace *p, const struct perf_call *c)
{
    struct trace *t = p->trace;
    uint32_t utid = process_tracker_thread(t, stats_scope(t)->machine, c->tid);
    string_id category = trace_intern(t, STR("perf trace"));
    uint32_t track = track_thread(t, utid);
    if (c->comm)
        process_tracker_set_thread_name(t, utid, c->comm, THREAD_NAME_OTHER);
    uint32_t slice = c->dur < 0 ? slice_begin(t, c->ts, track, category, c->name)
                                : slice_complete(t, c->ts, c->dur, track, category, c->name);
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(t, track, slice);
    if (!args)
        return;
    add_arg(t, args, STR("args"), c->args);
    add_arg(t, args, STR("ret"), c->result);
    add_arg(t, args, STR("stack"), c->stack);
}

/* The first lines but comments; several must be such, as times and brackets are everywhere. */
static bool perf_trace_sniff(struct bytes data)
{
    struct str head = trace_format_head(data), line, mark = STR("):");
    struct trace_call c;
    while (str_next_line(&head, &line)) {
        if (str_trim(line).n == 0 || *line.p == '#')
            continue;
        if (!str_is_blank(*line.p) && !str_is_digit(*line.p))
            return false;
        bool is_call = memmem(line.p, line.n, mark.p, mark.n) || str_find(line, '/') < line.n;
        return is_call && read_line(line, &c) && (c.has_dur || c.has_tid);
    }
    return false;
}

static struct status perf_trace_import(struct trace *t, const char *name,
                                       struct byte_source *source)
{
    struct perf_trace p = {.trace = t};
    arena_init(&p.arena);
    bool whole = text_lines_read(t, source, add_line, &p);
    close_stack(&p);
    time_sort(p.entries.items, p.entries.count);
    for (size_t i = 0; whole && i < p.entries.count; i++)
        apply(&p, p.entries.items[i].record);
    vec_release(&p.entries);
    vec_release(&p.open);
    vec_release(&p.stack);
    map_release(&p.open_of);
    arena_release(&p.arena);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format perf_trace_trace_format = {
    .name = "perf trace",
    .type = "perf_trace",
    .about = "system calls as perf trace prints them: lines \"time (duration): comm/tid "
             "call(...) = result\"",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .by_lines = true,
    .sniff = perf_trace_sniff,
    .read_source = perf_trace_import,
};
