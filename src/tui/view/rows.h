/* The rows on the screen, top to bottom: what the tree becomes for a window and a cursor.
 *
 * They are made anew from the tree, the window and the cursor (the cursor's thread opens by
 * itself, linked threads stand below it), so the cursor is kept as a row's id (node, kind, track,
 * depth), not as its number. */
#ifndef TPTUI_TUI_VIEW_ROWS_H
#define TPTUI_TUI_VIEW_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "tui/view/links.h"
#include "tui/view/track_tree.h"
#include "tui/index/viewport.h"

enum row_kind {
    ROW_HEAD,   /* the node's own row: folded track, state strip, heading */
    ROW_DEPTH,  /* the slices of one depth of one track of the node */
    ROW_ABOVE,  /* "3 above": depths left out before those shown */
    ROW_DEEPER, /* "+244 deeper" */
    ROW_REST,   /* "9 threads, 19 counters": the other children of an open process */
    ROW_LINK,   /* the heading of a linked thread, with the arrow */
    ROW_BODY,   /* the lines below the first of a counter that is several lines high */
};

enum row_place { PLACE_TREE, PLACE_PINNED, PLACE_LINKED };

/* Says which row, also after the rows were made anew. */
struct row_id {
    uint32_t node;
    enum row_kind kind;
    enum row_place place;
    uint32_t track; /* ROW_DEPTH: the track, or the debug track's lane */
    uint32_t depth; /* ROW_BODY: the line, from 1 on */
};

struct row {
    struct row_id key;
    int indent;
    bool foldable, open;
    uint32_t hidden;          /* ROW_ABOVE, ROW_DEEPER: depths left out */
    uint32_t threads, others; /* ROW_REST */
    const struct link *link;  /* rows of a linked thread; points into the input */
};

/* Whether it stands for others, which are shown when the node is unfolded wholly. */
static inline bool row_leaves_out(const struct row *row)
{
    return row->key.kind == ROW_ABOVE || row->key.kind == ROW_DEEPER || row->key.kind == ROW_REST;
}

struct rows {
    VEC(struct row) v;
};

struct rows_input {
    const struct timeline *tl;
    const struct track_tree *tree;
    struct viewport viewport;
    struct row_id cursor;
    const struct link *links; /* of the event under the cursor */
    int link_count;
    int height; /* lines there are: stacks of slices grow into those that other rows leave free */
};

enum { ROWS_DEPTHS = 6, ROWS_LINKED_DEPTHS = 4, ROWS_TOP_THREADS = 6 };

/* To be called before rows_build: fills tracks that it will show and that waited for it. */
void rows_load(struct track_tree *tree, const struct timeline *tl, const struct row_id *cursor);
void rows_build(struct rows *rows, const struct rows_input *in);
void rows_release(struct rows *rows);

/* The row of that key, else the nearest thing: the node's head, an ancestor's; 0 at worst. */
uint32_t rows_find(const struct rows *rows, const struct track_tree *tree,
                   const struct row_id *key);

/* Whether the node shows more than its head (what the fold marks and the cursor say). */
bool rows_node_is_open(const struct track_tree *tree, uint32_t node, const struct row_id *cursor);

enum { SOURCES_MAX = 32 };

/* The sources of a row's events, most important first, a background last; none for a heading. */
int row_sources(const struct timeline *tl, const struct track_tree *tree, const struct row *row,
                struct event_source out[SOURCES_MAX]);

/* The lanes of a source, NULL for a counter's; the steps, NULL for the others. */
const struct lanes *source_lanes(const struct timeline *tl, const struct track_tree *tree,
                                 const struct event_source *s);
const struct steps *source_steps(const struct timeline *tl, const struct track_tree *tree,
                                 const struct event_source *s);

#endif
