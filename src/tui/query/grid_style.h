/* How times and durations of results are shown. */
#ifndef TPTUI_TUI_QUERY_GRID_STYLE_H
#define TPTUI_TUI_QUERY_GRID_STYLE_H

struct app;

/* Times in the next way; durations in the other. */
void query_next_time_style(struct app *a);
void query_toggle_durations(struct app *a);

#endif
