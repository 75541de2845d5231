/* How the rows are shown, as text: what is open, pinned, hidden, how high counters are, and which
 * row is the first on the screen. History, links and sessions keep it.
 *
 *     cpu:3+ process:12* thread:40^ track:7~ track:9=3/0/2 top:17
 *
 * A row is named by what it shows (a group by its number among the nodes, a track of a query by its
 * number among these, query:0 for the alerts), and what is behind it says: + open (+3: three of its
 * threads or depths), * open with everything, - closed, ^ pinned, ~ hidden, =LINES/SCALE/MODE a
 * counter's look, with a + behind it where only the first screen was filled so. Words are separated
 * by blanks; those that mean nothing in this trace are left out. */
#ifndef TPTUI_TUI_TIMELINE_ROW_MARKS_H
#define TPTUI_TUI_TIMELINE_ROW_MARKS_H

#include "base/str.h"
#include "tui/view/rows.h"

struct app;

/* Whether the track is a query's that a session makes again. */
bool row_marks_remade(const struct debug_track *d);

/* For free(). */
char *row_marks_print(const struct app *a);
/* Shows the rows as `text` says, and nothing else folded, pinned or hidden; pinned debug tracks
 * stay. */
void row_marks_apply(struct app *a, struct str text);

/* A row as one word, "thread:40", with its track and depth behind it: "thread:40/12/3"; "none"
 * where there is none, whose node is NO_NODE. */
enum { ROW_WORD_MAX = 96 };
void row_word_print(const struct app *a, const struct row_id *row, char out[ROW_WORD_MAX]);
/* False where there is no such row in this trace. */
bool row_word_parse(const struct app *a, struct str word, struct row_id *out);

#endif
