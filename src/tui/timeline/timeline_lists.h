/* Lists of what the timeline has, opened in the picker; lists.h says what choosing from them does.
 */
#ifndef TPTUI_TUI_TIMELINE_TIMELINE_LISTS_H
#define TPTUI_TUI_TIMELINE_TIMELINE_LISTS_H

#include <stdint.h>

struct app;

void app_find_track(struct app *a);
void app_list_marks(struct app *a);
/* The first `count` of app.view->listed. */
void app_list_flows(struct app *a, uint32_t count, const char *title);
void app_list_hits(struct app *a);
void app_close_list(struct app *a);

#endif
