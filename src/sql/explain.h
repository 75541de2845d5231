/* What to change in a statement that failed, where its message alone does not say. */
#ifndef TPTUI_SQL_EXPLAIN_H
#define TPTUI_SQL_EXPLAIN_H

#include "sql/internal.h"

/* A sentence for sqlite3_free, or NULL. `message` is SQLite's or ours, with its place. */
char *explain_error(struct sql_session *s, const struct token_list *tokens, const char *message);

#endif
