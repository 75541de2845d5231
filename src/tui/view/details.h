/* What the pane at the bottom says about the event under the cursor: lines of text with roles, some
 * of which lead somewhere. */
#ifndef TPTUI_TUI_VIEW_DETAILS_H
#define TPTUI_TUI_VIEW_DETAILS_H

#include "base/arena.h"
#include "base/vec.h"
#include "tui/view/scene.h"

struct segment {
    uint16_t role;
    struct str text; /* in the arena */
};

struct detail_line {
    struct segment *segments; /* in the arena; room for SEGMENTS_MAX and an indent */
    int count;
    struct event_ref jump; /* NO_EVENT: nowhere */
};

enum { SEGMENTS_MAX = 56 }; /* of a line */

struct detail_list {
    VEC(struct detail_line) v;
};

struct details {
    struct arena arena;
    struct detail_list left, right; /* right: what stands beside the event, where there is room */
    const struct event_kind *kind;  /* of the event; NULL: a gap */
    uint32_t same_name;             /* how many slices have its name */
};

struct descriptions;

/* What the details are about. */
struct details_input {
    const struct timeline *tl;
    const struct track_tree *tree;
    const struct row *row; /* of the cursor */
    struct timeline_cursor cursor;
    struct viewport viewport;
    int width, height;                       /* cells of the pane, lines below its tabs */
    const struct descriptions *descriptions; /* of names; NULL: none */
};

/* What titles of tabs may name. */
struct tab_facts {
    const struct event_kind *kind; /* NULL: a gap */
    uint32_t same_name, findings;  /* how many */
};

struct tab_part;

/* A tab of the pane: a file that exports one, its name in DETAILS_TABS, and an action for its key.
 * One that says something about the event is a file of tabs/ with `add`; any other is a file of
 * tui/app with `part`. */
struct details_tab {
    const char *title;
    /* In place of a fixed title. */
    void (*print_title)(const struct tab_facts *facts, char *out, size_t size);
    /* Adds the tab's lines to `d`, which is empty. Missing: `part` has them. */
    void (*add)(struct details *d, const struct details_input *in);
    /* What the part of the program does that the tab belongs to (tui/timeline/details_pane.h); or
     * NULL. */
    const struct tab_part *part;
};

/* All tabs, left to right: X(the struct). */
#define DETAILS_TABS(X)                                                                            \
    X(event_tab)                                                                                   \
    X(args_tab)                                                                                    \
    X(chain_tab)                                                                                   \
    X(same_name_tab)                                                                               \
    X(area_tab)                                                                                    \
    X(findings_tab)                                                                                \
    X(flame_tab)                                                                                   \
    X(logs_tab)

#define DECLARE_DETAILS_TAB(tab) extern const struct details_tab tab;
DETAILS_TABS(DECLARE_DETAILS_TAB)
#undef DECLARE_DETAILS_TAB

void details_init(struct details *d);
void details_release(struct details *d);
/* What the tabs' titles say of the event. */
void details_find_facts(struct details *d, const struct details_input *in);
/* Empties and fills it, facts and all; what it held is gone. */
void details_make(struct details *d, const struct details_input *in, const struct details_tab *tab);
void details_clear(struct details *d);

/* A new line that leads to `jump`, and text on the last line of a list. */
struct detail_line *details_line(struct details *d, struct detail_list *list,
                                 struct event_ref jump);
__attribute__((format(printf, 4, 5))) void details_put(struct details *d, struct detail_list *list,
                                                       uint16_t role, const char *format, ...);

/* How many of the pane's `width` cells the list beside the event has; 0: it has no room. */
int details_beside_width(int width);

/* Starts another line, indented, where `cells` more would not fit into `width`. */
void details_wrap(struct details *d, struct detail_list *list, int width, int cells);

/* The call chain of a slice: its calls into other threads, and theirs, with how long each took and
 * how long it was served, in lines of `width` cells. */
void details_chain(struct details *d, struct detail_list *list, const struct timeline *tl,
                   uint32_t slice, int width);

/* How the pane looks. */
struct details_view {
    const struct details *details;
    const struct details_tab *const *tabs; /* left to right */
    int tab_count, tab;                    /* `tab`: the active one */
    struct tab_facts facts;
    bool focused;
    uint32_t selected, scroll; /* lines of the left list */
    uint32_t fixed;            /* the first lines, which stay when the others scroll */
};

void draw_details(struct cells *c, struct rect area, const struct details_view *v);

#endif
