/* The pane for SQL: an editor, the query that runs, its result. */
#ifndef TPTUI_TUI_QUERY_QUERY_PANE_H
#define TPTUI_TUI_QUERY_QUERY_PANE_H

#include <time.h>

#include "tui/context/effects.h"
#include "tui/input/completion_popup.h"
#include "tui/input/editor.h"
#include "tui/input/query_history.h"
#include "tui/query/grid.h"

struct app;

/* A text with its result, while another is shown. */
struct query_tab {
    struct editor editor;
    struct grid *grid;
    char *message, *sql;
    bool failed, done;
    size_t error_at;
};

/* A result that was left for the rows behind one of its own. */
struct query_left {
    int tab; /* in which */
    struct grid *grid;
    char *sql, *message;
};

enum { QUERY_TABS = 9 };

struct query_pane {
    struct query_tab tabs[QUERY_TABS]; /* the current one's members below are the true ones */
    int tab, tab_count;
    bool from_details; /* it was opened there: closing it leads back */
    struct editor editor;
    struct grid *grid;         /* NULL: no result, or none of its rows yet */
    char column[80];           /* that the cursor was in last; the next result's, if it has it */
    bool to_last;              /* the next result's last one, instead */
    char *sql;                 /* that the grid is the result of; owned */
    struct grid_style style;   /* of the next result */
    struct query_job *running; /* NULL: none */
    bool edited;               /* since the query that runs was started */
    bool entered;              /* its rows have had the focus */
    bool waiting;              /* a cancelled one has not ended yet */
    bool unprinted;            /* below the prompt: the result is to be left there */
    struct timespec started;
    char *message; /* the error, or how many rows and how long; owned */
    bool failed;
    char searched[128]; /* what was looked for in the rows last */
    bool wall_known;    /* style.wall_offset is */
    bool done;          /* the text was run, or given up: typing behind it begins the next */
    size_t error_at;    /* the byte of the text that the error is about; NO_PLACE: none */
    struct query_history history;
    VEC(struct query_left) left; /* the last one last */
    struct completion_popup popup;
    struct schema *schema; /* NULL until it was read */
    uint32_t browsed;      /* the object of the schema that is looked at */
    bool schema_asked;     /* it is being read */
    enum waiting_query { QUERY_NONE, QUERY_TEXT, QUERY_STATEMENT } waits; /* for all of the trace */
    bool schema_stale; /* a statement has defined something since */
};

void query_init(struct query_pane *q);
/* What was written in the tabs of a pane becomes that of a new one, without results. */
void query_move_texts(struct query_pane *to, struct query_pane *from);
void query_release(struct query_pane *q);

/* Opens the pane, or opens it with that text. */
effects query_open(struct app *a);
effects query_show(struct app *a, const char *sql);
effects query_close(struct app *a);
/* Opens the list of what may stand at the caret. */
effects query_complete(struct app *a);
/* Shows the tab of that number, from 0; one that is not there yet is made, behind the last. Not
 * while a query runs. */
effects query_choose_tab(struct app *a, int tab);
/* A key in the editor; false where it means nothing there. */
bool query_editor_key(struct app *a, const struct key_event *key);
/* Edits the text in $VISUAL, $EDITOR or vi; waits for it. */
void query_edit_outside(struct app *a);

/* Lays the text out in the published style. */
void query_format(struct app *a);
/* Empties the editor. */
void query_clear(struct app *a);

void query_draw(struct app *a, struct rect area);
/* What is said of the query, in lines, one of which may show where the error is; returns how many.
 */
int query_draw_message(struct cells *c, struct rect area, const struct query_pane *q);

#endif
