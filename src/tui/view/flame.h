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
    bool base; /* of what the others are compared with */
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

/* The stacks of `from`, as those to compare with where `base`; what those are compared with stays
 * behind. */
void flame_stacks_append(struct flame_stacks *s, const struct flame_stacks *from, bool base);

/* The stacks become those of `from`. What is known of names stays, and so do their numbers. */
void flame_stacks_renew(struct flame_stacks *s, const struct flame_stacks *from);

struct flame_frame {
    uint32_t name, parent, first_child, next; /* children: the largest first */
    uint32_t depth;                           /* the root's: 0 */
    double self, total;
    double base; /* the total of what it is compared with; the root's: of all there */
};

struct flame {
    VEC(struct flame_frame) frames; /* the first is the root, "all" */
    /* The frame whose children call the function that the root calls, theirs call them, and so on;
     * all frames behind it are such. NO_FRAME: callers are no part of it. */
    uint32_t callers;
};

/* How much larger a share of all a total is than that of the base, in per cent of all. */
double flame_share_change(const struct flame *f, double total, double base);
/* The same of a frame's. */
double flame_change(const struct flame *f, uint32_t frame);

/* From the outermost frames inwards, or `inverted`: from what took time to what called it. Only
 * stacks of which a frame has a name with `keep` count; NULL: all. With the name `of` (NO_FRAME:
 * none) it begins at that function's outermost frame in each stack, has what it called, and who
 * called it as `callers`; `inverted` does not count then. */
void flame_build(struct flame *f, const struct flame_stacks *s, bool inverted, const bool *keep,
                 uint32_t of);
void flame_release(struct flame *f);

/* What a function took by itself and with all that it called, once where it calls itself. */
struct flame_function {
    uint32_t name;
    double self, total, base;
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
 * do nothing but call one other, or nothing that half a cell would show, stand in one box, from
 * FLAME_TRUNK on; but not those below `focus`, which were asked for. With callers they stand
 * upwards on the function that all is about, which fills the width whatever `focus` is. */
enum { FLAME_TRUNK = 5 };
void flame_layout(struct flame_boxes *b, const struct flame *f, uint32_t focus, int width);

#endif
