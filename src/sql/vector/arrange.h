/* Putting the rows of a join in the order in which SQLite would read them. */
#ifndef TPTUI_SQL_VECTOR_ARRANGE_H
#define TPTUI_SQL_VECTOR_ARRANGE_H

#include "sql/vector/plan.h"

/* Reads all rows of a source that was started, and sorts them by its `row_order`: it gives them in
 * that order then. False where the plan does not go on, or there is no memory. */
bool arrange_rows(struct plan *p, struct plan_source *from);

#endif
