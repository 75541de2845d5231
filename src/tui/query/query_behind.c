#include "tui/query/query_behind.h"

#include <stdlib.h>

#include "complete/grow.h"
#include "tui/context/state.h"
#include "tui/query/grid.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_run.h"

void query_left_release(struct query_left *l)
{
    grid_free(l->grid);
    free(l->sql);
    free(l->message);
}

static struct sql_value current_value(void *ctx, uint32_t column)
{
    struct grid *g = ctx;
    return grid_value(g, g->row, column);
}

bool query_go_behind(struct app *a, effects *out)
{
    struct query_pane *q = a->query;
    if (!q->grid || !q->sql || q->running || grid_rows(q->grid) == 0)
        return false;
    char *grown = grow_behind(str_from(q->sql), current_value, q->grid);
    if (!grown)
        return false;
    *vec_push(&q->left) = (struct query_left){q->tab, q->grid, q->sql, q->message};
    q->grid = NULL; /* the one that was left has them */
    q->sql = q->message = NULL;
    *out = query_show(a, grown);
    free(grown);
    query_run(a, false);
    return true;
}

bool query_go_back(struct app *a)
{
    struct query_pane *q = a->query;
    if (q->running || q->left.count == 0 || vec_last(&q->left).tab != q->tab)
        return false;
    struct query_left left = vec_last(&q->left);
    q->left.count--;
    query_show(a, left.sql);
    grid_free(q->grid);
    free(q->sql);
    free(q->message);
    q->grid = left.grid;
    q->sql = left.sql;
    q->message = left.message;
    q->failed = false;
    q->done = true;
    a->focus = FOCUS_GRID;
    return true;
}
