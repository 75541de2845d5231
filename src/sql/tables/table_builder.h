/* A table made from a query's rows: columns take the type of their values. */
#ifndef TPTUI_SQL_TABLES_TABLE_BUILDER_H
#define TPTUI_SQL_TABLES_TABLE_BUILDER_H

#include <sqlite3.h>

#include "base/status.h"
#include "base/str.h"
#include "core/store/table.h"
#include "sql/tokens/sql_type.h"

struct table_builder;

/* Columns are written as in PerfettoSQL, "ts LONG, name STRING, any": this takes the next one off;
 * false at the end. Without a type it is DECLARED_ANY. */
bool column_take(struct str *columns, struct str *name, enum declared_type *type);

struct table_builder *table_builder_of(const struct string_pool *strings, const char *columns);
/* The same with columns of any type. The names are copied. */
struct table_builder *table_builder_new(const struct string_pool *strings, int columns,
                                        const char *const *names);
/* A column's type where it is declared; DECLARED_ANY follows the values. */
void table_builder_declare(struct table_builder *b, int column, enum declared_type type);

/* Appends the statement's current row. Fails where a column's values are of different kinds. */
struct status table_builder_add(struct table_builder *b, sqlite3_stmt *stmt);

/* A value that is put into a table. */
enum table_cell_kind { CELL_IS_NULL, CELL_IS_INT, CELL_IS_REAL, CELL_IS_TEXT, CELL_IS_STR };
struct table_cell {
    enum table_cell_kind kind;
    union {
        int64_t number;
        double real;
        string_id text;
        struct str str;
    };
};

#define CELL_NULL ((struct table_cell){.kind = CELL_IS_NULL})
static inline struct table_cell cell_int(int64_t v)
{
    return (struct table_cell){.kind = CELL_IS_INT, .number = v};
}
static inline struct table_cell cell_real(double v)
{
    return (struct table_cell){.kind = CELL_IS_REAL, .real = v};
}
static inline struct table_cell cell_text(string_id v)
{
    return (struct table_cell){.kind = CELL_IS_TEXT, .text = v};
}
static inline struct table_cell cell_str(struct str v)
{
    return (struct table_cell){.kind = CELL_IS_STR, .str = v};
}
static inline struct table_cell cell_chars(const char *v) /* NULL: null */
{
    return v ? cell_str(str_from(v)) : CELL_NULL;
}
static inline struct table_cell cell_id(uint32_t id) /* NULL_U32: null */
{
    return id == NULL_U32 ? CELL_NULL : cell_int(id);
}
static inline struct table_cell cell_int_if(bool known, int64_t v) /* else null */
{
    return known ? cell_int(v) : CELL_NULL;
}
struct table_cell cell_of(const struct column *c, uint32_t row);

/* A row's values in the order of the columns, then it ends. A column's values are of one kind
 * (integers, reals, texts; or null), which the caller sees to: only put_value checks it. */
void table_builder_put_cells(struct table_builder *b, const struct table_cell *cells, size_t count);
#define table_builder_put(b, ...)                                                                  \
    table_builder_put_cells(b, (const struct table_cell[]){__VA_ARGS__},                           \
                            sizeof((const struct table_cell[]){__VA_ARGS__}) /                     \
                                sizeof(struct table_cell))
/* A column's values of the next `n` rows, which then all end at once: int64_t, double or string_id,
 * as `kind` says; NULL_STRING is null, and what `null` says, which may be NULL. */
void table_builder_put_column(struct table_builder *b, int column, enum table_cell_kind kind,
                              const void *data, const uint8_t *null, uint32_t n);
void table_builder_end_rows(struct table_builder *b, uint32_t n);
struct status table_builder_put_value(struct table_builder *b, sqlite3_value *v);
/* Leaves out columns, behind the first, that have no value in any row. */
void table_builder_skip(struct table_builder *b, int columns);
void table_builder_end_row(struct table_builder *b);
#define table_builder_row(b, ...) (table_builder_put(b, __VA_ARGS__), table_builder_end_row(b))

/* The table, for sql_table_own, which takes it over; the builder is freed, the name copied. Its
 * first column is the hidden _auto_id; one that is called __hidden__x is x, and hidden, too. */
struct table *table_builder_finish(struct table_builder *b, const char *name);
/* What such a column is called then. */
const char *table_builder_name(const char *written);
void table_builder_free(struct table_builder *b);

#endif
