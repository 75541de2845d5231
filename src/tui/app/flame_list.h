/* The functions of a flamegraph as a list, by own and total time. */
#ifndef TPTUI_TUI_APP_FLAME_LIST_H
#define TPTUI_TUI_APP_FLAME_LIST_H

#include "tui/app/effects.h"

struct app;

effects flame_list_functions(struct app *a);

#endif
