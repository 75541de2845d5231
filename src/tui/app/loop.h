/* The event loop, and the steps of it that scripts take by themselves. */
#ifndef TPTUI_TUI_APP_LOOP_H
#define TPTUI_TUI_APP_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct app;

/* Takes the jobs that are done. */
void app_take_jobs(struct app *a);
/* Reads and obeys the keys there are. */
void app_handle_keys(struct app *a);
/* Draws a frame and shows it. */
void app_show(struct app *a);
/* Whether nothing runs that scripts wait for. */
bool app_is_idle(struct app *a);

/* What was loaded anew takes the place of what is shown; false where there is nothing of the kind,
 * or it has to wait (follow_may_swap). */
bool app_take_next(struct app *a);

/* Loads the trace that stands there in app.program->list. */
void app_open_listed(struct app *a, uint32_t item);
/* Shows the list again where that was asked for (app.program->choose). */
void app_take_list(struct app *a);

#endif
