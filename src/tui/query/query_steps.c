#include "tui/query/query_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "complete/grow.h"
#include "tui/context/prompt.h"
#include "tui/context/state.h"
#include "tui/query/grid.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_run.h"

/* What the list's values stand for; behind the last: joins, by their numbers. */
enum step {
    STEP_ONLY,
    STEP_WITHOUT,
    STEP_MORE,
    STEP_LESS,
    STEP_GROUP,
    STEP_SUM,
    STEP_DOWN,
    STEP_UP,
    STEP_STATES,
    STEP_COLUMN,
    STEP_JOINS
};

static bool has(const struct grid *g, const char *column)
{
    return result_column(g->result, column) >= 0;
}

static void add(struct picker *p, uint32_t value, const char *what, const char *sql)
{
    struct picker_item *item = picker_add(p, value);
    picker_set(p, item, 0, "%s", what);
    picker_set(p, item, 1, "%s", sql);
}

static void add_conditions(struct picker *p, const char *name, const struct sql_value *v)
{
    char *column = grow_name(name), *literal = grow_literal(v), sql[200];
    bool null = v->type == SQL_NULL, number = v->type == SQL_INT || v->type == SQL_REAL;
    snprintf(sql, sizeof sql, "WHERE %s %s %.80s", column, null ? "IS" : "=", literal);
    add(p, STEP_ONLY, "only rows with this value", sql);
    snprintf(sql, sizeof sql, "WHERE %s %s %.80s", column, null ? "IS NOT" : "!=", literal);
    add(p, STEP_WITHOUT, "only rows with another value", sql);
    if (number) {
        snprintf(sql, sizeof sql, "WHERE %s >= %s", column, literal);
        add(p, STEP_MORE, "only rows with this value or a larger one", sql);
        snprintf(sql, sizeof sql, "WHERE %s <= %s", column, literal);
        add(p, STEP_LESS, "only rows with this value or a smaller one", sql);
    }
    free(column);
    free(literal);
}

static void add_groups(struct picker *p, const struct grid *g, const char *name)
{
    char sql[200];
    snprintf(sql, sizeof sql, "GROUP BY %s: count", name);
    add(p, STEP_GROUP, "how often each value occurs", sql);
    if (has(g, "dur") && strcmp(name, "dur") != 0) {
        snprintf(sql, sizeof sql, "GROUP BY %s: count, sum, mean and max of dur", name);
        add(p, STEP_SUM, "how long each value took in all", sql);
    }
    snprintf(sql, sizeof sql, "ORDER BY %s DESC", name);
    add(p, STEP_DOWN, "the largest first", sql);
    snprintf(sql, sizeof sql, "ORDER BY %s", name);
    add(p, STEP_UP, "the smallest first", sql);
}

void query_list_steps(struct app *a)
{
    static const struct picker_column columns[] = {{"step", 46, false}, {"in SQL", 0, false}};
    struct grid *g = a->query->grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    struct picker *p = &a->picker;
    if (!column || grid_rows(g) == 0 || !a->query->sql)
        return;
    const char *name = result_name(g->result, column->source);
    struct sql_value v = grid_value(g, g->row, column->source);
    picker_open(p, PICK_STEP, columns, 2, false);
    snprintf(p->title, sizeof p->title, "next step, with %.40s", name);
    add_conditions(p, name, &v);
    add(p, STEP_COLUMN, "a column computed from the others", "SELECT *, ... AS ...");
    add_groups(p, g, name);
    for (uint32_t i = 0; grow_join_at(i); i++) {
        const struct grow_join *join = grow_join_at(i);
        char what[100];
        snprintf(what, sizeof what, "with %s", join->title);
        if (has(g, join->column))
            add(p, STEP_JOINS + i, what, join->tables);
    }
    if (has(g, "id") && has(g, "ts") && has(g, "dur") && has(g, "utid"))
        add(p, STEP_STATES, "what the threads did meanwhile",
            "_interval_intersect! with thread_state, by utid");
    picker_filter(p);
    a->overlay = OVERLAY_PICKER;
}

static char *compare(struct str sql, const char *name, const char *sign, const struct sql_value *v)
{
    char *column = grow_name(name), *literal = grow_literal(v);
    size_t size = strlen(column) + strlen(literal) + 16;
    char *condition = alloc_bytes(size);
    snprintf(condition, size, "%s %s %s", column, sign, literal);
    char *grown = grow_condition(sql, condition);
    free(condition);
    free(column);
    free(literal);
    return grown;
}

static char *grow(struct str sql, uint32_t value, const char *name, const struct sql_value *v)
{
    bool null = v->type == SQL_NULL;
    switch (value) {
    case STEP_ONLY:
        return compare(sql, name, null ? "IS" : "=", v);
    case STEP_WITHOUT:
        return compare(sql, name, null ? "IS NOT" : "!=", v);
    case STEP_MORE:
        return compare(sql, name, ">=", v);
    case STEP_LESS:
        return compare(sql, name, "<=", v);
    case STEP_GROUP:
        return grow_group(sql, name, NULL);
    case STEP_SUM:
        return grow_group(sql, name, "dur");
    case STEP_DOWN:
    case STEP_UP:
        return grow_order(sql, name, value == STEP_DOWN);
    case STEP_STATES:
        return grow_states(sql);
    default:
        return grow_add_join(sql, grow_join_at(value - STEP_JOINS));
    }
}

effects query_take_step(struct app *a, uint32_t value)
{
    struct grid *g = a->query->grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    if (!column || grid_rows(g) == 0 || !a->query->sql)
        return EFFECT_NONE;
    if (value == STEP_COLUMN)
        return app_prompt(a, PROMPT_COLUMN);
    struct sql_value v = grid_value(g, g->row, column->source);
    char *grown = grow(str_from(a->query->sql), value, result_name(g->result, column->source), &v);
    effects e = query_show(a, grown);
    free(grown);
    query_run(a, false);
    return e;
}

effects query_add_column(struct app *a, struct str expression)
{
    if (!a->query->grid || !a->query->sql || expression.n == 0)
        return EFFECT_NONE;
    char *grown = grow_column(str_from(a->query->sql), expression);
    effects e = query_show(a, grown);
    free(grown);
    query_run(a, false);
    a->query->to_last = true; /* which it is */
    return e;
}
