/* The order in which SQLite reads the rows of a SELECT, where that is its planner's choice: of the
 * tables of a join it may begin with any, a table may be read in an order that is asked for, and an
 * OR may be several scans. Its plan for the statement tells. */
#ifndef TPTUI_SQL_VECTOR_ARRIVAL_H
#define TPTUI_SQL_VECTOR_ARRIVAL_H

#include "sql/vector/plan.h"

/* Has the SELECT's rows come in that order, which differs from theirs only where that can be told
 * in the result: not by rows that differ in the keys of its groups, in its windows' partition and
 * order, or in what it is sorted by. False where the plan does not tell. For a SELECT of which all
 * is known. */
bool arrival_find(struct plan *p, struct select *s);

/* Whether SQLite takes the statement for one. */
bool arrival_compiles(struct plan *p);

#endif
