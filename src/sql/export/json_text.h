/* Values as JSON. */
#ifndef TPTUI_SQL_EXPORT_JSON_TEXT_H
#define TPTUI_SQL_EXPORT_JSON_TEXT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/json_escape.h"
#include "base/str.h"

/* The next piece of a text as it stands between the quotes of JSON: bytes that need nothing done,
 * or one character's escape, in `buffer`; `s` (not empty) moves behind what it stands for. Bytes
 * that are not UTF-8 become U+FFFD. `terminal`: what a terminal must not be given is escaped too.
 */
struct str json_escape_next(struct str *s, bool terminal, char buffer[JSON_ESCAPE_MAX]);

/* Appends the text in quotes, as above. */
void json_append_text(sqlite3_str *out, struct str s);
void json_put_text(FILE *f, struct str s);
/* A real with all of its digits; null where JSON has no such number. */
void json_append_real(sqlite3_str *out, double v);

#endif
