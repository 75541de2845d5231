/* RPC over HTTP and websockets, on one port: what Perfetto's user interface and Python package talk
 * to. Only built with libwebsockets. */
#ifndef TPTUI_RPC_HTTP_SERVER_H
#define TPTUI_RPC_HTTP_SERVER_H

#include "base/status.h"

struct rpc_engine;

struct http_settings {
    const char *address; /* an IP address to listen at; NULL: 127.0.0.1 */
    int port;            /* 0: any that is free */
    /* Pages of these may use the server besides those that always may, with commas in between;
     * NULL: none. */
    const char *origins;
};

/* Serves until the process ends; returns where it cannot begin to. Nobody else may use the engine
 * meanwhile. Which port it listens at is said on stderr. */
struct status http_server_run(struct rpc_engine *e, const struct http_settings *settings);

#endif
