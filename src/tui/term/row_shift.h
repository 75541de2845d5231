/* Rows that a frame moves sideways, as all do where a window of time is moved: a terminal moves its
 * cells in a few bytes. */
#ifndef TPTUI_TUI_TERM_ROW_SHIFT_H
#define TPTUI_TUI_TERM_ROW_SHIFT_H

#include "tui/cells/cells.h"

/* From column `from` on, cells go `by` columns to the left, or to the right where it is negative.
 * Those that come free are blank. 0: the row stays. */
struct row_shift {
    int from, by;
};

/* What leaves the fewest cells of the row to be written, and at least ROW_SHIFT_GAIN fewer than
 * without it. `by`: the only distance that is tried, or 0 for any. Both have the same width. */
enum { ROW_SHIFT_GAIN = 12 };
struct row_shift row_shift_find(const struct cells *before, const struct cells *after, int y,
                                int by);

/* The row that differs most. */
int row_shift_most(const struct cells *before, const struct cells *after);

#endif
