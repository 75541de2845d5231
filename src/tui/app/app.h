/* The timeline program: opens a trace in a terminal, or runs a script of keys without one. */
#ifndef TPTUI_TUI_APP_APP_H
#define TPTUI_TUI_APP_APP_H

#include "tui/context/options.h"

/* Exit statuses: 0 done, 1 a script's expectation failed, 2 usage, 3 the trace cannot be read or
 * there is no terminal. Messages go to stderr, after the terminal is restored. */
int tui_main(const struct tui_options *options);

/* The actions and their keys as text, for --help and the manual page:
 * "keys<TAB>name<TAB>help<TAB>group" lines. For free(). */
char *tui_list_actions(void);

#endif
