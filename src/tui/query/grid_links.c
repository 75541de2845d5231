#include "tui/query/grid_links.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/store/tables.h"
#include "complete/durations.h"
#include "complete/grow.h"
#include "tui/context/state.h"
#include "tui/query/grid.h"
#include "tui/query/query_behind.h"
#include "tui/query/query_pane.h"
#include "tui/result/answer.h"
#include "tui/timeline/jump.h"

static bool int_at(struct grid *g, const char *name, int64_t *out)
{
    int column = result_column(g->result, name);
    if (column < 0)
        return false;
    struct sql_value v = grid_value(g, g->row, (uint32_t)column);
    *out = v.type == SQL_INT ? v.i : 0;
    return v.type == SQL_INT;
}

/* ---- rows that the timeline has no place for ---- */

enum { RECORD_ROWS = 100 };

struct record_job {
    struct job job;
    const struct trace *trace;
    struct answer *answer;
    struct status status;
    struct reference to;
    int64_t value;
};

static bool is_args(const struct reference *to)
{
    return strcmp(to->table, "args") == 0;
}

static void run_record(struct job *job, struct worker *w)
{
    struct record_job *j = (struct record_job *)job;
    struct sql_session *session = worker_session(w, j->trace, &j->status);
    char sql[400];
    if (is_args(&j->to))
        snprintf(sql, sizeof sql,
                 "SELECT key, display_value FROM args WHERE arg_set_id = %" PRId64 " ORDER BY key",
                 j->value);
    else
        snprintf(sql, sizeof sql, "SELECT * FROM \"%s\" WHERE \"%s\" = %" PRId64 " LIMIT %d",
                 j->to.table, j->to.column, j->value, RECORD_ROWS);
    if (status_ok(j->status))
        j->status = answer_ask(j->answer, session, j->to.table, str_from(sql));
}

static void print_pair(FILE *f, struct str name, const struct sql_value *v)
{
    char text[64];
    fprintf(f, "%-24.*s  ", (int)name.n, name.n ? name.p : "");
    if (v->type == SQL_TEXT)
        fwrite(v->s.p, 1, v->s.n, f);
    else if (v->type == SQL_NULL)
        fputs("NULL", f);
    else {
        result_text(v, text, sizeof text);
        fputs(text, f);
    }
    fputc('\n', f);
}

/* Of args a line is a key and its value, of other tables each column of each row. */
static char *print_record(const struct record_job *j)
{
    const struct answer *answer = j->answer;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return alloc_copy("", 0);
    for (uint32_t i = 0; i < answer->rows; i++) {
        struct sql_value key = answer_value(answer, i, 0), value;
        if (is_args(&j->to)) {
            value = answer_value(answer, i, 1);
            print_pair(f, key.type == SQL_TEXT ? key.s : STR(""), &value);
            continue;
        }
        if (i > 0)
            fputc('\n', f);
        for (uint32_t k = 0; k < answer->columns; k++) {
            value = answer_value(answer, i, k);
            print_pair(f, str_from(answer_name(answer, k)), &value);
        }
    }
    fclose(f);
    return text;
}

static effects finish_record(struct job *job, struct app *a)
{
    struct record_job *j = (struct record_job *)job;
    char title[2 * REFERENCE_NAME_MAX + 32];
    snprintf(title, sizeof title, "%s, %s %" PRId64, j->to.table, j->to.column, j->value);
    if (a && !status_ok(j->status)) {
        app_complain(a, "%s", j->status.message);
    } else if (a && j->answer->rows > 0) {
        char *text = print_record(j);
        app_show_text(a, str_from(title), str_from(text));
        free(text);
    } else if (a) {
        app_complain(a, "there is no %s", title);
    }
    answer_free(j->answer);
    status_release(&j->status);
    free(j);
    return EFFECT_NONE;
}

static effects show_record(struct app *a, const struct reference *to, int64_t value)
{
    struct record_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_record, finish_record, NULL};
    j->trace = &a->opened->trace;
    j->answer = answer_new();
    j->to = *to;
    j->value = value;
    worker_push(a->helper, &j->job);
    return EFFECT_NONE;
}

/* ---- places of the timeline ---- */

static effects go_to_time(struct app *a, int64_t ts)
{
    a->focus = FOCUS_TRACKS;
    return app_jump_time(a, ts);
}

/* The nodes of the tree by the ids of a table, if they are there. */
struct nodes {
    const uint32_t *of;
    uint32_t count;
};

static struct nodes nodes_of(struct app *a, const struct table_def *table)
{
    const struct track_tree *tree = app_tree(a);
    const struct tables *t = &a->opened->trace.tables;
    if (table == t->thread.def)
        return (struct nodes){tree->thread_node, t->thread.rows};
    if (table == t->process.def)
        return (struct nodes){tree->process_node, t->process.rows};
    if (table == t->track.def)
        return (struct nodes){tree->track_node, t->track.rows};
    if (table == t->cpu.def)
        return (struct nodes){tree->cpu_node, t->cpu.rows};
    return (struct nodes){NULL, 0};
}

static bool is_shown(struct app *a, struct event_ref event)
{
    return event.kind->place &&
           event.kind->place(app_timeline(a), app_tree(a), event).node != NO_NODE;
}

/* Where the timeline shows what is meant, else its record. */
static effects follow(struct app *a, const struct reference *to, int64_t value)
{
    const struct table_def *table = table_def_find(str_from(to->table));
    bool whole =
        table && (strcmp(to->column, "id") == 0 || table == table_def_find(STR("thread")) ||
                  table == table_def_find(STR("process")));
    struct nodes nodes = whole ? nodes_of(a, table) : (struct nodes){NULL, 0};
    if (value >= 0 && value < nodes.count && nodes.of[value] != NO_NODE) {
        a->focus = FOCUS_TRACKS;
        return app_jump_node(a, nodes.of[value]);
    }
    const struct event_kind *kind;
    for (size_t i = 0; whole && (kind = event_kind_at(i)); i++) {
        if (!kind->table || table_def_find(str_from(kind->table)) != table || value < 0 ||
            value >= kind->count(app_timeline(a)))
            continue;
        struct event_ref event = event_of(kind, (uint32_t)value);
        if (is_shown(a, event))
            return app_jump(a, event);
    }
    return show_record(a, to, value);
}

/* ---- columns ---- */

static struct sql_value no_value(void *ctx, uint32_t column)
{
    (void)ctx;
    (void)column;
    return (struct sql_value){.type = SQL_NULL};
}

void grid_find_links(struct grid *g, const struct schema *schema, struct str script)
{
    for (size_t i = 0; i < g->columns.count; i++) {
        struct grid_column *column = &g->columns.items[i];
        const char *name = result_name(g->result, column->source);
        column->leads_to = reference_find(schema, script, name);
        bool own = strcmp(name, "id") == 0 || strcmp(name, "parent_id") == 0;
        if (own && !column->leads_to.table[0] && result_column(g->result, "depth") >= 0)
            column->leads_to = (struct reference){"slice", "id"};
    }
    struct duration_columns durations = {0};
    duration_columns_read(&durations, script);
    for (size_t i = 0; i < g->columns.count; i++) {
        struct grid_column *column = &g->columns.items[i];
        if (duration_columns_have(&durations, result_name(g->result, column->source)))
            column->kind = COLUMN_DURATION;
    }
    duration_columns_release(&durations);
    char *behind = grow_behind(script, no_value, NULL);
    g->has_rows_behind = behind != NULL;
    free(behind);
}

/* A row that says nothing else is a slice's: where there is a ts, it must agree. */
static bool row_event(struct app *a, struct grid *g, int64_t id, struct event_ref *out)
{
    const struct tables *t = &a->opened->trace.tables;
    int64_t ts = 0;
    bool timed = int_at(g, "ts", &ts);
    if (id < 0)
        return false;
    *out = event_of(&slice_events, (uint32_t)id);
    if (id < t->slice.rows && (!timed || slice_ts(app_timeline(a), (uint32_t)id) == ts))
        return true;
    *out = event_of(&state_events, (uint32_t)id);
    if (timed && id < t->thread_state.rows && result_column(g->result, "state") >= 0 &&
        table_i64(&t->thread_state, thread_state_col_ts)[id] == ts)
        return true;
    *out = event_of(&sched_events, (uint32_t)id);
    return timed && id < t->sched_slice.rows && result_column(g->result, "end_state") >= 0 &&
           table_i64(&t->sched_slice, sched_slice_col_ts)[id] == ts;
}

/* Whether the id of a row is that of the event which has this id and the row's time: unless the
 * column is known to be the id of something else. */
static bool is_own_event(struct grid *g, const struct event_ref *event, const struct reference *to)
{
    const struct table_def *table = table_def_find(str_from(to->table));
    if (table)
        return table == table_def_find(str_from(event->kind->table));
    return !to->table[0] || result_column(g->result, "ts") >= 0;
}

static effects go_by_row(struct app *a, struct grid *g)
{
    struct event_ref event;
    int64_t id, ts;
    if ((int_at(g, "slice_id", &id) || int_at(g, "id", &id)) && row_event(a, g, id, &event))
        return app_jump(a, event);
    if (int_at(g, "ts", &ts))
        return go_to_time(a, ts);
    for (size_t i = 0; i < g->columns.count; i++) { /* what else it refers to */
        const struct grid_column *column = &g->columns.items[i];
        struct sql_value v = grid_value(g, g->row, column->source);
        if (column->leads_to.table[0] && v.type == SQL_INT)
            return follow(a, &column->leads_to, v.i);
    }
    if (a->query->sql && grow_groups(str_from(a->query->sql)))
        app_complain(a, "the rows behind are found by what is grouped by: select all of that");
    else
        app_complain(a, "this row refers to nothing, and has no ts");
    return EFFECT_NONE;
}

/* Where a value leads by itself. */
enum value_link { LINK_NONE, LINK_EVENT, LINK_ROW, LINK_TIME };

static enum value_link value_link(struct app *a, struct grid *g, const struct sql_value *v,
                                  struct event_ref *event)
{
    const struct grid_column *column = grid_current(g);
    const char *name = result_name(g->result, column->source);
    if (v->type != SQL_INT)
        return LINK_NONE;
    if (strcmp(name, "id") == 0 && row_event(a, g, v->i, event) &&
        is_own_event(g, event, &column->leads_to))
        return LINK_EVENT;
    if (column->leads_to.table[0])
        return LINK_ROW;
    return column->kind == COLUMN_TIME && strcmp(name, "ts") != 0 ? LINK_TIME : LINK_NONE;
}

effects grid_go(struct app *a)
{
    struct grid *g = a->query->grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    struct event_ref event;
    effects behind;
    if (!column || grid_rows(g) == 0)
        return EFFECT_NONE;
    struct sql_value v = grid_value(g, g->row, column->source);
    switch (value_link(a, g, &v, &event)) {
    case LINK_EVENT:
        return app_jump(a, event);
    case LINK_ROW:
        return follow(a, &column->leads_to, v.i);
    case LINK_TIME:
        return go_to_time(a, v.i);
    default:
        return query_go_behind(a, &behind) ? behind : go_by_row(a, g);
    }
}

const char *grid_go_word(struct app *a)
{
    struct grid *g = a->query->grid;
    struct event_ref event;
    if (!g || !grid_current(g) || grid_rows(g) == 0 || !g->has_rows_behind)
        return "go there";
    struct sql_value v = grid_value(g, g->row, grid_current(g)->source);
    return value_link(a, g, &v, &event) == LINK_NONE ? "rows behind" : "go there";
}
