/* Values as JSON. */
#ifndef TPTUI_SQL_EXPORT_JSON_TEXT_H
#define TPTUI_SQL_EXPORT_JSON_TEXT_H

#include <sqlite3.h>

#include "sql/engine/session.h"

/* Appends the text in quotes; bytes that are not UTF-8 become U+FFFD. */
void json_append_text(sqlite3_str *out, struct str s);
/* A real with all of its digits; null where JSON has no such number. */
void json_append_real(sqlite3_str *out, double v);
/* Appends an arg set as an object, nested as its keys are; false and nothing where it has no args.
 * Without `origins`, "debug." and "args." in front of keys are left out. */
bool json_append_args(sqlite3_str *out, struct sql_session *s, uint32_t set, bool origins);

#endif
