/* What sets colours and attributes is most of a frame's bytes as curses writes it, and each colour
 * a sequence of its own. The same look of the same characters takes about half of them. */
#ifndef TPTUI_TUI_TERM_SGR_H
#define TPTUI_TUI_TERM_SGR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* What the terminal's 256 colours are to be written as: 0xRRGGBB, or SGR_INDEX for the number
 * itself. */
enum { SGR_INDEX = 1 << 24 };
typedef uint32_t sgr_palette[256];

/* With a palette a frame may grow, by not more than this. */
enum { SGR_GROWTH = 16 };

/* Writes the frame with shorter sequences to `out`, which has room for frame.n bytes, SGR_GROWTH
 * times as many with a palette (which may be NULL). Returns how many it wrote; 0 where they would
 * not be fewer and there is no palette. Only where `*plain` says that the frame before left the
 * terminal without colours and attributes, in the usual character set, is that taken for granted;
 * it then says the same of this frame, which leaves the terminal as it did before. What is not
 * understood stays as it is. */
size_t sgr_shorten(struct str frame, const uint32_t *palette, bool *plain, char *out);

#endif
