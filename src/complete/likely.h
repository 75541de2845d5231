/* Which columns may be meant where no table stands yet: those of the trace's tables. */
#ifndef TPTUI_COMPLETE_LIKELY_H
#define TPTUI_COMPLETE_LIKELY_H

#include "base/str.h"
#include "base/vec.h"
#include "complete/schema.h"

struct likely_column {
    const struct schema_column *column; /* as the likeliest of its tables has it */
    char tables[100];                   /* "slice, sched, thread_state and 4 more" */
    uint64_t score;
};

struct likely_columns {
    VEC(struct likely_column) v; /* the likeliest first, each name once */
};

/* Finds the columns of all tables that have rows, or that statements have named: those of tables
 * that were named most first, then those that most tables have. `out` is zeroed; vec_release. */
void likely_columns_find(const struct schema *s, struct likely_columns *out);

/* Counts the tables that a text reads from, for likely_columns_find(). */
void schema_count_use(struct schema *s, struct str text);

#endif
