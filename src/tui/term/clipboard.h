/* The clipboard: what copies a text, without asking the terminal anything. */
#ifndef TPTUI_TUI_TERM_CLIPBOARD_H
#define TPTUI_TUI_TERM_CLIPBOARD_H

#include <stdbool.h>

#include "base/str.h"

/* The OSC 52 sequence that copies `text`; NUL-terminated, for free(). */
char *clipboard_osc52(struct str text);

/* Runs `tmux load-buffer -w -` with the text; true where tmux took it. Waits half a second at most
 * (tmux is local). */
bool clipboard_tmux(struct str text);

#endif
