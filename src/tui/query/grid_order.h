/* Which rows of a result are shown, and in which order; and finding one among them. The helper
 * works it out, the grid shows the outcome. */
#ifndef TPTUI_TUI_QUERY_GRID_ORDER_H
#define TPTUI_TUI_QUERY_GRID_ORDER_H

#include <stdbool.h>

#include "base/str.h"

struct app;

/* The grid's filters or order have changed: works out which rows it shows. */
void grid_reorder(struct app *a);
/* Sorts by the column under the cursor: upwards, downwards, not any more. */
void grid_sort(struct app *a);
/* Shows only rows whose value under the cursor is the same (or different), or matches a regular
 * expression. */
void grid_filter_value(struct app *a, bool different);
void grid_filter_pattern(struct app *a, struct str pattern);
void grid_unfilter(struct app *a);

/* To the next row (1) or the one before that has a value that matches; an empty pattern is the one
 * of before. */
void grid_search(struct app *a, struct str pattern, int direction);

#endif
