/* UTF-8 text from traces and terminals: bounded decoding, display width, and escaping, so that no
 * control character, direction override or broken byte of a trace ever reaches a terminal. */
#ifndef TPTUI_BASE_UTF8_H
#define TPTUI_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uchar.h>

#include "base/str.h"

/* One decoded character: how many bytes it took (at least 1), and whether they were well-formed.
 * Where they were not, `ch` is the first byte's value and `size` is 1. */
struct utf8_char {
    char32_t ch;
    uint8_t size;
    bool valid;
};

/* Decodes the first character of `s`, which must not be empty. Overlong forms, surrogates and
 * values above U+10FFFF are not valid. */
struct utf8_char utf8_decode(struct str s);

/* Writes `ch` as UTF-8 and returns the number of bytes, 1 to 4; what is no character (surrogates,
 * above U+10FFFF) becomes U+FFFD. No NUL is added. */
size_t utf8_encode(char32_t ch, char out[4]);

/* No surrogates, nothing above U+10FFFF, nothing longer than it need be. */
bool utf8_is_valid(struct str s);

/* Terminal cells that `ch` takes: 2 for East Asian wide and emoji, 0 for combining marks and other
 * invisible characters, else 1 (also for "ambiguous" ones). From a table pinned in this source,
 * not from libc, so that goldens and layout do not depend on the machine. */
int utf8_width(char32_t ch);

/* Whether `ch` is a mark that every terminal draws over or under the character before it. Not so
 * what joins characters or chooses how they look (U+200D, U+FE0F): terminals do not agree on how
 * wide the result is. */
bool utf8_is_mark(char32_t ch);

/* Whether a terminal may be given `ch` as it is: false for C0 and C1 controls, DEL, direction
 * overrides, line and paragraph separators, surrogates and noncharacters. */
bool utf8_is_printable(char32_t ch);

/* Room for the longest escape of one character, with its NUL ("\u{10ffff}"). */
enum { TEXT_ESCAPE_MAX = 12 };

/* How the first character of `s` (not empty) is shown: itself in UTF-8, "^[" for a control
 * character, "\xff" for a broken byte, "\u{202e}" for other unprintable ones. Writes it to `out`
 * with a NUL. `used` is the number of bytes of `s` it stands for, `size` the number of bytes
 * written, `width` its cells. */
struct text_glyph {
    size_t used, size;
    int width;
};
struct text_glyph text_escape_next(struct str s, char out[TEXT_ESCAPE_MAX]);

/* All of `s` as above; NUL-terminated, for free(). */
char *text_escape(struct str s);

/* Cells that `s` takes when shown escaped. */
int text_width(struct str s);

/* `s` escaped, written to `out` with a NUL; what is wider than `width` cells loses its middle, for
 * which a '~' stands: names that begin alike are told apart by their ends. */
void text_cut_middle(struct str s, int width, char *out, size_t size);

/* `s` escaped and cut to at most `width` cells; what was cut ends in '~'. NUL-terminated, for
 * free(). Nothing is left of it where `width` is not positive. */
char *text_fit(struct str s, int width);

#endif
