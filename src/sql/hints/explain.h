/* What to change in a statement that failed, where its message alone does not say. */
#ifndef TPTUI_SQL_HINTS_EXPLAIN_H
#define TPTUI_SQL_HINTS_EXPLAIN_H

#include "base/str.h"

struct sql_session;
struct token_list;

/* A sentence for sqlite3_free, or NULL. `message` is SQLite's or ours, with its place. */
char *explain_error(struct sql_session *s, const struct token_list *tokens, const char *message);

/* A line of EXPLAIN QUERY PLAN: "SCAN t VIRTUAL TABLE INDEX 24:ts>?" becomes "SCAN t: ts>?", since
 * the number only says where our description of the plan ends. For sqlite3_free. */
char *explain_plan(struct str detail);

#endif
