/* A track with rows of its own: slices (ts, dur, name) or values (ts, value). Made of a query's
 * result, or of a table by a kind of event that stands on tracks of its own. */
#ifndef TPTUI_TUI_VIEW_DEBUG_TRACK_H
#define TPTUI_TUI_VIEW_DEBUG_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "tui/result/result.h"
#include "tui/view/event_kind.h"

/* An index of several tracks, each of which shows a lane of it; freed with the last. */
struct shared_lanes;

struct debug_track {
    const struct event_kind *kind; /* with lanes: slices; with steps: values */
    char *label;
    uint32_t node; /* of the tree; set when it is added there */
    VEC(int64_t) ts;
    VEC(int64_t) dur;
    VEC(double) values;    /* of a counter; then dur and names are empty */
    VEC(struct str) names; /* bytes in the arena; none: by debug_track_add_row */
    struct arena arena;
    struct lanes lanes; /* a lane for each depth; made by debug_track_finish */
    struct steps steps; /* one lane */

    uint32_t source;             /* for its kind: which of its tracks this is, the CPU's say */
    bool waiting;                /* for load_tracks of its kind; empty until then */
    struct shared_lanes *shared; /* of which `lanes` is a lane; NULL: they are its own */

    /* Of a query's result. */
    struct result *result;   /* retained; NULL: of a table */
    VEC(uint32_t) rows;      /* of the result or the table, for each row here */
    VEC(struct str) colours; /* what a row's colour is chosen by; none: its name */
    char *sql;               /* that makes it again; NULL: none. Owned */
};

/* `label` is copied. */
struct debug_track *debug_track_new(const char *label, const struct event_kind *kind);
void debug_track_free(struct debug_track *d);

/* Times are ns of the trace clock; `name` is copied. */
void debug_track_add_slice(struct debug_track *d, int64_t ts, int64_t dur, struct str name);
/* The same without a name: its kind finds one in its table, whose row it is. */
void debug_track_add_row(struct debug_track *d, int64_t ts, int64_t dur, uint32_t row);
void debug_track_add_value(struct debug_track *d, int64_t ts, double value);
/* Of the row added last: where it is in the result, and what it is coloured by ("": its name). */
void debug_track_add_origin(struct debug_track *d, uint32_t row, struct str colour);

/* All rows are there: sorts them into lanes; slices that overlap go to different ones, the 16th
 * takes the rest. */
void debug_track_finish(struct debug_track *d, int64_t trace_end);

/* Instants of a table, whose column of times must outlive them; as lanes_build has it. */
struct shared_lanes *shared_lanes_of_instants(const uint32_t *lane_of, uint32_t lane_count,
                                              uint32_t rows, const int64_t *ts, int64_t end);
void shared_lanes_release(struct shared_lanes *s);
/* Shows a lane of them in place of what it had: its events are rows of that table. Ends waiting. */
void debug_track_share(struct debug_track *d, struct shared_lanes *s, uint32_t lane);

/* For kinds of event on such tracks: what struct event_kind has under these names. */
const struct lanes *debug_track_lanes(const struct timeline *tl, const struct track_tree *tree,
                                      uint32_t debug);
uint32_t debug_track_lane(const struct timeline *tl, const struct track_tree *tree,
                          struct event_ref e);
const struct steps *debug_track_steps(const struct timeline *tl, const struct track_tree *tree,
                                      uint32_t debug);
/* For kinds with steps: a track has one lane, 0. */
uint32_t debug_track_only_lane(const struct timeline *tl, const struct track_tree *tree,
                               struct event_ref e);
void debug_track_print_name(const struct timeline *tl, const struct track_tree *tree,
                            struct event_ref e, char *out, size_t size);
struct row_id debug_track_place(const struct timeline *tl, const struct track_tree *tree,
                                struct event_ref e);
bool debug_track_paint(const struct scene *s, const struct event_source *source, uint32_t row,
                       struct event_paint *out);

#endif
