/* Where values of a result lead: to events, times, threads, processes, tracks, args. */
#ifndef TPTUI_TUI_APP_GRID_LINKS_H
#define TPTUI_TUI_APP_GRID_LINKS_H

#include <stdbool.h>

#include "tui/app/effects.h"

struct app;

/* Whether values of a column of that name lead anywhere. */
bool grid_is_link(const char *column);

/* Goes where the value under the cursor leads, else where the row does: to its event or time. */
effects grid_go(struct app *a);

#endif
