/* What the loop, loading and the keys keep between two frames: app.program. */
#ifndef TPTUI_TUI_APP_PROGRAM_H
#define TPTUI_TUI_APP_PROGRAM_H

#include "core/loss.h"
#include "sql/engine/bounds.h"
#include "tui/app/follow.h"
#include "tui/app/mouse.h"
#include "tui/app/session.h"
#include "tui/app/trace_list.h"

struct program {
    struct trace_list *list; /* that traces are chosen from, NULL: there is one only */
    bool choose;             /* the list is to be shown in place of the trace */
    struct follow follow;
    struct status load_error;
    bool interrupted;  /* loading ended by Ctrl-C */
    bool place_failed; /* there is no such place as --goto names */
    char title[160];
    struct loss_total loss; /* of the trace */
    bool is_empty;          /* see empty_timeline.h */

    bool forget_session;
    struct foreign_sql foreign_sql;
    struct sql_spent track_spent; /* by tracks of the session and the command line; the loader's */

    uint32_t pending[2]; /* keys of an unfinished sequence */
    int pending_count;
    int64_t count;  /* typed before an action; -1: none */
    char found[80]; /* what was looked for in the query last */
    struct mouse mouse;
};

#endif
