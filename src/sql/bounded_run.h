/* SQL that nobody has typed: it came with a file that was opened, so it must not take the machine.
 */
#ifndef TPTUI_SQL_BOUNDED_RUN_H
#define TPTUI_SQL_BOUNDED_RUN_H

#include "base/status.h"
#include "base/str.h"
#include "sql/engine/sink.h"

struct sql_session;

struct sql_bounds {
    double seconds;
    uint64_t memory; /* by which the process may grow, files it reads aside, in bytes */
    uint64_t rows;   /* of all results */
    int value;       /* bytes of a text or blob */
};

/* What a track of a session file may take. */
extern const struct sql_bounds sql_file_bounds;

/* sql_session_run; an error says which bound was met. A thread looks at time and memory ten times a
 * second. */
struct status sql_session_run_bounded(struct sql_session *s, const char *source, struct str script,
                                      const struct sql_bounds *bounds, const struct sql_sink *sink);

#endif
