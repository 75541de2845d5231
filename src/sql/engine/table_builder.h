/* A table made from a query's rows: columns take the type of their values. */
#ifndef TPTUI_SQL_ENGINE_TABLE_BUILDER_H
#define TPTUI_SQL_ENGINE_TABLE_BUILDER_H

#include <sqlite3.h>

#include "base/status.h"
#include "base/str.h"
#include "core/store/table.h"
#include "sql/tokens/sql_type.h"

struct table_builder;

/* The names are copied. */
struct table_builder *table_builder_new(const struct string_pool *strings, int columns,
                                        const char *const *names);
/* A column's type where it is declared; DECLARED_ANY follows the values. */
void table_builder_declare(struct table_builder *b, int column, enum declared_type type);

/* Appends the statement's current row. Fails where a column's values are of different kinds. */
struct status table_builder_add(struct table_builder *b, sqlite3_stmt *stmt);
/* A row of values: one is put into each column, then the row ends. A column's values are of one
 * kind (integers, reals, texts; or null), which the caller sees to: only put_value checks it. */
void table_builder_put_int(struct table_builder *b, int column, int64_t v);
void table_builder_put_real(struct table_builder *b, int column, double v);
void table_builder_put_text(struct table_builder *b, int column, string_id v);
void table_builder_put_str(struct table_builder *b, int column, struct str v);
void table_builder_put_null(struct table_builder *b, int column);
void table_builder_put_id(struct table_builder *b, int column, uint32_t id); /* NULL_U32: null */
struct status table_builder_put_value(struct table_builder *b, int column, sqlite3_value *v);
void table_builder_end_row(struct table_builder *b);

/* The table, for sql_table_own, which takes it over; the builder is freed, the name copied. Its
 * first column is the hidden _auto_id. */
struct table *table_builder_finish(struct table_builder *b, const char *name);
void table_builder_free(struct table_builder *b);

#endif
