/* What the rows of a result come to: sums, a histogram; a row or a value as a whole. */
#ifndef TPTUI_TUI_QUERY_GRID_REPORT_H
#define TPTUI_TUI_QUERY_GRID_REPORT_H

#include <stddef.h>

struct app;
struct grid_column;

/* A histogram of the column under the cursor. */
void grid_show_histogram(struct app *a);
/* The row, or the value under the cursor, as a whole. */
void grid_show_record(struct app *a);
void grid_show_cell(struct app *a);

/* A number of a column as the grid shows it. */
void grid_print_number(const struct grid_column *column, double d, char *out, size_t size);

/* "12 rows: sum 3.2 ms, ..." of the column under the cursor, over the selected rows; "" where none
 * are selected. */
void grid_print_sums(struct app *a, char *out, size_t size);

#endif
