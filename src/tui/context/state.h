/* What all parts of the timeline program share: the trace that is open, the workers, what has the
 * focus and lies over the panes, the frame. What a part keeps for itself is a struct of its own,
 * which is known to those above it only. Everything here belongs to the screen's thread; jobs hand
 * their results over in `done`. */
#ifndef TPTUI_TUI_CONTEXT_STATE_H
#define TPTUI_TUI_CONTEXT_STATE_H

#include "parsers/load.h"
#include "tui/context/message.h"
#include "tui/context/options.h"
#include "tui/context/prompt.h"
#include "tui/context/text_view.h"
#include "tui/context/worker.h"
#include "tui/input/picker.h"
#include "tui/view/descriptions.h"
#include "tui/view/scene.h"

struct area_tables;
struct findings;
struct flame_pane;
struct key_choice;
struct logs_pane;
struct program;
struct query_pane;
struct timeline_keeper;
struct timeline_view;

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

/* What a load makes, freed when another takes its place or the program ends. */
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
    struct timeline_view *view;      /* timeline_view.h */
    struct query_pane *query;        /* query_pane.h */
    struct area_tables *area_tables; /* of the tabs: a header each */
    struct findings *findings;
    struct flame_pane *flame;
    struct logs_pane *logs;
    struct program *program; /* program.h */

    struct tui_options options;
    const struct key_choice *edit_keys; /* edit_keys.h; NULL: the editor's own */
    struct term *term;
    struct theme theme;
    struct descriptions *descriptions;
    struct look look;
    int wake_fd; /* an eventfd: a job is done */
    /* `loader` runs the load and the user's SQL, `helper` small questions. */
    struct worker *loader, *helper;
    struct load_progress progress;
    struct opened *opened; /* NULL while it loads */
    struct opened *next;   /* what was loaded behind it, until it is shown */
    bool loading_next;     /* something is being loaded behind what is shown */
    bool touched;          /* a key, or a place that was asked for: nothing opens by itself */
    bool quit;

    enum focus focus;
    enum overlay overlay;
    struct layout layout;
    bool query_open;  /* the pane for SQL is, in place of the details */
    bool query_whole; /* and takes the whole screen */
    struct picker picker;
    struct editor prompt;
    enum prompt_kind prompt_kind;
    struct text_view text_view;
    uint32_t help_top; /* its first line on the screen */
    struct editor help_search;
    bool help_searching; /* what to look for is being typed */
    char message[256];   /* one line about what happened, until the next key */
    bool message_is_error;
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

/* Whether a part of the trace is shown, and the rest on its way, or to be shown next. */
static inline bool app_reads_on(const struct app *a)
{
    return a->opened && a->opened->part && (a->loading_next || a->next);
}

#endif
