/* The other end of a unix server: a session that runs elsewhere. */
#ifndef TPTUI_RPC_REMOTE_H
#define TPTUI_RPC_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/str.h"

struct remote;
struct sql_sink;

/* `address` as socket_path has it. */
struct status remote_open(const char *address, struct remote **out);
void remote_close(struct remote *r);

/* Runs the statement at byte `*at` of a script there, which moves behind it; its rows go to the
 * sink.
 * `*found` is false where no statement was left. */
struct status remote_run_next(struct remote *r, struct str script, size_t *at,
                              const struct sql_sink *sink, bool *found);

/* Asks the server's process to end. */
struct status remote_kill(const char *address);

#endif
