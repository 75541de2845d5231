/* Sorting that an interruption ends. */
#ifndef TPTUI_BASE_POLL_SORT_H
#define TPTUI_BASE_POLL_SORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Sorts like qsort, keeping the order of equal items. False once `cancel` is set, or where
 * there is no memory; then the items are in no order, and some may be missing. */
bool poll_sort(const atomic_bool *cancel, void *items, size_t count, size_t size,
               int (*compare)(const void *a, const void *b));

#endif
