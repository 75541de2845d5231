/* What an event really waited for: from its end backwards, a thread's own time as long as it runs
 * or waits for a CPU; while it sleeps, the time of the thread that woke it. */
#ifndef TPTUI_TUI_TIMELINE_CRITICAL_PATH_H
#define TPTUI_TUI_TIMELINE_CRITICAL_PATH_H

struct app;

/* Opens the path of the event under the cursor as a list. */
void app_critical_path(struct app *a);

#endif
