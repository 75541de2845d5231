/* The text in full (text_view.h) on the screen, of which only lines with what is looked for are
 * shown, and scrolling in it. */
#ifndef TPTUI_TUI_APP_TEXT_DRAW_H
#define TPTUI_TUI_APP_TEXT_DRAW_H

#include "tui/cells/cells.h"

struct app;

/* By lines, the text or the help; drawing stops at the ends. */
void text_scroll(struct app *a, int by);
void text_view_draw(struct app *a, struct rect area);

#endif
