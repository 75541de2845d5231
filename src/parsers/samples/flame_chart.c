#include "parsers/samples/flame_chart.h"

enum { SLICES_ALWAYS = 1 << 20, SLICES_PER_SAMPLE = 60 };

struct flame_chart flame_chart_begin(struct trace *t, uint32_t utid, uint32_t hidden,
                                     size_t samples)
{
    return (struct flame_chart){
        .trace = t,
        .track = track_thread(t, utid),
        .hidden = hidden,
        .shown = NULL_U32,
        .budget = SLICES_ALWAYS + samples * SLICES_PER_SAMPLE,
    };
}

void flame_chart_release(struct flame_chart *c)
{
    vec_release(&c->open);
    vec_release(&c->stack);
}

/* The call sites from the innermost one out to that at depth `hidden`. */
static void collect(struct flame_chart *c, uint32_t callsite)
{
    const struct table *t = &c->trace->tables.stack_profile_callsite;
    const uint32_t *parents = table_u32(t, stack_profile_callsite_col_parent_id);
    const uint32_t *depths = table_u32(t, stack_profile_callsite_col_depth);
    for (; callsite != NULL_U32 && depths[callsite] >= c->hidden; callsite = parents[callsite])
        *vec_push(&c->stack) = callsite;
}

static string_id name_of(const struct trace *t, uint32_t callsite)
{
    const struct table *sites = &t->tables.stack_profile_callsite;
    const struct table *frames = &t->tables.stack_profile_frame;
    uint32_t frame = table_u32(sites, stack_profile_callsite_col_frame_id)[callsite];
    return column_str(&frames->columns[stack_profile_frame_col_name], frame);
}

/* The calls of the stack, innermost first, end and begin where they differ from the open ones. */
static void show(struct flame_chart *c, int64_t ts)
{
    size_t same = 0, n = c->stack.count;
    while (same < n && same < c->open.count &&
           c->open.items[same].callsite == c->stack.items[n - 1 - same])
        same++;
    while (c->open.count > same)
        slice_close(c->trace, ts, c->track, c->open.items[--c->open.count].slice);
    for (size_t i = same; i < n && c->budget > 0; i++, c->budget--) {
        uint32_t site = c->stack.items[n - 1 - i];
        uint32_t slice = slice_begin(c->trace, ts, c->track, NULL_STRING, name_of(c->trace, site));
        *vec_push(&c->open) = (struct flame_call){site, slice};
    }
}

void flame_chart_add(struct flame_chart *c, int64_t ts, uint32_t callsite)
{
    c->shown = callsite;
    c->stack.count = 0;
    collect(c, callsite);
    show(c, ts);
}

void flame_chart_interrupt(struct flame_chart *c, int64_t ts, uint32_t callsite)
{
    c->stack.count = 0;
    *vec_push(&c->stack) = callsite;
    collect(c, c->shown);
    show(c, ts);
}
