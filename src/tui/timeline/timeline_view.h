/* What the timeline shows of the trace and how, and what the user has put into it: app.view. */
#ifndef TPTUI_TUI_TIMELINE_TIMELINE_VIEW_H
#define TPTUI_TUI_TIMELINE_TIMELINE_VIEW_H

#include "base/vec.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/first_view.h"
#include "tui/timeline/history.h"
#include "tui/timeline/marks.h"
#include "tui/timeline/search.h"
#include "tui/view/scene.h"

#define NO_TOP UINT32_MAX

enum { LISTED_MAX = 64 };

/* Where the window was in a trace before another takes its place. */
struct window_end {
    bool shown;    /* it reached to the end */
    bool with_all; /* of the whole trace */
};

struct timeline_view {
    struct viewport viewport;
    struct timeline_cursor cursor;
    struct timeline_cursor anchor; /* where the cursor was before it went into linked rows */
    int64_t goal_ts;               /* the time that vertical moves keep */
    struct window_end end;
    char filter[128]; /* of tracks; empty: none */
    char *late_place; /* see app_open_place; owned, NULL: none */

    struct rows rows;
    struct shown_spans shown;
    struct overview overview;
    struct link links[LINKS_MAX];
    int link_count;
    struct event_ref listed[LISTED_MAX]; /* what a list of flows leads to */
    uint32_t top;                        /* the first row shown */
    uint32_t wanted_top; /* NO_TOP, or `top` as it was when the cursor was there before */
    struct filled_screen filled;

    struct history history;
    VEC(struct note) notes;
    VEC(struct mark) marks; /* the same, for drawing */
    struct search search;
    struct area area;
    struct band band;       /* the rows of `area` */
    bool choosing;          /* the area's other edge follows the cursor */
    int64_t area_anchor;    /* the edge that stays */
    struct row_id area_row; /* and its row */

    struct details_pane pane;
    bool whole;       /* tracks or details have the whole screen, whichever has the focus */
    int pane_extra;   /* lines that the pane has more than it would by itself */
    int pane_grown;   /* lines of it that the tracks do not need; they take them back */
    int pane_height;  /* while the mouse holds it (mouse.h); 0: as high as it wants to be */
    int gutter_extra; /* cells that the names of tracks have more than by themselves */
};

#endif
