/* The cursor and the window of the timeline. */
#ifndef TPTUI_TUI_TIMELINE_MOVE_H
#define TPTUI_TUI_TIMELINE_MOVE_H

#include "tui/context/effects.h"
#include "tui/view/scene.h"

struct app;

/* Shows [start, start + dur), clamped to the trace; never less than a nanosecond a cell. */
effects app_set_window(struct app *a, wide_int start, wide_int dur);
/* By whole cells, at least so far: what a terminal can move need not be sent again. */
effects app_move_window(struct app *a, wide_int ns);
/* Pans so that the time is inside. */
effects app_reveal(struct app *a, int64_t ts);
/* Puts the cursor on an event, or with NO_EVENT on a row and a time. */
effects app_put_cursor(struct app *a, const struct row_id *key, int64_t ts, struct event_ref event);

/* Negative counts go left and up. */
effects app_move_cells(struct app *a, int64_t cells);
effects app_move_rows(struct app *a, int64_t rows);
effects app_move_tracks(struct app *a, int64_t tracks);
effects app_move_groups(struct app *a, int64_t groups);
/* The `count`th event of the row behind the cursor's, or before it with direction -1. */
effects app_step_event(struct app *a, int direction, int64_t count);
/* Closer by 2 for each step about the cursor; further away with negative ones. */
effects app_zoom(struct app *a, int steps);
effects app_pan(struct app *a, int64_t ns);

/* Notes where the window is; and, of another trace, puts it there: at the end it stays, and of all
 * the trace it has all. */
void app_note_window_end(struct app *a);
effects app_keep_window_end(struct app *a);

#endif
