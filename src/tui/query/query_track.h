/* Debug tracks: results of queries as tracks of the timeline. A result with ts and value becomes a
 * counter, one with ts and dur slices, one with ts alone instants; name names them, and color (or
 * colour), where there is such a column, decides their colour. Results that are arrows instead are
 * those of query_flows.h.
 *
 * A track keeps the result, so that the details show the whole row, and the SQL, with which a
 * session makes it again. What nobody has typed runs within bounds (sql/engine/bounds.h), and,
 * where the file is not the user's alone (base/own_file.h), after a question. */
#ifndef TPTUI_TUI_QUERY_QUERY_TRACK_H
#define TPTUI_TUI_QUERY_QUERY_TRACK_H

#include "base/str.h"
#include "tui/context/effects.h"

struct app;
struct sql_spent;

/* Makes a track of the rows that the grid shows; with an empty name it gets a number. */
effects query_make_track(struct app *a, struct str name);
/* A track for each value of the column under the cursor, the most frequent first. */
effects query_pivot_tracks(struct app *a);

/* "NAME=SQL": runs the statements in the background, within bounds (sql_file_bounds), and makes a
 * track of what they yield. `spent` is what the other tracks of the same origin took, and outlives
 * the worker; NULL: there are no others. */
void query_track_ask(struct app *a, struct str name_and_sql, struct sql_spent *spent);

struct result;
/* The track of alerts, above all others: rows of ts, dur, name, color, and what they are about.
 * Retains the result. */
effects query_track_show_alerts(struct app *a, struct result *result);

#endif
