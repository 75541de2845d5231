/* Values as JSON. */
#ifndef TPTUI_SQL_EXPORT_JSON_TEXT_H
#define TPTUI_SQL_EXPORT_JSON_TEXT_H

#include <sqlite3.h>

#include "base/str.h"

/* Appends the text in quotes. */
void json_append_text(sqlite3_str *out, struct str s);
/* A real with all of its digits; null where JSON has no such number. */
void json_append_real(sqlite3_str *out, double v);

#endif
