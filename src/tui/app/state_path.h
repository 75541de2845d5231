/* Where files live that are kept between runs. */
#ifndef TPTUI_TUI_APP_STATE_PATH_H
#define TPTUI_TUI_APP_STATE_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* $XDG_STATE_HOME/tptui/NAME, ~/.local/state by default; false where neither is known. `make`: also
 * makes the folders. */
bool app_state_path(const char *name, char *out, size_t size, bool make);

#endif
