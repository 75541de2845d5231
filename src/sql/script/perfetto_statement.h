/* The statements that PerfettoSQL adds to SQL: CREATE PERFETTO ..., DROP PERFETTO INDEX, INCLUDE
 * PERFETTO MODULE, PERFETTO PRAGMA. */
#ifndef TPTUI_SQL_SCRIPT_PERFETTO_STATEMENT_H
#define TPTUI_SQL_SCRIPT_PERFETTO_STATEMENT_H

#include <stdbool.h>

#include "base/status.h"
#include "sql/tokens/lexer.h"

struct sql_session;

/* Runs the statement where it is one of these, `*status` is then how that went; false where it is
 * SQLite's. */
bool perfetto_statement(struct sql_session *s, const struct token_list *tokens,
                        struct status *status);

#endif
