/* What a script's SELECT becomes over columns (sql/vector). */
#ifndef TPTUI_SQL_SCRIPT_SCRIPT_PLAN_H
#define TPTUI_SQL_SCRIPT_SCRIPT_PLAN_H

#include "sql/tokens/lexer.h"
#include "sql/vector/vector.h"

struct sql_session;

/* The SELECT from token `from` on, macros expanded; `builds`: its rows become a table. NULL where
 * SQLite has to do it. */
struct plan *script_plan(struct sql_session *s, const struct token_list *tokens, size_t from,
                         bool builds);
/* A SELECT that is part of a statement, as vector_environment says. */
struct plan *script_plan_part(struct sql_session *s, const struct token_list *tokens);

#endif
