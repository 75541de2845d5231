/* Rows of a core table that belong to one of its rows: the ancestors of a slice, the flows that
 * follow from it. */
#ifndef TPTUI_SQL_FUNCTIONS_ROW_FINDER_H
#define TPTUI_SQL_FUNCTIONS_ROW_FINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct sql_session;
struct sql_table;

struct found_rows {
    VEC(uint32_t) v;
};

/* What is kept between calls, so that repeated calls allocate nothing. */
struct row_finder {
    struct sql_session *session;
    struct sql_table *slices, *flows, *callsites;
    struct found_rows rows;           /* the result, in the order it is given out */
    struct found_rows queue;          /* slices still to be followed */
    uint32_t *slice_seen, *flow_seen; /* the call that saw the row last */
    uint32_t call;
};

/* Each fills finder->rows for a start row, and returns false when cancelled. The start row exists.
 */
bool find_ancestor_slices(struct row_finder *f, uint32_t slice);
bool find_descendant_slices(struct row_finder *f, uint32_t slice);
bool find_ancestor_callsites(struct row_finder *f, uint32_t callsite);
bool find_connected_flows(struct row_finder *f, uint32_t slice);
bool find_following_flows(struct row_finder *f, uint32_t slice);
bool find_preceding_flows(struct row_finder *f, uint32_t slice);

#endif
