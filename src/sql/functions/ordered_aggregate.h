/* f(x ORDER BY y), which the linked SQLite lacks, as functions of their own: for each f and count N
 * of its arguments tptui_ordered_N_f(FLAGS, x1 .. xN, y1 ...). FLAGS has a letter a key: a
 * ascending, d descending, both with NULL as the smallest; A and D with NULL as the largest. A `u`
 * before them is f(DISTINCT x ...). */
#ifndef TPTUI_SQL_FUNCTIONS_ORDERED_AGGREGATE_H
#define TPTUI_SQL_FUNCTIONS_ORDERED_AGGREGATE_H

#include "base/str.h"

struct ordered_aggregates;

/* Makes the function for f with N arguments, once. Without `all` nothing is made. */
void ordered_aggregate_define(struct ordered_aggregates *all, struct str f, int arguments);

#endif
