/* A result set as a table of a SQLite database. */
#ifndef TPTUI_SQL_EXPORT_SQLITE_EXPORT_H
#define TPTUI_SQL_EXPORT_SQLITE_EXPORT_H

#include "base/status.h"
#include "sql/engine/sink.h"

struct sqlite_export;

/* Makes the file, in place of one that is there; the rows become its table `table`. */
struct status sqlite_export_new(const char *path, const char *table, struct sqlite_export **out);
struct sql_sink sqlite_export_sink(struct sqlite_export *e);
/* Completes the file and frees; the error, which names no file, is of this or of any row before. */
struct status sqlite_export_end(struct sqlite_export *e);

#endif
