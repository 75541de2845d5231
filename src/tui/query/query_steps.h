/* For who does not write SQL: steps that make the next query out of the one whose rows are shown,
 * chosen from a list. The SQL grows in the editor and is run. */
#ifndef TPTUI_TUI_QUERY_QUERY_STEPS_H
#define TPTUI_TUI_QUERY_QUERY_STEPS_H

#include <stdint.h>

#include "base/str.h"
#include "tui/context/effects.h"

struct app;

/* The list of what can be done with the value under the cursor, its column and its row. */
void query_list_steps(struct app *a);
/* Does what an item of that list stands for. */
effects query_take_step(struct app *a, uint32_t value);
/* One column more: "dur / 1e6 AS ms". */
effects query_add_column(struct app *a, struct str expression);

#endif
