/* What happens at a time, for those who read with ears: the rows of all tracks as lines of text. */
#ifndef TPTUI_TUI_VIEW_AT_TIME_H
#define TPTUI_TUI_VIEW_AT_TIME_H

#include <stdio.h>

#include "tui/view/track_tree.h"
#include "tui/index/viewport.h"

/* Writes the tracks as the screen has them, pinned ones first, each below what it stands in, and
 * below it the events that cover `ts`, outermost first: name, length, begin; of tracks of instants,
 * what begins in the cell of `window` that `ts` is in. Threads that sleep in no slice, and counters
 * without a step in `window`, are only counted. Fills tracks that waited to be shown. */
void at_time_print(FILE *out, const struct timeline *tl, struct track_tree *tree,
                   const struct viewport *window, int64_t ts);

#endif
