/* Pipelines, FROM table |> stage |> ..., as the SELECT that stands for them. */
#ifndef TPTUI_SQL_PIPELINES_PIPELINE_H
#define TPTUI_SQL_PIPELINES_PIPELINE_H

#include "base/status.h"

struct sql_session;
struct token_list;

/* Replaces each pipeline among the tokens, macros expanded, by the tokens of a SELECT. One is the
 * whole statement, or stands in parentheses where a SELECT could. The sources are compiled for the
 * names of their columns. Errors point at the stage. */
struct status pipeline_rewrite(struct sql_session *s, struct token_list *tokens);

#endif
