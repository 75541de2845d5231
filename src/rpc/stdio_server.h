/* RPC over a pair of files: a program that starts us as its child. */
#ifndef TPTUI_RPC_STDIO_SERVER_H
#define TPTUI_RPC_STDIO_SERVER_H

#include "base/status.h"

struct rpc_engine;

/* Answers what comes from `in` on `out` until `in` ends, `out` takes no more, or the client breaks
 * the protocol (an error). */
struct status stdio_server_run(struct rpc_engine *e, int in, int out);

#endif
