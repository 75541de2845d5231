/* What a script's SELECT becomes over columns (sql/vector). */
#ifndef TPTUI_SQL_SCRIPT_SCRIPT_PLAN_H
#define TPTUI_SQL_SCRIPT_SCRIPT_PLAN_H

#include "sql/vector/vector.h"

struct sql_session;
struct sql_table;

/* `select` is of a tree that is whole, macros expanded; `builds`: its rows become a table. NULL
 * where SQLite has to do it, and for no SELECT; `refusal` (may be NULL) then says why. */
struct plan *script_plan(struct sql_session *s, const struct token_list *tokens,
                         const struct sql_node *select, bool builds,
                         struct vector_refusal *refusal);
/* A SELECT that is part of a statement, as vector_environment says. */
struct plan *script_plan_part(struct sql_session *s, const struct vector_text *text,
                              struct vector_refusal *refusal);
/* Runs a plan; its rows become a table of that name, whose first column is a hidden one, where it
 * is done. */
enum vector_result script_plan_build(struct sql_session *s, struct plan *p, const char *name,
                                     struct sql_table **out);
/* See sql_session.read_over_columns. */
struct sql_table *script_plan_read(struct sql_session *s, const char *sql);

#endif
