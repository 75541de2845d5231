/* What the user built for a trace: place, rows, marks, area, filter. It comes back when the trace
 * is opened again, or with the file it was kept in.
 *
 *     tptui session 1
 *     trace SIZE PATH
 *     place slice 3 row thread:2 at 614037 window 0 900000 rows thread:2+ top:3
 *     filter TEXT
 *     area FROM TO all          or the rows that it covers: area FROM TO thread:2+ track:7
 *     mark TIME ROW TEXT
 *     track NAME=SQL            a debug track; \n in the SQL for the end of a line
 */
#ifndef TPTUI_TUI_APP_SESSION_H
#define TPTUI_TUI_APP_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "tui/context/effects.h"

struct app;

/* Tracks of a session file that others may have written: their SQL waits for an answer. */
struct foreign_sql {
    VEC(char *) tracks; /* "NAME=SQL", owned */
    char why[64];       /* "it belongs to uid 1001" */
};

void foreign_sql_release(struct foreign_sql *f);
/* The answer to whether to run it, or to see it first. */
effects foreign_sql_key(struct app *a, uint32_t key);

/* Whether app_session_open would bring anything back. */
bool app_session_exists(const struct app *a);
/* Brings back what --session names, else what was kept of this trace; nothing where there is none.
 * Scripts have no session but the one they name. SQL in a file that is not the user's alone is
 * asked about; a script ends there. */
effects app_session_open(struct app *a);
/* Keeps it there; nothing where the user has built nothing. */
void app_session_keep(struct app *a);
/* The same as text, for free(), and from text: of this trace, whatever its size. */
char *app_session_print(struct app *a);
effects app_session_read(struct app *a, const char *text);
/* Forgets what was kept, now and at the end. */
effects app_session_forget(struct app *a);

#endif
