/* Sorting that an interruption ends. */
#ifndef TPTUI_SQL_POLL_SORT_H
#define TPTUI_SQL_POLL_SORT_H

#include "sql/internal.h"

/* Sorts like qsort, keeping the order of equal items. False when the statement was interrupted;
 * then the items are in no order. */
bool poll_sort(const struct sql_session *s, void *items, size_t count, size_t size,
               int (*compare)(const void *a, const void *b));

#endif
