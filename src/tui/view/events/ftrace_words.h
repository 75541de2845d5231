/* What an event of ftrace says, on one line: its args, those of a switch as who left and who came.
 */
#ifndef TPTUI_TUI_VIEW_EVENTS_FTRACE_WORDS_H
#define TPTUI_TUI_VIEW_EVENTS_FTRACE_WORDS_H

#include "tui/view/details.h"
#include "tui/index/timeline.h"

/* Adds them to the last line on the left, of the row `row` of ftrace_event. */
void ftrace_words_put(struct details *d, const struct timeline *tl, uint32_t row);

#endif
