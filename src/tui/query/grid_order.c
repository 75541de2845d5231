#include "tui/query/grid_order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/context/state.h"
#include "tui/input/pattern.h"
#include "tui/query/query_pane.h"
#include "tui/query/rows_job.h"
#include "tui/result/result_sort.h"

struct order_job {
    struct rows_job rows;
    VEC(struct grid_filter) filters; /* copies, with texts of their own */
    int sorted_by;
    bool descending;
    uint32_t wish;
    uint32_t *found;
    uint32_t found_count;
    bool done;
    char error[160];
};

static bool same_value(const struct sql_value *a, const struct sql_value *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case SQL_NULL:
        return true;
    case SQL_INT:
        return a->i == b->i;
    case SQL_REAL:
        return a->d == b->d;
    case SQL_TEXT:
    case SQL_BLOB:
        return str_eq(a->s, b->s);
    }
    return false;
}

static bool value_matches(struct pattern *p, const struct sql_value *v)
{
    char text[64];
    if (v->type == SQL_TEXT)
        return pattern_matches(p, v->s);
    result_text(v, text, sizeof text);
    return v->type != SQL_NULL && pattern_matches(p, str_from(text));
}

static bool passes(const struct grid_filter *f, struct pattern *p, const struct sql_value *v)
{
    if (f->kind == FILTER_MATCHES)
        return value_matches(p, v);
    return same_value(v, &f->value) == (f->kind == FILTER_EQUAL);
}

/* Keeps the rows that pass one filter. */
static bool apply_filter(struct order_job *j, const struct grid_filter *f, struct worker *w)
{
    struct result_reader reader = {.result = j->rows.result};
    struct pattern *p = NULL;
    uint32_t kept = 0;
    bool go_on = true;
    if (f->kind == FILTER_MATCHES && !(p = pattern_new(f->text, j->error, sizeof j->error)))
        return false;
    for (uint32_t i = 0; i < j->found_count && go_on; i++) {
        struct sql_value v = result_read(&reader, j->found[i], f->source);
        if (passes(f, p, &v))
            j->found[kept++] = j->found[i];
        go_on = i % ROWS_PER_CHECK || !worker_cancelled(w);
    }
    j->found_count = kept;
    if (p)
        pattern_free(p);
    return go_on;
}

static void run_order(struct job *job, struct worker *w)
{
    struct order_job *j = (struct order_job *)job;
    uint32_t rows = result_rows(j->rows.result);
    j->found = alloc_array((size_t)rows + 1, sizeof *j->found);
    j->found_count = rows;
    for (uint32_t i = 0; i < rows; i++)
        j->found[i] = i;
    j->done = true;
    for (size_t i = 0; i < j->filters.count && j->done; i++)
        j->done = apply_filter(j, &j->filters.items[i], w);
    if (j->done && j->sorted_by >= 0)
        j->done = result_sort(j->rows.result, (uint32_t)j->sorted_by, j->descending, j->found,
                              j->found_count, worker_cancel_flag(w));
}

static effects finish_order(struct job *job, struct app *a)
{
    struct order_job *j = (struct order_job *)job;
    struct grid *g = rows_job_grid(&j->rows, a);
    g = g && g->wishes == j->wish ? g : NULL; /* or another one is wanted by now */
    if (g)
        g->ordering = false;
    if (g && j->done) {
        grid_set_order(g, row_order_new(j->found, j->found_count));
        j->found = NULL;
    } else if (g) {
        app_complain(a, "%s", j->error[0] ? j->error : "cancelled");
        if (j->error[0])
            grid_drop_filter(g);
    }
    for (size_t i = 0; i < j->filters.count; i++)
        free(j->filters.items[i].text);
    vec_release(&j->filters);
    rows_job_release(&j->rows);
    free(j->found);
    free(j);
    return EFFECT_ROWS;
}

static struct grid_filter copy_filter(const struct grid_filter *f)
{
    struct grid_filter copy = *f;
    bool bytes = f->value.type == SQL_TEXT || f->value.type == SQL_BLOB;
    copy.text =
        bytes ? alloc_copy(f->value.s.p, f->value.s.n) : alloc_copy(f->text, strlen(f->text));
    if (bytes)
        copy.value.s.p = copy.text;
    return copy;
}

void grid_reorder(struct app *a)
{
    struct grid *g = a->query->grid;
    if (!g)
        return;
    g->wishes++;
    if (g->filters.count == 0 && g->sorted_by < 0) {
        g->ordering = false;
        grid_set_order(g, NULL);
        return;
    }
    struct order_job *j = alloc_array(1, sizeof *j);
    j->rows.job = (struct job){run_order, finish_order, NULL};
    j->sorted_by = g->sorted_by;
    j->descending = g->descending;
    j->wish = g->wishes;
    for (size_t i = 0; i < g->filters.count; i++)
        *vec_push(&j->filters) = copy_filter(&g->filters.items[i]);
    g->ordering = true;
    rows_job_start(&j->rows, a, g);
}

void grid_sort(struct app *a)
{
    struct grid *g = a->query->grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    if (!column)
        return;
    bool same = g->sorted_by == (int)column->source;
    if (same && g->descending)
        g->sorted_by = -1;
    else
        g->sorted_by = (int)column->source;
    g->descending = same && g->sorted_by >= 0;
    grid_reorder(a);
}

void grid_filter_value(struct app *a, bool different)
{
    struct grid *g = a->query->grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    char text[64];
    if (!column || grid_rows(g) == 0)
        return;
    struct sql_value v = grid_value(g, g->row, column->source);
    result_text(&v, text, sizeof text);
    grid_add_filter(g, different ? FILTER_DIFFERENT : FILTER_EQUAL, column->source, &v, text);
    grid_reorder(a);
}

void grid_filter_pattern(struct app *a, struct str pattern)
{
    struct grid *g = a->query->grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    if (!column || pattern.n == 0)
        return;
    char *text = alloc_copy(pattern.p, pattern.n);
    grid_add_filter(g, FILTER_MATCHES, column->source, NULL, text);
    free(text);
    grid_reorder(a);
}

void grid_unfilter(struct app *a)
{
    struct grid *g = a->query->grid;
    if (!g || g->filters.count == 0) {
        app_say(a, "no filter is set: = and ! take the value under the cursor, & an expression");
        return;
    }
    grid_drop_filter(g);
    grid_reorder(a);
}

struct grid_search_job {
    struct rows_job rows;
    char pattern[128], error[160];
    VEC(uint32_t) columns; /* of the result */
    uint32_t from, found;
    uint32_t found_column; /* of the result */
    int direction;
};

static void run_grid_search(struct job *job, struct worker *w)
{
    struct grid_search_job *j = (struct grid_search_job *)job;
    struct result_reader reader = {.result = j->rows.result};
    struct pattern *p = pattern_new(j->pattern, j->error, sizeof j->error);
    uint32_t at = j->from;
    j->found = NO_ROW;
    for (uint32_t i = 0; p && i < j->rows.count && j->found == NO_ROW; i++) {
        if (j->direction > 0)
            at = at + 1 < j->rows.count ? at + 1 : 0;
        else
            at = at > 0 ? at - 1 : j->rows.count - 1;
        for (size_t k = 0; k < j->columns.count && j->found == NO_ROW; k++) {
            struct sql_value v =
                result_read(&reader, rows_job_row(&j->rows, at), j->columns.items[k]);
            if (value_matches(p, &v)) {
                j->found = at;
                j->found_column = j->columns.items[k];
            }
        }
        if (i % ROWS_PER_CHECK == 0 && worker_cancelled(w))
            break;
    }
    if (p)
        pattern_free(p);
}

static effects finish_grid_search(struct job *job, struct app *a)
{
    struct grid_search_job *j = (struct grid_search_job *)job;
    struct grid *g = rows_job_grid(&j->rows, a);
    if (g && j->error[0])
        app_complain(a, "%s", j->error);
    else if (g && (j->found == NO_ROW || g->order != j->rows.order))
        app_complain(a, "no row has %s", j->pattern);
    else if (g) {
        g->row = j->found;
        for (uint32_t i = 0; i < g->columns.count; i++)
            if (g->columns.items[i].source == j->found_column)
                g->column = i;
        app_say(a, "%s in row %" PRIu32 "; n and N go on", j->pattern, j->found + 1);
    }
    vec_release(&j->columns);
    rows_job_release(&j->rows);
    free(j);
    return EFFECT_NONE;
}

void grid_search(struct app *a, struct str pattern, int direction)
{
    struct grid *g = a->query->grid;
    if (pattern.n > 0)
        snprintf(a->query->searched, sizeof a->query->searched, "%.*s", (int)pattern.n, pattern.p);
    if (!g || grid_rows(g) == 0 || !a->query->searched[0])
        return;
    struct grid_search_job *j = alloc_array(1, sizeof *j);
    j->rows.job = (struct job){run_grid_search, finish_grid_search, NULL};
    snprintf(j->pattern, sizeof j->pattern, "%s", a->query->searched);
    for (size_t i = 0; i < g->columns.count; i++)
        if (!g->columns.items[i].hidden)
            *vec_push(&j->columns) = g->columns.items[i].source;
    j->from = g->row;
    j->direction = direction;
    rows_job_start(&j->rows, a, g);
}
