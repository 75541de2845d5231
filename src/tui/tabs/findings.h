/* The first screen: what stands out in a trace. */
#ifndef TPTUI_TUI_TABS_FINDINGS_H
#define TPTUI_TUI_TABS_FINDINGS_H

#include "tui/context/effects.h"
#include "tui/view/details.h"

struct app;

struct finding {
    struct event_ref event;
    int64_t ts;                    /* ns, where `event` is none; INT64_MIN: no place */
    const char *kind, *sql;        /* what it is one of, and the query behind it */
    struct str text;               /* in findings.arena */
    int64_t dur;                   /* -1: none */
    uint32_t utid;                 /* its main thread, whose area is shown; NULL_U32: none */
    const struct details_tab *tab; /* that shows it; NULL: none */
    uint32_t of;                   /* the finding whose chain it is a step of; NULL_U32: none */
    bool has_chain, open;          /* whose steps are shown */
};

struct findings {
    struct arena arena;
    VEC(struct finding) v;
    VEC(uint32_t) shown;           /* all but steps of closed chains */
    struct details lines;          /* one for each that is shown */
    bool narrow;                   /* how they are written */
    uint32_t count;                /* without steps */
    char *headline;                /* the worst problem; NULL: it is not known */
    uint32_t waiting;              /* questions not answered yet */
    bool due;                      /* of what is shown they have not been asked for */
    int64_t asked_ms, answered_ms; /* when, last; 0: not yet */
};

void findings_init(struct findings *f);
void findings_release(struct findings *f);

/* Asks in the background; the lines are there when it is done. Those of a trace that is loaded
 * anew again and again are asked for in a tenth of the time: until then those from before stay. */
void app_find_findings(struct app *a);
/* Asks where it is time, and fits the lines into the window. */
void findings_look(struct app *a);
/* Takes what was found in the trace that is shown, whose events are not those of the next one. */
struct findings findings_take(struct app *a);
void findings_put(struct app *a, struct findings *f);

/* Whether the line that is chosen belongs to a chain, which opens or closes it. */
bool findings_on_chain(struct app *a);
effects findings_fold(struct app *a);

#endif
