/* Characters as JSON writes them between the quotes of a text where it does not take them as they
 * are. */
#ifndef TPTUI_BASE_JSON_ESCAPE_H
#define TPTUI_BASE_JSON_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <uchar.h>

#include "base/str.h"

enum { JSON_ESCAPE_MAX = 16 };

/* Writes the escape of `ch`, a character of Unicode, with a NUL: "\n" and the like where JSON has a
 * letter for it, else "\u" and four digits, twice for what lies above U+FFFF. Returns the number of
 * bytes without the NUL. */
size_t json_escape(char32_t ch, char out[JSON_ESCAPE_MAX]);

/* The next piece of a text as it stands between the quotes of JSON: bytes that need nothing done,
 * or one character's escape, in `buffer`; `s` (not empty) moves behind what it stands for. Bytes
 * that are not UTF-8 become U+FFFD. `terminal`: what a terminal must not be given is escaped too.
 */
struct str json_escape_next(struct str *s, bool terminal, char buffer[JSON_ESCAPE_MAX]);
/* Writes the text in quotes. */
void json_put_text(FILE *f, struct str s);

#endif
