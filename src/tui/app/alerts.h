/* What rules find wrong in the trace, as a track above all others. */
#ifndef TPTUI_TUI_APP_ALERTS_H
#define TPTUI_TUI_APP_ALERTS_H

struct app;

/* Asks in the background; the track is there when it is done, if there are any. */
void app_find_alerts(struct app *a);

#endif
