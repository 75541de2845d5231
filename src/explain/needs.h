/* Whether a trace has what a rule is about, told by a look at columns: a rule that would have no
 * rows costs no SQL.
 *
 *   needs := need {"," need}                         all of them
 *   need  := TABLE                                   it has rows
 *          | TABLE "." COLUMN                        it has a value
 *          | TABLE "." COLUMN "GLOB" GLOB {"|" GLOB} it has a text that matches one
 *          | TABLE "." COLUMN ">" NUMBER             it has an integer above
 *
 * Tables and columns are called as in core/schema. */
#ifndef TPTUI_EXPLAIN_NEEDS_H
#define TPTUI_EXPLAIN_NEEDS_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/trace/trace.h"

/* What was seen of a column, which is looked at once, and no further than needed. */
struct seen_column {
    const struct column *column;
    uint32_t seen;   /* rows */
    uint64_t *texts; /* of a STR: bit i set: a row has string i, of the first `strings` */
    uint32_t strings;
    VEC(string_id) each_text;
    int64_t largest; /* of integers; INT64_MIN: there are none */
};

struct seen_columns {
    const struct trace *trace;
    VEC(struct seen_column) v;
};

void seen_columns_release(struct seen_columns *seen);

/* `*hold`: whether all of them do; of no needs they do. Fails where they are not well-formed. */
struct status needs_check(struct seen_columns *seen, struct str needs, bool *hold);

#endif
