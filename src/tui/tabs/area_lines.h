/* The lines of the area's tab: heading, names of tables and columns, rows. */
#ifndef TPTUI_TUI_TABS_AREA_LINES_H
#define TPTUI_TUI_TABS_AREA_LINES_H

#include "tui/tabs/area_tables.h"
#include "tui/view/band.h"

/* Lines above the rows, and how many rows are shown at most. */
enum { AREA_NAMES_LINE = 1, AREA_COLUMNS_LINE = 2, AREA_FIXED_LINES = 3, AREA_LINES_MAX = 5000 };

/* Writes the lines of the table as it is; `tracks` are those that the area covers. */
void area_lines_write(struct app *a, const struct band_tracks *tracks);

/* Columns that are shown; those behind say where a row leads. */
uint32_t area_shown_columns(const struct answer *g);
bool area_column_is_text(const struct answer *g, uint32_t column);
/* A row in full, a column a line, for free(). */
char *area_row_text(const struct app *a, struct area_row at);

#endif
