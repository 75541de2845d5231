/* The few lines below the shell's prompt that a program may draw into without taking the screen.
 * What is printed moves up with the text and stays, as any program's output does; what is drawn is
 * replaced by the next frame. Bytes only, no device, and nothing is asked of the terminal: the
 * cursor's place is known from what was sent since the first line was begun. */
#ifndef TPTUI_TUI_TERM_LINES_H
#define TPTUI_TUI_TERM_LINES_H

#include "base/str.h"
#include "tui/cells/cells.h"
#include "tui/cells/theme.h"

struct term_lines;

/* `theme` is copied. The terminal's cursor must stand at the begin of an empty line. */
struct term_lines *term_lines_new(const struct theme *theme, enum colour_depth depth);
/* NULL is allowed. */
void term_lines_free(struct term_lines *l);
void term_lines_set_theme(struct term_lines *l, const struct theme *theme);

/* The size of the terminal, at which lines are cut. Where the width is another one than before, the
 * terminal has wrapped the lines that are there anew. */
void term_lines_resize(struct term_lines *l, int width, int height);

/* Each gives bytes that are good until the next call. */

/* What the frame needs to take the place of the one before; nothing where it is the same. The
 * hardware cursor goes to x, y and is hidden where x < 0. */
struct str term_lines_draw(struct term_lines *l, const struct cells *c, int cursor_x, int cursor_y);
/* Lines that stay, where the frame stood; the frame is gone, the next one comes below them. What is
 * wider than the terminal goes on in its next line. */
struct str term_lines_print(struct term_lines *l, const struct cells *c);
/* Removes the frame; the cursor stands where its first line began. */
struct str term_lines_erase(struct term_lines *l);

/* Somebody else has written to the terminal: the next frame begins at the cursor. */
void term_lines_forget(struct term_lines *l);

#endif
