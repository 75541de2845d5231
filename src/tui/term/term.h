/* The terminal: one screen that shows cell buffers and yields keys, restored on every way out.
 * The caller owns the loop:
 *
 *     poll {term_input_fd: POLLIN, and POLLOUT while term_unsent} and {term_signal_fd: POLLIN},
 *          for at most term_timeout milliseconds; it may end with EINTR
 *     POLLOUT:        term_flush
 *     term_signal_fd: term_read_signals, act on them
 *     always:         term_read_keys until it yields nothing, then draw once: term_draw
 *
 * Nothing here waits for the terminal: 20 ms at most for it to take a whole frame at once, and a
 * second to restore it. */
#ifndef TPTUI_TUI_TERM_TERM_H
#define TPTUI_TUI_TERM_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "tui/term/keys.h"
#include "tui/cells/cells.h"
#include "tui/cells/theme.h"

struct term;

enum term_charset { CHARSET_AUTO, CHARSET_ASCII, CHARSET_UTF8 };

struct term_options {
    enum term_charset charset; /* --ascii, --utf8 */
    bool no_colour;            /* as NO_COLOR in the environment */
    bool mouse;                /* on from the start */
    int escape_delay_ms;       /* how long a lone ESC waits; 0: the default of 25 */
    bool below_prompt;         /* begins with a few lines there, see term_take_screen */
    const struct theme *theme; /* copied */
};

/* Views are never asked to draw less; a smaller terminal shows a line saying so. */
enum { TERM_MIN_WIDTH = 40, TERM_MIN_HEIGHT = 12 };

/* Opens the controlling terminal (/dev/tty, apart from stdin and stdout) and takes it over. One at
 * a time in a process. Errors: no terminal, or none of the terminal descriptions can be used. */
struct status term_open(const struct term_options *options, struct term **out);

/* The same interface with no terminal: shows nothing, remembers the last frame, yields the keys
 * pushed to it. For scripts and tests. */
struct term *term_open_headless(int width, int height, struct look look);

/* Restores the terminal and frees. */
void term_close(struct term *t);

/* What was decided at the start that the user should know ("TERM=xterm-kitty is not known here,
 * using xterm-256color"), one line, or NULL. Owned by the term. */
const char *term_notice(const struct term *t);

/* What it can show. */
struct look term_look(const struct term *t);
void term_set_theme(struct term *t, const struct theme *theme);

/* Columns and rows to draw; at least TERM_MIN_WIDTH x TERM_MIN_HEIGHT, whatever the terminal has.
 */
struct term_size {
    int width, height;
};
struct term_size term_size(const struct term *t);

/* -1 for a headless one. */
int term_input_fd(const struct term *t);
int term_signal_fd(const struct term *t);
/* Milliseconds after which term_read_keys should be called though nothing arrived (a lone ESC
 * waits to become Esc); -1 for no limit. */
int term_timeout(const struct term *t);

/* Signals since the last call, a set of these. */
enum term_signal {
    TERM_QUIT = 1,      /* SIGTERM, SIGHUP, SIGINT, or the terminal is gone: close and exit */
    TERM_RESIZED = 2,   /* term_size has changed */
    TERM_STOP = 4,      /* SIGTSTP: call term_stop */
    TERM_CONTINUED = 8, /* after a stop: the screen was taken over again, draw it */
};
unsigned term_read_signals(struct term *t);

/* Reads what has arrived and yields up to `max` events; call until it returns 0. Ctrl-C and Ctrl-Z
 * come as keys (TK_CTRL | 'c'). The text of a paste is good until the next call. */
size_t term_read_keys(struct term *t, struct key_event *out, size_t max);

/* Shows the buffer with the hardware cursor at x, y (hidden where x < 0): sends only what differs
 * from the last frame, in one write. False where an earlier frame has not gone out yet: this one is
 * skipped, draw again after term_flush said that it has. */
bool term_draw(struct term *t, const struct cells *c, int cursor_x, int cursor_y);

/* Whether bytes wait for the terminal to take them. */
bool term_unsent(const struct term *t);
/* Sends more of them; true when none is left. */
bool term_flush(struct term *t);

/* Of a terminal opened below the prompt: takes the whole screen, or gives it back as it was and
 * draws a few lines below the prompt again. There term_draw shows buffers of any height, and the
 * mouse is the terminal's own. Others always have the screen. */
void term_take_screen(struct term *t, bool take);
/* Leaves lines where the frame stood, as a program's output; the next frame comes below them. Only
 * while the screen is not taken. */
void term_print(struct term *t, const struct cells *c);

/* Forgets what the screen shows: the next frame is sent whole (Ctrl-L). */
void term_redraw(struct term *t);

/* Whether clicks and the wheel come as keys; then the terminal no longer selects text by itself. */
void term_set_mouse(struct term *t, bool on);
bool term_mouse(const struct term *t);

/* Copies to the clipboard: `tmux load-buffer -w -` inside tmux, else OSC 52. Says what it did. */
enum term_copied {
    COPIED_OSC52, /* sent; whether the terminal took it cannot be known */
    COPIED_TMUX,  /* tmux has it, and passes it on where set-clipboard allows */
    COPIED_NOT,   /* too long (over TERM_COPY_MAX bytes), or no way to do it */
};
enum { TERM_COPY_MAX = 100000 };
enum term_copied term_copy(struct term *t, struct str text);

/* Hands the terminal back (an editor runs, the process stops) and takes it over again. */
void term_leave(struct term *t);
void term_enter(struct term *t);
/* Stops the process as Ctrl-Z does, the terminal restored; returns when it was continued. */
void term_stop(struct term *t);

/* What was sent so far. */
struct term_stats {
    uint64_t frames, skipped, bytes, writes;
};
struct term_stats term_stats(const struct term *t);

/* Headless only: the frame shown last, what term_print left so far, and a key as if typed (text for
 * TK_PASTE is copied). */
const struct cells *term_shown(const struct term *t);
const char *term_printed(const struct term *t);
void term_push_key(struct term *t, struct key_event key);

/* For threads other than the one that runs the loop: they take none of the terminal's signals. */
void term_block_signals(void);

#endif
