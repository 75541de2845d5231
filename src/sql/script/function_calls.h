/* How SQLite calls functions that are written in SQL. Their `struct sql_function` is its user data.
 */
#ifndef TPTUI_SQL_SCRIPT_FUNCTION_CALLS_H
#define TPTUI_SQL_SCRIPT_FUNCTION_CALLS_H

#include "sql/script/function_body.h"

void function_call_scalar(sqlite3_context *ctx, int argc, sqlite3_value **argv);

/* Of functions that return a table; parameters are hidden columns. */
extern const sqlite3_module function_table_module;

/* See sql_function_memoize. */
struct function_memo *function_memo_new(void);
void function_memo_free(struct function_memo *m); /* NULL is ok */
bool function_memo_runs(const struct function_memo *m);

#endif
