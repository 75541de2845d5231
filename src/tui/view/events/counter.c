/* Steps of counters: rows of the table counter, a lane for each track. */
#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "tui/view/time_format.h"
#include "tui/view/window_summary.h"

static uint32_t counter_count(const struct timeline *tl)
{
    return tl->trace->tables.counter.rows;
}

static const struct steps *counter_steps(const struct timeline *tl, const struct track_tree *tree,
                                         uint32_t debug)
{
    (void)tree, (void)debug;
    return &tl->counters;
}

static uint32_t counter_track(const struct timeline *tl, uint32_t row)
{
    return table_u32(&tl->trace->tables.counter, counter_col_track_id)[row];
}

static uint32_t counter_lane(const struct timeline *tl, const struct track_tree *tree,
                             struct event_ref e)
{
    (void)tree;
    return counter_track(tl, e.row);
}

static void print_counter_value(const struct timeline *tl, const struct track_tree *tree,
                                struct event_ref e, char *out, size_t size)
{
    (void)tree;
    format_value(out, size, table_f64(&tl->trace->tables.counter, counter_col_value)[e.row]);
}

static uint32_t counter_arg_set(const struct timeline *tl, uint32_t row)
{
    return table_u32(&tl->trace->tables.counter, counter_col_arg_set_id)[row];
}

static struct row_id counter_place(const struct timeline *tl, const struct track_tree *tree,
                                   uint32_t row)
{
    uint32_t track = counter_track(tl, row);
    bool known = track < tl->trace->tables.track.rows;
    return (struct row_id){.node = known ? tree->track_node[track] : NO_NODE};
}

/* The scale of an idle counter: up to its deepest state, which is not its largest value. */
static struct step_scale idle_scale(const struct timeline *tl, const struct steps *steps,
                                    uint32_t lane)
{
    enum { LOOKED_MAX = 4096, IDLE_STATES = 4 };
    struct step_scale scale = step_scale_of(steps, lane);
    uint32_t from = steps->starts[lane], to = steps->starts[lane + 1];
    scale.level = timeline_level;
    scale.high = IDLE_STATES;
    for (uint32_t p = from; p < to && p < from + LOOKED_MAX; p++) {
        double level = timeline_level(tl, lane, steps_value(steps, p));
        scale.high = level > scale.high ? level : scale.high;
    }
    return scale;
}

static void draw_counter(struct cells *c, struct rect area, const struct scene *s,
                         const struct row *row, const struct event_source *sources, int count,
                         int min_width)
{
    uint32_t track = sources[0].lane;
    const struct steps *steps = &s->tl->counters;
    if (timeline_is_idle_counter(s->tl, track) && timeline_track_steps(s->tl, track) > 0)
        draw_levels(c, area, s, steps, track, idle_scale(s->tl, steps, track));
    else
        draw_steps(c, area, s, row, sources, count, min_width);
}

static void add_counter_details(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    const struct table *tracks = &tl->trace->tables.track;
    uint32_t row = in->cursor.event.row;
    uint32_t track = counter_track(tl, row);
    const double *values = table_f64(&tl->trace->tables.counter, counter_col_value);
    struct event_span span = event_times(tl, in->tree, in->cursor.event);
    char text[64];
    details_line(d, &d->left, NO_EVENT);
    details_put_name(d, &d->left, ROLE_STRONG,
                     timeline_str(tl, column_str(&tracks->columns[track_col_name], track)));
    format_value(text, sizeof text, values[row]);
    details_put(d, &d->left, ROLE_VALUE, "  %s ", text);
    details_put_name(d, &d->left, ROLE_DIM,
                     timeline_str(tl, column_str(&tracks->columns[track_col_counter_unit], track)));
    details_put_times(d, tl, span.ts, span.end);
    uint32_t p = steps_at(&tl->counters, track, span.ts - 1);
    details_line(d, &d->left, NO_EVENT);
    if (p != UINT32_MAX) {
        double delta = values[row] - steps_value(&tl->counters, p);
        format_value(text, sizeof text, delta);
        details_put(d, &d->left, ROLE_KEY, "change ");
        details_put(d, &d->left, ROLE_VALUE, "%s%s   ", delta > 0 ? "+" : "", text);
    }
    struct value_range all =
        steps_range(&tl->counters, tl->counters.starts[track], tl->counters.starts[track + 1]);
    format_value(text, sizeof text, all.min);
    details_put(d, &d->left, ROLE_KEY, "trace ");
    details_put(d, &d->left, ROLE_VALUE, "%s", text);
    format_value(text, sizeof text, all.max);
    details_put(d, &d->left, ROLE_VALUE, " .. %s", text);
    details_put(d, &d->left, ROLE_DIM, "  %u steps", timeline_track_steps(tl, track));
    details_line(d, &d->left, NO_EVENT);
    details_put_counter_window(d, &d->left, in, track);
}

const struct event_kind counter_events = {
    .title = "Counter",
    .name = "counter",
    .table = "counter",
    .count = counter_count,
    .steps = counter_steps,
    .lane = counter_lane,
    .print_name = print_counter_value,
    .arg_set = counter_arg_set,
    .place = counter_place,
    .draw = draw_counter,
    .add_details = add_counter_details,
};
