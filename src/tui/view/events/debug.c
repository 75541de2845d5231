/* Rows of a query on a debug track: with a length, or with a value. */
#include <string.h>

#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "text/time_format.h"

enum { COLUMNS_MAX = 60, VALUE_SIZE = 512 };

const struct lanes *debug_track_lanes(const struct timeline *tl, const struct track_tree *tree,
                                      uint32_t debug)
{
    (void)tl;
    return &tree->debug.items[debug]->lanes;
}

const struct steps *debug_track_steps(const struct timeline *tl, const struct track_tree *tree,
                                      uint32_t debug)
{
    (void)tl;
    return &tree->debug.items[debug]->steps;
}

uint32_t debug_track_lane(const struct timeline *tl, const struct track_tree *tree,
                          struct event_ref e)
{
    const struct lanes *l = &tree->debug.items[e.debug]->lanes;
    (void)tl;
    for (uint32_t lane = 1; lane < l->lane_count; lane++)
        if (lane_find_row(l, lane, e.row) != NO_POSITION)
            return lane;
    return 0;
}

struct row_id debug_track_place(const struct timeline *tl, const struct track_tree *tree,
                                struct event_ref e)
{
    uint32_t lane = e.kind->lane(tl, tree, e);
    return (struct row_id){.node = tree->debug.items[e.debug]->node,
                           .kind = lane > 0 ? ROW_DEPTH : ROW_HEAD,
                           .depth = lane};
}

uint32_t debug_track_only_lane(const struct timeline *tl, const struct track_tree *tree,
                               struct event_ref e)
{
    (void)tl, (void)tree, (void)e;
    return 0;
}

void debug_track_print_name(const struct timeline *tl, const struct track_tree *tree,
                            struct event_ref e, char *out, size_t size)
{
    struct str name = tree->debug.items[e.debug]->names.items[e.row];
    (void)tl;
    str_copy(name, out, size);
}

static void print_debug_value(const struct timeline *tl, const struct track_tree *tree,
                              struct event_ref e, char *out, size_t size)
{
    (void)tl;
    format_value(out, size, tree->debug.items[e.debug]->values.items[e.row]);
}

bool debug_track_paint(const struct scene *s, const struct event_source *source, uint32_t row,
                       struct event_paint *out)
{
    out->label = s->tree->debug.items[source->debug]->names.items[row];
    const struct debug_track *d = s->tree->debug.items[source->debug];
    bool coloured = row < d->colours.count && d->colours.items[row].n > 0;
    out->role = out->label_role = slice_role(coloured ? d->colours.items[row] : out->label);
    return true;
}

/* The slice that a row of a result is about: its id, where it says no other time. */
static struct event_ref row_slice(const struct timeline *tl, struct result_reader *r, uint32_t row)
{
    int id = result_column(r->result, "slice_id"), ts = result_column(r->result, "ts");
    id = id >= 0 ? id : result_column(r->result, "id");
    if (id < 0)
        return NO_EVENT;
    struct sql_value v = result_read(r, row, (uint32_t)id);
    if (v.type != SQL_INT || v.i < 0 || v.i >= slice_events.count(tl))
        return NO_EVENT;
    struct sql_value at = {.type = SQL_NULL};
    if (ts >= 0)
        at = result_read(r, row, (uint32_t)ts);
    bool same = at.type != SQL_INT || slice_ts(tl, (uint32_t)v.i) == at.i;
    return same ? event_of(&slice_events, (uint32_t)v.i) : NO_EVENT;
}

/* All that the query says about it. */
static void put_result_row(struct details *d, const struct timeline *tl,
                           const struct debug_track *track, uint32_t row)
{
    struct result_reader reader = {.result = track->result};
    struct event_ref slice = row_slice(tl, &reader, row);
    for (uint32_t i = 0; i < result_columns(track->result) && i < COLUMNS_MAX; i++) {
        char text[VALUE_SIZE];
        struct sql_value v = result_read(&reader, row, i);
        bool id = strcmp(result_name(track->result, i), "id") == 0 ||
                  strcmp(result_name(track->result, i), "slice_id") == 0;
        result_text(&v, text, sizeof text);
        details_line(d, &d->left, id ? slice : NO_EVENT);
        details_put(d, &d->left, ROLE_KEY, "%-16s ", result_name(track->result, i));
        details_put(d, &d->left, id && slice.kind ? ROLE_LINK : ROLE_VALUE, "%s",
                    v.type == SQL_NULL ? "NULL" : text);
    }
}

static void add_debug_details(struct details *d, const struct details_input *in)
{
    struct event_span span = event_times(in->tl, in->tree, in->cursor.event);
    char name[256];
    event_name(in->tl, in->tree, in->cursor.event, name, sizeof name);
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_STRONG, "%s", name);
    details_put(d, &d->left, ROLE_DIM, "  row %u of %s", in->cursor.event.row,
                in->tree->debug.items[in->cursor.event.debug]->label);
    details_put_times(d, in->tl, span.ts, span.end);
    const struct debug_track *track = in->tree->debug.items[in->cursor.event.debug];
    details_put_arrows(d, in);
    if (track->result && in->cursor.event.row < track->rows.count)
        put_result_row(d, in->tl, track, track->rows.items[in->cursor.event.row]);
}

const struct event_kind debug_events = {
    .title = "Row",
    .lanes = debug_track_lanes,
    .lane = debug_track_lane,
    .print_name = debug_track_print_name,
    .place = debug_track_place,
    .draw = draw_bars,
    .paint = debug_track_paint,
    .add_details = add_debug_details,
};

const struct event_kind debug_counter_events = {
    .title = "Row",
    .steps = debug_track_steps,
    .lane = debug_track_only_lane,
    .print_name = print_debug_value,
    .draw = draw_steps,
    .add_details = add_debug_details,
};
