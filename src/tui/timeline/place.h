/* Places as text: what the cursor is on, and perhaps how the screen around it stands:
 *
 *     slice 4802                          an event, as its kind and its id say; or
 *     time 614037000277                   a time, in ns
 *     row thread:40/12/3 at 614037000277  the cursor exactly, on that row (row_marks.h)
 *     window START DUR                    in ns
 *     rows MARKS                          the rest of the text: how the rows are shown
 *
 * Scripts and --goto take them, y l and sessions make them with everything. */
#ifndef TPTUI_TUI_TIMELINE_PLACE_H
#define TPTUI_TUI_TIMELINE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "tui/context/effects.h"

struct app;

struct place_result {
    bool ok; /* false: there is no such place, and a message says why */
    effects effects;
};

struct place_result app_go_to(struct app *a, struct str place);

/* The same for what a session or the command line says, whose rows may be of tracks that queries
 * make and that are not there yet: when one of them comes, app_place_late goes there again, unless
 * app_place_settle was called meanwhile, as by any key. */
struct place_result app_open_place(struct app *a, struct str place);
effects app_place_late(struct app *a);
void app_place_settle(struct app *a);

/* Where the cursor and the window are, and the rows, for free(). */
char *app_print_place(struct app *a);

#endif
