/* What is known of the trace itself: losses and faults, advice, metadata, how many rows there are.
 */
#ifndef TPTUI_TUI_APP_TRACE_INFO_H
#define TPTUI_TUI_APP_TRACE_INFO_H

struct app;

/* Asks in the background, and shows it as a text. */
void app_trace_info(struct app *a);

#endif
