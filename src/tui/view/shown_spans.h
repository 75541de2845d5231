/* What the cells of a row show of one or several lanes. Most steps only move the cursor: what was
 * found for a window is kept until another is asked for. */
#ifndef TPTUI_TUI_VIEW_SHOWN_SPANS_H
#define TPTUI_TUI_VIEW_SHOWN_SPANS_H

#include "base/map.h"
#include "base/vec.h"
#include "tui/index/lanes.h"

struct shown_lane {
    const struct lanes *lanes;
    uint32_t lane;
};

struct shown_span {
    struct span span;
    int lane; /* of those that were asked for */
};

struct shown_list {
    const struct shown_span *items; /* left to right, none overlapping; until the next call */
    int count;
};

/* The spans of one set of lanes. */
struct shown_entry {
    size_t lanes, spans; /* where they begin */
    int lane_count, span_count;
};

/* An all-zero one is empty. */
struct shown_spans {
    struct viewport viewport; /* what is kept is of */
    struct map entries;       /* hash of the lanes -> entry */
    VEC(struct shown_entry) v;
    VEC(struct shown_lane) lanes;
    VEC(struct shown_span) spans;
};

/* Where several lanes have events in a cell, the longest of these is shown: with `keep`, from what
 * was found before, where the lanes stay as they are as long as `s`. */
struct shown_list shown_spans_find(struct shown_spans *s, const struct viewport *v,
                                   const struct shown_lane *lanes, int count, bool keep);
void shown_spans_release(struct shown_spans *s);

#endif
