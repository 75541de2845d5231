/* What kept the thread under the cursor from going on. */
#ifndef TPTUI_TUI_TIMELINE_BLOCKED_H
#define TPTUI_TUI_TIMELINE_BLOCKED_H

#include <stdbool.h>

#include "tui/context/effects.h"

struct app;

/* Jumps there: the server of a call, the owner of a lock, what ran on the CPU, the waker. */
effects app_blocker(struct app *a);
/* Whether app_blocker has an answer for the event of the cursor. */
bool app_was_blocked(struct app *a);

#endif
