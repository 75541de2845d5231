/* Where the program keeps what is the user's, as the XDG base directories say. */
#ifndef TPTUI_BASE_USER_PATH_H
#define TPTUI_BASE_USER_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum user_folder {
    USER_CACHE,  /* $XDG_CACHE_HOME or ~/.cache */
    USER_CONFIG, /* $XDG_CONFIG_HOME or ~/.config */
    USER_STATE   /* $XDG_STATE_HOME or ~/.local/state */
};

/* The path of `name` in the program's folder there: ~/.config/tptui/NAME. The folders above it are
 * made, for the user alone, where `make`, as for who writes it. False where no folder is known
 * (relative ones do not count), the path does not fit into `out`, or, where `make`, the folder is
 * not the user's own: others could have put links there. */
bool user_path(enum user_folder folder, const char *name, char *out, size_t size, bool make);

#endif
