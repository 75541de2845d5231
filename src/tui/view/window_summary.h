/* What happened in the window on a row and below it: for the details where no event is. */
#ifndef TPTUI_TUI_VIEW_WINDOW_SUMMARY_H
#define TPTUI_TUI_VIEW_WINDOW_SUMMARY_H

#include "tui/view/details.h"

/* Who ran, in which states threads were, slices by name, ranges of counters; each line leads to an
 * event. Reads a bounded number of events, and says where that was not all. */
void details_put_window(struct details *d, const struct details_input *in);

/* The range and the mean over time of a counter in the window: "window 3 .. 9, mean 4.5". */
void details_put_counter_window(struct details *d, struct detail_list *list,
                                const struct details_input *in, uint32_t track);

#endif
