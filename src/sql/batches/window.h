/* Window functions: rows in order of a partition and of what the window says, and for each row what
 * the functions make of those around it. */
#ifndef TPTUI_SQL_BATCHES_WINDOW_H
#define TPTUI_SQL_BATCHES_WINDOW_H

#include "sql/batches/plan.h"

enum value_type window_type(const struct window_call *w);

/* Reads all rows of the SELECT and makes its `stage`, in order: a column for each window
 * function, then one for each carried expression. False where the plan does not go on. */
bool window_run(struct plan *p, struct select *s);

#endif
