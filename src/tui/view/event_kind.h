/* Kinds of event in the timeline: a slice, a thread's state, what ran on a CPU, a counter's step, a
 * row of a query. What the views ask about an event is answered by its kind: a file of events/ that
 * exports one struct of functions, and its name in EVENT_KINDS.
 *
 * A kind says where its events lie (lanes or steps), what they are called, which row shows them,
 * how they are drawn, what the details say. It may bring tracks of its own (`add_tracks`), which
 * are filled when they are shown first where there are many events (`load_tracks`). */
#ifndef TPTUI_TUI_VIEW_EVENT_KIND_H
#define TPTUI_TUI_VIEW_EVENT_KIND_H

#include "tui/cells/cells.h"
#include "tui/index/timeline.h"

struct details;
struct details_input;
struct event_paint;
struct row;
struct scene;
struct track_tree;
struct tree_builder;

/* One event: a row of its kind's table; of debug tracks, an index in track `debug`. */
struct event_ref {
    const struct event_kind *kind; /* NULL: no event, a gap or a heading */
    uint32_t row, debug;
};

#define NO_EVENT ((struct event_ref){.kind = NULL})

static inline struct event_ref event_of(const struct event_kind *kind, uint32_t row)
{
    return (struct event_ref){.kind = kind, .row = row};
}

static inline bool event_same(struct event_ref a, struct event_ref b)
{
    return a.kind == b.kind && (!a.kind || (a.row == b.row && a.debug == b.debug));
}

/* Where a row of the screen takes events from: a lane of one kind; a counter's lane is its track.
 */
struct event_source {
    const struct event_kind *kind;
    uint32_t lane, debug;
};

/* A line that events are drawn on, and which: some of the row's, all of one kind. */
struct event_canvas {
    struct cells *cells;
    struct rect area; /* the line, as wide as the viewport */
    const struct scene *scene;
    const struct row *row;
    const struct event_source *sources; /* `count` of them, at least one */
    int count;
    int min_width; /* spans of fewer cells are left to what lies behind */
};

struct event_kind {
    const char *title; /* of the first tab of the details: "Slice" */

    /* What places ("slice 4802") and queries that refer to events call it. NULL: they cannot, and
     * `table` and `count` are not there either. */
    const char *name;
    const char *table;                            /* the SQL table whose id is the event's row */
    uint32_t (*count)(const struct timeline *tl); /* its rows: the ids that there are */

    /* The tables of core/schema/schema.h whose rows it draws, by key, and NULL at the end; or NULL.
     * Rows with times of all others are drawn by events/table_row.c. */
    const char *const *shows;

    /* Stands behind the other events of a row: seen only where those leave gaps, and not stepped
     * to from them. */
    bool background;

    /* The events in order of time, one of the two: those of the trace, or of a debug track. Of
     * lanes, an event lasts as long as they say; of steps, until the next one. */
    const struct lanes *(*lanes)(const struct timeline *tl, const struct track_tree *tree,
                                 uint32_t debug);
    const struct steps *(*steps)(const struct timeline *tl, const struct track_tree *tree,
                                 uint32_t debug);
    /* Which of them the event is in. */
    uint32_t (*lane)(const struct timeline *tl, const struct track_tree *tree, struct event_ref e);

    /* Whether its end is not known. Missing: where its lanes have no end of it. */
    bool (*is_open)(const struct timeline *tl, uint32_t row);

    /* Writes what the event is called, not escaped, cut at `size`. */
    void (*print_name)(const struct timeline *tl, const struct track_tree *tree, struct event_ref e,
                       char *out, size_t size);

    /* The thread whose waits within the event can be followed, NULL_U32 if none. Missing: nothing
     * waits within such events. */
    uint32_t (*thread)(const struct timeline *tl, uint32_t row);
    /* Its args, NULL_U32 if none. Missing: never any. */
    uint32_t (*arg_set)(const struct timeline *tl, const struct track_tree *tree,
                        struct event_ref e);

    /* Makes the tracks that only such events stand on, while the tree is built: each is a debug
     * track of this kind, given to track_tree_add_own. Missing: they stand on CPUs, threads and
     * tracks of the trace (track_tree.c), or on what a user makes. */
    void (*add_tracks)(struct tree_builder *b, const struct timeline *tl);
    /* Fills those of them that were added `waiting`, right before one is shown first. Missing: none
     * is. */
    void (*load_tracks)(struct track_tree *tree, const struct timeline *tl);

    /* The node and the row that show it, to jump there; `node` is NO_NODE where none does. Missing:
     * nobody refers to events of this kind. */
    struct row_id (*place)(const struct timeline *tl, const struct track_tree *tree,
                           struct event_ref e);

    /* Draws the events of sources of this kind. Usually draw_bars or draw_steps. */
    void (*draw)(const struct event_canvas *on);
    /* For draw_bars: how one event looks. False: it is nothing to be seen, as an idle CPU. */
    bool (*paint)(const struct scene *s, const struct event_source *source, uint32_t row,
                  struct event_paint *out);

    /* Adds lines about the event of `in` to the left list of the details. */
    void (*add_details)(struct details *d, const struct details_input *in);
    /* What stands right of them where there is room. Missing: nothing, they have all of it. */
    void (*add_beside)(struct details *d, const struct details_input *in);
};

/* All kinds: X(the struct). */
#define EVENT_KINDS(X)                                                                             \
    X(slice_events)                                                                                \
    X(state_events)                                                                                \
    X(sched_events)                                                                                \
    X(counter_events)                                                                              \
    X(track_state_events)                                                                          \
    X(log_events)                                                                                  \
    X(ftrace_events)                                                                               \
    X(sample_events)                                                                               \
    X(allocation_events)                                                                           \
    X(moment_events)                                                                               \
    X(table_row_events)                                                                            \
    X(alert_events)                                                                                \
    X(debug_events)                                                                                \
    X(debug_counter_events)

#define DECLARE_EVENT_KIND(kind) extern const struct event_kind kind;
EVENT_KINDS(DECLARE_EVENT_KIND)
#undef DECLARE_EVENT_KIND

/* In that order; NULL past the last. */
const struct event_kind *event_kind_at(size_t i);
/* The kind of that name, NULL if none. */
const struct event_kind *event_kind_find(struct str name);

#endif
