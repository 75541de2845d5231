/* Rows of a result in the order of a column. */
#ifndef TPTUI_TUI_RESULT_RESULT_SORT_H
#define TPTUI_TUI_RESULT_RESULT_SORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tui/result/result.h"

/* Sorts `rows` as ORDER BY would: NULL, numbers, texts, blobs; equal ones stay as they are. Takes
 * 16 bytes a row twice while it works. False, and the rows as they were, where `cancel` was set. */
bool result_sort(struct result *result, uint32_t column, bool descending, uint32_t *rows,
                 uint32_t count, const atomic_bool *cancel);

#endif
