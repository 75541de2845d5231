/* Who may use the HTTP server. Any page that is open in a browser can send requests to this
 * machine: only those of known origins are answered, and only where they name this machine itself,
 * as the owner of a page can make the page's own host name lead here (DNS rebinding). */
#ifndef TPTUI_RPC_HTTP_ACCESS_H
#define TPTUI_RPC_HTTP_ACCESS_H

#include <stdbool.h>

#include "base/str.h"

/* `origin` is what the browser says the page's is; `more` are further ones that may, with commas in
 * between, NULL for none. */
bool http_origin_allowed(struct str origin, const char *more);

/* `host` is the request's Host, with or without a port. True for localhost, and for IP addresses,
 * which unlike names cannot be made to lead here. */
bool http_host_allowed(struct str host);

#endif
