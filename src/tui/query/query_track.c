#include "tui/query/query_track.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/bounded_run.h"
#include "tui/context/state.h"
#include "tui/input/sql_text.h"
#include "tui/query/query_flows.h"
#include "tui/query/query_pane.h"
#include "tui/result/result_summary.h"
#include "tui/timeline/history.h"
#include "tui/timeline/move.h"
#include "tui/timeline/place.h"
#include "tui/timeline/timeline_view.h"

enum { LABEL_SIZE = 80, NAME_SIZE = 200, TRACK_MEMORY = 64 << 20 };

/* Where a result has what a track is made of; -1: it has not. */
struct track_columns {
    int ts, dur, name, value, colour;
};

static struct track_columns find_columns(const struct result *r)
{
    int color = result_column(r, "color");
    return (struct track_columns){
        .ts = result_column(r, "ts"),
        .dur = result_column(r, "dur"),
        .name = result_column(r, "name"),
        .value = result_column(r, "value"),
        .colour = color >= 0 ? color : result_column(r, "colour"),
    };
}

static struct str text_at(struct result_reader *r, uint32_t row, int column, char out[NAME_SIZE])
{
    out[0] = '\0';
    if (column >= 0) {
        struct sql_value v = result_read(r, row, (uint32_t)column);
        result_text(&v, out, NAME_SIZE);
    }
    return str_from(out);
}

static void add_row(struct debug_track *d, struct result_reader *r, const struct track_columns *c,
                    uint32_t row)
{
    char name[NAME_SIZE], colour[NAME_SIZE];
    struct sql_value ts = result_read(r, row, (uint32_t)c->ts), v = {.type = SQL_NULL};
    bool counter = d->kind == &debug_counter_events;
    int second = counter ? c->value : c->dur;
    if (second >= 0)
        v = result_read(r, row, (uint32_t)second);
    if (ts.type != SQL_INT || (counter && v.type != SQL_INT && v.type != SQL_REAL))
        return;
    if (counter)
        debug_track_add_value(d, ts.i, v.type == SQL_INT ? (double)v.i : v.d);
    else
        debug_track_add_slice(d, ts.i, v.type == SQL_INT ? v.i : 0, text_at(r, row, c->name, name));
    debug_track_add_origin(d, row, text_at(r, row, c->colour, colour));
}

/* Those that queries made. */
static size_t queried_tracks(struct app *a)
{
    size_t n = 0;
    for (size_t i = 0; i < app_tree(a)->debug.count; i++)
        n += app_tree(a)->debug.items[i]->sql != NULL;
    return n;
}

/* Takes the rows of a result that has a ts. */
static void fill_track(struct app *a, struct debug_track *d, struct result *result,
                       const struct row_order *order)
{
    struct track_columns c = find_columns(result);
    struct result_reader reader = {.result = result};
    uint32_t rows = order ? order->count : result_rows(result);
    d->result = result_retain(result);
    for (uint32_t i = 0; i < rows; i++)
        add_row(d, &reader, &c, order ? order->rows[i] : i);
    debug_track_finish(d, app_timeline(a)->end);
}

/* The rows of a result as a track; NULL, and said so, where it has no ts. `sql` is taken over. */
static struct debug_track *make_track(struct app *a, struct result *result,
                                      const struct row_order *order, struct str name, char *sql)
{
    struct track_columns c = find_columns(result);
    char label[LABEL_SIZE];
    if (c.ts < 0) {
        app_complain(
            a, "a track needs the column ts, and dur and name, or value; arrows from_id and to_id");
        free(sql);
        return NULL;
    }
    if (name.n > 0)
        snprintf(label, sizeof label, "%.*s", (int)(name.n < 79 ? name.n : 79), name.p);
    else
        snprintf(label, sizeof label, "query %zu", queried_tracks(a) + 1);
    bool counter = c.value >= 0 && c.dur < 0;
    struct debug_track *d = debug_track_new(label, counter ? &debug_counter_events : &debug_events);
    d->sql = sql;
    fill_track(a, d, result, order);
    return d;
}

effects query_track_show_alerts(struct app *a, struct result *result)
{
    struct debug_track *d = debug_track_new("Alerts", &alert_events);
    fill_track(a, d, result, NULL);
    uint32_t node = track_tree_add_debug(app_tree(a), d);
    app_tree(a)->nodes.items[node].fold = FOLD_CLOSED;
    return EFFECT_ROWS | app_place_late(a);
}

/* The caller has remembered the place. */
static effects show_track(struct app *a, struct debug_track *d)
{
    uint32_t node = track_tree_add_debug(app_tree(a), d);
    query_join_flows(a);
    struct row_id key = {.node = node, .kind = ROW_HEAD, .place = PLACE_PINNED};
    app_say(a, "%s: %zu row%s; x on its row removes it", d->label, d->ts.count,
            d->ts.count == 1 ? "" : "s");
    return app_put_cursor(a, &key, a->view->cursor.ts, NO_EVENT) | EFFECT_SELECT;
}

/* What makes the grid's rows again, its filters aside. */
static char *sql_of_grid(struct app *a)
{
    const char *sql = a->query->sql ? a->query->sql : "";
    return alloc_copy(sql, strlen(sql));
}

effects query_make_track(struct app *a, struct str name)
{
    struct grid *g = a->query->grid;
    if (!g || grid_rows(g) == 0)
        return EFFECT_NONE;
    if (query_is_flows(g->result))
        return query_make_flows(a, g->result, g->order, name, sql_of_grid(a));
    struct debug_track *d = make_track(a, g->result, g->order, name, sql_of_grid(a));
    if (!d)
        return EFFECT_NONE;
    app_remember(a);
    return show_track(a, d);
}

/* The rows of the grid that have the text in the column. */
static struct row_order *rows_with(struct grid *g, uint32_t column, struct str text)
{
    VEC(uint32_t) rows = {0};
    for (uint32_t i = 0; i < grid_rows(g); i++) {
        char value[NAME_SIZE];
        struct sql_value v = grid_value(g, i, column);
        result_text(&v, value, sizeof value);
        if (v.type == SQL_TEXT ? str_eq(v.s, text) : str_eq(str_from(value), text))
            *vec_push(&rows) = grid_row(g, i);
    }
    return row_order_new(rows.items, (uint32_t)rows.count);
}

/* "SELECT * FROM (the query) WHERE column = 'text'". */
static char *sql_with(struct app *a, const char *column, struct str text)
{
    char *quoted = sql_quote(text), behind[2 * NAME_SIZE];
    snprintf(behind, sizeof behind, ")\nWHERE \"%s\" = %s", column, quoted);
    char *sql = sql_wrap(str_from(a->query->sql ? a->query->sql : ""), "SELECT * FROM (", behind);
    free(quoted);
    return sql;
}

/* Numbers are few where they are worth a track each: they are looked for as text. */
static void find_values(struct grid *g, uint32_t column, struct histogram *h)
{
    struct result_rows_of rows = {g->order ? g->order->rows : NULL, grid_rows(g)};
    result_histogram(g->result, column, rows, NULL, h);
}

effects query_pivot_tracks(struct app *a)
{
    struct grid *g = a->query->grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    struct histogram h;
    effects e = EFFECT_NONE;
    if (!column || grid_rows(g) == 0)
        return e;
    find_values(g, column->source, &h);
    const char *name = result_name(g->result, column->source);
    if (!h.of_texts || find_columns(g->result).ts < 0) {
        app_complain(a, "tracks for each value need a column ts, and the cursor on one of texts");
        return e;
    }
    app_remember(a);
    for (uint32_t i = 0; i < h.bars; i++) {
        struct row_order *rows = rows_with(g, column->source, h.bar[i].text);
        struct debug_track *d =
            make_track(a, g->result, rows, h.bar[i].text, sql_with(a, name, h.bar[i].text));
        e |= d ? show_track(a, d) : EFFECT_NONE;
        row_order_release(rows);
    }
    app_say(a, "%" PRIu32 " tracks, for %s%" PRIu64 " values of %s", h.bars,
            h.different > h.bars ? "the most frequent of " : "", h.different, name);
    return e;
}

/* ---- asked for by name ---- */

struct track_job {
    struct job job;
    const struct trace *trace;
    struct result_feed feed;
    struct status status;
    char *name, *sql;
    struct sql_spent own, *spent;
};

static void run_track(struct job *job, struct worker *w)
{
    struct track_job *j = (struct track_job *)job;
    struct sql_session *session = worker_session(w, j->trace, &j->status);
    if (!status_ok(j->status))
        return;
    struct sql_sink sink = result_feed_sink(&j->feed);
    j->status = sql_session_run_bounded(session, j->name, str_from(j->sql), &sql_file_bounds,
                                        j->spent, &sink);
    result_feed_end(&j->feed);
}

static effects finish_track(struct job *job, struct app *a)
{
    struct track_job *j = (struct track_job *)job;
    struct result *result = result_feed_take(&j->feed);
    effects e = EFFECT_NONE;
    if (a && !status_ok(j->status)) {
        app_complain(a, "%s", j->status.message);
    } else if (a && result && query_is_flows(result)) {
        e = query_make_flows(a, result, NULL, str_from(j->name), j->sql);
        j->sql = NULL;
    } else if (a && result) {
        struct debug_track *d = make_track(a, result, NULL, str_from(j->name), j->sql);
        j->sql = NULL;
        if (d) {
            track_tree_add_debug(app_tree(a), d);
            query_join_flows(a);
            if (a->view->top == 0)
                a->view->wanted_top = 0; /* in sight, above the row of the cursor */
        }
        e = EFFECT_ROWS | app_place_late(a);
    }
    result_release(result);
    result_feed_release(&j->feed);
    status_release(&j->status);
    free(j->name);
    free(j->sql);
    free(j);
    return e;
}

void query_track_ask(struct app *a, struct str name_and_sql, struct sql_spent *spent)
{
    size_t n = str_find(name_and_sql, '=');
    struct str sql = str_skip(name_and_sql, n < name_and_sql.n ? n + 1 : n);
    if (n == 0 || sql.n == 0) {
        app_complain(a, "a debug track is NAME=SQL");
        return;
    }
    struct track_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_track, finish_track, NULL};
    j->trace = &a->opened->trace;
    j->spent = spent ? spent : &j->own;
    j->name = alloc_copy(name_and_sql.p, n);
    j->sql = alloc_copy(sql.p, sql.n);
    result_feed_init(&j->feed, TRACK_MEMORY);
    worker_push(a->loader, &j->job);
}
