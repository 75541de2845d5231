/* Stable sorting of rows by 64-bit keys. */
#ifndef TPTUI_SQL_ROW_SORT_H
#define TPTUI_SQL_ROW_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "core/string_pool.h"

struct row_key {
    uint64_t key;
    uint32_t row;
};

/* Ascending by key; equal keys keep their order. */
void row_sort(struct row_key *items, size_t n);

/* The `k` first of what row_sort would give, in that order; returns min(n, k). Reorders items. */
size_t row_sort_top(struct row_key *items, size_t n, size_t k);

/* Keys that are string ids become their ranks in byte order, from 1; NULL_STRING stays 0. */
void row_rank_text(struct row_key *items, size_t n, const struct string_pool *strings);
/* Sorts items whose `row` is a string id by its text; for few items. */
void row_order_by_text(struct row_key *items, size_t n, const struct string_pool *strings);

#endif
