#include "sql/tables/kept_rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/store/row_sort.h"
#include "sql/tables/sql_table.h"
#include "sql/values/values.h"

void kept_rows_init(struct kept_rows *k, const struct string_pool *strings,
                    const atomic_bool *cancel, uint32_t columns)
{
    *k = (struct kept_rows){.strings = strings, .cancel = cancel, .columns = columns};
}

void kept_rows_release(struct kept_rows *k)
{
    free(k->values);
    *k = (struct kept_rows){0};
}

struct kept_value *kept_rows_add(struct kept_rows *k)
{
    if (k->rows == k->cap) {
        size_t cap = (size_t)k->cap + k->cap / 2 + 64;
        if (cap > UINT32_MAX)
            cap = k->rows == UINT32_MAX ? SIZE_MAX : UINT32_MAX; /* there cannot be more */
        k->values =
            realloc_at_least(k->values, &cap, (size_t)k->rows + 1, k->columns * sizeof *k->values);
        k->cap = (uint32_t)cap;
    }
    return k->values + (size_t)k->rows++ * k->columns;
}

struct kept_value kept_value_of(struct kept_rows *k, sqlite3_value *v)
{
    struct kept_value out = {.type = sqlite3_value_type(v)};
    if (out.type == SQLITE_INTEGER) {
        out.number = sqlite3_value_int64(v);
    } else if (out.type == SQLITE_FLOAT) {
        out.real = sqlite3_value_double(v);
    } else if (out.type != SQLITE_NULL) {
        const char *bytes = sqlite3_value_blob(v);
        struct str s = {bytes ? bytes : "", (size_t)sqlite3_value_bytes(v)};
        out.bytes = string_pool_intern(k->strings, s);
    }
    return out;
}

static struct kept_value value_at(const struct kept_rows *k, uint32_t row, uint32_t column)
{
    return k->values[(size_t)row * k->columns + column];
}

/* What one stable sort of a column looks at. Several, one after the other, give SQLite's order. */
enum pass {
    PASS_WHOLE,  /* numbers that are the same as reals, by the integers that they are */
    PASS_INT,    /* numbers, where all are integers */
    PASS_NUMBER, /* numbers as reals */
    PASS_BYTES,  /* texts and blobs */
    PASS_CLASS   /* nulls before numbers before texts before blobs */
};

static int64_t whole_part(double v)
{
    const double limit = 9223372036854775808.0;
    return v >= limit ? INT64_MAX : v < -limit ? INT64_MIN : (int64_t)v;
}

static uint64_t class_of(int type)
{
    return type == SQLITE_NULL ? 0 : type == SQLITE_TEXT ? 2 : type == SQLITE_BLOB ? 3 : 1;
}

static uint64_t key_of(struct kept_value v, enum pass pass)
{
    bool real = v.type == SQLITE_FLOAT, number = real || v.type == SQLITE_INTEGER;
    switch (pass) {
    case PASS_WHOLE:
    case PASS_INT:
        return number ? key_of_int(real ? whole_part(v.real) : v.number) : 0;
    case PASS_NUMBER:
        return number ? key_of_f64(real ? v.real : (double)v.number) : 0;
    case PASS_BYTES:
        return v.type == SQLITE_TEXT || v.type == SQLITE_BLOB ? v.bytes : NULL_STRING;
    case PASS_CLASS:
        break;
    }
    return class_of(v.type);
}

static void sort_pass(const struct kept_rows *k, struct kept_order o, enum pass pass,
                      struct row_key *items)
{
    for (uint32_t i = 0; i < k->rows; i++)
        items[i].key = key_of(value_at(k, items[i].row, o.column), pass);
    if (pass == PASS_BYTES)
        row_rank_text(items, k->rows, k->strings, k->cancel);
    for (uint32_t i = 0; o.desc && i < k->rows; i++)
        items[i].key = ~items[i].key;
    row_sort(items, k->rows, k->cancel);
}

static void sort_column(const struct kept_rows *k, struct kept_order o, struct row_key *items)
{
    unsigned types = 0; /* a bit each */
    for (uint32_t i = 0; i < k->rows; i++)
        types |= 1u << value_at(k, i, o.column).type;
    bool ints = types >> SQLITE_INTEGER & 1, reals = types >> SQLITE_FLOAT & 1;
    bool bytes = types >> SQLITE_TEXT & 1 || types >> SQLITE_BLOB & 1;
    if (ints && reals)
        sort_pass(k, o, PASS_WHOLE, items);
    if (ints || reals)
        sort_pass(k, o, reals ? PASS_NUMBER : PASS_INT, items);
    if (bytes)
        sort_pass(k, o, PASS_BYTES, items);
    if (types & (types - 1))
        sort_pass(k, o, PASS_CLASS, items);
}

uint32_t *kept_rows_sort(const struct kept_rows *k, const struct kept_order *orders, uint32_t n)
{
    struct row_key *items = alloc_try_array(k->rows + (size_t)1, sizeof *items);
    uint32_t *rows = alloc_try_array(k->rows + (size_t)1, sizeof *rows);
    if (!items || !rows) {
        free(items);
        free(rows);
        return NULL;
    }
    for (uint32_t i = 0; i < k->rows; i++)
        items[i].row = i;
    while (n-- > 0)
        sort_column(k, orders[n], items);
    for (uint32_t i = 0; i < k->rows; i++)
        rows[i] = items[i].row;
    free(items);
    return rows;
}

void kept_rows_result(const struct kept_rows *k, uint32_t row, uint32_t column,
                      sqlite3_context *ctx)
{
    struct kept_value v = value_at(k, row, column);
    if (v.type == SQLITE_INTEGER)
        sqlite3_result_int64(ctx, v.number);
    else if (v.type == SQLITE_FLOAT)
        sqlite3_result_double(ctx, v.real);
    else if (v.type == SQLITE_TEXT)
        result_static(ctx, string_pool_get(k->strings, v.bytes));
    else if (v.type == SQLITE_BLOB) {
        struct str s = string_pool_get(k->strings, v.bytes);
        sqlite3_result_blob64(ctx, s.p, s.n, SQLITE_STATIC);
    }
}
