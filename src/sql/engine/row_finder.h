/* Rows of a core table that belong to one of its rows: the ancestors of a slice, the flows that
 * follow from it. */
#ifndef TPTUI_SQL_ENGINE_ROW_FINDER_H
#define TPTUI_SQL_ENGINE_ROW_FINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
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

void row_finder_init(struct row_finder *f, struct sql_session *s);
void row_finder_release(struct row_finder *f);

/* Each fills finder->rows for a start row, and returns false when cancelled. The start row exists.
 */
bool find_ancestor_slices(struct row_finder *f, uint32_t slice);
bool find_descendant_slices(struct row_finder *f, uint32_t slice);
bool find_ancestor_callsites(struct row_finder *f, uint32_t callsite);
bool find_connected_flows(struct row_finder *f, uint32_t slice);
bool find_following_flows(struct row_finder *f, uint32_t slice);
bool find_preceding_flows(struct row_finder *f, uint32_t slice);

/* f(start) gives rows of a table that belong to the row `start` of another, or the same. */
struct row_function {
    const char *parameter, *start_table, *result_table;
    bool (*find)(struct row_finder *f, uint32_t start);
};

/* The table function of that name; NULL where there is none (row_functions.c). */
const struct row_function *row_function_find(struct str name);
struct sql_table *row_function_starts(const struct row_function *f, const struct sql_session *s);
struct sql_table *row_function_results(const struct row_function *f, const struct sql_session *s);

#endif
