#include "tui/query/rows_job.h"

#include "tui/context/state.h"
#include "tui/query/query_pane.h"

void rows_job_start(struct rows_job *j, struct app *a, struct grid *g)
{
    j->result = result_retain(g->result);
    j->order = row_order_retain(g->order);
    j->count = grid_rows(g);
    worker_push(a->helper, &j->job);
}

void rows_job_release(struct rows_job *j)
{
    result_release(j->result);
    row_order_release(j->order);
}

uint32_t rows_job_row(const struct rows_job *j, uint32_t i)
{
    return j->order ? j->order->rows[i] : i;
}

struct grid *rows_job_grid(const struct rows_job *j, struct app *a)
{
    return a && a->query->grid && a->query->grid->result == j->result ? a->query->grid : NULL;
}
