/* How the sequences that a frame consists of are told apart. */
#ifndef TPTUI_TUI_TERM_ESCAPE_H
#define TPTUI_TUI_TERM_ESCAPE_H

#include <stddef.h>

#include "base/str.h"

/* Choose characters, as ESC ( does, and fill no cell. */
enum { SHIFT_OUT = 0x0E, SHIFT_IN = 0x0F };

/* The length of the escape sequence that `s` begins with. */
static inline size_t escape_length(struct str s)
{
    size_t n = 2;
    if (s.n < 3 || s.p[1] != '[')
        return s.n >= 3 && s.p[1] == '(' ? 3 : s.n < 2 ? s.n : 2;
    while (n < s.n && (unsigned char)s.p[n] < 0x40)
        n++;
    return n < s.n ? n + 1 : n;
}

#endif
