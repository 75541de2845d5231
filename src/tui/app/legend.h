/* What the characters and colours of the screen stand for, for the help. */
#ifndef TPTUI_TUI_APP_LEGEND_H
#define TPTUI_TUI_APP_LEGEND_H

#include "tui/cells/cells.h"

/* How many lines it has, and what one says. */
uint32_t legend_count(void);
const char *legend_meaning(uint32_t i);
/* Draws the line at `y`. */
void legend_draw(struct cells *c, int y, uint32_t i, struct look look);

#endif
