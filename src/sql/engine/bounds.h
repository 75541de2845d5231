/* Bounds for SQL that nobody has typed: it came with a file that was opened, so it must not take
 * the machine. */
#ifndef TPTUI_SQL_ENGINE_BOUNDS_H
#define TPTUI_SQL_ENGINE_BOUNDS_H

#include <stdint.h>

#include "base/status.h"

struct sql_session;

struct sql_bounds {
    double seconds;
    uint64_t memory; /* by which the process may grow, files it reads aside, in bytes */
    uint64_t rows;   /* of all results */
    int value;       /* bytes of a text or blob */
};

/* What the tracks of a session file may take together, and each rule for alerts. */
extern const struct sql_bounds sql_file_bounds;

/* What runs with the same bounds have taken of them so far. */
struct sql_spent {
    double seconds;
    uint64_t memory, rows;
};

/* Calls `run`, which runs SQL in the session, within bounds of time, memory and values; an error
 * says which was met. What it takes is added to `spent`, whose rows are for the caller. A thread
 * looks at time and memory ten times a second. */
struct status session_bound(struct sql_session *s, const char *source,
                            const struct sql_bounds *bounds, struct sql_spent *spent,
                            struct status (*run)(void *self), void *self);

#endif
