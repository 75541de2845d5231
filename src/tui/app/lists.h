/* The lists that open in the picker, and what choosing from them does. */
#ifndef TPTUI_TUI_APP_LISTS_H
#define TPTUI_TUI_APP_LISTS_H

#include <stdint.h>

#include "tui/context/effects.h"
#include "tui/term/keys.h"

struct app;

void app_palette(struct app *a);
/* Queries of this and former runs, favourites first. */
void app_list_queries(struct app *a);

/* A key while a list is open. */
effects app_picker_key(struct app *a, const struct key_event *key);
/* What is selected in it: chosen, or marked (a track pinned, a query made a favourite). */
effects app_list_choose(struct app *a);
effects app_list_mark(struct app *a);
effects app_list_close(struct app *a);

#endif
