/* Rows of the declared tables as C, for those who fill them: for each table `slice` of schema.h
 *   struct slice_row                           one row by name
 *   slice_row_null()                           a row with every nullable column null, the rest 0
 *   slice_append(table, &row)                  appends it, returns the row number = id */
#ifndef TPTUI_CORE_STORE_ROWS_H
#define TPTUI_CORE_STORE_ROWS_H

#include "core/store/tables.h"

#define ROW_TYPE_U32                  uint32_t
#define ROW_TYPE_SMALL                uint32_t
#define ROW_TYPE_I32                  int64_t
#define ROW_TYPE_I64                  int64_t
#define ROW_TYPE_F64                  double
#define ROW_TYPE_STR                  string_id
#define ROW_TYPE_ALIAS                uint32_t
#define ROW_TYPE_TIMESTAMP            ROW_TYPE_I64
#define ROW_TYPE_DURATION             ROW_TYPE_I64
#define ROW_TYPE_ARGSETID             ROW_TYPE_U32
#define ROW_TYPE_BOOL(type)           ROW_TYPE_##type
#define ROW_TYPE_JOINID(column)       ROW_TYPE_U32
#define ROW_TYPE_SMALL_JOINID(column) ROW_TYPE_U32
#define ROW_TYPE_ROWID(column)        ROW_TYPE_U32

#define ROW_NULL_U32                  NULL_U32
#define ROW_NULL_SMALL                NULL_U32
#define ROW_NULL_I32                  NULL_I64
#define ROW_NULL_I64                  NULL_I64
#define ROW_NULL_F64                  NULL_F64
#define ROW_NULL_STR                  NULL_STRING
#define ROW_NULL_ALIAS                0
#define ROW_NULL_TIMESTAMP            ROW_NULL_I64
#define ROW_NULL_DURATION             ROW_NULL_I64
#define ROW_NULL_ARGSETID             ROW_NULL_U32
#define ROW_NULL_BOOL(type)           ROW_NULL_##type
#define ROW_NULL_JOINID(column)       ROW_NULL_U32
#define ROW_NULL_SMALL_JOINID(column) ROW_NULL_U32
#define ROW_NULL_ROWID(column)        ROW_NULL_U32

#define column_put_TIMESTAMP            column_put_I64
#define column_put_DURATION             column_put_I64
#define column_put_ARGSETID             column_put_U32
#define column_put_BOOL(type)           column_put_##type
#define column_put_JOINID(column)       column_put_U32
#define column_put_SMALL_JOINID(column) column_put_SMALL
#define column_put_ROWID(column)        column_put_U32

#define ROW_FIELD(TABLE, name, type, flags, description) ROW_TYPE_##type name;
#define ROW_NULL(TABLE, name, type, flags, description)                                            \
    if ((flags)&COLUMN_NULLABLE)                                                                   \
        row.name = ROW_NULL_##type;
#define ROW_PUT(TABLE, name, type, flags, description)                                             \
    column_put_##type(t, column++, number, row->name);

#define DECLARE_ROW(TABLE, sql_name, description, source)                                          \
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
#undef DECLARE_ROW

#endif
