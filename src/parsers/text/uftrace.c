/* What uftrace replay prints: calls of functions in C's way, with how long each took, and its
 * thread; other columns (-f) stand in the header.
 *
 *     # DURATION     TID     FUNCTION
 *                [ 28142] | main() {
 *       2.405 us [ 28142] |   puts("hello") = 6;
 *       3.005 us [ 28142] | } = 0;                a comment with the name behind it
 *
 * As uftrace-replay(1) says. Without the column TIMESTAMP a thread's clock goes on by what was
 * called; what functions did themselves comes last in them. */
#include "base/map.h"
#include "core/trace_builder.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/text_lines.h"

enum { DEPTH_MAX = 1 << 12 };

struct uftrace_call {
    int64_t begin;
    uint32_t slice; /* NULL_U32: it was not kept */
};

struct uftrace_thread {
    uint32_t track;
    int64_t now;
    VEC(struct uftrace_call) open; /* of those whose slices are */
};

struct uftrace {
    struct trace *trace;
    bool has_times, has_tids;
    int spans, duration; /* columns of a time and a unit, and which of them is the duration */
    struct map numbers;  /* tid -> index of `threads` */
    VEC(struct uftrace_thread) threads;
    int64_t now; /* of the line before */
    string_id arguments, result;
    bool begun;    /* its header was there */
    bool in_tasks; /* what was called at the end */
};

/* A line; strings are within it. */
struct uftrace_line {
    bool has_time, has_duration, enters, leaves;
    int64_t ts, dur, tid;
    struct str function, arguments, result; /* n is 0 where there is none */
};

/* The headers of ftrace have others, too: "TASK-PID", "CPU#", "|||||". */
static bool is_column_name(struct str word)
{
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] < 'A' || word.p[i] > 'Z')
            return false;
    return true;
}

/* "# DURATION     TID     FUNCTION" */
static bool read_header(struct uftrace *u, struct str line)
{
    struct str word;
    bool is = str_eq(str_take_word(&line), STR("#")), ends = false;
    u->has_times = u->has_tids = false;
    u->spans = 0;
    u->duration = -1;
    while (is && (word = str_take_word(&line)).n > 0) {
        is = is_column_name(word);
        u->has_times |= str_eq(word, STR("TIMESTAMP"));
        u->has_tids |= str_eq(word, STR("TID"));
        if (str_eq(word, STR("DURATION")))
            u->duration = u->spans;
        u->spans += str_eq(word, STR("DURATION")) || str_eq(word, STR("TIMEDELTA")) ||
                    str_eq(word, STR("ELAPSED"));
        ends = str_eq(word, STR("FUNCTION"));
    }
    return is && ends && (u->duration >= 0 || u->has_times);
}

/* Ns in a unit; 0: it is none. */
static double unit_of(struct str word)
{
    static const struct {
        struct str name;
        double ns;
    } units[] = {{{"ns", 2}, 1},  {{"us", 2}, 1e3}, {{"ms", 2}, 1e6},
                 {{"s", 1}, 1e9}, {{"m", 1}, 60e9}, {{"h", 1}, 3600e9}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (str_eq(word, units[i].name))
            return units[i].ns;
    return 0;
}

/* "  12345.678901234   2.405 us [ 28142]": the columns before the bar. */
static void read_columns(const struct uftrace *u, struct str text, struct uftrace_line *l)
{
    size_t open = str_find(text, '[');
    struct str tid = str_behind(text, open), word;
    const double most_ns = 9e18;
    int span = 0;
    if (!u->has_tids || !str_to_i64(str_trim(str_cut(&tid, ']')), &l->tid) || l->tid < 0 ||
        l->tid > INT32_MAX)
        l->tid = 0;
    text.n = u->has_tids ? open : text.n;
    while ((word = str_take_word(&text)).n > 0) {
        struct str rest = text;
        double value, unit = unit_of(str_take_word(&rest));
        if (unit > 0 && str_to_f64(word, &value) && value >= 0 && value * unit < most_ns) {
            if (span == u->duration)
                l->dur = (int64_t)(value * unit + 0.5);
            span++;
            text = rest;
        } else if (u->has_times && !l->has_time) {
            l->has_time = text_seconds(word, &l->ts);
        }
    }
    l->has_duration = u->duration >= 0 && span == u->spans; /* else it is what lacks */
    l->dur = l->has_duration ? l->dur : 0;
}

/* Where the bracket that opens arguments stands: names of C++ have some, too, as "operator()" and
 * "(anonymous namespace)::run". */
static size_t find_arguments(struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '(')
            continue;
        struct str before = str_from_to(text, 0, i);
        if (i > 0 && text.p[i - 1] != ':' && !str_ends(before, STR("operator")))
            return i;
        i += str_find(str_skip(text, i), ')');
    }
    return text.n;
}

/* "puts("hello") = 6;", "main() {", "} = 0;", each perhaps with a comment behind. */
static bool read_body(struct str text, struct uftrace_line *l)
{
    const char *comment = text.n ? memmem(text.p, text.n, "/*", 2) : NULL;
    if (comment)
        text.n = (size_t)(comment - text.p);
    text = str_trim(text);
    l->leaves = text.n > 0 && *text.p == '}';
    l->enters = str_ends(text, STR("{"));
    if (text.n == 0)
        return false;
    const char *equals = memmem(text.p, text.n, " = ", 3);
    size_t end = equals ? (size_t)(equals - text.p) : text.n - 1;
    if (equals) {
        l->result = str_skip(text, end + 3);
        l->result.n -= str_ends(l->result, STR(";"));
    }
    if (l->leaves)
        return true;
    struct str call = str_trim(str_from_to(text, 0, end));
    size_t open = find_arguments(call);
    if (!(l->enters || str_ends(text, STR(";"))) || open == 0 || open >= call.n)
        return false;
    l->function = str_from_to(call, 0, open);
    l->arguments = str_skip(call, open + 1);
    l->arguments.n -= str_ends(l->arguments, STR(")"));
    return true;
}

static bool read_line(const struct uftrace *u, struct str line, struct uftrace_line *l)
{
    struct str bar = STR(" | ");
    const char *at = line.n ? memmem(line.p, line.n, bar.p, bar.n) : NULL;
    if (!at)
        return false;
    size_t n = (size_t)(at - line.p);
    *l = (struct uftrace_line){.ts = 0};
    read_columns(u, str_from_to(line, 0, n), l);
    return read_body(str_skip(line, n + bar.n), l);
}

/* A thread whose times are not known begins where the line before it is. */
static struct uftrace_thread *thread_of(struct uftrace *u, int64_t tid)
{
    bool inserted;
    uint32_t *number = map_insert(&u->numbers, (uint64_t)tid, &inserted);
    if (inserted) {
        struct trace *t = u->trace;
        uint32_t utid = process_tracker_thread(t, stats_scope(t)->machine, tid);
        *number = (uint32_t)u->threads.count;
        *vec_push(&u->threads) =
            (struct uftrace_thread){.track = track_thread(t, utid), .now = u->now};
    }
    return &u->threads.items[*number];
}

static void add_texts(struct uftrace *u, uint32_t track, uint32_t slice,
                      const struct uftrace_line *l)
{
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(u->trace, track, slice);
    if (args && l->arguments.n > 0)
        arg_list_str(args, u->arguments, trace_intern(u->trace, l->arguments));
    if (args && l->result.n > 0)
        arg_list_str(args, u->result, trace_intern(u->trace, l->result));
}

static void apply(struct uftrace *u, const struct uftrace_line *l)
{
    struct trace *t = u->trace;
    struct uftrace_thread *thread = thread_of(u, l->tid);
    int64_t ts = l->has_time && l->ts > thread->now ? l->ts : thread->now, out;
    if (l->leaves) {
        if (thread->open.count == 0) /* it was called before */
            return;
        struct uftrace_call call = vec_last(&thread->open);
        int64_t end = time_plus(call.begin, l->dur);
        thread->open.count--;
        ts = l->has_duration && end > ts ? end : ts;
        if (clock_file_time(t, ts, &out)) {
            add_texts(u, thread->track, call.slice, l);
            slice_end(t, out, thread->track, NULL_STRING, NULL_STRING);
        }
    } else if (clock_file_time(t, ts, &out) && thread->open.count < DEPTH_MAX) {
        string_id name = trace_intern(t, l->function);
        uint32_t slice = l->enters
                             ? slice_begin(t, out, thread->track, NULL_STRING, name)
                             : slice_complete(t, out, l->dur, thread->track, NULL_STRING, name);
        add_texts(u, thread->track, slice, l);
        if (l->enters)
            *vec_push(&thread->open) = (struct uftrace_call){.begin = ts, .slice = slice};
        else
            ts = time_plus(ts, l->dur);
    }
    u->now = thread->now = ts;
}

/* A line that is all comment, as of events and of records that were lost, or what was still being
 * called when the recording stopped. */
static bool is_other_line(struct uftrace *u, struct str line)
{
    struct str begin = STR("/* "), lost = STR("LOST ");
    const char *at = line.n ? memmem(line.p, line.n, begin.p, begin.n) : NULL;
    struct str comment = at ? str_skip(line, (size_t)(at - line.p) + begin.n) : line;
    uint64_t records;
    u->in_tasks |= str_starts(line, STR("uftrace stopped tracing"));
    if (!at || !str_starts(comment, lost))
        return at || u->in_tasks;
    comment = str_skip(comment, lost.n);
    if (str_to_u64(str_take_word(&comment), 10, &records) && records <= INT64_MAX)
        stats_add(u->trace, STAT_ftrace_text_overwritten, STAT_SINGLE, (int64_t)records);
    return true;
}

static void add_line(void *self, struct str line)
{
    struct uftrace *u = self;
    struct uftrace_line l;
    if (line.n > 0 && *line.p == '#')
        u->begun |= read_header(u, line);
    else if (read_line(u, line, &l))
        apply(u, &l);
    else if (u->begun && !is_other_line(u, line))
        text_lines_unread(u->trace, line);
}

static bool uftrace_sniff(struct bytes data)
{
    enum { LINES = 16 };
    struct str head = trace_format_head(data), line;
    struct uftrace u;
    for (int i = 0; i < LINES && str_next_line(&head, &line); i++)
        if (read_header(&u, line))
            return true;
    return false;
}

static struct status uftrace_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct uftrace u = {.trace = t,
                        .duration = -1,
                        .arguments = trace_intern(t, STR("args.arguments")),
                        .result = trace_intern(t, STR("args.return"))};
    bool whole = text_lines_read(t, source, add_line, &u);
    for (size_t i = 0; i < u.threads.count; i++)
        vec_release(&u.threads.items[i].open);
    vec_release(&u.threads);
    map_release(&u.numbers);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format uftrace_trace_format = {
    .name = "uftrace",
    .type = "uftrace",
    .about = "calls of functions that uftrace replay prints: begins with # DURATION TID FUNCTION",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .by_lines = true,
    .sniff = uftrace_sniff,
    .read_source = uftrace_import,
};
