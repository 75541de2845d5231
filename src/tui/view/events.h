/* The events of a row of the screen, whatever their kind: what is at a time, in a cell, before and
 * after.
 *
 * What a cell shows and what the cursor takes there follow one rule: an event that begins in the
 * cell goes before one that ends there; of those that begin, the last if it lasts beyond the cell,
 * else the longest. */
#ifndef TPTUI_TUI_VIEW_EVENTS_H
#define TPTUI_TUI_VIEW_EVENTS_H

#include "tui/view/rows.h"

struct event_span {
    int64_t ts, end; /* of a counter: until the next step */
};

/* When an event happens; of none, 0 and 0. */
struct event_span event_times(const struct timeline *tl, const struct track_tree *tree,
                              struct event_ref e);

/* Whether its end is not known. */
bool event_is_open(const struct timeline *tl, const struct track_tree *tree, struct event_ref e);

/* Its name: of a slice, of a state ("Running"), of the thread that runs, of the counter's value; of
 * none, nothing. Written to `out`, not escaped. */
void event_name(const struct timeline *tl, const struct track_tree *tree, struct event_ref e,
                char *out, size_t size);

/* The event of the row that covers `t`, none where there is no such. */
struct event_ref row_event_at(const struct timeline *tl, const struct track_tree *tree,
                              const struct row *row, int64_t t);

/* The event that the cell [t0, t1) of the row shows, and how many touch it. Of lanes, an event of
 * the name that takes most of the cell, and how much of it the busiest lane covers: 0..1. */
struct cell_event {
    struct event_ref event, most;
    uint32_t count;
    double busy;
};
struct cell_event row_event_in(const struct timeline *tl, const struct track_tree *tree,
                               const struct row *row, int64_t t0, int64_t t1);

/* The next event of the row after `from` (direction 1) or the one before it (-1). Where `from` is
 * none, the first that begins after `t`, or the last that begins before. */
struct event_ref row_event_step(const struct timeline *tl, const struct track_tree *tree,
                                const struct row *row, struct event_ref from, int64_t t,
                                int direction);

/* The free time around `t` on the row: from the end of the event before to the begin of the next;
 * the trace's ends where there is none. */
struct event_span row_gap_at(const struct timeline *tl, const struct track_tree *tree,
                             const struct row *row, int64_t t);

#endif
