#include "parsers/tracefs/graph_line.h"

#include <string.h>

#include "parsers/text/text_lines.h"

/* "+ 12.345 us": a mark says how long it took. */
static bool read_duration(struct str text, int64_t *ns)
{
    struct str unit = STR("us");
    *ns = 0;
    if (text.n == 0)
        return true;
    if (memchr("+!#*@$", *text.p, 6))
        text = str_trim(str_skip(text, 1));
    if (!str_ends(text, unit))
        return false;
    text = str_trim(str_from_to(text, 0, text.n - unit.n));
    if (!text_seconds(text, ns))
        return false;
    *ns /= 1000000;
    return true;
}

/* "sys_open() {", "getname();", "} (sys_open)", perhaps with a comment behind. */
static bool read_body(struct str text, struct graph_line *g)
{
    const char *comment = text.n ? memmem(text.p, text.n, "/*", 2) : NULL;
    if (comment)
        text.n = (size_t)(comment - text.p);
    text = str_trim(text);
    if (text.n == 0) {
        g->kind = GRAPH_NOTHING;
        return comment;
    }
    if (*text.p == '}') {
        g->kind = GRAPH_EXIT;
        return true;
    }
    size_t end = str_find(text, '(');
    bool is_call = end > 0 && end < text.n && !str_is_blank(*text.p);
    g->kind = str_ends(text, STR("{")) ? GRAPH_ENTRY : GRAPH_LEAF;
    g->function = str_from_to(text, 0, end);
    g->function.n = str_find(g->function, ' '); /* "ext4_open [ext4]" */
    return is_call && (g->kind == GRAPH_ENTRY || str_ends(text, STR(";")));
}

bool graph_line_read_call(struct str text, struct graph_line *g)
{
    size_t bar = str_find(text, '|');
    return bar < text.n && read_duration(str_trim(str_from_to(text, 0, bar)), &g->dur) &&
           read_body(str_skip(text, bar + 1), g);
}

/* "bash-1234" */
static bool read_task(struct str text, struct graph_line *g)
{
    size_t dash = text.n;
    uint64_t pid;
    while (dash > 0 && text.p[dash - 1] != '-')
        dash--;
    if (dash < 2 || !str_to_u64(str_skip(text, dash), 10, &pid) || pid > INT32_MAX)
        return false;
    g->has_task = true;
    g->task = str_from_to(text, 0, dash - 1);
    g->pid = (uint32_t)pid;
    return true;
}

/* "103.123456 |" */
static void take_time(struct str *rest, struct graph_line *g)
{
    struct str text = *rest;
    size_t bar = str_find(text, '|');
    struct str time = str_trim(str_from_to(text, 0, bar));
    if (bar == text.n || str_find(time, '.') == time.n || !text_seconds(time, &g->ts))
        return;
    g->has_time = true;
    *rest = str_trim(str_skip(text, bar + 1));
}

/* Whether it is what may stand between the CPU and the duration: a task, or flags. */
static bool read_column(struct str text, struct graph_line *g)
{
    enum { FLAGS_MAX = 6 };
    if (text.n == 0 || str_ends(text, STR("us")))
        return false;
    return read_task(text, g) || (text.n <= FLAGS_MAX && str_find(text, ' ') == text.n);
}

static bool is_ruler(struct str text)
{
    return str_starts(text, STR("-----"));
}

bool graph_line_read(struct str text, struct graph_line *g)
{
    struct str rest = str_trim(text);
    *g = (struct graph_line){.kind = GRAPH_NOTHING};
    if (is_ruler(rest))
        return true;
    take_time(&rest, g);
    size_t digits = str_count_digits(rest), bar;
    uint64_t cpu;
    if (digits == 0 || digits == rest.n || rest.p[digits] != ')' ||
        !str_to_u64(str_from_to(rest, 0, digits), 10, &cpu) || cpu > UINT16_MAX)
        return false;
    g->cpu = (uint32_t)cpu;
    rest = str_trim(str_skip(rest, digits + 1));
    if (str_starts(rest, STR("|"))) /* "0) |" has no duration, else the CPU ends a column */
        return graph_line_read_call(rest, g);
    while ((bar = str_find(rest, '|')) < rest.n &&
           read_column(str_trim(str_from_to(rest, 0, bar)), g))
        rest = str_skip(rest, bar + 1);
    if (bar < rest.n)
        return str_starts(rest, STR("==========>")) || str_starts(rest, STR("<==========")) ||
               graph_line_read_call(rest, g);
    const char *arrow = rest.n ? memmem(rest.p, rest.n, "=>", 2) : NULL;
    if (!arrow)
        return read_body(rest, g);
    g->kind = GRAPH_SWITCH;
    return read_task(str_trim(str_skip(rest, (size_t)(arrow - rest.p) + 2)), g);
}
