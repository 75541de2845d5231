/* SQLite compiles what is nested by calling itself: views of views, WITHs of WITHs and triggers
 * that set off triggers would take all of its stack, and time that grows with the square of their
 * depth. So there is a bound on how many there can be. */
#ifndef TPTUI_SQL_LANGUAGE_NESTING_H
#define TPTUI_SQL_LANGUAGE_NESTING_H

#include "base/status.h"
#include "sql/tokens/lexer.h"

struct sql_session;

/* SELECTs in views, and triggers, that scripts other than the program's own modules have made and
 * not dropped; SELECTs in the WITHs of a statement. */
enum { VIEW_SELECTS_MAX = 4000, TRIGGERS_MAX = 400, WITH_SELECTS_MAX = 1000 };

/* Before a statement runs: counts what it makes, and refuses it beyond the bound. */
struct status nesting_check_made(struct sql_session *s, const struct token_list *tokens);

/* Before a statement is compiled, once its macros and pipelines are written out. */
struct status nesting_check_with(const struct token_list *tokens);

#endif
