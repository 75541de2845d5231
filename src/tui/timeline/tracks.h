/* Which tracks are shown, and how: folded, pinned, hidden, filtered. */
#ifndef TPTUI_TUI_TIMELINE_TRACKS_H
#define TPTUI_TUI_TIMELINE_TRACKS_H

#include "base/str.h"
#include "tui/context/effects.h"

struct app;

/* Opens or closes the cursor's row. */
effects app_fold(struct app *a);
/* Keeps the cursor's track, or the thread linked to its event, at the top; or not any more. */
effects app_pin(struct app *a);
effects app_hide(struct app *a);
effects app_show_hidden(struct app *a);
/* Switch between all and only those with an event: in the trace, in the window. */
effects app_show_idle(struct app *a);
effects app_show_only_active(struct app *a);
/* How the cursor's counter is shown, or all counters below its row: higher or lower, on another
 * scale, as values, changes or rates. */
effects app_counter_lines(struct app *a, int by);
effects app_counter_scale(struct app *a);
effects app_counter_mode(struct app *a);
/* A track stays where its own name, one above it or one below it has the text in it; all stay for
 * an empty text. */
effects app_filter(struct app *a, struct str text);
/* The same without a place in the history. */
effects app_show_filtered(struct app *a, struct str text);

#endif
