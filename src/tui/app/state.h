/* The program's state. Everything here belongs to the screen's thread; jobs hand their results over
 * in `done`. What acts on it is declared by the headers of the parts: move.h, jump.h and so on. */
#ifndef TPTUI_TUI_APP_STATE_H
#define TPTUI_TUI_APP_STATE_H

#include <stdatomic.h>

#include "base/vec.h"
#include "parsers/load.h"
#include "sql/engine/bounds.h"
#include "tui/app/app.h"
#include "tui/app/area_tables.h"
#include "tui/app/details_pane.h"
#include "tui/app/findings.h"
#include "tui/app/first_view.h"
#include "tui/app/flame_pane.h"
#include "tui/app/follow.h"
#include "tui/app/history.h"
#include "tui/app/kept_timeline.h"
#include "tui/app/logs_pane.h"
#include "tui/app/marks.h"
#include "tui/app/message.h"
#include "tui/app/mouse.h"
#include "tui/input/picker.h"
#include "tui/app/query_pane.h"
#include "tui/app/search.h"
#include "tui/app/session.h"
#include "tui/app/text_view.h"
#include "tui/app/trace_list.h"
#include "tui/app/worker.h"
#include "tui/term/term.h"
#include "tui/view/descriptions.h"
#include "tui/view/scene.h"

enum focus { FOCUS_TRACKS, FOCUS_DETAILS, FOCUS_EDITOR, FOCUS_GRID };
enum overlay {
    OVERLAY_NONE,
    OVERLAY_PICKER,
    OVERLAY_HELP,
    OVERLAY_PROMPT,
    OVERLAY_QUIT,
    OVERLAY_FOREIGN_SQL,
    OVERLAY_TEXT
};
enum prompt_kind {
    PROMPT_SEARCH,
    PROMPT_TIME,
    PROMPT_FILTER,
    PROMPT_NOTE,
    PROMPT_FLAME,
    PROMPT_LOGS,
    PROMPT_GROUP,
    PROMPT_SAVE,
    PROMPT_QUERY,
    PROMPT_GRID_SEARCH,
    PROMPT_GRID_FILTER,
    PROMPT_EXPORT,
    PROMPT_COLUMN,
    PROMPT_TRACK
};

#define NO_TOP UINT32_MAX

enum { LISTED_MAX = 64 };

/* What a load makes, freed by loop.c when another takes its place or the program ends. */
struct opened {
    struct trace trace;
    uint64_t part;       /* bytes of the file that were read; 0: all, see follow.h */
    uint64_t asked_part; /* how many were to be, before what is packed takes fewer */
    struct cache_outcome cache;
    bool waits_for_cache; /* closing it waits until the cache is written */
    struct timeline timeline;
    struct timeline_keeper *keeper;
    struct track_tree tree;
};

struct app {
    struct tui_options options;
    struct term *term;
    struct theme theme;
    struct descriptions *descriptions;
    struct look look;
    int wake_fd; /* an eventfd: a job is done */
    /* `loader` runs the load and the user's SQL, `helper` small questions. */
    struct worker *loader, *helper;
    struct load_progress progress;
    struct opened *opened;   /* NULL while it loads */
    struct trace_list *list; /* that traces are chosen from, NULL: there is one only */
    bool choose;             /* the list is to be shown in place of the trace */
    struct follow follow;
    struct status load_error;
    bool quit;
    char title[160];
    bool interrupted;  /* loading ended by Ctrl-C */
    bool place_failed; /* there is no such place as --goto names */
    char *late_place;  /* see app_open_place; owned, NULL: none */
    bool forget_session;
    struct foreign_sql foreign_sql;
    struct sql_spent track_spent; /* by tracks of the session and the command line; the loader's */
    char filter[128];             /* of tracks; empty: none */

    struct layout layout;
    struct viewport viewport;
    struct timeline_cursor cursor;
    struct timeline_cursor anchor; /* where the cursor was before it went into linked rows */
    int64_t goal_ts;               /* the time that vertical moves keep */
    struct rows rows;
    struct shown_spans shown;
    struct overview overview;
    struct link links[LINKS_MAX];
    int link_count;
    struct event_ref listed[LISTED_MAX]; /* what a list of flows leads to */
    uint32_t top;                        /* the first row shown */
    uint32_t wanted_top; /* NO_TOP, or `top` as it was when the cursor was there before */
    struct history history;
    VEC(struct note) notes;
    VEC(struct mark) marks; /* the same, for drawing */
    struct search search;
    struct area area;
    struct band band;       /* the rows of `area` */
    bool choosing;          /* the area's other edge follows the cursor */
    int64_t area_anchor;    /* the edge that stays */
    struct row_id area_row; /* and its row */
    struct area_tables area_tables;
    struct flame_pane flame;
    struct logs_pane logs;
    struct loss_total loss; /* of the trace */
    bool is_empty;          /* see empty_timeline.h */
    struct filled_screen filled;
    bool whole;   /* tracks or details have the whole screen, whichever has the focus */
    bool touched; /* a key, or a place that was asked for: nothing opens by itself */

    enum focus focus;
    enum overlay overlay;
    struct details_pane pane;
    struct findings findings;
    struct query_pane query;
    struct picker picker;
    struct editor prompt;
    enum prompt_kind prompt_kind;
    char found[80];    /* what was looked for in the query last */
    uint32_t help_top; /* its first line on the screen */
    struct editor help_search;
    bool help_searching; /* what to look for is being typed */
    struct text_view text_view;

    uint32_t pending[2]; /* keys of an unfinished sequence */
    int pending_count;
    int64_t count;     /* typed before an action; -1: none */
    char message[256]; /* one line about what happened, until the next key */
    bool message_is_error;
    struct mouse mouse;
    int pane_extra;     /* lines that the pane has more than it would by itself */
    int pane_grown;     /* lines of it that the tracks do not need; they take them back */
    int gutter_extra;   /* cells that the names of tracks have more than by themselves */
    struct cells cells; /* the frame */
    int caret_x, caret_y;
};

static inline struct timeline *app_timeline(struct app *a)
{
    return &a->opened->timeline;
}

static inline struct track_tree *app_tree(struct app *a)
{
    return &a->opened->tree;
}

#endif
