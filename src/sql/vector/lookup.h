/* SELECTs in expressions that compare columns of theirs with the row around them: EXISTS, or one
 * value. They are run once, as groups by those columns, and each row's group is looked up. */
#ifndef TPTUI_SQL_VECTOR_LOOKUP_H
#define TPTUI_SQL_VECTOR_LOOKUP_H

#include "sql/vector/plan.h"

void lookup_release(struct lookup *l);

#endif
