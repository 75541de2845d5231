/* Curses names row and column for every move over more than a few cells; on the row that the cursor
 * is on the column is enough. */
#ifndef TPTUI_TUI_TERM_MOVES_H
#define TPTUI_TUI_TERM_MOVES_H

#include <stddef.h>

/* Shortens the frame in place, for a terminal of `width` columns that takes ESC [ column G. Returns
 * its new length. Behind text that may have filled the row the whole position stays, since
 * terminals do not agree on where the cursor is then; and so it does behind what is not known. */
size_t moves_shorten(char *frame, size_t n, int width);

#endif
