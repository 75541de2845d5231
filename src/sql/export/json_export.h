/* The trace as Chrome's JSON: slices, counters, flows, names of threads and processes. */
#ifndef TPTUI_SQL_EXPORT_JSON_EXPORT_H
#define TPTUI_SQL_EXPORT_JSON_EXPORT_H

#include "base/status.h"

struct sql_session;

/* Writes a file. An error or cancelling leaves it incomplete. */
struct status json_export(struct sql_session *s, const char *path);

#endif
