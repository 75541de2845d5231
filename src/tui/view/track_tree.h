/* The tracks of a trace as a tree of nodes: CPUs, processes by activity with their threads and
 * counters, everything else by group. Built once; folding, pinning and hiding are marks on nodes.
 */
#ifndef TPTUI_TUI_VIEW_TRACK_TREE_H
#define TPTUI_TUI_VIEW_TRACK_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "tui/view/arrows.h"
#include "tui/view/counter_look.h"
#include "tui/view/debug_track.h"
#include "tui/index/timeline.h"

enum node_kind {
    NODE_CPUS,     /* id: machine; the load of all; children: NODE_CPU */
    NODE_CPU,      /* what runs on it (id: ucpu); children: its counters, interrupts */
    NODE_GROUP,    /* a heading */
    NODE_PROCESS,  /* id: upid */
    NODE_THREAD,   /* id: utid */
    NODE_COUNTERS, /* a heading over the counters of its parent */
    NODE_COUNTER,  /* id: track */
    NODE_TRACKS,   /* slice tracks that share a row: tree->tracks[first .. first + count) */
    NODE_DEBUG,    /* id: index of a debug track */
};

#define NO_NODE   UINT32_MAX
#define SHOWN_ALL UINT32_MAX

enum fold {
    FOLD_AUTO,   /* open while the cursor is in it */
    FOLD_CLOSED, /* by hand, also with the cursor in it */
    FOLD_OPEN,   /* a process: its most active threads; others: everything */
    FOLD_ALL,    /* a process: all children */
};

struct track_node {
    enum node_kind kind;
    uint32_t id;
    uint32_t parent, first_child, next;
    uint32_t first, count; /* NODE_TRACKS */
    uint32_t children;
    const char *label; /* not escaped yet; owned by the tree */
    uint8_t prefix;    /* bytes of it that name the machine */
    int64_t number;    /* pid, tid; -1 for none */
    enum fold fold;
    uint32_t shown; /* opened to fill the first screen: so many depths or threads of it, lines of a
                       counter, SHOWN_ALL for as many as if opened by hand; 0: not so opened */
    bool empty;     /* no event in the whole trace */
    bool hidden, pinned;
    bool matched, filtered;   /* by the filter: matched stays, filtered is left out */
    struct counter_look look; /* NODE_COUNTER */
};

struct track_tree {
    struct arena arena;
    VEC(struct track_node) nodes;
    VEC(uint32_t) tracks; /* of NODE_TRACKS */
    VEC(uint32_t) pinned; /* nodes, in the order they were pinned */
    uint32_t first_root, last_root;
    uint32_t *process_node, *thread_node, *track_node; /* by upid, utid, track; NO_NODE */
    uint32_t *cpu_node;                                /* by ucpu */
    uint32_t *axis_next;             /* by track: the next that shares its y axis, in a ring */
    uint32_t *process_memory;        /* by upid: the track of what it has in RAM; NO_NODE */
    double most_memory;              /* that any of them ever had */
    VEC(struct debug_track *) debug; /* owned */
    struct arrows arrows;            /* between their rows */
    bool show_empty;                 /* also what has no event at all */
    bool only_active;                /* only what has an event in the window */
};

void track_tree_init(struct track_tree *t, const struct timeline *tl);
void track_tree_release(struct track_tree *t);

/* Adds a track made of a query's result, pinned; takes it over. Returns its node. */
uint32_t track_tree_add_debug(struct track_tree *t, struct debug_track *d);

/* For event_kind.add_tracks: takes over a track, which stands under the heading of that name. */
void track_tree_add_own(struct tree_builder *b, const char *heading, struct debug_track *d);

/* Moves a root to the top. */
void track_tree_put_first(struct track_tree *t, uint32_t root);

void track_tree_pin(struct track_tree *t, uint32_t node, bool pin);

/* The node whose row an event is on, NO_NODE where there is none. */
uint32_t track_tree_node(const struct track_tree *t, const struct timeline *tl, struct event_ref e);

/* The heading of a machine's CPUs, NO_NODE where there is none. */
uint32_t track_tree_cpus(const struct track_tree *t, uint64_t machine);

/* The node whose row a slice is on, NO_NODE where there is none. */
uint32_t track_tree_slice_node(const struct track_tree *t, const struct timeline *tl,
                               uint32_t slice);

/* Whether the node is the main thread of the process that it is in. */
bool track_tree_is_main_thread(const struct track_tree *t, const struct timeline *tl,
                               const struct track_node *n);
/* Whether `node` is `ancestor` or lies below it. */
bool track_tree_is_within(const struct track_tree *t, uint32_t node, uint32_t ancestor);

#endif
