/* GROUP BY: rows that are equal in some keys become one, with what aggregates make of them. */
#ifndef TPTUI_SQL_VECTOR_AGGREGATE_H
#define TPTUI_SQL_VECTOR_AGGREGATE_H

#include "sql/vector/plan.h"

/* The type of an aggregate's result. */
enum value_type aggregate_type(const struct aggregate *a);

/* Reads all rows of the SELECT and makes its `stage`: a column for each key, then one for each
 * aggregate; a row for each group, in the order of the keys. False where the plan does not go on.
 */
bool aggregate_run(struct plan *p, struct select *s);

/* The kind of column that holds values of a type. */
enum column_type column_type_of(enum value_type type);

#endif
