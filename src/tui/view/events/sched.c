/* What ran on CPUs: rows of the table sched_slice, a lane for each CPU. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "text/time_format.h"
#include "tui/view/window_summary.h"

static uint32_t sched_count(const struct timeline *tl)
{
    return tl->trace->tables.sched_slice.rows;
}

static const struct lanes *sched_lanes(const struct timeline *tl, const struct track_tree *tree,
                                       uint32_t debug)
{
    (void)tree, (void)debug;
    return &tl->sched;
}

static uint32_t sched_cpu(const struct timeline *tl, uint32_t row)
{
    return table_small(&tl->trace->tables.sched_slice, sched_slice_col_ucpu, row);
}

static uint32_t sched_thread(const struct timeline *tl, uint32_t row)
{
    return table_u32(&tl->trace->tables.sched_slice, sched_slice_col_utid)[row];
}

static uint32_t sched_lane(const struct timeline *tl, const struct track_tree *tree,
                           struct event_ref e)
{
    (void)tree;
    return lanes_lane(&tl->sched, sched_cpu(tl, e.row));
}

static void print_sched_name(const struct timeline *tl, const struct track_tree *tree,
                             struct event_ref e, char *out, size_t size)
{
    (void)tree;
    timeline_thread_name(tl, sched_thread(tl, e.row), out, size);
}

static struct row_id sched_place(const struct timeline *tl, const struct track_tree *tree,
                                 struct event_ref e)
{
    uint32_t cpu = sched_cpu(tl, e.row);
    bool known = cpu < tl->sched.lane_count;
    return (struct row_id){.node = known ? tree->cpu_node[cpu] : NO_NODE};
}

/* Idle time on a CPU is a gap, not an event. */
static bool is_idle(const struct timeline *tl, uint32_t utid)
{
    const struct table *t = &tl->trace->tables.thread;
    return utid >= t->rows || table_u32(t, thread_col_is_idle)[utid] == 1 ||
           table_i64(t, thread_col_tid)[utid] == 0;
}

static bool paint_sched(const struct scene *s, const struct event_source *source, uint32_t row,
                        struct event_paint *out)
{
    uint32_t utid = sched_thread(s->tl, row);
    (void)source;
    if (is_idle(s->tl, utid))
        return false;
    out->role = out->label_role = thread_role(s->tl, utid);
    timeline_thread_name(s->tl, utid, out->buffer, sizeof out->buffer);
    out->label = str_from(out->buffer);
    return true;
}

/* Who ran longest of the events in a cell that are not idle; NULL_U32 if none of those that were
 * looked at, all over the cell, did. */
static uint32_t busiest(const struct timeline *tl, const struct span *span)
{
    enum { LOOKED_MAX = 64 };
    uint32_t found = NULL_U32, step = (span->count + LOOKED_MAX - 1) / LOOKED_MAX;
    int64_t longest = -1;
    for (uint32_t i = 0; i < span->count; i += step) {
        uint32_t p = span->first + i, utid = sched_thread(tl, lanes_row(&tl->sched, p));
        if (lanes_dur(&tl->sched, p) > longest && !is_idle(tl, utid)) {
            longest = lanes_dur(&tl->sched, p);
            found = utid;
        }
    }
    return found;
}

/* How much of a cell the CPU was busy, in the colour of who ran longest. */
static void draw_busy(const struct event_canvas *on, const struct span *span, int cell)
{
    const struct scene *s = on->scene;
    int64_t t0 = viewport_time(&s->viewport, cell), t1 = viewport_time(&s->viewport, cell + 1);
    uint32_t utid = busiest(s->tl, span);
    double share = (double)timeline_busy(s->tl, on->sources[0].lane, t0, t1) / (double)(t1 - t0);
    if (utid != NULL_U32 && share > 0)
        draw_narrow(on, cell, span->count, share,
                    event_is_selected(s, on->row, &on->sources[0],
                                      lanes_row(&s->tl->sched, span->longest))
                        ? ROLE_SELECTION
                        : thread_role(s->tl, utid));
}

static void draw_sched(const struct event_canvas *on)
{
    struct event_canvas wide = *on;
    wide.min_width = SPAN_NARROW + 1;
    draw_bars(&wide);
    struct shown_list shown = row_spans(on->scene, on->sources, 1);
    for (int i = 0; i < shown.count; i++) {
        const struct span *span = &shown.items[i].span;
        for (int c = span->c0; c < span->c1 && span->c1 - span->c0 <= SPAN_NARROW; c++)
            draw_busy(on, span, c);
    }
}

static void add_sched_details(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    const struct table *t = &tl->trace->tables.sched_slice;
    uint32_t row = in->cursor.event.row, utid = sched_thread(tl, row);
    struct event_span span = event_times(tl, in->tree, in->cursor.event);
    if (utid >= tl->trace->tables.thread.rows)
        return;
    uint32_t state = lane_at(&tl->states, utid, span.ts);
    details_line(d, &d->left,
                 state == NO_POSITION ? NO_EVENT
                                      : event_of(&state_events, lanes_row(&tl->states, state)));
    if (is_idle(tl, utid))
        details_put(d, &d->left, ROLE_STRONG, "idle");
    else
        details_put_thread(d, &d->left, tl, utid);
    if (!is_idle(tl, utid))
        details_put_process(d, &d->left, tl, timeline_upid(tl, utid), details_left_width(in));
    details_put_lasting(d, in);
    details_put_cpu_loss(d, tl, sched_cpu(tl, row));
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "CPU ");
    char name[CPU_NAME_MAX];
    timeline_cpu_name(tl, sched_cpu(tl, row), name);
    details_put(d, &d->left, ROLE_VALUE, "%s", name);
    details_put(d, &d->left, ROLE_KEY, "   priority ");
    details_put(d, &d->left, ROLE_VALUE, "%" PRId64,
                column_int(&t->columns[sched_slice_col_priority], row));
    details_put(d, &d->left, ROLE_KEY, "   then ");
    details_put_name(d, &d->left, ROLE_VALUE,
                     timeline_str(tl, column_str(&t->columns[sched_slice_col_end_state], row)));
    details_put_inside(d, tl, utid, in->cursor.ts);
    details_put_window(d, in);
}

const struct event_kind sched_events = {
    .shows = (const char *const[]){"sched_slice", NULL},
    .title = "Scheduled",
    .name = "sched",
    .table = "sched_slice",
    .count = sched_count,
    .lanes = sched_lanes,
    .lane = sched_lane,
    .print_name = print_sched_name,
    .place = sched_place,
    .draw = draw_sched,
    .paint = paint_sched,
    .add_details = add_sched_details,
};
