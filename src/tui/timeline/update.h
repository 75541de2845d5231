/* Bringing what is derived from the state up to date: layout, linked threads, rows. */
#ifndef TPTUI_TUI_TIMELINE_UPDATE_H
#define TPTUI_TUI_TIMELINE_UPDATE_H

#include "tui/context/effects.h"
#include "tui/view/rows.h"

struct app;

/* Does what actions left to be done. Only the loop, a script and what opens the trace call it. */
void app_apply(struct app *a, effects e);

/* The row of the cursor, NULL where there is none. Valid until app_apply. */
const struct row *app_row(struct app *a);

/* Whether the pane at the bottom has the whole screen. */
bool app_pane_is_whole(const struct app *a);

/* Puts the cursor on the event of its row at `ts`, at that event's begin where the cell shows it.
 * The row must be up to date. */
void app_select_at(struct app *a, int64_t ts);

/* Makes the pane at the bottom so many lines higher, or lower. */
effects app_resize_pane(struct app *a, int by);

/* Gives the names of tracks so many cells more, or fewer. */
effects app_widen_gutter(struct app *a, int by);

#endif
