/* What a script's SELECT becomes over columns (sql/vector). */
#ifndef TPTUI_SQL_SCRIPT_SCRIPT_PLAN_H
#define TPTUI_SQL_SCRIPT_SCRIPT_PLAN_H

#include "sql/vector/vector.h"

struct sql_session;

/* `select` is of a tree that is whole, macros expanded; `builds`: its rows become a table. NULL
 * where SQLite has to do it, and for no SELECT. */
struct plan *script_plan(struct sql_session *s, const struct token_list *tokens,
                         const struct sql_node *select, bool builds);
/* A SELECT that is part of a statement, as vector_environment says. */
struct plan *script_plan_part(struct sql_session *s, const struct vector_text *text);

#endif
