/* The functions of a flamegraph as a list, by own and total time: beside it where there is room for
 * both, else over it. */
#ifndef TPTUI_TUI_TABS_FLAME_LIST_H
#define TPTUI_TUI_TABS_FLAME_LIST_H

#include "tui/cells/cells.h"
#include "tui/context/effects.h"
#include "tui/view/flame.h"

struct app;

/* The one beside. The function that it stands on is the one that is marked (flame_pane.h). */
struct flame_list {
    VEC(struct flame_function) v; /* as they are sorted */
    double total, base;           /* of all */
    bool made;                    /* of what the flamegraph shows */
    bool hidden, focused;
    int sorted_by; /* 0: own time; 1: total; 2: the change; 3: the name */
    uint32_t top;
};

void flame_list_release(struct flame_list *l);

/* The cells that it takes on the right of the flamegraph; 0 where it is not shown there. */
int flame_list_width(const struct app *a);
/* Whether it is shown and has the focus. */
bool flame_list_has_focus(const struct app *a);

/* Beside: moves the focus to it, shows or hides it; else opens it over the flamegraph. */
effects flame_list_functions(struct app *a);
effects flame_list_move(struct app *a, int64_t by);
effects flame_list_sort(struct app *a, int by);
/* The mouse, so many cells and lines in it: on a function twice shows that alone. */
effects flame_list_press(struct app *a, int x, int y);
/* The function that it stands on, or NULL. */
const struct flame_function *flame_list_chosen(struct app *a);
void flame_list_draw(struct app *a, struct rect area);

#endif
