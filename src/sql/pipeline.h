/* Pipelines, FROM table |> stage |> ..., as the SELECT that stands for them. */
#ifndef TPTUI_SQL_PIPELINE_H
#define TPTUI_SQL_PIPELINE_H

#include "sql/internal.h"

/* Whether the tokens are a pipeline: they start with FROM or INTERVAL INTERSECTION OF. */
bool pipeline_starts(const struct token_list *tokens);

/* Replaces a pipeline's tokens, macros expanded, by those of a SELECT. The sources are compiled for
 * the names of their columns. Errors point at the stage. */
struct status pipeline_rewrite(struct sql_session *s, struct token_list *tokens);

#endif
