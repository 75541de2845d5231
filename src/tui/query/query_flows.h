/* Results of queries as arrows between rows of debug tracks. A result with from_id and to_id, or
 * slice_out and slice_in as the table flow has them, is an arrow a row: each names the id (or
 * slice_id) of a row of a debug track, from_track and to_track, where there are such columns, which
 * track; what no debug track has is a slice of the trace. And rows of debug tracks with the same
 * flow_id are joined in order of time. */
#ifndef TPTUI_TUI_QUERY_QUERY_FLOWS_H
#define TPTUI_TUI_QUERY_QUERY_FLOWS_H

#include <stdbool.h>

#include "base/str.h"
#include "tui/context/effects.h"
#include "tui/query/grid.h"

struct app;

/* Whether the rows of a result are arrows. */
bool query_is_flows(const struct result *r);

/* Draws them, those of `order` where it is not NULL. `sql`, which makes them again, is taken over;
 * the result is only read. */
effects query_make_flows(struct app *a, struct result *result, const struct row_order *order,
                         struct str name, char *sql);

/* A debug track was made: joins rows by flow_id anew. */
void query_join_flows(struct app *a);

#endif
