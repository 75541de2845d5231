/* From a file to the picture of it: loads on a worker's thread, and what is shown first. */
#ifndef TPTUI_TUI_APP_LOADING_H
#define TPTUI_TUI_APP_LOADING_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/context/effects.h"

struct app;
struct opened;

/* Loads the trace that the options name, or a first part of it (follow.h). */
void app_load(struct app *a);
/* Loads what has grown, was damaged, or is the rest, behind what is shown. */
void app_load_next(struct app *a);
/* Loads the traces anew as the options say now, behind what is shown; then `ts` is in the window.
 */
void app_load_again(struct app *a, int64_t ts);
/* Cancels the load and ends the program, with 130 where that was an interruption. */
void app_cancel_load(struct app *a, bool interrupted);

/* A trace is shown for the first time; takes it over. */
effects app_open_first(struct app *a, struct opened *opened);
/* The first view of a trace that is open, and what is asked about it by itself. */
void app_start_view(struct app *a);

void opened_free(struct opened *o); /* NULL is ok */

#endif
