/* Heads of answers over HTTP, and answers that are little more. `origin` is that of an allowed
 * page,
 * "" where no page asks. Functions that return an int return what libwebsockets' callback is to
 * return. Only built with libwebsockets. */
#ifndef TPTUI_RPC_HTTP_REPLY_H
#define TPTUI_RPC_HTTP_REPLY_H

#include <stdbool.h>

struct http_route;
struct lws;

/* Sends the head of the answer of a method, whose bytes follow in chunks. False where the
 * connection takes nothing. */
bool http_reply_begin(struct lws *c, const char *origin, bool closes);

/* HEAD of a method, which is not run. What comes with the request is not read. */
int http_reply_only_head(struct lws *c, const char *origin, bool has_body);

/* For who opens the server's address in a browser. */
int http_reply_greeting(struct lws *c, const char *origin, bool only_head, bool has_body);

/* What a browser asks before it lets a page send: the methods of `route`. */
int http_reply_preflight(struct lws *c, const struct http_route *route, const char *origin);

/* An answer that says why there is none, and the end of the connection. `route` may be NULL; the
 * methods it has are told where the request's was another. */
int http_refuse(struct lws *c, unsigned status, const char *reason, const struct http_route *route,
                const char *origin);

#endif
