/* How the tree of tracks is built, for the files that build it. */
#ifndef TPTUI_TUI_VIEW_TREE_BUILDER_H
#define TPTUI_TUI_VIEW_TREE_BUILDER_H

#include "tui/view/track_tree.h"

enum { LABEL_MAX = 256 };

/* Tracks in the order of their rows: by owner, group or name, so that those that share a row lie
 * together. */
struct track_key {
    uint32_t track, cpu, utid, upid, group;
    string_id type, name;
    bool counter;
    double drawn; /* by a power rail, in the whole trace */
};

struct track_keys {
    struct track_key *items;
    uint32_t count;
};

struct tree_builder {
    struct track_tree *tree;
    const struct timeline *tl;
    VEC(uint32_t) last_child; /* by node: appending must not walk the list */
    struct track_keys keys;
};

/* Appends a node; `label` is copied. Returns its index: adding moves nodes. */
uint32_t tree_builder_add(struct tree_builder *b, uint32_t parent, enum node_kind kind, uint32_t id,
                          const char *label, int64_t number);

/* The range of tracks with this owner; keys are sorted by cpu, utid, upid. */
struct key_range {
    uint32_t from, to;
};

struct key_range tree_builder_owned(const struct tree_builder *b, uint32_t cpu, uint32_t utid,
                                    uint32_t upid);

/* Appends the rows of the tracks of one owner, slices or counters only. */
void tree_builder_add_owned(struct tree_builder *b, uint32_t parent, struct key_range r,
                            bool counters);

/* tree_processes.c: processes and their threads. */
void tree_builder_add_processes(struct tree_builder *b);

#endif
