/* SQLite's plan for a statement, as EXPLAIN QUERY PLAN tells it. */
#ifndef TPTUI_SQL_ENGINE_QUERY_PLAN_H
#define TPTUI_SQL_ENGINE_QUERY_PLAN_H

#include <stdbool.h>

#include "base/vec.h"

struct sql_session;

struct query_plan_line {
    int id, parent; /* the id of the line that it belongs to, or 0 */
    int depth;      /* how many lines it is in */
    char *detail;   /* without the numbers of subqueries, which are counted through the statement */
};

struct query_plan {
    VEC(struct query_plan_line) v;
};

/* The plan for the text of one statement, for query_plan_release in any case; false where it does
 * not compile, or the plan is very long. */
bool query_plan_read(struct sql_session *s, const char *text, struct query_plan *out);
void query_plan_release(struct query_plan *p);

#endif
