/* Places as text: "slice 4802", "time 614037000277", either with "window START DUR" behind it, all
 * in ns. Scripts and --goto take them, y l makes them. */
#ifndef TPTUI_TUI_APP_PLACE_H
#define TPTUI_TUI_APP_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "tui/app/effects.h"

struct app;

struct place_result {
    bool ok; /* false: there is no such place, and a message says why */
    effects effects;
};

struct place_result app_go_to(struct app *a, struct str place);
/* Where the cursor and the window are. */
void app_print_place(struct app *a, char *out, size_t size);

#endif
