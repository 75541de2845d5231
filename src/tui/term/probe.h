/* What the environment says about the terminal: character set, description, abilities. Nothing is
 * ever asked of the terminal itself. */
#ifndef TPTUI_TUI_TERM_PROBE_H
#define TPTUI_TUI_TERM_PROBE_H

#include <stdbool.h>

#include "base/status.h"
#include "tui/term/term.h"

enum { TERM_NAME_MAX = 64, NOTICE_MAX = 256 };

struct probe {
    char name[TERM_NAME_MAX]; /* of the terminal description to use */
    bool utf8;
    bool no_colour;
    bool rgb;          /* takes colours of 24 bits, where it has 256 */
    bool synchronised; /* takes ESC[?2026h and l */
    bool in_tmux;
    char notice[NOTICE_MAX]; /* what the user should know, or "" */
};

/* Sets the locale's LC_CTYPE and finds a description that can place the cursor: $TERM's, then
 * xterm-256color, then ansi; each from the installed database or else from those the binary
 * carries. Descriptions of the kind xterm-direct, whose colour numbers are colours themselves,
 * count as xterm-256color that takes 24 bits. In the latter case TERMINFO points to a private
 * folder until probe_finish, which must be called after the last use of terminfo's files. An error
 * where none of the three is there. */
struct status probe_terminal(const struct term_options *options, struct probe *out);
void probe_finish(void);

#endif
