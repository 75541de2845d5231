/* What sets colours and attributes is most of a frame's bytes as curses writes it, and each colour
 * a sequence of its own. The same look of the same characters takes about half of them. */
#ifndef TPTUI_TUI_TERM_SGR_H
#define TPTUI_TUI_TERM_SGR_H

#include <stddef.h>

#include "base/str.h"

/* Writes the frame with shorter sequences to `out`, which has room for frame.n bytes. Returns how
 * many it wrote; 0 where they would not be fewer. Nothing is taken for granted of the terminal as
 * it was before the frame, and it is left as the frame leaves it. What is not understood stays as
 * it is. */
size_t sgr_shorten(struct str frame, char *out);

#endif
