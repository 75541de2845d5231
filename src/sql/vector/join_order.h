/* The order in which a SELECT's rows come (docs/SQL.md): that of the rows of its tables, as FROM
 * names them, the first one outermost. Which table is read first here is chosen by what is fast:
 * every other one is looked up and has one row for each of it. Where one of them may have several
 * (expansion.h), the first one is read first.
 *
 * Else the largest table is read first. Where the result depends on the order of rows (sums of
 * reals, group_concat, columns that the group's keys do not determine, windows and orders with
 * equal rows) and FROM names others before it, its rows are put in the order of theirs (arrange.c),
 * unless the terms of the group, the window or the order determine it. */
#ifndef TPTUI_SQL_VECTOR_JOIN_ORDER_H
#define TPTUI_SQL_VECTOR_JOIN_ORDER_H

#include "sql/batches/plan.h"

/* Has the SELECT's rows come in that order, which differs from that of the table that is read first
 * only where this can be told in the result: not by rows that differ in the keys of its groups, in
 * its windows' partition and order, or in what it is sorted by. For a SELECT of which all is known.
 */
void join_order_settle(struct plan *p, struct select *s);

/* Whether rows that are equal in all of the list have the same row of a table. */
bool join_order_determines(const struct select *s, const struct expr_list *by, uint32_t table);

#endif
