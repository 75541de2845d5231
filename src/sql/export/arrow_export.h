/* All tables that import fills as a tar of files of Apache Arrow, TABLE.arrow each. */
#ifndef TPTUI_SQL_EXPORT_ARROW_EXPORT_H
#define TPTUI_SQL_EXPORT_ARROW_EXPORT_H

#include "base/status.h"

struct sql_session;

/* Writes the tar to a file, which replaces what is there once it is complete. Columns have the
 * types that they are stored with, texts are dictionary-encoded; what is no UTF-8 becomes U+FFFD.
 * Hidden columns are left out. */
struct status arrow_export(struct sql_session *s, const char *path);

/* The same as Trace Processor's own export: in front of the tables a perfetto_manifest.json that
 * has their schemas, of which it checks each before it opens the file; tables without rows and
 * those about the reading are left out, and so is `id`, the row's number. */
struct status perfetto_export(struct sql_session *s, const char *path);

#endif
