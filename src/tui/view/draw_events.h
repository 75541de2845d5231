/* How events become cells: bars with a label for what lasts, levels for values. For the `draw` of
 * an event kind. */
#ifndef TPTUI_TUI_VIEW_DRAW_EVENTS_H
#define TPTUI_TUI_VIEW_DRAW_EVENTS_H

#include "tui/view/scene.h"

/* An event's look. */
struct event_paint {
    uint16_t role, label_role;
    struct str label; /* not escaped; may point into `buffer` */
    char buffer[64];
};

/* What the row's cells show of sources with lanes, of which each span names one; until the next
 * call. */
struct shown_list row_spans(const struct scene *s, const struct event_source *sources, int count);

/* The `draw` of kinds with lanes: bars, as the kind's `paint` says. Several lanes share the line:
 * of events in one cell it shows the longest, however narrow that is. A cell alone is draw_narrow.
 */
void draw_bars(const struct event_canvas *on);

/* A cell of what is too narrow to be named: how much of it `count` events cover, `busy` of 0..1; of
 * instants, which cover nothing, how many there are. */
void draw_narrow(const struct event_canvas *on, int cell, uint32_t count, double busy,
                 uint16_t role);

/* The `draw` of kinds with steps: a bar in each cell for the largest value that the first source
 * has there. The row's bottom stands for 0, or for the smallest value where that is below 0, its
 * top for the largest value of all. */
void draw_steps(const struct event_canvas *on);

/* A bar of a share, 0..1, in one cell; nothing for 0. */
void draw_share(struct cells *c, int x, int y, const struct scene *s, double share, uint16_t role);
/* The same in a role of slices, which colours the bar by its background; faint for hardly any. */
void draw_owned_share(struct cells *c, int x, int y, const struct scene *s, double share,
                      uint16_t role);
/* The colour of a load: 2 % and 20 % differ at a glance where their bars do not. */
uint16_t load_role(double share);

/* Whether the cursor is on this event, in this row. */
bool event_is_selected(const struct scene *s, const struct row *row,
                       const struct event_source *source, uint32_t table_row);

/* The colour of slices of that name: the same for all of a family. */
uint16_t slice_role(struct str name);
/* The colour of a process wherever it runs, and that of a thread: its process's. */
uint16_t process_role(uint32_t upid);
uint16_t thread_role(const struct timeline *tl, uint32_t utid);

#endif
