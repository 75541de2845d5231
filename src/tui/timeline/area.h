/* The stretch of time and rows that the user chooses, for tab Area to sum up. */
#ifndef TPTUI_TUI_TIMELINE_AREA_H
#define TPTUI_TUI_TIMELINE_AREA_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/context/effects.h"

struct app;

/* The event's time becomes the area, on its row; the window, over all rows. */
effects app_area_of_event(struct app *a);
effects app_area_of_window(struct app *a);
/* The time becomes the area, of the thread alone, and the window shows it. */
effects app_area_of_thread(struct app *a, uint32_t utid, int64_t ts, int64_t dur);
/* All rows, or those that were chosen. */
effects app_area_all_rows(struct app *a);
/* One corner stays at the cursor, the other follows it until app_area_end. */
effects app_area_start(struct app *a);
/* Takes the cursor's time and row as the other corner while an area is chosen. */
void app_area_follow(struct app *a);
/* The corner that stayed follows now. */
effects app_area_swap(struct app *a);
/* The area is chosen; without `keep` there is none. */
effects app_area_end(struct app *a, bool keep);

#endif
