/* What a small query says. */
#ifndef TPTUI_SQL_ENGINE_QUERY_TEXT_H
#define TPTUI_SQL_ENGINE_QUERY_TEXT_H

#include <sqlite3.h>
#include <stdbool.h>

/* The first value of the first row as text, for sqlite3_free; NULL where it is NULL, where there is
 * no row, and where the query does not compile. It is written as sqlite3_mprintf has it. */
char *query_text(sqlite3 *db, const char *format, ...);
/* Whether that is a text. */
bool query_has_text(sqlite3 *db, const char *format, ...);

#endif
