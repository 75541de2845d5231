/* The tab with a flamegraph: of heaps, samples of CPUs, Java's objects, or slices. */
#ifndef TPTUI_TUI_TABS_FLAME_PANE_H
#define TPTUI_TUI_TABS_FLAME_PANE_H

#include "tui/cells/cells.h"
#include "tui/context/effects.h"
#include "tui/tabs/flame_list.h"
#include "tui/view/flame.h"

struct app;
struct flame_job;

struct flame_pane {
    uint32_t source;  /* what it is of; see flame_pane.c */
    bool inverted;    /* from what took time to its callers */
    char filter[128]; /* only stacks with a frame of that name, a regular expression; empty: all */
    /* With those of the base. Names keep their numbers when others are asked for: a list may show
     * them, and `of` is one. */
    struct flame_stacks stacks;
    struct flame_stacks base; /* what it is compared with; without stacks: nothing */
    uint32_t base_source;
    char base_title[96];
    uint32_t open; /* slices without an end, which have no own time */
    struct flame flame;
    struct flame_boxes boxes;
    uint32_t focus, selected; /* frames */
    uint32_t marked; /* the name whose frames are marked, and that the list beside stands on */
    struct flame_list list;
    int top;     /* first line shown; -1: what is selected stands in the middle */
    uint32_t of; /* this function (a name), what it calls and who calls it; NO_FRAME: all */
    char *sql;   /* that the stacks are the result of; owned; NULL: none */
    struct flame_job *running;
    bool asked;
};

void flame_pane_init(struct flame_pane *p);
void flame_pane_release(struct flame_pane *p);

/* The pane as the next trace goes on with it: what was chosen and what it is compared with, and
 * what is shown until the stacks of that trace are there. The one of `a` is as after its init. */
struct flame_pane flame_pane_take(struct app *a);
void flame_pane_put(struct app *a, const struct flame_pane *p);

/* Asks in the background for the stacks of the area, or of the trace where none is chosen, unless
 * they are there. */
void flame_pane_ask(struct app *a);

/* The frames whose names the filter finds, for free(); NULL: all. */
bool *flame_pane_kept(struct app *a);
/* Marks the frames of that name, the widest of which is selected. */
void flame_mark(struct app *a, uint32_t name);

/* In the list where that has the focus. */
effects flame_move(struct app *a, int down, int right);
/* The selected frame fills the width, or the one that called the one that does now. */
effects flame_focus(struct app *a);
effects flame_unfocus(struct app *a);
effects flame_invert(struct app *a);
/* The next profile that the trace has, or the one before. */
effects flame_next_source(struct app *a, int by);
effects flame_set_filter(struct app *a, struct str pattern);
/* Of a function alone, what it calls and what calls it; NO_FRAME: of all again. */
effects flame_show_function(struct app *a, uint32_t name);
effects flame_show_selected_function(struct app *a);
/* What is shown becomes what others are compared with; or is that no longer. */
effects flame_set_base(struct app *a);
#endif
