#include "tui/query/query_flows.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "tui/context/state.h"

enum { TRACK_NAME_SIZE = 80 };

/* Where a result has what an arrow is made of; -1: it has not. */
struct flow_columns {
    int from, to, from_track, to_track;
};

static struct flow_columns find_columns(const struct result *r)
{
    int from = result_column(r, "from_id"), to = result_column(r, "to_id");
    bool named = from >= 0 && to >= 0;
    return (struct flow_columns){
        .from = named ? from : result_column(r, "slice_out"),
        .to = named ? to : result_column(r, "slice_in"),
        .from_track = result_column(r, "from_track"),
        .to_track = result_column(r, "to_track"),
    };
}

bool query_is_flows(const struct result *r)
{
    struct flow_columns c = find_columns(r);
    return c.from >= 0 && c.to >= 0 && result_column(r, "ts") < 0;
}

/* A number that a row of a debug track has in one of its columns. */
struct numbered_row {
    int64_t number, ts;
    struct event_ref event;
};
struct numbered_rows {
    VEC(struct numbered_row) v;
};

static int compare_rows(const void *a, const void *b)
{
    const struct numbered_row *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    if (x->event.debug != y->event.debug)
        return x->event.debug < y->event.debug ? -1 : 1;
    return x->event.row < y->event.row ? -1 : x->event.row > y->event.row;
}

static void add_track(struct numbered_rows *out, const struct debug_track *d, uint32_t debug,
                      const char *name, const char *other_name)
{
    struct result_reader reader = {.result = d->result};
    int column = d->result ? result_column(d->result, name) : -1;
    if (column < 0 && d->result && other_name)
        column = result_column(d->result, other_name);
    if (column < 0 || d->kind != &debug_events)
        return;
    for (uint32_t i = 0; i < d->rows.count; i++) {
        struct sql_value v = result_read(&reader, d->rows.items[i], (uint32_t)column);
        if (v.type == SQL_INT)
            *vec_push(&out->v) =
                (struct numbered_row){v.i, d->ts.items[i], {&debug_events, i, debug}};
    }
}

/* The rows of all debug tracks by a number that they have. */
static void number_rows(struct app *a, const char *name, const char *other_name,
                        struct numbered_rows *out)
{
    const struct track_tree *t = app_tree(a);
    for (uint32_t i = 0; i < t->debug.count; i++)
        add_track(out, t->debug.items[i], i, name, other_name);
    if (out->v.count > 0)
        qsort(out->v.items, out->v.count, sizeof *out->v.items, compare_rows);
}

/* ---- arrows by name ---- */

static bool is_on(struct app *a, const struct numbered_row *row, struct str track)
{
    const char *label = app_tree(a)->debug.items[row->event.debug]->label;
    return track.n == 0 || str_eq(str_from(label), track);
}

static struct event_ref find_end(struct app *a, const struct numbered_rows *rows,
                                 struct result_reader *r, uint32_t row, int column,
                                 int track_column)
{
    char track[TRACK_NAME_SIZE] = "";
    struct sql_value id = result_read(r, row, (uint32_t)column);
    if (track_column >= 0) {
        struct sql_value v = result_read(r, row, (uint32_t)track_column);
        result_text(&v, track, sizeof track);
    }
    if (id.type != SQL_INT)
        return NO_EVENT;
    size_t i = BISECT(middle, (size_t)0, rows->v.count, rows->v.items[middle].number < id.i);
    for (; i < rows->v.count && rows->v.items[i].number == id.i; i++)
        if (is_on(a, &rows->v.items[i], str_from(track)))
            return rows->v.items[i].event;
    bool slice = !track[0] && id.i >= 0 && id.i < slice_events.count(app_timeline(a));
    return slice ? event_of(&slice_events, (uint32_t)id.i) : NO_EVENT;
}

static void keep_query(struct app *a, struct str name, char *sql)
{
    struct arrow_query *q = vec_push(&app_tree(a)->arrows.queries);
    *q = (struct arrow_query){alloc_copy(name.n ? name.p : "arrows", name.n ? name.n : 6), sql};
}

effects query_make_flows(struct app *a, struct result *result, const struct row_order *order,
                         struct str name, char *sql)
{
    struct flow_columns c = find_columns(result);
    struct result_reader reader = {.result = result};
    struct numbered_rows rows = {0};
    VEC(struct arrow) made = {0};
    uint32_t count = order ? order->count : result_rows(result);
    number_rows(a, "id", "slice_id", &rows);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = order ? order->rows[i] : i;
        struct arrow arrow = {.from = find_end(a, &rows, &reader, row, c.from, c.from_track),
                              .to = find_end(a, &rows, &reader, row, c.to, c.to_track)};
        if (arrow.from.kind && arrow.to.kind)
            *vec_push(&made) = arrow;
    }
    arrows_add(&app_tree(a)->arrows, made.items, made.count);
    arrows_sort(&app_tree(a)->arrows);
    keep_query(a, name, sql);
    app_say(a, "%zu of %u arrows, between rows that have such an id; ] and [ follow them",
            made.count, count);
    vec_release(&made);
    vec_release(&rows.v);
    return EFFECT_ROWS | EFFECT_DETAILS;
}

/* ---- arrows by what rows have in common ---- */

void query_join_flows(struct app *a)
{
    struct arrows *arrows = &app_tree(a)->arrows;
    struct numbered_rows rows = {0};
    number_rows(a, "flow_id", NULL, &rows);
    arrows_drop_rows(arrows);
    for (size_t i = 1; i < rows.v.count; i++) {
        const struct numbered_row *from = &rows.v.items[i - 1], *to = &rows.v.items[i];
        struct arrow arrow = {from->event, to->event, .of_rows = true};
        if (from->number == to->number)
            arrows_add(arrows, &arrow, 1);
    }
    arrows_sort(arrows);
    vec_release(&rows.v);
}
