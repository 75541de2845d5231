/* Where values of a result lead: to events, times, threads, processes, tracks, args; and where the
 * timeline has no place for it, to the row of the table that has that number. */
#ifndef TPTUI_TUI_QUERY_GRID_LINKS_H
#define TPTUI_TUI_QUERY_GRID_LINKS_H

#include "base/str.h"
#include "tui/context/effects.h"

struct app;
struct grid;
struct schema;

/* Finds what each column of the script's result refers to, and which are durations. `schema` may be
 * NULL: then by the names of columns alone. */
void grid_find_links(struct grid *g, const struct schema *schema, struct str script);

/* Goes where the value under the cursor leads, else where the row does: to the rows behind one of a
 * GROUP BY, to its event or time. */
effects grid_go(struct app *a);
/* What that is, in the hints. */
const char *grid_go_word(struct app *a);

#endif
