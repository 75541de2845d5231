/* The terminal device: opened apart from stdin and stdout, non-blocking, in raw mode.
 *
 * A frame goes out in one write. A pseudo-terminal takes 12 to 15 KB from a non-blocking one
 * (Linux 6.18), a panned screen of 200x50 has more: a frame's first write goes through a second,
 * blocking descriptor and is ended by a timer after 20 ms; what is left goes out non-blocking, and
 * frames are skipped meanwhile. (A writing thread would do without the timer, but would have to be
 * stopped before the terminal can be restored.) */
#ifndef TPTUI_TUI_TERM_TTY_H
#define TPTUI_TUI_TERM_TTY_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>
#include <time.h>

#include "base/status.h"
#include "tui/term/term.h"

/* Opens /dev/tty, or the terminal that stdin, stdout or stderr is where there is no controlling
 * one. The caller closes `*fd`. Its settings go to `saved`. An error where there is no terminal;
 * `*fd` is -1 then. */
struct status tty_open(int *fd, struct termios *saved);

/* Bytes as they come: no echo, no lines, no signal keys, no flow control, no output processing. */
void tty_make_raw(int fd, const struct termios *saved);

/* 80x24 where the terminal does not say; within CELLS_MAX_WIDTH x CELLS_MAX_HEIGHT. */
struct term_size tty_size(int fd);

/* Writes to the same terminal that may wait, but not for long. A pseudo-terminal of Linux takes 12
 * to 15 KB from a non-blocking write, and a frame can be longer: this way it still is one write. */
struct tty_writer {
    int fd; /* -1: there is none */
    timer_t timer;
    struct sigaction former;
};
void tty_writer_open(struct tty_writer *w, int tty);
void tty_writer_close(struct tty_writer *w);
/* As write(2), but what is not taken within TTY_PATIENCE_MS is left over. */
enum { TTY_PATIENCE_MS = 20 };
ssize_t tty_writer_write(struct tty_writer *w, const void *bytes, size_t n);

#endif
