/* The pane at the bottom: tabs of lines about the event under the cursor. */
#ifndef TPTUI_TUI_TIMELINE_DETAILS_PANE_H
#define TPTUI_TUI_TIMELINE_DETAILS_PANE_H

#include <time.h>

#include "tui/context/effects.h"
#include "tui/view/details.h"

struct app;

/* Details follow once the cursor has rested that long. */
enum { DETAILS_REST_MS = 100 };

/* What a part of the program does for its tab. Each member may be missing. */
struct tab_part {
    /* Has the lines made for the cursor, once that has rested; where no row is under it only if
     * `without_row`. Missing: they need nothing of the cursor. */
    void (*make)(struct app *a);
    bool without_row;
    /* Its lines, and how many of the first always stay in sight and are never chosen. Missing: none
     * but what `draw` shows; none stay. */
    const struct details *(*lines)(const struct app *a);
    uint32_t (*fixed)(const struct app *a);
    bool scrolled; /* also while the pane is not focused */
    /* Draws all that is below the tabs. Missing: the lines are drawn. */
    void (*draw)(struct app *a, struct rect area);
    /* Where a line leads. Missing: to the event that the line names. */
    effects (*follow)(struct app *a, uint32_t line);
    /* The mouse at x, so many lines below the tabs. Missing, or nothing came of it: as lines do. */
    effects (*press)(struct app *a, int x, int y);
    /* What the tab's own name says that there are. Missing: it says nothing of the kind. */
    uint32_t (*count)(const struct app *a);
    /* A line in full, for free(), or NULL: as it is shown. */
    char *(*text)(const struct app *a, uint32_t line);
    /* The query behind what is shown, NULL where there is none. */
    const char *(*sql)(const struct app *a);
    unsigned context; /* of actions (action_context.h) whose keys go before others in the pane */
    /* Of the screen's height in percent, with the focus and without; 0: as other tabs. */
    int height_focused, height;
    /* Whether it shrinks to its lines, where these are fewer. Missing: it does not. */
    bool (*shrinks)(const struct app *a);
    bool grows; /* with the focus, over rows that the tracks leave empty */
};

/* That of the tab shown; one without members where it has none. */
const struct tab_part *details_pane_part(const struct app *a);

struct details_pane {
    const struct details_tab *tab;
    struct details details; /* of all tabs but the findings, which are kept */
    bool stale;             /* not those of the cursor */
    struct timespec moved;  /* when the cursor moved last */
    uint32_t line, top;     /* the selected line, and the first one shown */
};

void details_pane_init(struct details_pane *p);
void details_pane_release(struct details_pane *p);

/* The cursor has moved: the details are stale, and begin at their first line again. */
void details_pane_follow(struct details_pane *p);

/* Shows a tab: by its number from 1 on, the next one or the one before, or that one. */
effects app_choose_tab(struct app *a, int number);
effects app_next_tab(struct app *a, int by);
effects app_show_tab(struct app *a, const struct details_tab *tab);
/* Takes the focus into the pane, whose details stay as they are meanwhile. A row that stands for
 * others, or for a closed track without an event there, opens instead. */
effects app_enter_details(struct app *a);
effects app_enter_tab(struct app *a, int64_t number);
effects app_leave_details(struct app *a);

/* After a jump: the findings give way to what is there. */
void app_leave_findings(struct app *a);
/* After an event was chosen: the findings, and an area that is not being chosen, give way to it. */
void app_show_event(struct app *a);

/* Where the pane is, for the history. */
struct pane_place {
    const struct details_tab *tab;
    uint32_t line, top;
    bool focused;
};

struct pane_place details_pane_place(const struct app *a);
/* The cursor is back where the pane was like that: the list that the jump has left, findings or an
 * area, is shown again, at its line. */
effects details_pane_return(struct app *a, const struct pane_place *place);

/* The selected line, NULL if none. Valid until the details change. */
const struct detail_line *details_pane_line(const struct app *a);
void app_move_details_line(struct app *a, int64_t by);
/* The mouse at x, so many lines below the tabs, where a cell of that role is: follows a link, and
 * another line when it is pressed again. Takes the focus. */
effects details_pane_press(struct app *a, int x, int y, uint16_t role);
/* Shows it in full: of the area's tables each column on a line. */
effects app_show_line(struct app *a);
/* Where the selected line leads. */
effects app_follow_details_line(struct app *a);

/* Makes the lines where they are stale and the cursor has rested, and draws the pane. */
void details_pane_make(struct app *a);
void details_pane_draw(struct app *a, struct rect area);

#endif
