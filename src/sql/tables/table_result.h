/* A value of a table as the result of a function or of a virtual table's column. */
#ifndef TPTUI_SQL_TABLES_TABLE_RESULT_H
#define TPTUI_SQL_TABLES_TABLE_RESULT_H

#include <sqlite3.h>

#include "core/trace/settled_args.h"
#include "core/trace/trace.h"
#include "sql/tables/sql_table.h"
#include "sql/values/values.h"

/* sql_table_result for columns that may be null by a bitmap. */
void sql_table_result_slowly(const struct sql_table *t, const struct sql_column *c, uint32_t row,
                             sqlite3_context *ctx);

static inline void sql_table_result(const struct sql_table *t, uint32_t column, uint32_t row,
                                    sqlite3_context *ctx)
{
    const struct sql_column *c = &t->columns[column];
    const void *data = c->data;
    switch (c->reader) {
    case READ_ROW:
        sqlite3_result_int64(ctx, row);
        break;
    case READ_U32_OR_NULL:
        if (((const uint32_t *)data)[row] == NULL_U32)
            break;
        sqlite3_result_int64(ctx, ((const uint32_t *)data)[row]);
        break;
    case READ_U32:
        sqlite3_result_int64(ctx, ((const uint32_t *)data)[row]);
        break;
    case READ_I32:
        sqlite3_result_int64(ctx, ((const int32_t *)data)[row]);
        break;
    case READ_I64:
        sqlite3_result_int64(ctx, ((const int64_t *)data)[row]);
        break;
    case READ_F64:
        sqlite3_result_double(ctx, ((const double *)data)[row]);
        break;
    case READ_TEXT:
        if (((const string_id *)data)[row] != NULL_STRING)
            result_static(ctx, string_pool_get(t->strings, ((const string_id *)data)[row]));
        break;
    case READ_SLOWLY:
        sql_table_result_slowly(t, c, row, ctx);
        break;
    }
}

/* The same of a table of the trace, whose sets of args may wait for their ids: it settles them. */
static inline void sql_table_result_settled(const struct trace *trace, const struct sql_table *t,
                                            uint32_t column, uint32_t row, sqlite3_context *ctx)
{
    const struct column *values = t->columns[column].values;
    if (values->def->flags & COLUMN_DEFERRED && !settled_args_row_ready(trace, values, row))
        sqlite3_result_error(ctx, settled_args_lost, -1);
    else
        sql_table_result(t, column, row, ctx);
}

#endif
