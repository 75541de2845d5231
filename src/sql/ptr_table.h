/* Tables that functions hand to each other as pointers: an aggregate collects rows, a function
 * computes a table from them, __intrinsic_table_ptr shows it. */
#ifndef TPTUI_SQL_PTR_TABLE_H
#define TPTUI_SQL_PTR_TABLE_H

#include "sql/internal.h"
#include "sql/table_builder.h"

/* The function's result is the built table; the builder is consumed. */
void ptr_table_result(sqlite3_context *ctx, struct sql_session *s, struct table_builder *b);

int ptr_table_register(struct sql_session *s);
int interval_functions_register(struct sql_session *s);
int graph_functions_register(struct sql_session *s);

#endif
