/* The frame: everything on the screen, from the state. */
#ifndef TPTUI_TUI_APP_DRAW_H
#define TPTUI_TUI_APP_DRAW_H

struct app;

/* Draws into a->cells, made as large as the terminal. Rows and layout must be up to date. */
void app_draw(struct app *a);

#endif
