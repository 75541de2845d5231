/* From a row of a GROUP BY to the rows that it is made of, and back to the result as it was left.
 */
#ifndef TPTUI_TUI_QUERY_QUERY_BEHIND_H
#define TPTUI_TUI_QUERY_QUERY_BEHIND_H

#include <stdbool.h>

#include "tui/context/effects.h"

struct app;
struct query_left;

/* Asks for the rows behind the current one; false where the query groups nothing, or it is not
 * known by what. */
bool query_go_behind(struct app *a, effects *out);
/* Shows the result again that was left last, in this tab. False where there is none. */
bool query_go_back(struct app *a);

void query_left_release(struct query_left *l);

#endif
