/* Two traces that are compared: what differs, and how they are aligned. */
#ifndef TPTUI_TUI_APP_DIFFERENCES_H
#define TPTUI_TUI_APP_DIFFERENCES_H

#include <stdint.h>

#include "tui/context/effects.h"

struct app;

/* Lists the tables of what differs; the one that is chosen opens in the query pane. */
effects app_list_differences(struct app *a);
effects app_show_difference(struct app *a, uint32_t table);

/* Loads both anew, with the last mark and the cursor, of which one is in A and the other in B, at
 * the same time. */
effects app_align(struct app *a);

#endif
