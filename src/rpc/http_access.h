/* What the HTTP server offers, and to whom. Any page that is open in a browser can send requests to
 * this machine: only those of known origins are answered, and only where they name this machine
 * itself, as the owner of a page can make the page's own host name lead here (DNS rebinding).
 * Requests that are no page's (the Python package's) say nothing of an origin; what browsers send
 * without one, images and forms, is told by what else they say. */
#ifndef TPTUI_RPC_HTTP_ACCESS_H
#define TPTUI_RPC_HTTP_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum http_verb {
    HTTP_VERB_GET = 1,
    HTTP_VERB_POST = 2,
    HTTP_VERB_HEAD = 4,
    HTTP_VERB_OPTIONS = 8,
    HTTP_VERB_OTHER = 16,
};

enum http_target { HTTP_TO_GREETING, HTTP_TO_METHOD, HTTP_TO_STREAM, HTTP_TO_WEBSOCKET };

struct http_route {
    const char *path;
    /* HTTP_VERB_GET only where clients use it: it is what pages send without being asked. HEAD and
     * OPTIONS go without saying, they do nothing. */
    unsigned verbs;
    enum http_target target;
    uint32_t method;  /* of HTTP_TO_METHOD: its number in rpc_methods */
    bool is_harmless; /* anybody may: nothing is changed, and little is told */
};

/* Ended by one without a path. */
extern const struct http_route http_routes[];

/* What a request says. A text whose `p` is NULL is not said. */
struct http_request {
    enum http_verb verb;
    bool wants_websocket;
    struct str path, host, origin;
    struct str site; /* Sec-Fetch-Site */
    struct str content_type, user_agent;
};

struct http_decision {
    unsigned status;                /* 0: to be answered; else the status that refuses it */
    const char *reason;             /* for who reads the refusal; NULL where there is none */
    const struct http_route *route; /* NULL where it is not known, or not to be told */
};

/* `more` are further origins whose pages may, with commas in between; NULL for none. */
struct http_decision http_decide(const struct http_request *r, const char *more);

/* The room for http_route_verbs. */
enum { HTTP_VERBS_MAX = 32 };
/* "GET, HEAD, OPTIONS", as Allow and Access-Control-Allow-Methods have it. */
const char *http_route_verbs(const struct http_route *route, char out[HTTP_VERBS_MAX]);

#endif
