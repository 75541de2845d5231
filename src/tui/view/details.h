/* What the pane at the bottom says about the event under the cursor: lines of text with roles, some
 * of which lead somewhere. */
#ifndef TPTUI_TUI_VIEW_DETAILS_H
#define TPTUI_TUI_VIEW_DETAILS_H

#include "base/arena.h"
#include "base/vec.h"
#include "tui/view/scene.h"

enum details_tab {
    TAB_EVENT,
    TAB_ARGS,
    TAB_CHAIN,
    TAB_SAME_NAME,
    TAB_AREA,
    TAB_FINDINGS,
    TAB_COUNT
};

struct segment {
    uint16_t role;
    struct str text; /* in the arena */
};

struct detail_line {
    struct segment *segments; /* in the arena, SEGMENTS_MAX of them */
    int count;
    struct event_ref jump; /* EVENT_NONE: nowhere */
};

/* Cells of the chain beside the event, and from which width on it is there. */
enum { SEGMENTS_MAX = 14, DETAILS_CHAIN = 56, DETAILS_WIDE = 110 };

struct detail_list {
    VEC(struct detail_line) v;
};

struct details {
    struct arena arena;
    struct detail_list left, right; /* right: the chain, where there is room beside the event */
    uint32_t same_name;             /* how many slices have the event's name */
    enum event_kind kind;
};

/* What the details are about. */
struct details_input {
    const struct timeline *tl;
    const struct track_tree *tree;
    const struct row *row; /* of the cursor */
    struct timeline_cursor cursor;
    struct area area;
    enum details_tab tab; /* but TAB_FINDINGS, which the caller fills */
    int width;            /* cells of the pane */
};

void details_init(struct details *d);
void details_release(struct details *d);
/* Empties and fills it; what it held is gone. */
void details_make(struct details *d, const struct details_input *in);
void details_clear(struct details *d);

/* A new line that leads to `jump`, and text on the last line of a list. */
struct detail_line *details_line(struct details *d, struct detail_list *list,
                                 struct event_ref jump);
__attribute__((format(printf, 4, 5))) void details_put(struct details *d, struct detail_list *list,
                                                       uint16_t role, const char *format, ...);

/* Starts another line, indented, where `cells` more would not fit into `width`. */
void details_wrap(struct details *d, struct detail_list *list, int width, int cells);

/* The call chain of a slice: its calls into other threads, and theirs, with how long each took
 * and how long it was served. Part of details_make, apart for its size. */
void details_chain(struct details *d, struct detail_list *list, const struct timeline *tl,
                   uint32_t slice);

/* What happened in an area: who ran how long, and the slices of the cursor's track by name. */
void details_area(struct details *d, const struct timeline *tl, const struct track_tree *tree,
                  uint32_t node, struct area area);

/* How the pane looks. */
struct details_view {
    const struct details *details;
    enum details_tab tab;
    bool focused;
    uint32_t selected, scroll;    /* lines of the left list */
    enum event_kind kind;         /* names the first tab */
    uint32_t same_name, findings; /* how many, for their tabs */
};

void draw_details(struct cells *c, struct rect area, const struct scene *s,
                  const struct details_view *v);

#endif
