/* What a trace shows when it opens: what it was recorded for comes first, and no long stretch of
 * nothing. */
#ifndef TPTUI_TUI_TIMELINE_FIRST_VIEW_H
#define TPTUI_TUI_TIMELINE_FIRST_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/context/effects.h"

struct app;

/* Rows there was room for when the screen was filled, and rows that there were then. */
struct filled_screen {
    size_t room, rows;
};

/* Whether the trace has profiles, and neither slices nor scheduling. */
bool app_has_only_profiles(const struct app *a);

/* Window, cursor, folds. The track's width must be known. */
void app_first_view(struct app *a);

/* Opens what is folded, what did most first, as far as all rows still fit on the screen. The layout
 * must be known. Nothing where neither the room nor what takes it is another than the last time. */
effects app_fill_screen(struct app *a);

#endif
