/* Collapsed callstacks, what flame graphs are drawn from: a line a stack, outermost call first, and
 * how often it was seen.
 *
 *     main;run;parse 12
 *     main;run;write 3
 *
 * As the README of github.com/brendangregg/FlameGraph says ("2. Fold stacks"). Counts may have a
 * fraction, and tabs stand in front of them. */
#include "parsers/input/trace_format.h"
#include "parsers/text/stack_sums.h"
#include "parsers/text/text_lines.h"

enum { STACKS_AT_ONCE = 3, LINES_LOOKED_AT = 16, STACKS_PER_OTHER = 2 };

struct collapsed {
    struct trace *trace;
    bool begun;
    uint32_t profile, mapping;
};

/* The stack in front of the last blank, and the count behind it. */
static bool split(struct str line, struct str *stack, struct str *count)
{
    size_t at = line.n;
    while (at > 0 && !str_is_blank(line.p[at - 1]))
        at--;
    if (at < 2)
        return false;
    *stack = str_from_to(line, 0, at - 1);
    *count = str_skip(line, at);
    return true;
}

/* Some write time or bytes, with a fraction. */
static bool read_count(struct str text, double *value)
{
    int64_t whole;
    if (str_to_i64(text, &whole))
        *value = (double)whole;
    else if (str_find(text, '.') == text.n || !str_to_f64(text, value))
        return false;
    return true;
}

static void begin(struct collapsed *c)
{
    c->begun = true;
    c->profile = stack_sums_profile(c->trace, STR("collapsed_stack_file"),
                                    STR("collapsed_stack samples"), STR("samples"), STR("count"));
    c->mapping = stack_mapping_append_source(c->trace, STR("[collapsed_stack]"));
}

static void add_line(void *self, struct str line)
{
    struct collapsed *c = self;
    struct str stack, count;
    double value;
    uint32_t callsite = NULL_U32;
    line = str_trim_lines(trace_format_skip_space(line));
    if (line.n == 0 || *line.p == '#')
        return;
    if (!c->begun)
        begin(c);
    if (!split(line, &stack, &count) || !read_count(count, &value)) {
        text_lines_unread(c->trace, line);
        return;
    }
    if (!(value > 0))
        return;
    while (stack.n > 0) {
        struct str name = str_cut(&stack, ';');
        if (name.n == 0)
            continue;
        uint32_t frame =
            stack_frame_intern_source(c->trace, c->mapping, trace_intern(c->trace, name),
                                      NULL_STRING, NULL_U32);
        callsite = stack_callsite_intern(c->trace, callsite, frame);
    }
    if (callsite != NULL_U32)
        stack_sums_add(c->trace, c->profile, callsite, value);
}

static bool is_stack(struct str line)
{
    struct str stack, count;
    if (!split(line, &stack, &count) || str_find(stack, ';') == stack.n)
        return false;
    size_t points = 0;
    for (size_t i = 0; i < count.n; i++) {
        points += count.p[i] == '.';
        if (count.p[i] != '.' && (count.p[i] < '0' || count.p[i] > '9'))
            return false;
    }
    return points <= 1 && points < count.n;
}

/* The first lines that are no comments are stacks, or most of some more are; the last one may have
 * been cut. */
static bool collapsed_sniff(struct bytes data)
{
    struct str text = {(const char *)data.p, data.n};
    size_t stacks = 0, others = 0;
    for (size_t lines = 0; text.n > 0 && lines < LINES_LOOKED_AT; lines++) {
        if (stacks == STACKS_AT_ONCE && others == 0)
            return true;
        size_t n = str_find(text, '\n');
        struct str line = str_trim_lines(trace_format_skip_space(str_from_to(text, 0, n)));
        bool cut = n == text.n;
        text = str_behind(text, n);
        if (line.n == 0 || *line.p == '#')
            continue;
        if (is_stack(line))
            stacks++;
        else
            others += !cut;
    }
    return stacks > 0 && stacks >= others * STACKS_PER_OTHER;
}

static struct status collapsed_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct collapsed c = {.trace = t};
    return text_lines_read(t, source, add_line, &c) ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format collapsed_trace_format = {
    .name = "collapsed stacks",
    .type = "collapsed_stack",
    .about = "input of flame graphs: lines of calls, separated by ;, and a count",
    .by_lines = true,
    .sniff = collapsed_sniff,
    .read_source = collapsed_import,
};
