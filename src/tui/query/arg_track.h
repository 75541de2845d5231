/* The values of an arg over time, as a debug track. */
#ifndef TPTUI_TUI_QUERY_ARG_TRACK_H
#define TPTUI_TUI_QUERY_ARG_TRACK_H

#include "tui/context/effects.h"

struct app;

/* Makes a track of the arg on the line of the tab Args: of all slices, or events of ftrace, with
 * the name of the one under the cursor, numbers as values, others as slices called after them. */
effects app_track_arg(struct app *a);

#endif
