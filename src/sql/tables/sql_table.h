/* A core table as SQL sees it: how its columns are read, what is known of their values, and the
 * indexes that queries have asked for. */
#ifndef TPTUI_SQL_TABLES_SQL_TABLE_H
#define TPTUI_SQL_TABLES_SQL_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/store/table.h"

/* How a value is read: decided once, so that reading a row is one jump. */
enum column_reader {
    READ_ROW, /* the row's number */
    READ_U32,
    READ_U32_OR_NULL, /* NULL_U32 is null */
    READ_I32,
    READ_I64,
    READ_F64,
    READ_TEXT,
    READ_SLOWLY /* null bitmaps, small numbers */
};

struct sql_column {
    const char *name;
    const struct column *values;
    const void *data; /* values->data */
    bool hidden;      /* from SELECT * */
    enum column_reader reader;
};

/* The rows by the key of one column (sql_column_key), those that are null left out. Where the keys
 * span few numbers the index is dense, and rows[starts[k]] to rows[starts[k + 1] - 1] have the key
 * `min + k`; else `keys` has the key of each of rows[]. */
struct sql_index {
    uint32_t *rows;     /* `count` of them, by key and then by number */
    uint32_t *starts;   /* dense: span + 2 of them; else NULL */
    uint64_t *keys;     /* not dense: ascending; else NULL */
    uint64_t min, span; /* the largest key is min + span */
    uint32_t count;
};

struct trace;

struct sql_column_state {
    struct sql_index *index;
    uint32_t probes;   /* equality lookups so far */
    uint32_t distinct; /* see sql_table_distinct; 0 until asked for */
    int8_t sorted;     /* -1 until asked for */
};

struct sql_table {
    const struct table *table;
    struct table *owned; /* the same, when made by SQL; freed with this */
    const struct string_pool *strings;
    struct sql_column *columns;
    struct sql_column_state *states;
    uint32_t column_count;
    uint32_t references;       /* virtual tables connected to it, plus one for the catalog */
    const atomic_bool *cancel; /* polled in long loops */
};

/* Wraps a table that outlives it. The caller has the one reference. */
struct sql_table *sql_table_new(const struct table *t, const struct string_pool *strings,
                                const atomic_bool *cancel);
/* Takes over `t` (heap-allocated struct table) with its definition and column names. */
struct sql_table *sql_table_own(struct table *t, const struct string_pool *strings,
                                const atomic_bool *cancel);
/* Gives one reference back; with the last one it is freed. */
void sql_table_unref(struct sql_table *t);

/* To be asked before a table is planned with or read: stored_table_ready of
 * core/trace/stored_columns.h, which may make the rows only now. */
bool sql_table_ready(struct sql_table *t, const struct trace *trace);

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

/* Goes through the column for sql_table_sorted, which remembers the answer. */
bool sql_table_measure_sorted(struct sql_table *t, uint32_t column);

/* Whether the rows are in ascending order of a column that has no null. */
static inline bool sql_table_sorted(struct sql_table *t, uint32_t column)
{
    int8_t known = t->states[column].sorted;
    return known < 0 ? sql_table_measure_sorted(t, column) : known;
}

/* About how many different values the column has, at least 1, for the planner: rows divided by it
 * is how many rows `column = ?` finds. Rows that are null are found by no value and so count as if
 * they had other ones. */
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

/* Keys: numbers that are ordered as the values are. */
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

static inline double f64_of_key(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* The key of a value that is not null; of a text its id, which only tells equal from different. */
static inline uint64_t sql_column_key(const struct sql_column *c, uint32_t row)
{
    if (c->values->def->type == COLUMN_TYPE_F64)
        return key_of_f64(column_f64(c->values, row));
    if (c->values->def->type == COLUMN_TYPE_STR)
        return column_str(c->values, row);
    return key_of_int(column_int(c->values, row));
}

#endif
