/* A core table as SQL sees it: its columns, hidden columns that look a value up in another table,
 * and the indexes that queries have asked for. */
#ifndef TPTUI_SQL_ENGINE_SQL_TABLE_H
#define TPTUI_SQL_ENGINE_SQL_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/table.h"

/* How a value is read: decided once, so that reading a row is one jump. */
enum column_reader {
    READ_ROW, /* the row's number */
    READ_U32,
    READ_U32_OR_NULL, /* NULL_U32 is null */
    READ_I32,
    READ_I64,
    READ_F64,
    READ_TEXT,
    READ_SLOWLY /* null bitmaps */
};

/* One visible column. */
struct sql_column {
    const char *name;
    const struct column *values;
    const void *data; /* values->data */
    bool hidden;
    enum column_reader reader;
};

/* Rows ordered by the value of one column; nulls are left out. Dense when the values span few
 * numbers: rows of `min + k` are rows[starts[k]] .. rows[starts[k + 1] - 1]. */
struct sql_index {
    uint32_t *rows, *starts;
    uint64_t *keys; /* not dense: the key of each of rows[], ascending */
    uint64_t min, span;
    uint32_t count, distinct;
};

struct sql_column_state {
    struct sql_index *index;
    uint32_t probes;   /* equality lookups so far */
    uint32_t distinct; /* estimate, 0 until asked for */
    int8_t sorted;     /* -1 until asked for */
};

struct sql_table {
    const struct table *table;
    struct table *owned; /* the same, when made by SQL; freed with this */
    const struct string_pool *strings;
    struct sql_column *columns;
    struct sql_column_state *states;
    uint32_t column_count;
    uint32_t references; /* virtual tables connected to it, plus one for the catalogue */
    bool dropped;
    const atomic_bool *cancel; /* polled in long loops */
};

/* Wraps a table that outlives it. */
struct sql_table *sql_table_new(const struct table *t, const struct string_pool *strings,
                                const atomic_bool *cancel);
/* Takes over `t` (heap-allocated struct table) with its definition and column names. */
struct sql_table *sql_table_own(struct table *t, const struct string_pool *strings,
                                const atomic_bool *cancel);
void sql_table_unref(struct sql_table *t);

/* The column of that name (ASCII case ignored), or -1. */
int sql_table_find(const struct sql_table *t, const char *name);

static inline enum column_type sql_column_type(const struct sql_column *c)
{
    return c->values->def->type;
}

static inline bool sql_column_is_text(const struct sql_column *c)
{
    return sql_column_type(c) == COLUMN_TYPE_STR;
}

static inline bool sql_column_may_be_null(const struct sql_column *c)
{
    return c->reader == READ_TEXT || c->reader == READ_U32_OR_NULL || c->reader == READ_SLOWLY;
}

bool sql_table_measure_sorted(struct sql_table *t, uint32_t column);

/* Whether the rows are in ascending order of a column that has no null. */
static inline bool sql_table_sorted(struct sql_table *t, uint32_t column)
{
    int8_t known = t->states[column].sorted;
    return known < 0 ? sql_table_measure_sorted(t, column) : known;
}

/* The table's rows by how many of them have a given value of the column, about; at least 1. That is
 * how many different values there are where none is null. */
uint32_t sql_table_distinct(struct sql_table *t, uint32_t column);
/* The column's index, built at the first call. NULL when cancelled meanwhile, or where there is no
 * memory for it. */
const struct sql_index *sql_table_index(struct sql_table *t, uint32_t column);

struct index_rows {
    const uint32_t *items; /* ascending */
    uint32_t count;
};

/* The rows that have a value of that key. */
struct index_rows sql_index_find(const struct sql_index *index, uint64_t key);

/* A number that orders as the column's values do, for non-null values; strings by id. */
static inline uint64_t key_of_int(int64_t v)
{
    return (uint64_t)v ^ (UINT64_C(1) << 63);
}

static inline uint64_t key_of_f64(double v)
{
    uint64_t bits;
    v = v == 0 ? 0 : v; /* -0 and 0 are equal */
    memcpy(&bits, &v, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static inline uint64_t sql_column_key(const struct sql_column *c, uint32_t row)
{
    if (c->values->def->type == COLUMN_TYPE_F64)
        return key_of_f64(column_f64(c->values, row));
    if (c->values->def->type == COLUMN_TYPE_STR)
        return column_str(c->values, row);
    return key_of_int(column_int(c->values, row));
}

#endif
