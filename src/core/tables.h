/* The declared tables as C: for each table `slice` of schema.h
 *   enum { slice_col_id, slice_col_ts, ... }   column numbers
 *   struct slice_row                           one row by name
 *   slice_row_null()                           a row with every nullable column null, the rest 0
 *   slice_append(table, &row)                  appends it, returns the row number = id
 * and struct tables, which holds one struct table for each, in schema order. */
#ifndef TPTUI_CORE_TABLES_H
#define TPTUI_CORE_TABLES_H

#include "core/schema.h"
#include "core/table.h"

#define ROW_TYPE_U32   uint32_t
#define ROW_TYPE_I32   int64_t
#define ROW_TYPE_I64   int64_t
#define ROW_TYPE_F64   double
#define ROW_TYPE_STR   string_id
#define ROW_TYPE_ALIAS uint32_t

#define ROW_NULL_U32   NULL_U32
#define ROW_NULL_I32   NULL_I64
#define ROW_NULL_I64   NULL_I64
#define ROW_NULL_F64   NULL_F64
#define ROW_NULL_STR   NULL_STRING
#define ROW_NULL_ALIAS 0

#define ROW_COLUMN(TABLE, name, type, flags, joins) TABLE##_col_##name,
#define ROW_FIELD(TABLE, name, type, flags, joins)  ROW_TYPE_##type name;
#define ROW_NULL(TABLE, name, type, flags, joins)                                                  \
    if ((flags)&COLUMN_NULLABLE)                                                                   \
        row.name = ROW_NULL_##type;
#define ROW_PUT(TABLE, name, type, flags, joins) column_put_##type(t, column++, number, row->name);

#define DECLARE_ROW(TABLE, sql_name)                                                               \
    enum { TABLE##_col_id, COLUMNS_##TABLE(ROW_COLUMN, TABLE) };                                   \
    struct TABLE##_row {                                                                           \
        COLUMNS_##TABLE(ROW_FIELD, TABLE)                                                          \
    };                                                                                             \
    static inline struct TABLE##_row TABLE##_row_null(void)                                        \
    {                                                                                              \
        struct TABLE##_row row = {0};                                                              \
        COLUMNS_##TABLE(ROW_NULL, TABLE) return row;                                               \
    }                                                                                              \
    static inline uint32_t TABLE##_append(struct table *t, const struct TABLE##_row *row)          \
    {                                                                                              \
        uint32_t number = table_grow(t), column = 1;                                               \
        COLUMNS_##TABLE(ROW_PUT, TABLE)(void) column;                                              \
        return number;                                                                             \
    }

TABLES(DECLARE_ROW)

struct tables {
#define TABLE_MEMBER(TABLE, sql_name) struct table TABLE;
    TABLES(TABLE_MEMBER)
#undef TABLE_MEMBER
};

#define TABLE_ONE(TABLE, sql_name) +1
enum { TABLE_COUNT = 0 TABLES(TABLE_ONE) };
#undef TABLE_ONE

/* struct tables as an array of TABLE_COUNT. */
static inline struct table *tables_array(struct tables *t)
{
    return (struct table *)(void *)t;
}

void tables_init(struct tables *t);
void tables_release(struct tables *t);

/* The declared table of that SQL name, or NULL. */
struct table *tables_find(struct tables *t, const char *sql_name);

#endif
