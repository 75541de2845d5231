/* Who may use the HTTP server: a page that somebody has open in a browser must not, unless it is
 * one of those that are known, nor may it come in by a name that it has pointed at this machine. */
#ifndef TPTUI_RPC_HTTP_ACCESS_H
#define TPTUI_RPC_HTTP_ACCESS_H

#include <stdbool.h>

#include "base/str.h"

/* `origin` is what the browser says the page's is; `more` are further ones that may, with commas in
 * between, NULL for none. */
bool http_origin_allowed(struct str origin, const char *more);

/* `host` is the request's Host, with or without a port: this machine's own name for itself, or an
 * IP address, as no page can have pointed that elsewhere. */
bool http_host_allowed(struct str host);

#endif
