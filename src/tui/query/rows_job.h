/* A job of the helper on the rows of a result as they are shown when it is asked for. */
#ifndef TPTUI_TUI_QUERY_ROWS_JOB_H
#define TPTUI_TUI_QUERY_ROWS_JOB_H

#include "tui/context/worker.h"
#include "tui/query/grid.h"

struct app;

/* How many rows a loop takes between two looks at whether it is cancelled. */
enum { ROWS_PER_CHECK = 1 << 12 };

/* At the start of a job's own struct. */
struct rows_job {
    struct job job;
    struct result *result;
    struct row_order *order; /* NULL: the first `count` as they came */
    uint32_t count;
};

/* Hands it to the helper; the caller has set `job`, the rest is filled in from the grid. */
void rows_job_start(struct rows_job *j, struct app *a, struct grid *g);
/* Lets go of result and order; the job's own struct is its `done`'s to free. */
void rows_job_release(struct rows_job *j);
/* The row of the result that was shown there. */
uint32_t rows_job_row(const struct rows_job *j, uint32_t i);
/* The grid that the job was asked for; NULL where another result is shown by now, or the program
 * ends (`a` is NULL). */
struct grid *rows_job_grid(const struct rows_job *j, struct app *a);

#endif
