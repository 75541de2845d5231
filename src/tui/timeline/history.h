/* Places to come back to: window, cursor, rows and the pane before each jump, and before rows are
 * folded, pinned, hidden or filtered. */
#ifndef TPTUI_TUI_TIMELINE_HISTORY_H
#define TPTUI_TUI_TIMELINE_HISTORY_H

#include "base/vec.h"
#include "tui/context/effects.h"
#include "tui/timeline/details_pane.h"
#include "tui/view/scene.h"

struct app;

struct visited_place {
    struct viewport viewport;
    struct timeline_cursor cursor;
    char *rows;   /* as row_marks.h says; owned */
    char *filter; /* of tracks; owned */
    bool only_active;
    struct pane_place pane;
};

struct visited_places {
    struct visited_place *items;
    size_t count, cap;
};

struct history {
    struct visited_places back, forward; /* latest last */
};

void history_release(struct history *h);

/* Keeps the place as it is before a jump. What lay forward is gone. */
void app_remember(struct app *a);
/* Drops what was kept before an action that has changed nothing. */
void app_forget_same_place(struct app *a);
/* `count` places back or forward, or as many as there are. */
effects app_go_back(struct app *a, int64_t count);
effects app_go_forward(struct app *a, int64_t count);

#endif
