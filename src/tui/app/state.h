/* The program's state and what its parts offer each other. Everything here runs on the screen's
 * thread; jobs hand their results over in `done`. */
#ifndef TPTUI_TUI_APP_STATE_H
#define TPTUI_TUI_APP_STATE_H

#include <stdatomic.h>

#include "base/vec.h"
#include "parsers/load.h"
#include "tui/app/actions.h"
#include "tui/app/app.h"
#include "tui/app/editor.h"
#include "tui/app/grid.h"
#include "tui/app/picker.h"
#include "tui/app/worker.h"
#include "tui/term/term.h"
#include "tui/view/details.h"
#include "tui/view/scene.h"

enum focus { FOCUS_TRACKS, FOCUS_DETAILS, FOCUS_EDITOR, FOCUS_GRID };
/* Details follow once the cursor has rested that long. */
enum { DETAILS_REST_MS = 100 };

enum overlay { OVERLAY_NONE, OVERLAY_PICKER, OVERLAY_HELP, OVERLAY_PROMPT, OVERLAY_QUIT };
enum prompt_kind { PROMPT_SEARCH, PROMPT_TIME, PROMPT_FILTER, PROMPT_NOTE };

/* What a load makes. */
struct opened {
    struct trace trace;
    struct timeline timeline;
    struct track_tree tree;
};

struct fold_mark {
    uint32_t node;
    enum fold fold;
};

/* A place to come back to. */
struct visited_place {
    struct viewport viewport;
    struct timeline_cursor cursor;
    uint32_t top;
    struct fold_mark *folds; /* of nodes not in FOLD_AUTO */
    uint32_t fold_count;
};

struct history {
    VEC(struct visited_place) back, forward;
};

struct finding {
    struct event_ref event;
    int64_t ts; /* where `event` is none; INT64_MIN: no place */
    const char *kind, *sql;
    struct str text; /* in findings.arena */
    int64_t dur;     /* -1: none */
};

struct findings {
    struct arena arena;
    VEC(struct finding) v;
    struct details lines;
    uint32_t waiting; /* questions not answered yet */
};

/* A mark with a note, where the user pressed `m`. */
struct note {
    struct mark mark;
    struct timeline_cursor cursor;
    char text[80];
};

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

struct query_pane {
    bool open;
    struct editor editor;
    struct grid *grid;         /* NULL: nothing was run yet */
    struct query_job *running; /* NULL: none */
    bool waiting;              /* a cancelled one has not ended yet */
    struct timespec started;
    char *message; /* the error, or how many rows and how long; owned */
    bool failed;
    VEC(char *) history; /* oldest first, owned */
    size_t history_at;   /* count: the text being typed */
    char *draft;
};

struct app {
    struct tui_options options;
    struct term *term;
    struct theme theme;
    struct look look;
    int wake_fd;
    struct worker *loader, *helper; /* the load and the user's SQL; small questions */
    struct load_progress progress;
    struct opened *opened; /* NULL while it loads */
    struct status load_error;
    bool quit;
    bool place_failed; /* there is no such place as --goto names */

    struct layout layout;
    struct viewport viewport;
    struct timeline_cursor cursor;
    struct timeline_cursor anchor; /* where the cursor was before it went into linked rows */
    int64_t goal_ts;               /* the time that vertical moves keep */
    struct rows rows;
    struct link links[LINKS_MAX];
    int link_count;
    uint32_t top;
    struct history history;
    VEC(struct note) notes;
    VEC(struct mark) marks; /* the same, for drawing */
    struct search search;
    struct area area;
    bool choosing;       /* the area's other edge follows the cursor */
    int64_t area_anchor; /* the edge that stays */
    int64_t data_loss;

    enum focus focus;
    enum overlay overlay;
    struct details details;
    bool details_stale;
    struct timespec moved;         /* when the cursor moved last */
    const struct details_tab *tab; /* one of details_tabs */
    uint32_t details_line, details_top;
    struct findings findings;
    struct query_pane query;
    struct picker picker;
    struct editor prompt;
    enum prompt_kind prompt_kind;
    uint32_t help_top;

    uint32_t pending[2]; /* keys of an unfinished sequence */
    int pending_count;
    int64_t count;     /* typed before an action; -1: none */
    char message[256]; /* one line about what happened, until the next key */
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

__attribute__((format(printf, 2, 3))) void app_say(struct app *a, const char *format, ...);
__attribute__((format(printf, 2, 3))) void app_complain(struct app *a, const char *format, ...);

/* move.c: the cursor and the window. */
void app_update(struct app *a);           /* rows, links and layout for the state as it is */
const struct row *app_row(struct app *a); /* of the cursor */
/* Clamped to the trace; never less than a nanosecond a cell. */
void app_set_window(struct app *a, wide_int start, wide_int dur);
void app_reveal(struct app *a, int64_t ts); /* pans so that the time is inside */
void app_move_cells(struct app *a, int64_t cells);
void app_move_rows(struct app *a, int64_t rows);
void app_move_tracks(struct app *a, int64_t tracks);
void app_move_groups(struct app *a, int64_t groups);
void app_zoom(struct app *a, int steps); /* > 0: closer, by 2 each, about the cursor */
void app_pan(struct app *a, int64_t ns);
void app_put_cursor(struct app *a, const struct row_id *key, int64_t ts, struct event_ref event);
void app_select_at(struct app *a, int64_t ts); /* on the cursor's row */
void app_step_event(struct app *a, int direction, int64_t count);

/* jump.c: to events elsewhere; all of these can be undone. */
void app_remember(struct app *a);
bool app_go_back(struct app *a);
bool app_go_forward(struct app *a);
void history_release(struct history *h);
void app_jump(struct app *a, struct event_ref event);
void app_jump_node(struct app *a, uint32_t node);
void app_jump_time(struct app *a, int64_t ts);
void app_flow(struct app *a, bool forward);
void app_parent(struct app *a);
void app_child(struct app *a);
void app_blocker(struct app *a);
bool app_was_blocked(struct app *a); /* whether it has an answer for the event of the cursor */
void app_same_name(struct app *a, int direction, bool by_dur);
void app_fit(struct app *a);

/* place.c: places as text, for --goto and scripts. False with a message where there is no such. */
bool app_go_to(struct app *a, struct str place);
void app_place(struct app *a, char *out, size_t size); /* where the cursor and the window are */

/* state_path.c: $XDG_STATE_HOME/tptui/NAME, ~/.local/state by default; false where neither is
 * known. `make`: also the folders. */
bool app_state_path(const char *name, char *out, size_t size, bool make);

/* area.c: areas, the filter of tracks, marks. */
void app_area_of_event(struct app *a);
void app_area_start(struct app *a);
void app_area_follow(struct app *a); /* while it is chosen */
void app_area_swap(struct app *a);
void app_area_end(struct app *a, bool keep);
void app_filter(struct app *a, struct str text);
void app_mark(struct app *a, struct str note);
void app_critical_path(struct app *a);

/* lists.c: what opens in a picker. */
void app_find_track(struct app *a);
void app_palette(struct app *a);
void app_list_marks(struct app *a);
void app_list_flows(struct app *a, const uint32_t *slices, uint32_t count, const char *title);
void app_list_hits(struct app *a);
void app_pick(struct app *a);
bool app_picker_key(struct app *a, const struct key_event *key);

/* search.c */
void app_search(struct app *a, struct str pattern);
void app_next_hit(struct app *a, int direction);
void app_visit_hit(struct app *a, uint32_t index);
void search_release(struct search *s);

/* details_pane.c */
enum { TABS_COUNT = 6 };
extern const struct details_tab *const details_tabs[TABS_COUNT], findings_tab;
int app_tab_index(const struct app *a);

/* findings.c */
void app_find_findings(struct app *a);
void app_write_findings(struct app *a); /* their lines */
void app_open_finding(struct app *a, uint32_t index);
/* The query behind the finding that is selected; NULL where none is. */
const char *findings_sql(const struct app *a);

/* query.c */
void query_init(struct query_pane *q);
void query_release(struct query_pane *q);
void query_open(struct app *a);
void query_show(struct app *a, const char *sql); /* opens it with that text */
void query_run(struct app *a);
void query_cancel(struct app *a);       /* what runs; the screen does not wait for its end */
void query_edit_outside(struct app *a); /* in $VISUAL, $EDITOR or vi; waits for it */
bool query_editor_key(struct app *a, const struct key_event *key);
void query_go(struct app *a);
void query_make_track(struct app *a);
void query_draw(struct app *a, struct rect area);

/* actions.c */
void app_key(struct app *a, const struct key_event *key);
bool app_run_action(struct app *a, struct str name); /* by name; false where there is none */

/* draw.c */
void app_draw(struct app *a);

/* script.c: false where the script failed. */
bool app_script_run(struct app *a, const char *path);

/* loop.c */
void app_pump(struct app *a);        /* takes finished jobs */
void app_cancel_load(struct app *a); /* and ends the program */
bool app_is_idle(struct app *a);     /* nothing runs, nothing is stale */
void app_handle_keys(struct app *a);
void app_show(struct app *a); /* draws a frame */

#endif
