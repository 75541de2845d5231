/* Stable sorting of rows by 64-bit keys. Each function ends early once `cancel` is set, which then
 * stays set: the items are the same, in no order, and ranks are not to be used. So it does where
 * there is no memory; the session's reserve (alloc.h) sets `cancel` then. */
#ifndef TPTUI_CORE_STORE_ROW_SORT_H
#define TPTUI_CORE_STORE_ROW_SORT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "core/store/string_pool.h"

struct row_key {
    uint64_t key;
    uint32_t row;
};

/* Ascending by key; equal keys keep their order. */
void row_sort(struct row_key *items, size_t n, const atomic_bool *cancel);

/* The `k` first of what row_sort would give, in that order; returns min(n, k). Reorders items. */
size_t row_sort_top(struct row_key *items, size_t n, size_t k, const atomic_bool *cancel);

/* Keys that are string ids become their ranks in byte order, from 1; NULL_STRING stays 0. */
void row_rank_text(struct row_key *items, size_t n, const struct string_pool *strings,
                   const atomic_bool *cancel);
/* Sorts items whose `row` is a string id by its text. */
void row_order_by_text(struct row_key *items, size_t n, const struct string_pool *strings,
                       const atomic_bool *cancel);

#endif
