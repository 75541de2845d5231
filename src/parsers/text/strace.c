/* The output of strace, with any of its options (strace_line.h has the forms): system calls become
 * slices of threads; signals and exits instants on a track of their own next to them.
 *
 * What Trace Processor reads, lines with a pid and seconds since 1970 (-f -ttt), is read as it
 * reads it, and in such files only that: signals and exits, and another kind of time, are counted.
 * Beyond that, and told in stats: times of day are those of 1 January 1970 and go on over midnight;
 * without times, the order of lines is the time, a microsecond each; without pids, the file is
 * about one thread, whose number is the file name's ending (-ff) or 1. */
#include <string.h>

#include "core/import_log.h"
#include "core/trace_builder.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/strace_line.h"
#include "parsers/text/text_lines.h"

#define NS_PER_DAY   INT64_C(86400000000000)
#define NS_PER_ORDER INT64_C(1000)

enum { LONE_PID = 1 };

/* A line; its parts are strings of the pool, NULL_STRING where they are missing. */
struct strace_event {
    int64_t ts, dur;
    uint32_t tid;
    bool has_pid, resumed, unfinished;
    uint8_t kind; /* enum strace_line_kind */
    string_id name, args, result, address, stack, thread_name;
};

struct strace {
    struct trace *trace;
    const char *file_name;
    struct arena arena;
    VEC(struct timed) entries;
    struct strace_event *last; /* call, below which its stack may follow */
    VEC(char) stack;
    VEC(char) part;      /* what was printed of a call until other output interrupted it */
    struct map attached; /* pids that strace came to follow */
    struct map ends;     /* tid -> entry of `end_times` */
    VEC(int64_t) end_times;
    bool begun; /* a line was read that decides about the times of all */
    enum strace_time time;
    bool is_coarse;
    int64_t now; /* time of the last line, since the first midnight, or the first line */
    bool any_pid, any_brackets;
    uint32_t first_pid; /* of those in brackets that were not attached */
    int64_t unread;     /* lines, but those that are known and have no rows */
    int64_t no_calls;   /* lines that Trace Processor does not read */
    int64_t no_pids;    /* calls that do not say whose they are */
    string_id category, args, result, address, stack_key;
};

static string_id intern(const struct strace *s, struct str text)
{
    return text.n ? trace_intern(s->trace, text) : NULL_STRING;
}

static void add_frame(struct strace *s, struct str frame)
{
    if (!s->last)
        return;
    vec_reserve(&s->stack, s->stack.count + frame.n + 1);
    if (s->stack.count > 0)
        s->stack.items[s->stack.count++] = '\n';
    memcpy(s->stack.items + s->stack.count, frame.p, frame.n);
    s->stack.count += frame.n;
}

static void close_stack(struct strace *s)
{
    if (s->last && s->stack.count > 0)
        s->last->stack = trace_intern(s->trace, (struct str){s->stack.items, s->stack.count});
    s->last = NULL;
    s->stack.count = 0;
}

/* The time of a line in a file of that kind of times. */
static int64_t time_of(struct strace *s, const struct strace_line *l)
{
    int64_t then = s->now;
    switch (s->time) {
    case STRACE_EPOCH:
        s->now = l->ns;
        break;
    case STRACE_OF_DAY: {
        int64_t midnight = then - then % NS_PER_DAY;
        s->now = midnight + l->ns;
        if (s->now < then - NS_PER_DAY / 2)
            s->now += NS_PER_DAY;
        break;
    }
    case STRACE_RELATIVE:
        s->now = time_plus(then, l->ns);
        break;
    case STRACE_NO_TIME: {
        int64_t ts = time_plus(then, NS_PER_ORDER);
        s->now = l->resumed ? ts : time_plus(ts, l->dur);
        return ts;
    }
    }
    return s->now;
}

static void note_pid(struct strace *s, const struct strace_line *l)
{
    s->any_pid |= l->has_pid;
    s->any_brackets |= l->has_brackets;
    if (l->has_brackets && s->first_pid == 0 && !map_find(&s->attached, l->pid))
        s->first_pid = l->pid;
}

/* Whether the line has the kind of time that the file's first one has. Trace Processor uses none
 * but -ttt's, we all that there are: lines without any are in doubt. */
static bool check_time(struct strace *s, const struct strace_line *l, int64_t end)
{
    struct trace *t = s->trace;
    if (!s->begun) {
        s->begun = true;
        s->time = l->time;
        s->is_coarse = l->is_coarse;
        if (l->time == STRACE_OF_DAY || l->time == STRACE_RELATIVE) {
            stats_count(t, STAT_strace_unsupported_timestamp_format);
            t->builder->harmless[STAT_strace_unsupported_timestamp_format]++;
        }
    }
    if (l->time == STRACE_NO_TIME && s->time == STRACE_NO_TIME)
        stats_count(t, STAT_strace_unsupported_timestamp_format);
    if (l->time == s->time)
        return true;
    s->unread++;
    bool is_of_day = s->time == STRACE_EPOCH && l->time == STRACE_OF_DAY;
    s->no_calls += !is_of_day;
    import_log_in_file(t,
                       is_of_day ? STAT_strace_unsupported_timestamp_format
                                 : STAT_strace_parse_failure,
                       end, NULL);
    return false;
}

static void keep_part(struct strace *s, struct str text)
{
    vec_append(&s->part, text.p, text.n);
}

/* A call of which the rest never came. */
static void drop_part(struct strace *s)
{
    if (s->part.count > 0)
        s->unread++;
    s->part.count = 0;
}

/* The line, behind the part of it that was printed earlier. */
static struct strace_line read_line(struct strace *s, struct str text)
{
    if (s->part.count > 0 && strace_line_goes_on(text)) {
        keep_part(s, text);
        text = (struct str){s->part.items, s->part.count};
        s->part.count = 0; /* the bytes stay until the next part */
        return strace_line_read(text);
    }
    struct strace_line l = strace_line_read(text);
    bool is_broken = l.kind == STRACE_PART || (l.kind == STRACE_ATTACH && l.args.n);
    if (is_broken || l.kind == STRACE_CALL)
        drop_part(s);
    if (is_broken)
        keep_part(s, l.args);
    return l;
}

/* Files with other kinds of times Trace Processor does not read: they may have no pids at all. */
static void note_missing_pid(struct strace *s, int64_t end)
{
    s->no_pids++;
    if (s->time == STRACE_EPOCH)
        import_log_in_file(s->trace, STAT_strace_missing_pid, end, NULL);
    else
        stats_count(s->trace, STAT_strace_missing_pid);
}

/* The command that somebody copied from the terminal with what it printed, or what strace says of
 * itself. */
static bool is_about_strace(struct str line)
{
    struct str word = STR("strace ");
    struct str before = str_from_to(line, 0, str_find(line, '('));
    return str_starts(line, STR("strace: ")) ||
           (before.n && memmem(before.p, before.n, word.p, word.n));
}

static void add_line(void *self, struct str text, int64_t end)
{
    struct strace *s = self;
    struct strace_line l = read_line(s, text);
    if (l.kind == STRACE_STACK) {
        add_frame(s, l.args);
        return;
    }
    close_stack(s);
    if (l.kind == STRACE_ATTACH)
        map_set(&s->attached, l.pid, 1);
    if (l.kind != STRACE_CALL) { /* signals, exits and the like: Trace Processor reads none */
        s->no_calls++;
        import_log_in_file(s->trace, STAT_strace_parse_failure, end, NULL);
    }
    if (l.kind == STRACE_OTHER && str_trim(text).n > 0 && !is_about_strace(text))
        s->unread++;
    bool is_mark = l.kind == STRACE_SIGNAL || l.kind == STRACE_EXIT;
    if (l.kind != STRACE_CALL && !(is_mark && (s->begun ? l.time == s->time : l.has_pid)))
        return;
    if (!check_time(s, &l, end))
        return;
    if (l.kind == STRACE_CALL && !l.has_pid)
        note_missing_pid(s, end);
    struct strace_event e = {
        .dur = l.dur,
        .tid = l.pid,
        .has_pid = l.has_pid,
        .resumed = l.resumed,
        .unfinished = l.unfinished,
        .kind = (uint8_t)l.kind,
        .name = intern(s, l.name),
        .args = intern(s, l.args),
        .result = intern(s, l.result),
        .address = intern(s, l.address),
        .thread_name = intern(s, l.thread_name),
    };
    if (!clock_file_time(s->trace, time_of(s, &l), &e.ts))
        return;
    note_pid(s, &l);
    struct strace_event *kept = arena_alloc(&s->arena, sizeof *kept);
    *kept = e;
    *vec_push(&s->entries) = (struct timed){.ts = e.ts, .record = kept};
    if (l.kind == STRACE_CALL)
        s->last = kept;
}

static void add_arg(struct arg_list *args, string_id key, string_id value)
{
    if (value)
        arg_list_str(args, key, value);
}

static void add_args(const struct strace *s, const struct strace_event *e, struct arg_list *args)
{
    if (!args)
        return;
    add_arg(args, s->args, e->args);
    add_arg(args, s->result, e->result);
    add_arg(args, s->address, e->address);
    add_arg(args, s->stack_key, e->stack);
}

/* Where times are coarse, calls come one behind the other. */
static int64_t spread(struct strace *s, uint32_t tid, const struct strace_event *e)
{
    if (!s->is_coarse)
        return e->ts;
    bool inserted;
    uint32_t *at = map_insert(&s->ends, tid, &inserted);
    if (inserted) {
        *at = (uint32_t)s->end_times.count;
        *vec_push(&s->end_times) = e->ts;
    }
    int64_t *end = &s->end_times.items[*at], ts = e->ts > *end ? e->ts : *end;
    *end = time_plus(ts, (e->resumed ? 0 : e->dur) + NS_PER_ORDER);
    return ts;
}

static void apply_call(struct strace *s, const struct strace_event *e, uint32_t utid, int64_t ts)
{
    struct trace *t = s->trace;
    uint32_t track = track_thread(t, utid), slice;
    if (e->resumed) {
        slice = slice_find_end(t, ts, track, s->category, e->name);
        if (slice != NULL_U32) {
            add_args(s, e, slice_args(t, track, slice));
            slice_end(t, ts, track, s->category, e->name);
        }
        if (!e->unfinished)
            return;
    }
    slice = e->unfinished ? slice_begin(t, ts, track, s->category, e->name)
                          : slice_complete(t, ts, e->dur, track, s->category, e->name);
    if (slice != NULL_U32)
        add_args(s, e, slice_args(t, track, slice));
}

static void apply_mark(struct strace *s, const struct strace_event *e, uint32_t utid, int64_t ts)
{
    struct trace *t = s->trace;
    struct track_spec spec = {
        .type = "strace_signal",
        .machine = stats_scope(t)->machine,
        .dimension_count = 1,
        .dimensions = {{.key = "utid", .type = ARG_INT, .i = utid}},
        .name = trace_intern(t, STR("Signals")),
    };
    uint32_t track = track_intern(t, &spec);
    uint32_t slice = slice_complete(t, ts, 0, track, s->category, e->name);
    if (slice != NULL_U32)
        add_args(s, e, slice_args(t, track, slice));
}

/* strace -ff writes NAME.PID. */
static uint32_t pid_of_file(const char *name)
{
    struct str s = str_from(name);
    size_t at = s.n;
    uint64_t pid;
    while (at > 0 && s.p[at - 1] != '.')
        at--;
    return at > 0 && str_to_u64(str_skip(s, at), 10, &pid) && pid > 0 && pid <= INT32_MAX
               ? (uint32_t)pid
               : LONE_PID;
}

/* The program that a thread without a pid runs. */
static void name_thread(struct strace *s, const struct strace_event *e, uint32_t utid)
{
    struct trace *t = s->trace;
    if (!str_eq(string_pool_get(&t->strings, e->name), STR("execve")) ||
        !str_eq(string_pool_get(&t->strings, e->result), STR("0")))
        return;
    struct str path = string_pool_get(&t->strings, e->args);
    if (path.n < 2 || *path.p != '"')
        return;
    path = str_skip(path, 1);
    path = str_from_to(path, 0, str_find(path, '"'));
    size_t base = path.n;
    while (base > 0 && path.p[base - 1] != '/')
        base--;
    process_tracker_set_thread_name(t, utid, trace_intern(t, str_skip(path, base)),
                                    THREAD_NAME_OTHER);
}

/* Whether Trace Processor reads the calls of this file. */
static bool is_usual(const struct strace *s)
{
    return s->any_pid && s->time == STRACE_EPOCH;
}

static void apply(struct strace *s, const struct strace_event *e)
{
    struct trace *t = s->trace;
    uint32_t tid = e->tid;
    if (e->kind != STRACE_CALL && is_usual(s))
        return;
    if (!e->has_pid) {
        if (s->any_pid && !s->any_brackets)
            return;
        tid = s->first_pid ? s->first_pid : pid_of_file(s->file_name);
    }
    uint32_t utid = process_tracker_thread(t, stats_scope(t)->machine, tid);
    int64_t ts = spread(s, tid, e);
    if (!s->any_pid)
        name_thread(s, e, utid);
    process_tracker_set_thread_name(t, utid, e->thread_name, THREAD_NAME_OTHER);
    if (e->kind == STRACE_CALL)
        apply_call(s, e, utid, ts);
    else
        apply_mark(s, e, utid, ts);
}

/* Without a time or a pid a call looks like lines of programs. */
static bool is_surely_a_call(const struct strace_line *l)
{
    char c = l->result.n ? *l->result.p : 0;
    bool has_result = (c >= '0' && c <= '9') || c == '-' || c == '?';
    return l->time != STRACE_NO_TIME || l->unfinished || has_result;
}

static bool strace_sniff(struct bytes data)
{
    enum { WANTED = 3 };
    struct str head = trace_format_head(data), line;
    size_t calls = 0, marks = 0;
    while (calls < WANTED && str_next_line(&head, &line)) {
        struct strace_line l = strace_line_read(line);
        if (str_trim(line).n == 0)
            continue;
        if (l.kind == STRACE_OTHER && (is_about_strace(line) || strace_line_goes_on(line)))
            continue;
        if (l.kind == STRACE_CALL && l.has_pid && l.time == STRACE_EPOCH)
            return true;
        if (l.kind == STRACE_CALL && !is_surely_a_call(&l))
            return false;
        if (l.kind == STRACE_OTHER && calls == 0)
            return false;
        calls += l.kind == STRACE_CALL;
        marks += l.has_pid && (l.kind == STRACE_SIGNAL || l.kind == STRACE_EXIT);
        if (l.kind == STRACE_OTHER && calls < WANTED && head.n > 0)
            return false;
    }
    return calls > 0 || marks > 0;
}

static struct status strace_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct strace s = {
        .trace = t,
        .file_name = name,
        .category = trace_intern(t, STR("strace")),
        .args = trace_intern(t, STR("args")),
        .result = trace_intern(t, STR("ret")),
        .address = trace_intern(t, STR("address")),
        .stack_key = trace_intern(t, STR("stack")),
    };
    arena_init(&s.arena);
    bool whole = text_lines_read_at(t, source, add_line, &s);
    drop_part(&s);
    close_stack(&s);
    t->builder->harmless[STAT_strace_parse_failure] += s.no_calls - s.unread;
    if (!s.any_pid) /* all is of one process, which nobody has to be told from others */
        t->builder->harmless[STAT_strace_missing_pid] += s.no_pids;
    time_sort(s.entries.items, s.entries.count);
    for (size_t i = 0; whole && i < s.entries.count; i++)
        apply(&s, s.entries.items[i].record);
    vec_release(&s.entries);
    vec_release(&s.stack);
    vec_release(&s.part);
    vec_release(&s.end_times);
    map_release(&s.attached);
    map_release(&s.ends);
    arena_release(&s.arena);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format strace_trace_format = {
    .name = "strace",
    .type = "strace",
    .about = "system calls as strace prints them, with any of its options: lines \"call(...) = "
             "result\", perhaps with pid and time in front",
    .clock = CLOCK_REALTIME_NUMBER,
    .by_lines = true,
    .sniff = strace_sniff,
    .read_source = strace_import,
};
