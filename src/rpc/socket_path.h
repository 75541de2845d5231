/* Where the sockets of warm sessions are: in a folder that nobody else can look into. */
#ifndef TPTUI_RPC_SOCKET_PATH_H
#define TPTUI_RPC_SOCKET_PATH_H

#include <stddef.h>

#include "base/status.h"

/* The socket of a session: `address` is its name (letters, digits, . _ -), or a path, which has a
 * slash. An error where it is neither, or the folder ($XDG_RUNTIME_DIR/tptui, or one below /tmp) is
 * not ours alone. */
struct status socket_path(const char *address, char *path, size_t size);

#endif
