/* Which of two traces that are compared (pair.h) something is of. */
#ifndef TPTUI_TUI_TIMELINE_SIDE_H
#define TPTUI_TUI_TIMELINE_SIDE_H

#include <stdint.h>

struct app;

/* Of a node of the tree: 'A' or 'B'; 0: of neither, or there is but one.
 */
char app_side(struct app *a, uint32_t node);

#endif
