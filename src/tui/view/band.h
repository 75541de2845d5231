/* Which rows of the timeline an area covers: nodes of the tree, and the tracks that they show. */
#ifndef TPTUI_TUI_VIEW_BAND_H
#define TPTUI_TUI_VIEW_BAND_H

#include "tui/view/rows.h"

struct band_node {
    uint32_t node;
    bool below; /* and everything below it: it is closed, or the only one */
};

struct band {
    bool all;                /* every row there is, whatever `v` says */
    VEC(struct band_node) v; /* by node */
};

/* Replaces what is in `b` by the rows [from, to] as they stand, linked ones left out. */
void band_of_rows(struct band *b, const struct track_tree *tree, const struct rows *rows,
                  uint32_t from, uint32_t to);
/* Brings nodes that were pushed into order, each once. */
void band_sort(struct band *b);
void band_release(struct band *b);
bool band_has(const struct band *b, const struct track_tree *tree, uint32_t node);

/* What the rows of a band show, each list ascending. */
struct band_tracks {
    VEC(uint32_t) threads;  /* utid */
    VEC(uint32_t) cpus;     /* ucpu, with what ran on it */
    VEC(uint32_t) slices;   /* tracks */
    VEC(uint32_t) counters; /* tracks */
};

/* Overwrites `t`. */
void band_collect(struct band_tracks *t, const struct band *b, const struct timeline *tl,
                  const struct track_tree *tree);
void band_tracks_release(struct band_tracks *t);

#endif
