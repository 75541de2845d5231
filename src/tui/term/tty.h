/* The terminal device: opened apart from stdin and stdout, non-blocking, in raw mode. */
#ifndef TPTUI_TUI_TERM_TTY_H
#define TPTUI_TUI_TERM_TTY_H

#include <stdbool.h>
#include <termios.h>

#include "base/status.h"
#include "tui/term/term.h"

/* Opens /dev/tty, or the terminal that stdin, stdout or stderr is where there is no controlling
 * one. Its settings go to `saved`. */
struct status tty_open(int *fd, struct termios *saved);

/* Bytes as they come: no echo, no lines, no signal keys, no flow control, no output processing. */
void tty_make_raw(int fd, const struct termios *saved);

/* 80x24 where the terminal does not say; within CELLS_MAX_WIDTH x CELLS_MAX_HEIGHT. */
struct term_size tty_size(int fd);

#endif
