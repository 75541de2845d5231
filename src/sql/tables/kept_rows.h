/* Rows of any values, kept to be handed out in another order. */
#ifndef TPTUI_SQL_TABLES_KEPT_ROWS_H
#define TPTUI_SQL_TABLES_KEPT_ROWS_H

#include <sqlite3.h>
#include <stdatomic.h>

#include "core/store/string_pool.h"

struct kept_value {
    union {
        int64_t number;
        double real;
        string_id bytes; /* of texts and blobs */
    };
    int type; /* SQLITE_INTEGER and so on */
};

struct kept_rows {
    const struct string_pool *strings;
    const atomic_bool *cancel;
    struct kept_value *values; /* row by row */
    uint32_t columns, rows, cap;
};

struct kept_order {
    uint32_t column;
    bool desc;
};

void kept_rows_init(struct kept_rows *k, const struct string_pool *strings,
                    const atomic_bool *cancel, uint32_t columns);
void kept_rows_release(struct kept_rows *k);

/* A new row; each of its values has to be set before the next one is added, until when it is
 * valid. */
struct kept_value *kept_rows_add(struct kept_rows *k);
/* A value to be set there; texts and blobs are interned. */
struct kept_value kept_value_of(struct kept_rows *k, sqlite3_value *v);

/* The numbers of the rows, for free(), in SQLite's order of `n` columns; equal rows stay in order.
 * In no order once `cancel` is set, and NULL where there is no memory. */
uint32_t *kept_rows_sort(const struct kept_rows *k, const struct kept_order *orders, uint32_t n);
/* A value as the result of a virtual table's column. */
void kept_rows_result(const struct kept_rows *k, uint32_t row, uint32_t column,
                      sqlite3_context *ctx);

#endif
