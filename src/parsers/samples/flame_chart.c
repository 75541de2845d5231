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

/* Adds the call sites from the innermost one out to the first that is open already, or to that at
 * depth `hidden`. Returns how many of the open calls go on. A stack that would take more slices
 * than there may be is left out. */
static size_t collect(struct flame_chart *c, uint32_t callsite)
{
    const struct table *t = &c->trace->tables.stack_profile_callsite;
    const uint32_t *parents = table_u32(t, stack_profile_callsite_col_parent_id);
    const uint32_t *depths = table_u32(t, stack_profile_callsite_col_depth);
    for (; callsite != NULL_U32 && depths[callsite] >= c->hidden; callsite = parents[callsite]) {
        size_t at = depths[callsite] - c->hidden;
        if (at < c->open.count && c->open.items[at].callsite == callsite)
            return at + 1;
        if (c->stack.count >= c->budget) {
            c->stack.count = 0;
            return 0;
        }
        *vec_push(&c->stack) = callsite;
    }
    return 0;
}

static string_id name_of(const struct trace *t, uint32_t callsite)
{
    const struct table *sites = &t->tables.stack_profile_callsite;
    const struct table *frames = &t->tables.stack_profile_frame;
    uint32_t frame = table_u32(sites, stack_profile_callsite_col_frame_id)[callsite];
    return column_str(&frames->columns[stack_profile_frame_col_name], frame);
}

/* Of the open calls `same` go on, the others end; those of the stack, innermost first, begin. */
static void show(struct flame_chart *c, int64_t ts, size_t same)
{
    while (c->stack.count > 0 && same < c->open.count &&
           c->open.items[same].callsite == vec_last(&c->stack)) {
        same++;
        c->stack.count--;
    }
    while (c->open.count > same) {
        uint32_t slice = c->open.items[--c->open.count].slice;
        if (slice != NULL_U32)
            slice_close(c->trace, ts, c->track, slice);
    }
    for (; c->stack.count > 0 && c->budget > 0; c->budget--) {
        uint32_t site = c->stack.items[--c->stack.count];
        uint32_t slice = NULL_U32;
        if (c->open.count == 0 || vec_last(&c->open).slice != NULL_U32) /* not too deep */
            slice = slice_begin(c->trace, ts, c->track, NULL_STRING, name_of(c->trace, site));
        *vec_push(&c->open) = (struct flame_call){site, slice};
    }
}

void flame_chart_add(struct flame_chart *c, int64_t ts, uint32_t callsite)
{
    c->shown = callsite;
    c->stack.count = 0;
    show(c, ts, collect(c, callsite));
}

void flame_chart_interrupt(struct flame_chart *c, int64_t ts, uint32_t callsite)
{
    c->stack.count = 0;
    *vec_push(&c->stack) = callsite;
    show(c, ts, collect(c, c->shown));
}
