#include "sql/tables/table_result.h"

void sql_table_result_slowly(const struct sql_table *t, const struct sql_column *c, uint32_t row,
                             sqlite3_context *ctx)
{
    if (column_is_null(c->values, row))
        return; /* a result starts as NULL */
    if (c->values->def->type == COLUMN_TYPE_STR)
        result_static(ctx, string_pool_get(t->strings, column_str(c->values, row)));
    else if (c->values->def->type == COLUMN_TYPE_F64)
        sqlite3_result_double(ctx, column_f64(c->values, row));
    else
        sqlite3_result_int64(ctx, column_int(c->values, row));
}
