/* Rows with times of tables that no other kind of event shows: a track for each table. Whoever adds
 * such a table to the schema has it on the timeline. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace/settled_args.h"
#include "tui/view/debug_track.h"
#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "tui/view/track_tree.h"

/* Under which heading tables of a subject stand. */
#define HEADING(TABLE, sql_name, description, source) [TABLE_##TABLE] = HEADING_OF,
static const char *const headings[TABLE_COUNT] = {
#define HEADING_OF "Events"
    EVENTS_TABLES(HEADING) PROCESSES_TABLES(HEADING) TRACE_TABLES(HEADING)
#undef HEADING_OF
#define HEADING_OF "Memory"
        MEMORY_TABLES(HEADING)
#undef HEADING_OF
#define HEADING_OF "Samples"
            SAMPLES_TABLES(HEADING) JAVASCRIPT_TABLES(HEADING)
#undef HEADING_OF
#define HEADING_OF "Android"
                GRAPHICS_TABLES(HEADING) ANDROID_TABLES(HEADING)
#undef HEADING_OF
#define HEADING_OF "Winscope"
                    WINSCOPE_TABLES(HEADING)
#undef HEADING_OF
};

static const struct table *table_at(const struct timeline *tl, uint32_t number)
{
    return &tables_array_const(&tl->trace->tables)[number];
}

static uint32_t table_number_of(const struct track_tree *tree, uint32_t debug)
{
    return tree->debug.items[debug]->source;
}

static bool is_shown_elsewhere(const char *key)
{
    const struct event_kind *kind;
    for (size_t i = 0; (kind = event_kind_at(i)); i++)
        for (const char *const *shown = kind->shows; shown && *shown; shown++)
            if (strcmp(*shown, key) == 0)
                return true;
    return false;
}

static void add_row_tracks(struct tree_builder *b, const struct timeline *tl)
{
    for (uint32_t i = 0; i < TABLE_COUNT; i++) {
        const struct table *t = table_at(tl, i);
        uint32_t time = table_def_event_time(t->def);
        if (time == 0 || t->rows == 0 || !t->columns[time].data || is_shown_elsewhere(t->def->key))
            continue;
        struct debug_track *d = debug_track_new(t->def->key, &table_row_events);
        d->source = i;
        d->waiting = true;
        debug_track_finish(d, tl->end);
        track_tree_add_own(b, headings[i], d);
    }
}

static void load_row_tracks(struct track_tree *tree, const struct timeline *tl)
{
    for (size_t i = 0; i < tree->debug.count; i++) {
        struct debug_track *d = tree->debug.items[i];
        if (d->kind != &table_row_events || !d->waiting)
            continue;
        const struct table *t = table_at(tl, d->source);
        uint32_t time = table_def_event_time(t->def);
        uint32_t *lane_of = alloc_array((size_t)t->rows + 1, sizeof *lane_of);
        for (uint32_t row = 0; row < t->rows; row++)
            lane_of[row] = column_is_null(&t->columns[time], row) ? NULL_U32 : 0;
        struct shared_lanes *lanes =
            shared_lanes_of_instants(lane_of, 1, t->rows, table_i64(t, time), tl->end);
        debug_track_share(d, lanes, 0);
        shared_lanes_release(lanes);
        free(lane_of);
    }
}

/* What a row is called: its message or name, else its first text, else its table. */
static struct str row_name(const struct timeline *tl, const struct table *t, uint32_t row)
{
    static const char *const telling[] = {"message", "name"};
    string_id first = NULL_STRING;
    for (uint32_t i = 1; i < t->def->column_count; i++) {
        if (t->def->columns[i].type != COLUMN_TYPE_STR)
            continue;
        string_id text = column_str(&t->columns[i], row);
        for (size_t k = 0; text && k < sizeof telling / sizeof *telling; k++)
            if (strcmp(t->def->columns[i].name, telling[k]) == 0)
                return timeline_str(tl, text);
        first = first ? first : text;
    }
    return first ? timeline_str(tl, first) : str_from(t->def->key);
}

static void print_row_name(const struct timeline *tl, const struct track_tree *tree,
                           struct event_ref e, char *out, size_t size)
{
    str_copy(row_name(tl, table_at(tl, table_number_of(tree, e.debug)), e.row), out, size);
}

static uint32_t row_args(const struct timeline *tl, const struct track_tree *tree,
                         struct event_ref e)
{
    const struct table *t = table_at(tl, table_number_of(tree, e.debug));
    for (uint32_t i = 1; i < t->def->column_count; i++)
        if (strcmp(t->def->columns[i].declared, "ARGSETID") == 0)
            return settled_args_of(tl->trace, &t->columns[i], e.row);
    return NULL_U32;
}

static bool paint_row(const struct scene *s, const struct event_source *source, uint32_t row,
                      struct event_paint *out)
{
    const struct table *t = table_at(s->tl, table_number_of(s->tree, source->debug));
    out->label = row_name(s->tl, t, row);
    out->role = out->label_role = slice_role(out->label);
    return true;
}

/* The value of a column; what is of no use to who reads it is left out. */
static void put_column(struct details *d, const struct timeline *tl, const struct column *c,
                       uint32_t row)
{
    const char *name = c->def->name;
    if (strcmp(name, "ts") == 0 || strcmp(name, "base64_proto_id") == 0 ||
        strcmp(c->def->declared, "ARGSETID") == 0 || column_is_null(c, row))
        return;
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "%-24s ", name);
    if (c->def->type == COLUMN_TYPE_STR)
        details_put_name(d, &d->left, ROLE_VALUE, timeline_str(tl, column_str(c, row)));
    else if (c->def->type == COLUMN_TYPE_F64)
        details_put(d, &d->left, ROLE_VALUE, "%g", column_f64(c, row));
    else
        details_put(d, &d->left, ROLE_VALUE, "%" PRId64, column_int(c, row));
}

static void add_row_details(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    struct event_ref e = in->cursor.event;
    const struct table *t = table_at(tl, table_number_of(in->tree, e.debug));
    int64_t ts = table_i64(t, table_def_event_time(t->def))[e.row];
    details_line(d, &d->left, NO_EVENT);
    details_put_name(d, &d->left, ROLE_STRONG, row_name(tl, t, e.row));
    details_put(d, &d->left, ROLE_DIM, "  row %u of %u of %s", e.row, t->rows,
                table_def_published_name(t->def));
    details_put_times(d, tl, ts, ts);
    for (uint32_t i = 1; i < t->def->column_count; i++)
        put_column(d, tl, &t->columns[i], e.row);
}

const struct event_kind table_row_events = {
    .title = "Row",
    .add_tracks = add_row_tracks,
    .load_tracks = load_row_tracks,
    .lanes = debug_track_lanes,
    .lane = debug_track_lane,
    .print_name = print_row_name,
    .arg_set = row_args,
    .draw = draw_bars,
    .paint = paint_row,
    .add_details = add_row_details,
};
