/* Which columns of a result are durations, in ns: by what they are computed from. */
#ifndef TPTUI_COMPLETE_DURATIONS_H
#define TPTUI_COMPLETE_DURATIONS_H

#include <stdbool.h>

#include "base/str.h"
#include "base/vec.h"

struct duration_columns {
    VEC(char *) names; /* of columns that are, besides those whose name says it; owned */
};

/* Reads a script's last statement: `sum(dur) AS total`, `max(ts + dur) - min(ts) AS span`, also
 * where a subquery or WITH computes it. A name that is that of something else, too, is none. */
void duration_columns_read(struct duration_columns *out, struct str script);
void duration_columns_release(struct duration_columns *d);

bool duration_columns_have(const struct duration_columns *d, const char *column);

#endif
