/* Span joins of rows that are columns. */
#ifndef TPTUI_SQL_BATCHES_SPANS_H
#define TPTUI_SQL_BATCHES_SPANS_H

#include "sql/batches/plan.h"

/* Joins the results of the parts to the SELECT's result, whose types are set. False where the plan
 * does not go on, or without memory. */
bool spans_run(struct plan *p, struct select *s);

#endif
