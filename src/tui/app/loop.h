/* The event loop, and the steps of it that scripts take by themselves. */
#ifndef TPTUI_TUI_APP_LOOP_H
#define TPTUI_TUI_APP_LOOP_H

#include <stdbool.h>

struct app;

/* Takes the jobs that are done. */
void app_take_jobs(struct app *a);
/* Reads and obeys the keys there are. */
void app_handle_keys(struct app *a);
/* Draws a frame and shows it. */
void app_show(struct app *a);
/* Whether nothing runs that scripts wait for. */
bool app_is_idle(struct app *a);
/* Cancels the load and ends the program, with 130 where that was an interruption. */
void app_cancel_load(struct app *a, bool interrupted);

#endif
