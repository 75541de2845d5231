/* Characters as JSON writes them between the quotes of a text where it does not take them as they
 * are. */
#ifndef TPTUI_BASE_JSON_ESCAPE_H
#define TPTUI_BASE_JSON_ESCAPE_H

#include <stddef.h>
#include <uchar.h>

enum { JSON_ESCAPE_MAX = 16 };

/* Writes the escape of `ch`, a character of Unicode, with a NUL: "\n" and the like where JSON has a
 * letter for it, else "\u" and four digits, twice for what lies above U+FFFF. Returns the number of
 * bytes without the NUL. */
size_t json_escape(char32_t ch, char out[JSON_ESCAPE_MAX]);

#endif
