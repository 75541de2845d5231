/* What a frame of the timeline is made of, and where its parts stand on the screen. */
#ifndef TPTUI_TUI_VIEW_SCENE_H
#define TPTUI_TUI_VIEW_SCENE_H

#include "core/loss.h"
#include "tui/cells/cells.h"
#include "tui/view/band.h"
#include "tui/view/events.h"
#include "tui/view/rows.h"
#include "tui/view/shown_spans.h"

/* A row and an exact time; the event there is the selection. */
struct timeline_cursor {
    struct row_id key;
    int64_t ts;
    struct event_ref event; /* none: a gap, or a heading */
};

struct mark {
    int64_t ts;
    char letter; /* 'A', 'B' ... */
};

/* A stretch of time and rows to sum up. */
struct area {
    bool on;
    int64_t from, to;        /* from < to */
    const struct band *band; /* never NULL while it is on */
};

struct layout {
    int width, height;
    int gutter; /* cells before the border */
    int track_x, track_w;
    int overview_y; /* -1 where there is none */
    int ruler_y, tracks_y, tracks_h;
    int details_y, details_h; /* with the line of tabs; 0 where there are none */
    int status_y, hints_y;
};

/* How busy the trace is in each cell of a line that shows all of it. An all-zero one is empty. */
struct overview {
    VEC(double) shares; /* 0..1 */
};

/* `details` is the wanted height of the details pane with its tabs, 0 for the usual; `more_gutter`
 * how many cells the names of tracks have more than usual, or fewer, as far as that leaves both
 * sides of the border room. */
struct layout layout_make(int width, int height, int details, int more_gutter);

struct scene {
    const struct timeline *tl;
    const struct track_tree *tree;
    struct look look;
    struct layout layout;
    struct viewport viewport; /* its width is layout.track_w */
    const struct rows *rows;
    struct shown_spans *shown; /* these two are kept from frame to frame, of the same timeline */
    struct overview *overview;
    uint32_t top; /* first row shown */
    struct timeline_cursor cursor;
    const struct link *links;
    int link_count;
    const string_id *matched; /* names of slices that the search found, ascending */
    size_t matched_count;
    const struct mark *marks;
    int mark_count;
    struct area area;
    struct str title;       /* of the trace */
    struct loss_total loss; /* of the trace */
    const char *part;       /* how much of it was read; NULL: all */
    bool is_empty;          /* see empty_timeline.h */
};

/* The lane region of a row. `area` is one line high. */
void draw_track(struct cells *c, struct rect area, const struct scene *s, const struct row *row);
/* The name of the row, in the gutter left of that. */
void draw_gutter(struct cells *c, struct rect area, const struct scene *s, const struct row *row,
                 bool at_cursor);

/* Header, overview, ruler, the rows and the arrows between linked ones. Everything but details,
 * status and hints. */
void draw_timeline(struct cells *c, const struct scene *s);

#endif
