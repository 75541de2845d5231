/* The tab with the lines of logs: around the cursor's time, filtered by level, text and thread. The
 * events of ftrace and slices are read the same way, filtered by name and thread; they may be many,
 * so only those around the cursor are looked at. */
#ifndef TPTUI_TUI_TABS_LOGS_PANE_H
#define TPTUI_TUI_TABS_LOGS_PANE_H

#include "base/vec.h"
#include "tui/context/effects.h"
#include "tui/view/details.h"

struct app;

enum log_source { LOG_LINES, LOG_FTRACE, LOG_SLICES, LOG_SOURCE_COUNT };

struct logs_pane {
    enum log_source source;
    char filter[128];   /* a regular expression for tag or text; empty: all */
    uint32_t level;     /* the least, as in the table: 2 verbose .. 7 fatal */
    bool own_process;   /* only lines of the cursor's process */
    uint32_t upid;      /* that */
    VEC(uint32_t) rows; /* of the table, that the filters leave, by time; of events, around it */
    bool filtered;      /* `rows` is up to date */
    struct details lines;
    uint32_t first; /* of `rows`: what the first line below the fixed ones shows */
};

void logs_pane_init(struct logs_pane *p);
void logs_pane_release(struct logs_pane *p);

effects logs_set_filter(struct app *a, struct str pattern);
effects logs_set_level(struct app *a, int by);
effects logs_own_process(struct app *a);
/* The next of those sources that the trace has, or the one before. */
effects logs_next_source(struct app *a, int by);

#endif
