/* Tables that functions hand to each other as pointers: an aggregate collects rows, a function
 * computes a table from them, __intrinsic_table_ptr shows it. */
#ifndef TPTUI_SQL_ENGINE_PTR_TABLE_H
#define TPTUI_SQL_ENGINE_PTR_TABLE_H

#include <sqlite3.h>

#include "sql/tables/table_builder.h"

struct sql_session;

/* The function's result is the built table; the builder is consumed. Where the statement was
 * interrupted, which may have cut short what filled the table, it ends here. */
void ptr_table_result(sqlite3_context *ctx, struct sql_session *s, struct table_builder *b);

/* The type of the pointer, a struct sql_table that holds one reference; what frees it. */
#define PTR_TABLE_TYPE "TABLE"
void ptr_table_unref(void *table);

#endif
