/* INCLUDE PERFETTO MODULE. */
#ifndef TPTUI_SQL_SCRIPT_INCLUDE_H
#define TPTUI_SQL_SCRIPT_INCLUDE_H

#include "base/status.h"
#include "sql/tokens/lexer.h"

struct sql_session;

/* Includes a module, or all that match "a.*" or "*"; `at` is the name in the statement. */
struct status module_include(struct sql_session *s, struct token at, const char *name);

/* A module's text, asked for at `at`. Its label lives as long as the running script. */
struct sql_source module_source(struct sql_session *s, const char *module, struct str text,
                                struct token at);

/* Runs what deferred definitions (sql/language/deferred.h) say of the names in the statement, those
 * in its strings included. */
struct status deferred_run(struct sql_session *s, const struct token_list *tokens);

#endif
