/* Arrows that queries draw from one event to another: between rows of debug tracks, and slices. The
 * flows that a trace has itself are the timeline's. */
#ifndef TPTUI_TUI_VIEW_ARROWS_H
#define TPTUI_TUI_VIEW_ARROWS_H

#include "base/vec.h"
#include "tui/view/event_kind.h"

struct arrow {
    struct event_ref from, to;
    bool of_rows; /* a row of a debug track names its other end; else a query of arrows made it */
};

/* A query that made some of them. */
struct arrow_query {
    char *label, *sql; /* owned */
};

struct arrows {
    VEC(struct arrow) v;    /* by where they leave */
    VEC(uint32_t) entering; /* their numbers, by where they enter */
    VEC(struct arrow_query) queries;
};

void arrows_release(struct arrows *a);

/* Adds them; those from an event to itself are left out. arrows_sort must follow. */
void arrows_add(struct arrows *a, const struct arrow *items, size_t count);
/* Removes those that are `of_rows`. */
void arrows_drop_rows(struct arrows *a);
void arrows_sort(struct arrows *a);

/* Those that leave an event (enter it): `count` of them, arrows_at(a, enters, first + i). */
struct arrow_range {
    size_t first, count;
};
struct arrow_range arrows_of(const struct arrows *a, struct event_ref event, bool enters);
const struct arrow *arrows_at(const struct arrows *a, bool enters, size_t i);

#endif
