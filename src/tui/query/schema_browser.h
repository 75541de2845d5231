/* Tables, views, functions, macros and modules to look through: what they hold, whether there is
 * anything in them, and where they come from. */
#ifndef TPTUI_TUI_QUERY_SCHEMA_BROWSER_H
#define TPTUI_TUI_QUERY_SCHEMA_BROWSER_H

#include <stdint.h>

#include "tui/context/effects.h"

struct app;

/* The list of all. */
void app_browse_schema(struct app *a);
/* An item of that list was chosen: its columns or arguments; of a module what it defines. */
void app_browse_object(struct app *a, uint32_t object);
/* Puts the INCLUDE that the failed query's message names in front of the query, and runs that. */
effects app_include_and_run(struct app *a);
/* An item of an object's list was chosen: goes into the editor. */
effects app_take_from_schema(struct app *a, uint32_t value);

#endif
