/* SQL that nobody has typed, within bounds. */
#ifndef TPTUI_SQL_BOUNDED_RUN_H
#define TPTUI_SQL_BOUNDED_RUN_H

#include "base/status.h"
#include "base/str.h"
#include "sql/engine/bounds.h"
#include "sql/engine/sink.h"

struct sql_session;

/* sql_session_run; an error says which bound was met. What other runs have `spent` counts, and what
 * this one takes is added. */
struct status sql_session_run_bounded(struct sql_session *s, const char *source, struct str script,
                                      const struct sql_bounds *bounds, struct sql_spent *spent,
                                      const struct sql_sink *sink);

#endif
