/* Where in a script SQLite's errors are. */
#ifndef TPTUI_SQL_HINTS_SQLITE_ERROR_H
#define TPTUI_SQL_HINTS_SQLITE_ERROR_H

#include "base/status.h"
#include "sql/tokens/lexer.h"

struct sql_session;

/* SQLite's last error, located in the statement. */
struct status sqlite_error(struct sql_session *s, const struct token_list *tokens);

#endif
