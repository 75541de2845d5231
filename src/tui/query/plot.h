/* Rows of a result as a plot, in place of the grid: one column across, one or more upwards. */
#ifndef TPTUI_TUI_QUERY_PLOT_H
#define TPTUI_TUI_QUERY_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/cells/cells.h"

struct grid;
struct grid_caret;

enum plot_kind { PLOT_LINES, PLOT_POINTS, PLOT_BARS, PLOT_KINDS };

enum { PLOT_SERIES_MAX = 8 };

struct plot {
    bool on;
    enum plot_kind kind;
    int x;                                          /* column of the result; -1: the row's number */
    uint32_t series[PLOT_SERIES_MAX], series_count; /* columns of the result that stay, beside the
                                                       one under the grid's cursor */
    bool log_x, log_y;
};

/* Begins with the column under the cursor against the first column of times, else the first of
 * numbers, else the rows' numbers. False where no column has numbers. */
bool plot_open(struct plot *p, struct grid *g);
/* The column under the cursor becomes the one across, if it has numbers; again: the rows' numbers.
 */
void plot_set_x(struct plot *p, struct grid *g);
/* It stays while the cursor goes on, or not any more. False where there are too many already, or
 * it has no numbers. */
bool plot_keep(struct plot *p, struct grid *g);
/* Logarithmic upwards, across, both ways, not any more. */
void plot_next_scale(struct plot *p);

/* Draws it, and the place of the grid's row in it; returns the cell of that. */
struct grid_caret plot_draw(struct cells *c, struct rect area, const struct plot *p,
                            struct grid *g);

#endif
