/* Sorting rows by columns, as SQLite orders values: NULL first, equal rows as they were. */
#ifndef TPTUI_SQL_BATCHES_SORT_H
#define TPTUI_SQL_BATCHES_SORT_H

#include "sql/batches/plan.h"

struct sort_key {
    const struct column *column; /* of a relation */
    bool desc;
};

/* Sorts rows[0..n). False where the plan was stopped, or there is no memory. */
bool sort_rows(struct plan *p, const struct sort_key *keys, uint32_t count, uint32_t *rows,
               uint32_t n);

#endif
