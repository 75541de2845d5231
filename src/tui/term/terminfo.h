/* Terminal descriptions: the installed database, and a few that the binary carries for machines
 * that have none. */
#ifndef TPTUI_TUI_TERM_TERMINFO_H
#define TPTUI_TUI_TERM_TERMINFO_H

#include <stdbool.h>

/* Whether curses will find a description of that name that can place the cursor. Where only the
 * binary has it, TERMINFO is set to its bytes. */
bool terminfo_find(const char *name);

/* Sets TERMINFO back. */
void terminfo_finish(void);

#endif
