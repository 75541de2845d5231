/* Stacks with values as a flamegraph: frames of one name under one parent are one, each as wide as
 * what it and all it called took. */
#ifndef TPTUI_TUI_VIEW_FLAME_H
#define TPTUI_TUI_VIEW_FLAME_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "tui/cells/cells.h"

#define NO_FRAME UINT32_MAX

/* What a flamegraph is made of: a frame of a stack, called by another, with its own value. */
struct flame_stack {
    int64_t id, parent_id;
    uint32_t name;   /* of flame_stacks */
    uint32_t caller; /* index of the one with the id parent_id; NO_FRAME: outermost */
    double value;
};

struct flame_stacks {
    VEC(struct flame_stack) v;
    VEC(struct str) names; /* bytes in the arena, each once */
    struct map index;      /* hash of a name -> name */
    struct arena arena;
};

void flame_stacks_init(struct flame_stacks *s);
void flame_stacks_release(struct flame_stacks *s);
/* Any id may be a parent, also of what was added before; INT64_MIN: none. */
void flame_stacks_add(struct flame_stacks *s, int64_t id, int64_t parent_id, struct str name,
                      double value);
/* All are there: finds callers. What would call itself is outermost. */
void flame_stacks_finish(struct flame_stacks *s);

struct flame_frame {
    uint32_t name, parent, first_child, next; /* children: the largest first */
    uint32_t depth;                           /* the root's: 0 */
    double self, total;
};

struct flame {
    VEC(struct flame_frame) frames; /* the first is the root, "all" */
};

/* From the outermost frames inwards, or `inverted`: from what took time to what called it. Only
 * stacks of which a frame has a name with `keep` count; NULL: all. With the name `of` (NO_FRAME:
 * none) it begins at that function's outermost frame in each stack: what it called, or `inverted`,
 * who called it. */
void flame_build(struct flame *f, const struct flame_stacks *s, bool inverted, const bool *keep,
                 uint32_t of);
void flame_release(struct flame *f);

/* What a function took by itself and with all that it called, once where it calls itself. */
struct flame_function {
    uint32_t name;
    double self, total;
};
/* One for each name of the stacks; of a flame that is not inverted. For free(). */
struct flame_function *flame_functions(const struct flame *f, const struct flame_stacks *s);

/* ---- on the screen ---- */

struct flame_box {
    uint32_t frame;
    uint32_t last, count; /* the innermost of so many frames that it stands for, and how many */
    int x, w, row;        /* cells from the left; lines from the top of the graph */
};

struct flame_boxes {
    VEC(struct flame_box) v; /* row by row, left to right */
};

/* The boxes of at least a cell where `focus` and those it was called by fill the width. Frames that
 * do nothing but call one other stand in one box, from FLAME_TRUNK on; but not those below `focus`,
 * which were asked for. */
enum { FLAME_TRUNK = 5 };
void flame_layout(struct flame_boxes *b, const struct flame *f, uint32_t focus, int width);

#endif
