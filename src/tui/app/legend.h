/* What the characters and colours of the screen stand for, for the help. */
#ifndef TPTUI_TUI_APP_LEGEND_H
#define TPTUI_TUI_APP_LEGEND_H

#include "tui/cells/cells.h"

/* Draws its lines from `y` on and returns the line behind them. */
int legend_draw(struct cells *c, int y, struct look look);

#endif
