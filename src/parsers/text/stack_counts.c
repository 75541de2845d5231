/* Callstacks with a count below, as dtrace, bpftrace and bcc's tools print what they have summed
 * up: the innermost call first.
 *
 *                   genunix`fop_lookup+0x210       dtrace, whose frames may follow a key
 *                   unix`sys_syscall+0x17a
 *                  1535
 *
 *     @[                                           bpftrace, whose keys may stand around frames
 *         tcp_recvmsg+808
 *         do_syscall_64+115
 *     , curl]: 3
 *
 *         tcp_recvmsg                              bcc's profile, offcputime, stackcount
 *         do_syscall_64
 *         -                curl (1234)
 *             3
 *
 * As dtrace(1), the README of bpftrace ("Map") and the examples beside bcc's tools show them.
 * Stacks of the kernel and of the program follow each other. What else is a key becomes the
 * outermost call. */
#include "parsers/input/trace_format.h"
#include "parsers/text/stack_sums.h"
#include "parsers/text/text_lines.h"

enum { FRAMES_MAX = 1 << 12 };

struct stack_counts {
    struct trace *trace;
    uint32_t profile; /* NULL_U32: none yet */
    string_id map;    /* of bpftrace, that the profile is named after */
    bool in_map;      /* between "@[" and "]: " */
    VEC(string_id) frames, keys;
};

/* "unix`thread_start+0x8" of dtrace, without blanks in front. */
static bool is_dtrace_frame(struct str line)
{
    size_t tick = str_find(line, '`');
    struct str behind = str_behind(line, tick);
    return tick > 0 && behind.n > 0 && str_find(str_from_to(line, 0, tick), ' ') == tick &&
           str_find(behind, '`') == behind.n;
}

/* "func+0x12" and "func+808": the function. */
static struct str without_offset(struct str frame)
{
    for (size_t i = frame.n; i > 1; i--) {
        uint64_t offset;
        if (frame.p[i - 1] != '+')
            continue;
        struct str digits = str_skip(frame, i);
        bool is = str_starts(digits, STR("0x")) ? str_to_u64(digits, 16, &offset)
                                                : str_to_u64(digits, 10, &offset);
        return is ? str_from_to(frame, 0, i - 1) : frame;
    }
    return frame;
}

static void add_frame(struct stack_counts *s, struct str frame)
{
    if (s->frames.count < FRAMES_MAX && frame.n > 0 && !str_eq(frame, STR("--")))
        *vec_push(&s->frames) = trace_intern(s->trace, without_offset(frame));
}

/* Keys stand between commas: none of ours has one in it. */
static void add_keys(struct stack_counts *s, struct str keys)
{
    while (keys.n > 0) {
        struct str key = str_trim(str_cut(&keys, ','));
        if (key.n > 0 && s->keys.count < FRAMES_MAX)
            *vec_push(&s->keys) = trace_intern(s->trace, key);
    }
}

/* Function and module of "module`function"; other names have no module. */
static uint32_t call(struct stack_counts *s, uint32_t parent, string_id name)
{
    struct str frame = string_pool_get(&s->trace->strings, name);
    bool has_module = is_dtrace_frame(frame);
    size_t tick = str_find(frame, '`');
    return stack_sums_call(s->trace, parent,
                           has_module ? str_from_to(frame, 0, tick) : STR("[stack_counts]"),
                           has_module ? str_behind(frame, tick) : frame);
}

/* The stack so far was seen this often. */
static void end_stack(struct stack_counts *s, double value)
{
    uint32_t callsite = NULL_U32;
    for (size_t i = 0; i < s->keys.count; i++)
        callsite = call(s, callsite, s->keys.items[i]);
    for (size_t i = s->frames.count; i-- > 0;)
        callsite = call(s, callsite, s->frames.items[i]);
    s->frames.count = s->keys.count = 0;
    if (callsite == NULL_U32 || !(value > 0))
        return;
    if (s->profile == NULL_U32)
        s->profile = stack_sums_profile(s->trace, STR("stack_counts"),
                                        s->map ? string_pool_get(&s->trace->strings, s->map)
                                               : STR("stack_counts samples"),
                                        STR("samples"), STR("count"));
    stack_sums_add(s->trace, s->profile, callsite, value);
}

/* "@", "@name[": the map that follows. */
static void begin_map(struct stack_counts *s, struct str name)
{
    string_id map = trace_intern(s->trace, name);
    s->frames.count = s->keys.count = 0;
    s->in_map = true;
    if (map == s->map)
        return;
    s->map = map;
    s->profile = NULL_U32;
}

/* Where "]: 3" begins in the line; line.n where it does not. */
static size_t find_end(struct str line)
{
    const char *hit = line.n ? memmem(line.p, line.n, "]: ", 3) : NULL;
    return hit ? (size_t)(hit - line.p) : line.n;
}

/* A line of bpftrace's map, behind "@[". */
static void add_map_line(struct stack_counts *s, struct str line, bool first)
{
    size_t end = find_end(line);
    bool keys = first || (line.n && *line.p == ',');
    if (keys)
        add_keys(s, str_from_to(line, 0, end));
    else
        add_frame(s, str_trim(str_from_to(line, 0, end)));
    if (end == line.n)
        return;
    double value;
    s->in_map = false;
    end_stack(s, str_to_f64(str_trim(str_skip(line, end + 3)), &value) ? value : 0);
}

/* "-                curl (1234)" of bcc's tools. */
static bool is_task(struct str line)
{
    return str_starts(line, STR("-        ")) && line.p[line.n - 1] == ')';
}

/* "  0  64091                        :tick-60s" of dtrace. */
static bool is_probe(struct str line)
{
    return str_is_digit(*line.p) && str_find(line, ':') < line.n;
}

/* A frame of dtrace below a single line that is none: that was a key. */
static void move_key(struct stack_counts *s)
{
    struct str first = string_pool_get(&s->trace->strings, s->frames.items[0]);
    if (is_dtrace_frame(first) || str_starts(first, STR("0x")))
        return;
    *vec_push(&s->keys) = s->frames.items[0];
    s->frames.count = 0;
}

static void add_plain_line(struct stack_counts *s, struct str line)
{
    uint64_t count;
    if (str_to_u64(line, 10, &count))
        end_stack(s, (double)count);
    else if (is_task(line))
        add_keys(s, str_skip(line, 1));
    else if (!is_probe(line)) {
        if (s->frames.count == 1 && (is_dtrace_frame(line) || str_starts(line, STR("0x"))))
            move_key(s);
        add_frame(s, line);
    }
}

static void add_line(void *self, struct str line)
{
    struct stack_counts *s = self;
    size_t bracket = str_find(line, '[');
    struct str trimmed = str_trim(line);
    if (s->in_map)
        add_map_line(s, line, false);
    else if (line.n && *line.p == '@' && bracket < line.n) {
        begin_map(s, str_from_to(line, 0, bracket));
        add_map_line(s, str_behind(line, bracket), true);
    } else if (trimmed.n > 0 && line.n > trimmed.n && str_is_blank(*line.p))
        add_plain_line(s, trimmed);
    else if (trimmed.n > 0)
        s->frames.count = s->keys.count = 0; /* what the program says of itself */
}

/* "@name[", with nothing but keys behind it. */
static bool begins_map(struct str line)
{
    size_t bracket = str_find(line, '[');
    return line.n && *line.p == '@' && bracket < line.n && str_find(line, ']') == line.n;
}

/* "]: 3" */
static bool ends_map(struct str line)
{
    size_t end = find_end(line);
    uint64_t count;
    return end < line.n && str_to_u64(str_trim(str_skip(line, end + 3)), 10, &count);
}

/* Frames of one of the three kinds, and the number below. */
static bool stack_counts_sniff(struct bytes data)
{
    struct str head = trace_format_head(data), line;
    bool in_map = false, is_stack = false;
    for (size_t indented = 0; str_next_line(&head, &line);) {
        struct str text = str_trim(line);
        uint64_t count;
        if (text.n == 0)
            continue;
        if (in_map && ends_map(line))
            return true;
        in_map |= begins_map(line);
        if (!str_is_blank(*line.p)) {
            indented = 0;
            is_stack = false;
            continue;
        }
        if (is_stack && str_to_u64(text, 10, &count))
            return true;
        is_stack |= is_dtrace_frame(text) || (indented > 0 && is_task(text));
        indented++;
    }
    return false;
}

static struct status stack_counts_import(struct trace *t, const char *name,
                                         struct byte_source *source)
{
    struct stack_counts s = {.trace = t, .profile = NULL_U32};
    bool whole = text_lines_read(t, source, add_line, &s);
    vec_release(&s.frames);
    vec_release(&s.keys);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format stack_counts_trace_format = {
    .name = "counted stacks",
    .type = "stack_counts",
    .about = "callstacks that dtrace, bpftrace and bcc's tools have counted: lines of frames, and "
             "the number below",
    .by_lines = true,
    .sniff = stack_counts_sniff,
    .read_source = stack_counts_import,
};
