/* Flame graphs that were drawn as SVG, by flamegraph.pl, inferno and others: each call is a
 * rectangle, with its name and value as its title. Which call it is in follows from where it is
 * drawn.
 *
 *     <title>app`run (1,201 ms, 8.71%)</title><rect x="10.0" y="193" width="50.5" height="15.0"
 * .../>
 *
 * As flamegraph.pl writes them. Calls that are too narrow are not drawn: what they took is their
 * caller's here. Graphs that grow down (icicles) have the outermost calls at the top. */
#include <math.h>
#include <stdlib.h>

#include "parsers/input/byte_source.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/stack_sums.h"

enum { PAGE_BYTES_MAX = 1 << 30, HEAD_BYTES = 1 << 18, CALLS_MAX = 1 << 22 };

struct drawn_call {
    double x, y, width;
    double value, left; /* what it took, and what of it no call in it has */
    string_id name;
    uint32_t callsite;
};

struct flame_svg {
    struct trace *trace;
    VEC(struct drawn_call) calls;
    struct str unit; /* of the values, within the file */
};

/* A call of the file; strings are within it. */
struct svg_call {
    double x, y, width, value;
    struct str name, unit;
};

static size_t find_text(struct str s, struct str word)
{
    const char *hit = s.n ? memmem(s.p, s.n, word.p, word.n) : NULL;
    return hit ? (size_t)(hit - s.p) : s.n;
}

/* The number that an attribute of the tag has, perhaps in percent. */
static bool attribute_of(struct str tag, struct str name, double *out)
{
    size_t at = find_text(tag, name);
    if (at == tag.n)
        return false;
    struct str value = str_skip(tag, at + name.n);
    value.n = str_find(value, '"');
    value.n -= str_ends(value, STR("%"));
    return str_to_f64(value, out) && isfinite(*out);
}

/* "1,201" and "12.5"; so many digits that the value is exact. */
static bool read_value(struct str text, double *value)
{
    char digits[20];
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == ',')
            continue;
        if (n == sizeof digits)
            return false;
        digits[n++] = text.p[i];
    }
    return n > 0 && str_is_digit(digits[0]) && str_to_f64((struct str){digits, n}, value);
}

/* "app`run (1,201 ms, 8.71%)" */
static bool read_title(struct str title, struct svg_call *call)
{
    const char *open = title.n ? memrchr(title.p, '(', title.n) : NULL;
    if (!open || open == title.p || !str_ends(title, STR(")")))
        return false;
    struct str inside = {open + 1, (size_t)(title.p + title.n - open) - 2};
    call->name = str_trim((struct str){title.p, (size_t)(open - title.p)});
    if (!read_value(str_take_word(&inside), &call->value))
        return false;
    call->unit = str_trim(str_cut(&inside, ','));
    return call->name.n > 0;
}

/* The next title with a rectangle behind it, which is taken off the front. */
static bool next_call(struct str *rest, struct svg_call *call)
{
    struct str begin = STR("<title>"), end = STR("</title>"), rectangle = STR("<rect");
    for (;;) {
        size_t at = find_text(*rest, begin);
        if (at == rest->n)
            return false;
        *rest = str_skip(*rest, at + begin.n);
        /* Nothing is looked for behind the next title: each byte is read a few times. */
        struct str call_text = str_from_to(*rest, 0, find_text(*rest, begin));
        size_t n = find_text(call_text, end);
        struct str title = str_from_to(call_text, 0, n), tag = str_skip(call_text, n);
        size_t from = find_text(tag, rectangle);
        if (from == tag.n)
            continue;
        tag = str_skip(tag, from);
        tag.n = str_find(tag, '>');
        /* inferno's samples are exact, pixels are not */
        bool placed = (attribute_of(tag, STR(" fg:x=\""), &call->x) &&
                       attribute_of(tag, STR(" fg:w=\""), &call->width)) ||
                      (attribute_of(tag, STR(" x=\""), &call->x) &&
                       attribute_of(tag, STR(" width=\""), &call->width));
        if (placed && attribute_of(tag, STR(" y=\""), &call->y) && read_title(title, call))
            return true;
    }
}

/* Without the entities of XML. */
static string_id intern_name(struct trace *t, struct str name)
{
    static const struct {
        struct str entity;
        char c;
    } entities[] = {{{"&lt;", 4}, '<'},   {{"&gt;", 4}, '>'},    {{"&amp;", 5}, '&'},
                    {{"&quot;", 6}, '"'}, {{"&apos;", 6}, '\''}, {{"&#39;", 5}, '\''}};
    VEC(char) plain = {0};
    for (size_t i = 0; i < name.n;) {
        struct str rest = str_skip(name, i);
        size_t known = 0;
        while (known < sizeof entities / sizeof entities[0] &&
               !str_starts(rest, entities[known].entity))
            known++;
        bool is = known < sizeof entities / sizeof entities[0];
        *vec_push(&plain) = is ? entities[known].c : *rest.p;
        i += is ? entities[known].entity.n : 1;
    }
    string_id id = trace_intern(t, (struct str){plain.items, plain.count});
    vec_release(&plain);
    return id;
}

static void read_calls(struct flame_svg *s, struct str text)
{
    struct svg_call call;
    while (s->calls.count < CALLS_MAX && next_call(&text, &call)) {
        if (s->calls.count == 0)
            s->unit = call.unit;
        *vec_push(&s->calls) = (struct drawn_call){
            .x = call.x,
            .y = call.y,
            .width = call.width,
            .value = call.value,
            .left = call.value,
            .name = intern_name(s->trace, call.name),
            .callsite = NULL_U32,
        };
    }
}

/* By rows from the top on, from left to right. */
static int compare_calls(const void *a, const void *b)
{
    const struct drawn_call *c = a, *d = b;
    if (c->y != d->y)
        return c->y < d->y ? -1 : 1;
    if (c->x != d->x)
        return c->x < d->x ? -1 : 1;
    return (c->width > d->width) - (c->width < d->width);
}

/* Makes rows that grow up such that grow down: the outermost call, the one of the largest value, is
 * at the bottom of the former. */
static void order_calls(struct flame_svg *s)
{
    struct drawn_call *calls = s->calls.items;
    double top = calls[0].y, bottom = calls[0].y;
    const struct drawn_call *outermost = calls;
    for (size_t i = 1; i < s->calls.count; i++) {
        top = calls[i].y < top ? calls[i].y : top;
        bottom = calls[i].y > bottom ? calls[i].y : bottom;
        bool further = fabs(calls[i].y - outermost->y) > 0 && calls[i].y > outermost->y;
        if (calls[i].value > outermost->value || (calls[i].value == outermost->value && further))
            outermost = &calls[i];
    }
    if (outermost->y > (top + bottom) / 2 || outermost->y == bottom)
        for (size_t i = 0; i < s->calls.count; i++)
            calls[i].y = -calls[i].y;
    qsort(calls, s->calls.count, sizeof *calls, compare_calls);
}

static bool holds(const struct drawn_call *caller, double middle)
{
    return middle >= caller->x && middle < caller->x + caller->width;
}

/* The call of the row above, from `from` to `to`, that is above the middle of `call`. Where pixels
 * are too coarse to tell, the one next to it that has enough left. NULL: none. */
static struct drawn_call *caller_of(struct drawn_call *from, struct drawn_call *to,
                                    const struct drawn_call *call)
{
    double middle = call->x + call->width / 2;
    struct drawn_call *low = from, *high = to;
    while (low < high) { /* the first that begins behind the middle */
        struct drawn_call *mid = low + (high - low) / 2;
        if (mid->x > middle)
            high = mid;
        else
            low = mid + 1;
    }
    if (low == from)
        return from < to && from->left >= call->value && from->x - middle < 1 ? from : NULL;
    struct drawn_call *caller = low - 1;
    if (holds(caller, middle) && caller->left >= call->value)
        return caller;
    if (low < to && low->left >= call->value && low->x - middle < 1)
        return low;
    return caller->left >= call->value && middle - caller->x - caller->width < 1 ? caller : NULL;
}

/* The outermost call is all of the graph, not a function. */
static bool is_whole(const struct flame_svg *s, const struct drawn_call *call)
{
    struct str name = string_pool_get(&s->trace->strings, call->name);
    return str_eq(name, STR("all")) || str_eq(name, STR("root"));
}

static uint32_t callsite_of(struct flame_svg *s, const struct drawn_call *caller, string_id name)
{
    struct trace *t = s->trace;
    uint32_t mapping = stack_mapping_of_source(t, STR(""));
    uint32_t frame = stack_frame_intern_source(t, mapping, name, NULL_STRING, NULL_U32);
    return stack_callsite_intern(t, caller ? caller->callsite : NULL_U32, frame);
}

/* Rows one after the other, so that callers have their call sites before what they called. */
static void place_calls(struct flame_svg *s)
{
    struct drawn_call *calls = s->calls.items, *end = calls + s->calls.count;
    struct drawn_call *above = calls, *row = calls;
    while (row < end) {
        struct drawn_call *next = row;
        for (; next < end && next->y == row->y; next++) {
            struct drawn_call *caller = row == calls ? NULL : caller_of(above, row, next);
            if (caller)
                caller->left -= next->value;
            else if (row > calls) /* in nothing that is drawn */
                next->left = 0;
            if (row > calls || !is_whole(s, next))
                next->callsite = callsite_of(s, caller, next->name);
        }
        above = row;
        row = next;
    }
}

static uint32_t add_profile(struct flame_svg *s)
{
    static const struct {
        struct str unit, type, name;
        double factor;
    } units[] = {{{"ns", 2}, {"time", 4}, {"nanoseconds", 11}, 1},
                 {{"us", 2}, {"time", 4}, {"nanoseconds", 11}, 1e3},
                 {{"ms", 2}, {"time", 4}, {"nanoseconds", 11}, 1e6},
                 {{"s", 1}, {"time", 4}, {"nanoseconds", 11}, 1e9},
                 {{"bytes", 5}, {"space", 5}, {"bytes", 5}, 1}};
    struct str type = s->unit.n ? s->unit : STR("samples"), unit = STR("count");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (!str_eq(units[i].unit, s->unit))
            continue;
        type = units[i].type;
        unit = units[i].name;
        for (size_t k = 0; k < s->calls.count; k++)
            s->calls.items[k].left *= units[i].factor;
    }
    return stack_sums_profile(s->trace, STR("flamegraph"), type, type, unit);
}

static void apply(struct flame_svg *s)
{
    order_calls(s);
    place_calls(s);
    uint32_t profile = add_profile(s);
    for (size_t i = 0; i < s->calls.count; i++) {
        struct drawn_call *call = &s->calls.items[i];
        if (!(call->left > 0))
            continue;
        if (call->callsite == NULL_U32)
            call->callsite = stack_sums_call(s->trace, NULL_U32, STR(""), STR("[not drawn]"));
        stack_sums_add(s->trace, profile, call->callsite, call->left);
    }
}

static bool flame_svg_sniff(struct bytes data)
{
    struct str head = {(const char *)data.p, data.n < HEAD_BYTES ? data.n : HEAD_BYTES};
    struct svg_call call;
    head = trace_format_skip_space(head);
    return str_starts(head, STR("<")) && find_text(head, STR("<svg")) < head.n &&
           next_call(&head, &call);
}

static struct status flame_svg_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct flame_svg s = {.trace = t};
    if (!byte_source_all(source, PAGE_BYTES_MAX) || source->cut)
        stats_count(t, STAT_decompression_errors);
    struct str page = {(const char *)source->window.p, source->window.n};
    if (find_text(page, STR("</svg>")) == page.n)
        trace_format_ends_early(t);
    read_calls(&s, page);
    bool found = s.calls.count > 0;
    if (found)
        apply(&s);
    vec_release(&s.calls);
    return found ? status_ok_value()
                 : status_error(STATUS_FORMAT,
                                "%s: expected the rectangles of a flame graph, found none", name);
}

const struct trace_format flame_svg_trace_format = {
    .name = "flame graph",
    .type = "flamegraph_svg",
    .about = "flame graphs of flamegraph.pl and inferno: SVG with titles \"name (12 samples, 3%)\"",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .sniff = flame_svg_sniff,
    .is_text = true,
    .read_source = flame_svg_import,
};
