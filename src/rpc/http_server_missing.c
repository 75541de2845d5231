/* In place of http_server.c where libwebsockets was not there at build time. */
#include "rpc/http_server.h"

struct status http_server_run(struct rpc_engine *e, const struct http_settings *settings)
{
    (void)e, (void)settings;
    return status_error(STATUS_USAGE, "this program was built without libwebsockets: it has no "
                                      "HTTP server");
}
