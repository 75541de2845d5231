/* Columnar tables: what import fills, what SQL reads, what CREATE PERFETTO TABLE makes.
 *
 * A column is one plain array. Null is: 0 for strings, UINT32_MAX for 32-bit ids, the largest
 * number of as many bytes for small ones, a set bit in `nulls` for the other types. Rows are
 * numbered from 0; the `id` of a row is its number and costs nothing. While a trace loads, one
 * thread appends; afterwards core tables never change.
 *
 * Whether a column is sorted is measured while it is appended to: plans rely on that, never on
 * what is declared. */
#ifndef TPTUI_CORE_STORE_TABLE_H
#define TPTUI_CORE_STORE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/store/string_pool.h"

struct zones;

#define NULL_U32 UINT32_MAX
#define NULL_I64                                                                                   \
    INT64_MIN /* only in the arguments of the row functions; not how nulls are stored */
#define NULL_F64 __builtin_nan("") /* without math.h, a quarter of what files would read */

enum column_type {
    COLUMN_TYPE_ID,    /* the row number; no storage */
    COLUMN_TYPE_ALIAS, /* the same under another name */
    COLUMN_TYPE_U32,
    COLUMN_TYPE_SMALL, /* the values of U32, of which most are small: see struct column */
    COLUMN_TYPE_I32,
    COLUMN_TYPE_I64,
    COLUMN_TYPE_F64,
    COLUMN_TYPE_STR, /* string_id */
};

enum column_flag {
    COLUMN_NULLABLE = 1,
    COLUMN_SORTED = 2,      /* declared; whether it holds is measured in struct column */
    COLUMN_SET_ID = 4,      /* sorted, and each value is the number of the first row that has it */
    COLUMN_HIDDEN = 8,      /* not part of SELECT * */
    COLUMN_IN_BOUNDS = 16,  /* trace_bounds spans these times, and what a `dur` behind them adds */
    COLUMN_DEFERRED = 32,   /* U32: arg sets that may have no ids yet (core/trace/settled_args.h) */
    COLUMN_NO_EVENT = 64,   /* of a `ts`: the rows follow from others, or are about the reading */
    COLUMN_FOREIGN = 128,   /* called an id, but no number of a row here: others gave it */
    COLUMN_HOLDS = 256,     /* of a `ts`: the row holds until the next one of its track_id */
    COLUMN_IN_WINDOW = 512, /* of a `ts` outside of trace_bounds: windows leave rows by it */
    COLUMN_MAY_LOOP = 1024, /* of rows of its own table: who follows it may not come to an end */
};

/* What tables made by SQL do not have is NULL. */
struct column_def {
    const char *name;
    enum column_type type;
    unsigned flags;
    const char *declared;    /* its type in PerfettoSQL: "LONG", "JOINID" */
    const char *joins;       /* of what names rows: "track.id", the table by table_def.key; NULL */
    const char *description; /* a sentence for people */
};

struct column {
    const struct column_def *def;
    /* uint32_t, int32_t, int64_t, double or string_id, `cap` of them. A nullable I32, I64 or F64
     * column gets its memory with the first value: NULL while every row is null. */
    void *data;
    uint8_t width;   /* SMALL: bytes of each value, 1, 2 or 4, as the largest needs; 0: not known */
    uint64_t *nulls; /* bit i set: row i is null; NULL while there is none, or nothing else */
    bool unsorted;   /* some value is below its predecessor, or was changed, or is null */
    struct zones *zones[2]; /* core/store/zones.h; NULL until they are asked for */
};

/* The same goes for what follows `columns`. */
struct table_def {
    const char *name; /* the SQL name */
    uint32_t column_count;
    const struct column_def *columns; /* the first is always `id` */
    const char *key;                  /* the name in schema.h */
    const char *description;
    const char *source; /* what fills it (core/data_sources.h), "" where that is not known */
};

struct table {
    const struct table_def *def;
    uint32_t rows, cap;
    struct column *columns;
};

/* `columns` are def->column_count zeroed ones, which stay the caller's; they and `def` must outlive
 * the table. */
void table_init(struct table *t, const struct table_def *def, struct column *columns);
/* Frees what the columns hold. */
void table_release(struct table *t);

/* Makes room for `n` more rows (none is added). */
void table_reserve(struct table *t, uint32_t n);
/* Gives back memory that growth left unused. */
void table_shrink(struct table *t);

/* Bytes of a value; 0 for those that are not stored, the most for SMALL. */
size_t column_value_size(enum column_type type);
/* Whether a column has no memory while every row is null. */
bool column_may_be_absent(const struct column_def *def);

/* Makes row `row` of an I32, I64 or F64 column that has values null; `cap` as in the table. The
 * value becomes 0: columns are written to files as they are, where no other memory shall go. */
void column_set_null_bit(struct column *c, uint32_t row, uint32_t cap);
/* Memory for the values of a column that had none yet: its first `rows` rows are null. */
void column_add_data(struct column *c, uint32_t rows, uint32_t cap);

/* Makes the first `rows` values of a SMALL column wide enough for `v`, which is no null, and room
 * for `cap` of them. */
void column_widen(struct column *c, uint32_t rows, uint32_t cap, uint32_t v);

/* The value of a SMALL column; NULL_U32 for null. */
static inline uint32_t column_small(const struct column *c, uint32_t row)
{
    if (c->width == sizeof(uint8_t)) {
        uint8_t v = ((const uint8_t *)c->data)[row];
        return v == UINT8_MAX ? NULL_U32 : v;
    }
    if (c->width == sizeof(uint16_t)) {
        uint16_t v = ((const uint16_t *)c->data)[row];
        return v == UINT16_MAX ? NULL_U32 : v;
    }
    return ((const uint32_t *)c->data)[row];
}

/* Sets a value of a SMALL column that is wide enough. */
static inline void column_set_small(struct column *c, uint32_t row, uint32_t v)
{
    if (c->width == sizeof(uint8_t))
        ((uint8_t *)c->data)[row] = (uint8_t)v;
    else if (c->width == sizeof(uint16_t))
        ((uint16_t *)c->data)[row] = (uint16_t)v;
    else
        ((uint32_t *)c->data)[row] = v;
}

/* column_put_SMALL where the column is or becomes wider than two bytes, or wider than it was. */
void column_put_wide(struct column *c, uint32_t row, uint32_t cap, uint32_t v);

/* The least number that a SMALL column has no room for, but for null. */
static inline uint32_t column_small_limit(const struct column *c)
{
    return c->width < sizeof(uint32_t) ? (UINT32_C(1) << 8 * c->width) - 1 : NULL_U32;
}

/* I32, I64 and F64 */
static inline bool column_null_bit(const struct column *c, uint32_t row)
{
    return !c->data || (c->nulls && (c->nulls[row >> 6] >> (row & 63) & 1));
}

static inline bool column_is_null(const struct column *c, uint32_t row)
{
    switch (c->def->type) {
    case COLUMN_TYPE_ID:
    case COLUMN_TYPE_ALIAS:
        return false;
    case COLUMN_TYPE_U32:
        return ((const uint32_t *)c->data)[row] == NULL_U32 && (c->def->flags & COLUMN_NULLABLE);
    case COLUMN_TYPE_SMALL:
        return column_small(c, row) == NULL_U32 && (c->def->flags & COLUMN_NULLABLE);
    case COLUMN_TYPE_STR:
        return ((const string_id *)c->data)[row] == NULL_STRING;
    case COLUMN_TYPE_I32:
    case COLUMN_TYPE_I64:
    case COLUMN_TYPE_F64:
        return column_null_bit(c, row);
    }
    return false;
}

/* The value of an integer column (ID, ALIAS, U32, SMALL, I32, I64), widened; not for nulls. */
static inline int64_t column_int(const struct column *c, uint32_t row)
{
    switch (c->def->type) {
    case COLUMN_TYPE_U32:
    case COLUMN_TYPE_STR:
        return ((const uint32_t *)c->data)[row];
    case COLUMN_TYPE_SMALL:
        return column_small(c, row);
    case COLUMN_TYPE_I32:
        return ((const int32_t *)c->data)[row];
    case COLUMN_TYPE_I64:
        return ((const int64_t *)c->data)[row];
    case COLUMN_TYPE_ID:
    case COLUMN_TYPE_ALIAS:
    case COLUMN_TYPE_F64:
        break;
    }
    return row;
}

static inline double column_f64(const struct column *c, uint32_t row)
{
    return ((const double *)c->data)[row];
}

static inline string_id column_str(const struct column *c, uint32_t row)
{
    return ((const string_id *)c->data)[row];
}

/* Appending: take a row number from table_grow, then put every column of it once, in any order.
 * The put functions translate NULL_I64, NULL_U32 and NaN into nulls of nullable columns. */
static inline uint32_t table_grow(struct table *t)
{
    if (t->rows == t->cap)
        table_reserve(t, 1);
    return t->rows++;
}

static inline void column_put_U32(struct table *t, uint32_t c, uint32_t row, uint32_t v)
{
    struct column *col = &t->columns[c];
    uint32_t *data = col->data;
    data[row] = v;
    if (row > 0 && v < data[row - 1])
        col->unsorted = true;
}

static inline void column_put_SMALL(struct table *t, uint32_t c, uint32_t row, uint32_t v)
{
    struct column *col = &t->columns[c];
    uint32_t room = v + 1; /* 0 for null */
    if (col->width == sizeof(uint8_t) && room <= UINT8_MAX) {
        uint8_t *data = col->data;
        data[row] = (uint8_t)v;
        if (row > 0 && (uint8_t)v < data[row - 1])
            col->unsorted = true;
    } else if (col->width == sizeof(uint16_t) && room <= UINT16_MAX) {
        uint16_t *data = col->data;
        data[row] = (uint16_t)v;
        if (row > 0 && (uint16_t)v < data[row - 1])
            col->unsorted = true;
    } else {
        column_put_wide(col, row, t->cap, v);
    }
}

static inline void column_put_STR(struct table *t, uint32_t c, uint32_t row, string_id v)
{
    ((string_id *)t->columns[c].data)[row] = v;
}

static inline void column_put_I32(struct table *t, uint32_t c, uint32_t row, int64_t v)
{
    struct column *col = &t->columns[c];
    if (v == NULL_I64) {
        if (col->data)
            column_set_null_bit(col, row, t->cap);
        return;
    }
    if (!col->data)
        column_add_data(col, row, t->cap);
    int32_t *data = col->data;
    data[row] = (int32_t)v;
    if (!col->unsorted && row > 0 && data[row] < data[row - 1])
        col->unsorted = true;
}

static inline void column_put_I64(struct table *t, uint32_t c, uint32_t row, int64_t v)
{
    struct column *col = &t->columns[c];
    if (v == NULL_I64 && (col->def->flags & COLUMN_NULLABLE)) {
        if (col->data)
            column_set_null_bit(col, row, t->cap);
        return;
    }
    if (!col->data)
        column_add_data(col, row, t->cap);
    int64_t *data = col->data;
    data[row] = v;
    if (!col->unsorted && row > 0 && v < data[row - 1])
        col->unsorted = true;
}

static inline void column_put_F64(struct table *t, uint32_t c, uint32_t row, double v)
{
    struct column *col = &t->columns[c];
    if (__builtin_isnan(v) && (col->def->flags & COLUMN_NULLABLE)) {
        if (col->data)
            column_set_null_bit(col, row, t->cap);
        return;
    }
    if (!col->data)
        column_add_data(col, row, t->cap);
    double *data = col->data;
    data[row] = v;
    if (!col->unsorted && row > 0 && v < data[row - 1])
        col->unsorted = true;
}

static inline void column_put_ALIAS(struct table *t, uint32_t c, uint32_t row, uint32_t v)
{
    (void)t, (void)c, (void)row, (void)v;
}

/* Changing a row that is there already, while loading. A null becomes a value; not the reverse. */
static inline void table_set_u32(struct table *t, uint32_t c, uint32_t row, uint32_t v)
{
    ((uint32_t *)t->columns[c].data)[row] = v;
    t->columns[c].unsorted = true;
}

static inline void table_set_small(struct table *t, uint32_t c, uint32_t row, uint32_t v)
{
    struct column *col = &t->columns[c];
    if (v != NULL_U32 && v >= column_small_limit(col))
        column_widen(col, t->rows, t->cap, v);
    column_set_small(col, row, v);
    col->unsorted = true;
}

static inline void table_set_str(struct table *t, uint32_t c, uint32_t row, string_id v)
{
    ((string_id *)t->columns[c].data)[row] = v;
}

/* The values of a column whose `row` is about to be overwritten: it is no null from now on. */
static inline void *column_change(struct table *t, uint32_t c, uint32_t row)
{
    struct column *col = &t->columns[c];
    if (!col->data)
        column_add_data(col, t->rows, t->cap);
    col->unsorted = true;
    if (col->nulls)
        col->nulls[row >> 6] &= ~(UINT64_C(1) << (row & 63));
    return col->data;
}

static inline void table_set_i64(struct table *t, uint32_t c, uint32_t row, int64_t v)
{
    int64_t *values = column_change(t, c, row);
    values[row] = v;
}

static inline void table_set_i32(struct table *t, uint32_t c, uint32_t row, int32_t v)
{
    int32_t *values = column_change(t, c, row);
    values[row] = v;
}

static inline void table_set_f64(struct table *t, uint32_t c, uint32_t row, double v)
{
    double *values = column_change(t, c, row);
    values[row] = v;
}

/* Not for SMALL columns, whose values are narrower: table_small. */
static inline const uint32_t *table_u32(const struct table *t, uint32_t c)
{
    return t->columns[c].data;
}

static inline uint32_t table_small(const struct table *t, uint32_t c, uint32_t row)
{
    return column_small(&t->columns[c], row);
}

static inline const int64_t *table_i64(const struct table *t, uint32_t c)
{
    return t->columns[c].data;
}

static inline const double *table_f64(const struct table *t, uint32_t c)
{
    return t->columns[c].data;
}

#endif
