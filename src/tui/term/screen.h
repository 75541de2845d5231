/* Cell buffers become the bytes that bring the terminal from the last frame to the next: curses
 * computes the difference, writing into a memory file. The only part that knows curses.
 *
 * Before that rows that go sideways are moved by the terminal (row_shift.h; windows go by whole
 * cells for it), behind it moves.h shortens moves and sgr.h what sets colours, by a quarter to two
 * fifths of the bytes. What curses sends at its start is dropped: our own string enters and
 * re-enters the screen (Ctrl-Z, an editor, SIGCONT after SIGSTOP). */
#ifndef TPTUI_TUI_TERM_SCREEN_H
#define TPTUI_TUI_TERM_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "tui/term/probe.h"
#include "tui/cells/cells.h"
#include "tui/cells/theme.h"

struct screen;

/* The theme is copied. An error where curses cannot use the terminal's description or
 * memory files cannot be made; `*out` is not set then. */
struct status screen_open(const struct probe *probe, const struct theme *theme, int width,
                          int height, struct screen **out);
void screen_close(struct screen *s);

enum colour_depth screen_depth(const struct screen *s);
void screen_set_theme(struct screen *s, const struct theme *theme);
void screen_resize(struct screen *s, int width, int height);
/* The terminal shows something else now: the next frame is whole. */
void screen_forget(struct screen *s);

/* The bytes of the next frame, good until the next call; none where nothing changed. */
struct str screen_render(struct screen *s, const struct cells *c, int cursor_x, int cursor_y);

/* What switches the terminal to our use, and what undoes all of it and the modes that term.c
 * switches on. All are constant while the screen is open. */
struct str screen_enter_bytes(const struct screen *s);
struct str screen_leave_bytes(const struct screen *s);
/* The same for a program that does not take the screen: what undoes the modes and removes what
 * stands from the cursor's line on. */
struct str screen_leave_lines_bytes(const struct screen *s);
/* Gives the screen back as it was before screen_enter_bytes, the modes stay. */
struct str screen_back_bytes(const struct screen *s);

#endif
