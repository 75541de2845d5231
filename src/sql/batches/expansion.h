/* A join with a table of which several rows may belong to a row of those before it: by the values
 * of one of its columns, or by a function (sql/engine/row_finder.h). There is one such table in a
 * source, and the first table of FROM is read first, so that rows come in the order of FROM. */
#ifndef TPTUI_SQL_BATCHES_EXPANSION_H
#define TPTUI_SQL_BATCHES_EXPANSION_H

#include "sql/batches/source.h"

/* For the table at that place of the order in which tables are looked up. */
struct expansion *expansion_start(struct plan *p, struct plan_source *from, uint32_t place);
uint32_t expansion_place(const struct expansion *x);
void expansion_release(struct expansion *x);

/* Takes rows of the tables before that one. */
void expansion_take(struct plan *p, struct plan_source *from, const struct batch *b);
/* Some of them with the rows that belong to them; false once there are no more. */
bool expansion_give(struct plan *p, struct plan_source *from, struct batch *b);

#endif
