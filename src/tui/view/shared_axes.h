/* Which counters share a y axis: those of which the trace says so (`y_axis_share_key`) and that
 * belong to one thread or process, and the frequencies of CPUs. */
#ifndef TPTUI_TUI_VIEW_SHARED_AXES_H
#define TPTUI_TUI_VIEW_SHARED_AXES_H

#include "tui/index/timeline.h"

/* By track: the next one of the same axis, in a ring; itself where it is alone. The caller frees
 * it. */
uint32_t *shared_axes_make(const struct timeline *tl);

#endif
