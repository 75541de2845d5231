/* The frame: everything on the screen, from the state. */
#ifndef TPTUI_TUI_APP_DRAW_H
#define TPTUI_TUI_APP_DRAW_H

struct app;

/* Draws into a->cells, made as large as the terminal. Rows and layout must be up to date. */
void app_draw(struct app *a);

/* "reading": what a load does now. */
const char *app_loading_phase(struct app *a);

/* Single lines of it, for the few lines below a shell's prompt: how far loading is, and the keys of
 * the editor, on line y of a->cells. */
void app_draw_loading_line(struct app *a);
void app_draw_editor_hints(struct app *a, int y);
/* The keys of what has the focus, on the bottom line. */
void app_draw_hints(struct app *a);

#endif
