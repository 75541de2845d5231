/* How a statement's rows get a column that none of its tables has. */
#ifndef TPTUI_SQL_HINTS_JOIN_HINTS_H
#define TPTUI_SQL_HINTS_JOIN_HINTS_H

#include <stdbool.h>

#include "base/str.h"
#include "sql/tokens/lexer.h"

struct sql_session;

/* Whether a table or view of that name is there with that column. */
bool table_has_column(struct sql_session *s, struct str table, const char *column);

/* The join, or the table to use instead, as a line for users; NULL: none is known. The caller frees
 * it with sqlite3_free. */
char *suggest_join(struct sql_session *s, const struct token_list *tokens, const char *column);

#endif
