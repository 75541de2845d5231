/* What takes longer than a frame on the rows of a result: sorting, filtering, searching, summing
 * up, writing files. Done by the helper; the grid shows the outcome. */
#ifndef TPTUI_TUI_APP_GRID_JOBS_H
#define TPTUI_TUI_APP_GRID_JOBS_H

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

/* To the next row (1) or the one before that has a value that matches; nothing: the pattern of
 * before. */
void grid_search(struct app *a, struct str pattern, int direction);

/* A histogram of the column under the cursor. */
void grid_show_histogram(struct app *a);
/* Writes the rows and columns shown to a file, in the format that its name ends in. */
void grid_export(struct app *a, struct str path);

/* The row, or the value under the cursor, as a whole. */
void grid_show_record(struct app *a);
void grid_show_cell(struct app *a);

/* "12 rows: sum 3.2 ms, ..." of the column under the cursor, over the selected rows; "" where none
 * are selected. */
void grid_print_sums(struct app *a, char *out, size_t size);

#endif
