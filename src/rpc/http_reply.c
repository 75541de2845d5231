#include "rpc/http_reply.h"

#include <libwebsockets.h>
#include <stdio.h>
#include <string.h>

#include "rpc/http_access.h"

enum { TEXT_MAX = 512 };

/* Room for a head, with what libwebsockets wants in front of it. */
struct head {
    uint8_t bytes[LWS_PRE + 2048];
    uint8_t *p;
    bool overflowed;
};

static void add_header(struct lws *c, struct head *h, const char *name, const char *value)
{
    h->overflowed |=
        0 != lws_add_http_header_by_name(c, (const unsigned char *)name,
                                         (const unsigned char *)value, (int)strlen(value), &h->p,
                                         h->bytes + sizeof h->bytes);
}

static void begin_head(struct lws *c, struct head *h, unsigned status, const char *origin)
{
    h->p = h->bytes + LWS_PRE;
    h->overflowed = 0 != lws_add_http_header_status(c, status, &h->p, h->bytes + sizeof h->bytes);
    add_header(c, h, "Cache-Control:", "no-cache");
    add_header(c, h, "X-Content-Type-Options:", "nosniff");
    if (!*origin)
        return;
    add_header(c, h, "Access-Control-Allow-Origin:", origin);
    add_header(c, h, "Vary:", "Origin");
}

static bool send_head(struct lws *c, struct head *h, enum lws_write_protocol how)
{
    if (h->overflowed || lws_finalize_http_header(c, &h->p, h->bytes + sizeof h->bytes) != 0)
        return false;
    size_t n = (size_t)(h->p - h->bytes) - LWS_PRE;
    return lws_write(c, h->bytes + LWS_PRE, n, how) >= 0;
}

static int end_reply(struct lws *c, bool closes)
{
    return lws_http_transaction_completed(c) || closes ? -1 : 0;
}

/* Ends a head that has no body behind it. */
static int send_bare_head(struct lws *c, struct head *h, bool closes)
{
    if (!send_head(c, h, LWS_WRITE_HTTP_HEADERS | LWS_WRITE_H2_STREAM_END))
        return -1;
    return end_reply(c, closes);
}

/* Ends a head with a text behind it, of which HEAD only hears the length. */
static int send_text(struct lws *c, struct head *h, const char *text, bool only_head, bool closes)
{
    uint8_t body[LWS_PRE + TEXT_MAX];
    char length[16];
    size_t n = strnlen(text, TEXT_MAX);
    snprintf(length, sizeof length, "%zu", n);
    add_header(c, h, "Content-Type:", "text/plain; charset=utf-8");
    add_header(c, h, "Content-Length:", length);
    if (closes)
        add_header(c, h, "Connection:", "close");
    if (only_head)
        return send_bare_head(c, h, closes);
    memcpy(body + LWS_PRE, text, n);
    if (!send_head(c, h, LWS_WRITE_HTTP_HEADERS) ||
        lws_write(c, body + LWS_PRE, n, LWS_WRITE_HTTP_FINAL) < 0)
        return -1;
    return end_reply(c, closes);
}

bool http_reply_begin(struct lws *c, const char *origin, bool closes)
{
    struct head h;
    begin_head(c, &h, HTTP_STATUS_OK, origin);
    add_header(c, &h, "Content-Type:", "application/x-protobuf");
    add_header(c, &h, "Transfer-Encoding:", "chunked");
    if (closes)
        add_header(c, &h, "Connection:", "close");
    return send_head(c, &h, LWS_WRITE_HTTP_HEADERS);
}

int http_reply_only_head(struct lws *c, const char *origin, bool has_body)
{
    return http_reply_begin(c, origin, has_body) ? end_reply(c, has_body) : -1;
}

int http_reply_greeting(struct lws *c, const char *origin, bool only_head, bool has_body)
{
    struct head h;
    begin_head(c, &h, HTTP_STATUS_OK, origin);
    return send_text(c, &h,
                     "tptui answers requests for a trace here.\n\n"
                     "The Perfetto UI (https://ui.perfetto.dev) asks when it is opened or "
                     "loaded anew whether to use it.\n"
                     "The Python package perfetto: TraceProcessor(addr='HOST:PORT').\n",
                     only_head, has_body);
}

int http_reply_preflight(struct lws *c, const struct http_route *route, const char *origin)
{
    struct head h;
    char verbs[HTTP_VERBS_MAX];
    begin_head(c, &h, HTTP_STATUS_NO_CONTENT, origin);
    add_header(c, &h, "Access-Control-Allow-Methods:", http_route_verbs(route, verbs));
    add_header(c, &h, "Access-Control-Allow-Headers:", "*");
    add_header(c, &h, "Access-Control-Max-Age:", "86400");
    add_header(c, &h, "Access-Control-Allow-Private-Network:", "true");
    return send_bare_head(c, &h, false);
}

int http_refuse(struct lws *c, unsigned status, const char *reason, const struct http_route *route,
                const char *origin)
{
    struct head h;
    char verbs[HTTP_VERBS_MAX], text[TEXT_MAX];
    begin_head(c, &h, status, origin);
    if (status == HTTP_STATUS_METHOD_NOT_ALLOWED && route)
        add_header(c, &h, "Allow:", http_route_verbs(route, verbs));
    snprintf(text, sizeof text, "%s\n", reason);
    return send_text(c, &h, text, lws_hdr_total_length(c, WSI_TOKEN_HEAD_URI) > 0, true);
}
