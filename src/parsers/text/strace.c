#include "parsers/text/strace.h"

#include "core/trace_builder.h"
#include "parsers/text/text_lines.h"
#include "parsers/input/time_sort.h"

/* A line; its parts are strings of the pool, NULL_STRING where they are missing. */
struct system_call {
    int64_t ts, tid, dur; /* dur is 0 where the line does not tell */
    string_id name, args, ret;
    bool resumed, unfinished;
};

struct strace {
    struct trace *trace;
    struct arena arena;
    VEC(struct timed) entries;
    string_id category, args, ret;
};

/* The next word, behind which `rest` begins. */
static struct str take_word(struct str *rest)
{
    *rest = str_trim(*rest);
    struct str word = str_from_to(*rest, 0, str_find(*rest, ' '));
    *rest = str_trim(str_skip(*rest, word.n));
    return word;
}

/* "14:32:01.123456": the day is not known. */
static bool is_time_of_day(struct str text)
{
    return text.n >= 8 && text.p[2] == ':' && text.p[5] == ':';
}

static bool is_name(struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (!(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
              (c >= 'A' && c <= 'Z')))
            return false;
    }
    return text.n > 0;
}

static string_id intern(const struct strace *s, struct str text)
{
    text = str_trim(text);
    return text.n ? trace_intern(s->trace, text) : NULL_STRING;
}

/* The last ") = " separates args from what was returned: both may hold brackets. */
static size_t find_result(struct str text)
{
    for (size_t i = text.n; i-- > 0;) {
        if (text.p[i] != ')')
            continue;
        struct str behind = str_trim(str_skip(text, i + 1));
        if (str_starts(behind, STR("= ")))
            return i;
    }
    return text.n;
}

/* "3 <0.000012>": the time in the call comes last. */
static struct str take_duration(struct str ret, int64_t *dur)
{
    if (!str_ends(ret, STR(">")))
        return ret;
    size_t open = ret.n;
    while (open > 0 && ret.p[open - 1] != '<')
        open--;
    if (open == 0 || !text_seconds(str_from_to(ret, open, ret.n - 1), dur))
        return ret;
    return str_trim(str_from_to(ret, 0, open - 1));
}

/* Behind "name(" or "<... name resumed>". */
static bool read_args(const struct strace *s, struct str rest, struct system_call *c)
{
    struct str unfinished = STR("<unfinished ...>");
    if (str_ends(rest, unfinished)) {
        c->unfinished = true;
        rest.n -= unfinished.n;
        rest = str_trim(rest);
        while (rest.n && rest.p[rest.n - 1] == ',')
            rest.n--;
        c->args = intern(s, rest);
        return true;
    }
    size_t end = find_result(rest);
    if (end == rest.n)
        return false;
    c->args = intern(s, str_from_to(rest, 0, end));
    struct str ret = str_trim(str_skip(rest, end + 1));
    c->ret = intern(s, take_duration(str_trim(str_skip(ret, 1)), &c->dur));
    return true;
}

static bool read_call(const struct strace *s, struct str rest, struct system_call *c)
{
    struct str resumed = STR("<... "), name;
    if (str_starts(rest, resumed)) {
        rest = str_skip(rest, resumed.n);
        name = take_word(&rest);
        struct str end = STR("resumed>");
        if (!str_starts(rest, end))
            return false;
        c->resumed = true;
        rest = str_skip(rest, end.n);
    } else {
        size_t open = str_find(rest, '(');
        if (open == rest.n)
            return false;
        name = str_from_to(rest, 0, open);
        rest = str_skip(rest, open + 1);
    }
    if (!is_name(name))
        return false;
    c->name = trace_intern(s->trace, name);
    return read_args(s, str_trim(rest), c);
}

static void add_line(void *self, struct str text)
{
    struct strace *s = self;
    uint64_t tid;
    struct system_call c = {0};
    struct str rest = text, word = take_word(&rest);
    if (!str_to_u64(word, 10, &tid) || tid > UINT32_MAX)
        return; /* signals, exits: no calls */
    struct str time = take_word(&rest);
    if (is_time_of_day(time)) {
        stats_count(s->trace, STAT_strace_unsupported_timestamp_format);
        return;
    }
    if (!text_seconds(time, &c.ts) || !read_call(s, rest, &c) ||
        !clock_file_time(s->trace, c.ts, &c.ts))
        return;
    c.tid = (int64_t)tid;
    struct system_call *kept = arena_alloc(&s->arena, sizeof *kept);
    *kept = c;
    *vec_push(&s->entries) = (struct timed){.ts = c.ts, .record = kept};
}

static void add_args(const struct strace *s, const struct system_call *c, struct arg_list *args)
{
    if (!args)
        return;
    if (c->args)
        arg_list_str(args, s->args, c->args);
    if (c->ret)
        arg_list_str(args, s->ret, c->ret);
}

static void apply(const struct strace *s, const struct system_call *c)
{
    struct trace *t = s->trace;
    uint32_t utid = process_tracker_thread(t, stats_scope(t)->machine, c->tid);
    uint32_t track = track_thread(t, utid), slice;
    if (c->resumed) {
        slice = slice_find_end(t, c->ts, track, s->category, c->name);
        if (slice != NULL_U32) {
            add_args(s, c, slice_args(t, track, slice));
            slice_end(t, c->ts, track, s->category, c->name);
        }
        if (!c->unfinished)
            return;
    }
    slice = c->unfinished ? slice_begin(t, c->ts, track, s->category, c->name)
                          : slice_complete(t, c->ts, c->dur, track, s->category, c->name);
    if (slice != NULL_U32)
        add_args(s, c, slice_args(t, track, slice));
}

static bool strace_sniff(struct bytes data)
{
    struct str head = {(const char *)data.p, data.n};
    head.n = str_find(head, '\n');
    uint64_t tid;
    int64_t ts;
    if (!str_to_u64(take_word(&head), 10, &tid))
        return false;
    struct str time = take_word(&head);
    return (is_time_of_day(time) || text_seconds(time, &ts)) &&
           (str_find(head, '(') < head.n || str_starts(head, STR("<... ")));
}

static struct status strace_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct strace s = {
        .trace = t,
        .category = trace_intern(t, STR("strace")),
        .args = trace_intern(t, STR("args")),
        .ret = trace_intern(t, STR("ret")),
    };
    arena_init(&s.arena);
    bool whole = text_lines_read(source, add_line, &s);
    time_sort(s.entries.items, s.entries.count);
    for (size_t i = 0; whole && i < s.entries.count; i++)
        apply(&s, s.entries.items[i].record);
    vec_release(&s.entries);
    arena_release(&s.arena);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format strace_trace_format = {
    .name = "strace",
    .type = "strace",
    .about = "system calls as strace prints them: lines \"pid time call(...) = result\"",
    .clock = CLOCK_REALTIME_NUMBER,
    .sniff = strace_sniff,
    .read_source = strace_import,
};
