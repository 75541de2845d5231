/* Servers of the RPC protocol, for `tptui serve` and the shell's `server`. */
#ifndef TPTUI_CLI_SERVE_H
#define TPTUI_CLI_SERVE_H

#include <stdbool.h>

#include "cli/workspace.h"

/* Texts belong to argv; NULL: not given. */
struct serve_settings {
    const char *kind; /* http, stdio, unix */
    const char *port, *ip_address, *origins;
    const char *name, *path, *idle_timeout;
    bool daemonize;
};

/* Whether there is such a kind of server; NULL is none. */
bool serve_has_kind(const char *kind);

/* Loads the trace, if there is one, and serves until the end. Returns an exit status; what failed
 * has been said on stderr. */
int serve(const struct serve_settings *settings, const struct workspace_settings *workspace);

#endif
