/* All tables and views of a session as an SQLite database. */
#ifndef TPTUI_SQL_EXPORT_DATABASE_EXPORT_H
#define TPTUI_SQL_EXPORT_DATABASE_EXPORT_H

#include "base/status.h"

struct sql_session;

/* Writes the database to a file, which replaces what is there once it is complete. Tables keep
 * their rows; a view is one there, too, and works as far as it calls no function that only the
 * session has. */
struct status database_export(struct sql_session *s, const char *path);

#endif
