/* Searching slices, threads and processes by regular expression. */
#ifndef TPTUI_TUI_TIMELINE_SEARCH_H
#define TPTUI_TUI_TIMELINE_SEARCH_H

#include "base/vec.h"
#include "core/store/string_pool.h"
#include "tui/context/effects.h"
#include "tui/view/event_kind.h"

struct app;

struct search_hit {
    struct event_ref event; /* a slice, or none: the node */
    uint32_t node;
    int64_t ts, dur;
};

struct search {
    char pattern[128];
    VEC(struct search_hit) hits; /* by time */
    VEC(string_id) names;        /* of slices that match, ascending */
    uint32_t at;                 /* 1 + the hit visited last, 0: none */
    bool running;
};

void search_release(struct search *s);

/* Starts a search in the background, which opens the list of hits; an empty pattern forgets those
 * there are. */
void app_search(struct app *a, struct str pattern);
/* The next hit after the cursor (direction 1), or after the one visited last. */
effects app_next_hit(struct app *a, int direction, int64_t steps);
effects app_visit_hit(struct app *a, uint32_t index);

#endif
