/* What a mistaken name in a statement may have meant. */
#ifndef TPTUI_SQL_HINTS_SUGGEST_H
#define TPTUI_SQL_HINTS_SUGGEST_H

#include "base/status.h"
#include "sql/tokens/lexer.h"

struct sql_session;

/* The name that SQLite's message is about ("no such table: slicee") in the statement; TOKEN_END
 * where there is none. */
struct token suggest_position(const struct token_list *tokens, const char *message);

/* Adds a line to a failed status where its message names something that does not exist: near names,
 * or the module that defines it. */
void suggest_names(struct sql_session *s, const struct token_list *tokens, struct status *status);

/* The error that there is no such metric, with those that are called nearly so. */
struct status suggest_metric(struct sql_session *s, const char *name);

#endif
