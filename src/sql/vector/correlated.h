/* Correlated subqueries, which compare columns of theirs with the row around them: EXISTS, or one
 * value. They are run once, as groups by those columns, and each row's group is looked up. */
#ifndef TPTUI_SQL_VECTOR_CORRELATED_H
#define TPTUI_SQL_VECTOR_CORRELATED_H

#include "sql/vector/plan.h"

void correlated_release(struct correlated *l);

#endif
