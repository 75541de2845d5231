/* Table functions that pick rows of a core table: ancestor_slice(id), following_flow(id) ... */
#ifndef TPTUI_SQL_FUNCTIONS_ROW_FUNCTIONS_H
#define TPTUI_SQL_FUNCTIONS_ROW_FUNCTIONS_H

#include "sql/engine/internal.h"

struct row_list {
    VEC(uint32_t) v;
};

/* What one picks its rows with; kept between calls so that repeated calls allocate nothing. */
struct row_finder {
    struct sql_session *session;
    struct sql_table *slices, *flows, *callsites;
    struct row_list rows;             /* the result, in the order it is given out */
    struct row_list queue;            /* slices still to be followed */
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
