/* Where the sockets of warm sessions are: in a folder that nobody else can look into, which clients
 * of Perfetto's shell look into, too. */
#ifndef TPTUI_RPC_SOCKET_PATH_H
#define TPTUI_RPC_SOCKET_PATH_H

#include <stddef.h>

#include "base/status.h"

/* The socket of a session: `address` is its name (letters, digits, and behind the first also _ and
 * -), or a path, which has a slash or ends in .sock. An error where it is neither, or the folder is
 * not ours alone: $XDG_RUNTIME_DIR/perfetto, or $TMPDIR/perfetto, or one below /tmp where that is
 * another user's.
 */
struct status socket_path(const char *address, char *path, size_t size);

#endif
