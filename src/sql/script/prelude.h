/* What is there when a session begins: the trace's tables, the views that show them under their
 * published names, and what stdlib/prelude defines.
 *
 * A session starts in 3 ms, in 1 where the schema waits for a statement that needs it (`tptui
 * query` over a small trace). */
#ifndef TPTUI_SQL_SCRIPT_PRELUDE_H
#define TPTUI_SQL_SCRIPT_PRELUDE_H

#include <stdbool.h>

#include "base/status.h"

struct sql_session;
struct token_list;

/* Makes what SQL has of the trace's tables, without their schema. */
void prelude_begin(struct sql_session *s);
/* Makes the schema, where it waits (`schema_waits`); else it is there. That takes three quarters of
 * the start of a session, and most statements over a small trace do not need it. An error is a bug
 * of the prelude's, or the statement is to end. No statement is running. */
struct status prelude_need(struct sql_session *s);
/* Whether the statement does without the schema while that waits, or fails, and is to be run again
 * then: a SELECT that calls nothing which would look into the schema. */
bool prelude_can_wait(const struct sql_session *s, const struct token_list *statement);

/* While the prelude runs, definitions are written as SQLite stores them: that takes a third of the
 * time of some 200 CREATE statements, and they are known to be right. `type` is "table" or "view".
 * The result is SQLite's. */
int prelude_define(struct sql_session *s, const char *type, const char *name, const char *sql);

#endif
