/* The event under the cursor explained: what its thread's time went to, as `tptui explain` says it.
 */
#ifndef TPTUI_TUI_TIMELINE_EXPLAIN_EVENT_H
#define TPTUI_TUI_TIMELINE_EXPLAIN_EVENT_H

struct app;

/* Asks in the background, then shows the text; without an event, all that is wrong in the trace. */
void app_explain(struct app *a);

#endif
