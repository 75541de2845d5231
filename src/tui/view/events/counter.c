/* Steps of counters: rows of the table counter, a lane for each track. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "text/time_format.h"
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
    uint32_t track = table_u32(&tl->trace->tables.counter, counter_col_track_id)[row];
    return track < tl->counters.lane_count ? track : 0; /* see timeline_track_depths */
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

static uint32_t counter_arg_set(const struct timeline *tl, const struct track_tree *tree,
                                struct event_ref e)
{
    (void)tree;
    return table_u32(&tl->trace->tables.counter, counter_col_arg_set_id)[e.row];
}

static struct row_id counter_place(const struct timeline *tl, const struct track_tree *tree,
                                   struct event_ref e)
{
    uint32_t track = counter_track(tl, e.row);
    bool known = track < tl->trace->tables.track.rows;
    return (struct row_id){.node = known ? tree->track_node[track] : NO_NODE};
}

/* The part of a bar that is on one of the row's lines, 0 the topmost, which the highest bar leaves
 * open by an eighth: rows one below the other would be a wall. */
static char32_t bar_part(double height, int line, int lines, bool ascii)
{
    int eighths = (int)(height * (lines * 8 - 1) + 0.5), below = (lines - 1 - line) * 8;
    eighths = height > 0 && eighths < 1 ? 1 : eighths;
    eighths -= below;
    return eighths <= 0 ? ' ' : glyph_bar(eighths > 8 ? 8 : eighths, ascii);
}

/* Whether nothing changes in the window: that stands back. */
static bool stays(const double *values, int width)
{
    double first = NAN;
    for (int i = 0; i < width; i++) {
        if (isnan(values[i]))
            continue;
        if (!isnan(first) && values[i] != first)
            return false;
        first = values[i];
    }
    return true;
}

static void draw_counter(const struct event_canvas *on)
{
    const struct scene *s = on->scene;
    const struct row *row = on->row;
    uint32_t track = on->sources[0].lane; /* a track is one lane, whose values fill the line */
    struct counter_look look =
        counter_look_resolve(s->tl, track, s->tree->nodes.items[row->key.node].look);
    double *values = alloc_array((size_t)s->viewport.width, sizeof *values);
    struct counter_range range =
        counter_cells(s->tl, s->tree->axis_next, track, look, &s->viewport, values);
    if (s->tree->nodes.items[row->key.node].kind == NODE_PROCESS) { /* to be compared */
        look.scale = SCALE_ZERO;
        range = (struct counter_range){0, s->tree->most_memory};
    }
    int line = row->key.kind == ROW_BODY ? (int)row->key.depth : 0;
    double least = 1.0 / (8 * look.lines); /* blank is zero, or not known yet */
    uint16_t role = counter_role(s->tl, track);
    uint8_t attrs = stays(values, s->viewport.width) && !s->look.mono ? CELL_FAINT : 0;
    for (int i = 0; i < s->viewport.width && range.high > range.low; i++) {
        double height = isnan(values[i]) ? 0 : counter_height(range, look, values[i]);
        if (!isnan(values[i]) && values[i] != 0 && height < least)
            height = least;
        char32_t glyph = bar_part(height, line, look.lines, s->look.ascii);
        if (glyph != ' ')
            cells_put(on->cells, on->area.x + i, on->area.y, glyph, role, attrs);
    }
    free(values);
}

/* What the row shows at the cursor, where that is not the value. */
static void put_look(struct details *d, const struct details_input *in, uint32_t track)
{
    struct counter_look look =
        counter_look_resolve(in->tl, track, in->tree->nodes.items[in->row->key.node].look);
    char text[64];
    if (look.mode != COUNTER_VALUE) {
        counter_print(in->tl, track, look, counter_at(in->tl, track, look, in->cursor.ts), text,
                      sizeof text);
        details_put(d, &d->left, ROLE_VALUE, "   %s", text);
    }
    counter_look_print(look, text, sizeof text);
    details_put(d, &d->left, ROLE_DIM, "   shown: %s", text);
}

/* Of how deeply a CPU sleeps the numbers are names. */
static void print_value(const struct timeline *tl, uint32_t track, double value, char *out,
                        size_t size)
{
    static const struct counter_look look = {.scale = SCALE_ZERO, .mode = COUNTER_VALUE};
    if (timeline_is_idle_counter(tl, track))
        counter_print(tl, track, look, value, out, size);
    else
        format_value(out, size, value);
}

static void put_change(struct details *d, const struct timeline *tl, uint32_t track, double before,
                       double value)
{
    char text[64];
    bool sleeps = timeline_is_idle_counter(tl, track);
    print_value(tl, track, sleeps ? before : value - before, text, sizeof text);
    details_put(d, &d->left, ROLE_KEY, sleeps ? "before " : "change ");
    details_put(d, &d->left, ROLE_VALUE, "%s%s   ", !sleeps && value > before ? "+" : "", text);
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
    print_value(tl, track, values[row], text, sizeof text);
    details_put(d, &d->left, ROLE_VALUE, "  %s ", text);
    details_put_name(d, &d->left, ROLE_DIM, counter_unit(tl, track));
    put_look(d, in, track);
    details_put_lasting(d, in);
    uint32_t p = steps_at(&tl->counters, track, span.ts - 1);
    details_line(d, &d->left, NO_EVENT);
    if (p != UINT32_MAX)
        put_change(d, tl, track, steps_value(&tl->counters, p), values[row]);
    else if (span.ts > tl->start)
        details_put(d, &d->left, ROLE_DIM, "the first value: before it none is known   ");
    struct value_range all =
        steps_range(&tl->counters, tl->counters.starts[track], tl->counters.starts[track + 1]);
    print_value(tl, track, all.min, text, sizeof text);
    details_put(d, &d->left, ROLE_KEY, "trace ");
    details_put(d, &d->left, ROLE_VALUE, "%s", text);
    print_value(tl, track, all.max, text, sizeof text);
    details_put(d, &d->left, ROLE_VALUE, " .. %s", text);
    details_put(d, &d->left, ROLE_DIM, "  %u steps", timeline_track_steps(tl, track));
    details_line(d, &d->left, NO_EVENT);
    details_put_counter_window(d, &d->left, in, track);
}

const struct event_kind counter_events = {
    .shows = (const char *const[]){"counter", NULL},
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
