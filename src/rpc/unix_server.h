/* RPC over a socket in the file system: a trace stays loaded while programs come and go. */
#ifndef TPTUI_RPC_UNIX_SERVER_H
#define TPTUI_RPC_UNIX_SERVER_H

#include "base/status.h"

struct rpc_engine;

/* Begins to listen at `path`, in place of a socket that nobody listens at any more. */
struct status unix_server_listen(const char *path, int *fd);
/* Serves until a signal ends the process (server_end.h), or there was no client for `idle_seconds`
 * (0: whatever passes). Nobody else may use the engine meanwhile; the socket is closed and removed
 * at the end.
 */
struct status unix_server_run(struct rpc_engine *e, int fd, const char *path, long idle_seconds);

#endif
