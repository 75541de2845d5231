/* The trace as Chrome's JSON: slices, counters, flows, names of threads and processes. */
#ifndef TPTUI_SQL_EXPORT_JSON_EXPORT_H
#define TPTUI_SQL_EXPORT_JSON_EXPORT_H

#include <stdio.h>

#include "base/status.h"

struct sql_session;

/* Writes it to a file; who closes that looks whether all of it was written. */
struct status json_export(struct sql_session *s, FILE *file);

#endif
