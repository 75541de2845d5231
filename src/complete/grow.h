/* Queries that grow a step at a time: a condition, a group, a join around what is there. Each takes
 * a script, of which the last statement is a SELECT, and returns the new one, formatted, for
 * free().
 */
#ifndef TPTUI_COMPLETE_GROW_H
#define TPTUI_COMPLETE_GROW_H

#include <stdbool.h>

#include "base/str.h"
#include "sql/engine/sink.h"

/* A column's name as SQL writes it, a value as a literal. For free(). */
char *grow_name(const char *column);
char *grow_literal(const struct sql_value *v);

/* Only rows where the condition holds. Goes into the statement's own WHERE where that says the
 * same. */
char *grow_condition(struct str script, const char *condition);
/* How often each value of the column occurs, and sums of `summed`, unless that is NULL. */
char *grow_group(struct str script, const char *column, const char *summed);
/* One column more, what the expression computes of the others ("dur / 1e6 AS ms"). */
char *grow_column(struct str script, struct str expression);
char *grow_order(struct str script, const char *column, bool descending);

/* The rows that one row of a GROUP BY is made of: the query without the grouping, where its keys
 * have what `value` says of the result's columns. NULL where it groups nothing, or by what is none
 * of its columns. */
char *grow_behind(struct str script, struct sql_value (*value)(void *ctx, uint32_t column),
                  void *ctx);

/* Whether it groups at all. */
bool grow_groups(struct str script);

/* What a table joins by, in a column of the query. */
struct grow_join {
    const char *column;           /* of the query: "utid" */
    const char *title;            /* for the user */
    const char *columns, *tables; /* what is selected besides, and JOIN ... of `q` */
};
/* The joins that there are; NULL behind the last. */
const struct grow_join *grow_join_at(uint32_t i);
char *grow_add_join(struct str script, const struct grow_join *join);

/* What the threads (`utid`) of the query's rows (id, ts, dur) did meanwhile, cut where that
 * changes.
 */
char *grow_states(struct str script);

#endif
