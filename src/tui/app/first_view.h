/* What a trace shows when it opens: what it was recorded for comes first, and no long stretch of
 * nothing. */
#ifndef TPTUI_TUI_APP_FIRST_VIEW_H
#define TPTUI_TUI_APP_FIRST_VIEW_H

#include "tui/app/effects.h"

struct app;

/* Window, cursor, folds. The track's width must be known. */
void app_first_view(struct app *a);

/* Opens what is folded, what did most first, as far as all rows still fit on the screen. The layout
 * must be known. */
effects app_fill_screen(struct app *a);

#endif
