#include "rpc/http_server.h"

#include <errno.h>
#include <libwebsockets.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "rpc/engine.h"
#include "rpc/http_access.h"
#include "rpc/worker.h"

enum {
    BODY_MAX = 128 << 20,  /* clients send a trace in pieces of 32 MB */
    PIECE = 64 << 10,      /* written at once */
    READ_PIECE = 64 << 10, /* read at once */
    HEADER_MAX = 512,
    PENDING_MAX = 1 << 20,     /* what a websocket may send ahead; then it is not read */
    HANG_UP_CHECK_US = 200000, /* how often it is looked whether who waits is still there */
};

/* A connection with a request, or a websocket. */
struct http_client {
    struct http_client *next;
    struct lws *connection;
    struct rpc_channel *channel; /* of a websocket, or of the request /rpc */
    struct rpc_job *job;         /* being answered; NULL: none */
    struct pb_bytes body;        /* received */
    struct pb_bytes answer;      /* not yet written, from `written` on */
    size_t written;
    const char *path; /* of the method; NULL: a stream of messages */
    char origin[HEADER_MAX];
    bool is_websocket, head_sent;
    enum rpc_job_state state; /* of the job, as it was when last looked at */
};

struct http_server {
    struct rpc_engine *engine;
    struct rpc_worker *worker;
    const struct http_settings *settings;
    struct lws_context *context;
    struct http_client *clients;
};

static struct str header(struct lws *c, enum lws_token_indexes token, char out[HEADER_MAX])
{
    int n = lws_hdr_copy(c, out, HEADER_MAX, token);
    return (struct str){out, n > 0 ? (size_t)n : 0};
}

static struct http_client *add_client(struct http_server *s, struct lws *connection)
{
    struct http_client *c = alloc_array(1, sizeof *c);
    c->connection = connection;
    c->next = s->clients;
    s->clients = c;
    lws_set_opaque_user_data(connection, c);
    return c;
}

static void remove_client(struct http_server *s, struct http_client *c)
{
    struct http_client **at = &s->clients;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    lws_set_opaque_user_data(c->connection, NULL);
    if (c->job)
        rpc_job_leave(c->job, c->channel);
    else if (c->channel)
        rpc_channel_free(c->channel);
    pb_bytes_release(&c->body);
    pb_bytes_release(&c->answer);
    free(c);
}

static bool is_allowed(struct http_server *s, struct lws *connection)
{
    char host[HEADER_MAX], origin[HEADER_MAX];
    bool has_origin = lws_hdr_total_length(connection, WSI_TOKEN_ORIGIN) > 0;
    return http_host_allowed(header(connection, WSI_TOKEN_HOST, host)) &&
           (!has_origin || http_origin_allowed(header(connection, WSI_TOKEN_ORIGIN, origin),
                                               s->settings->origins));
}

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

static void begin_head(struct lws *c, struct head *h, unsigned code, const char *origin)
{
    h->p = h->bytes + LWS_PRE;
    h->overflowed = 0 != lws_add_http_header_status(c, code, &h->p, h->bytes + sizeof h->bytes);
    add_header(c, h, "Cache-Control:", "no-cache");
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

/* A whole answer without a body. Returns what the callback is to return. */
static int answer_empty(struct lws *c, unsigned code, const char *origin, bool is_preflight)
{
    struct head h;
    begin_head(c, &h, code, origin);
    if (is_preflight) {
        add_header(c, &h, "Access-Control-Allow-Methods:", "POST, GET, OPTIONS");
        add_header(c, &h, "Access-Control-Allow-Headers:", "*");
        add_header(c, &h, "Access-Control-Max-Age:", "86400");
        add_header(c, &h, "Access-Control-Allow-Private-Network:", "true");
    }
    bool refused = code >= HTTP_STATUS_BAD_REQUEST;
    if (code != HTTP_STATUS_NO_CONTENT)
        add_header(c, &h, "Content-Length:", "0");
    if (refused)
        add_header(c, &h, "Connection:", "close");
    if (!send_head(c, &h, LWS_WRITE_HTTP_HEADERS | LWS_WRITE_H2_STREAM_END))
        return -1;
    return lws_http_transaction_completed(c) || refused ? -1 : 0;
}

/* The head of the answer of a method. */
static bool send_chunked_head(struct lws *c, const char *origin, bool closes)
{
    struct head h;
    begin_head(c, &h, HTTP_STATUS_OK, origin);
    add_header(c, &h, "Content-Type:", "application/x-protobuf");
    add_header(c, &h, "Transfer-Encoding:", "chunked");
    if (closes)
        add_header(c, &h, "Connection:", "close");
    return send_head(c, &h, LWS_WRITE_HTTP_HEADERS);
}

static bool asks_for_head(struct lws *c)
{
    return lws_hdr_total_length(c, WSI_TOKEN_HEAD_URI) > 0;
}

/* HEAD of a method, which is not run: what it would answer begins like this. What comes with the
 * request is not read. Returns what the callback is to return. */
static int answer_only_head(struct lws *c, const char *origin, bool has_body)
{
    if (!send_chunked_head(c, origin, has_body))
        return -1;
    return lws_http_transaction_completed(c) || has_body ? -1 : 0;
}

/* For who opens the server's address in a browser. Returns what the callback is to return. */
static int answer_greeting(struct lws *c, const char *origin)
{
    static const char text[] =
        "tptui answers requests for a trace here.\n\n"
        "The Perfetto UI (https://ui.perfetto.dev) asks when it is opened or "
        "loaded anew whether to use it.\n"
        "The Python package perfetto: TraceProcessor(addr='HOST:PORT').\n";
    uint8_t body[LWS_PRE + sizeof text];
    struct head h;
    char length[16];
    snprintf(length, sizeof length, "%zu", sizeof text - 1);
    begin_head(c, &h, HTTP_STATUS_OK, origin);
    add_header(c, &h, "Content-Type:", "text/plain; charset=utf-8");
    add_header(c, &h, "Content-Length:", length);
    memcpy(body + LWS_PRE, text, sizeof text - 1);
    bool only_head = asks_for_head(c);
    if (!send_head(c, &h, LWS_WRITE_HTTP_HEADERS | (only_head ? LWS_WRITE_H2_STREAM_END : 0)))
        return -1;
    if (!only_head && lws_write(c, body + LWS_PRE, sizeof text - 1, LWS_WRITE_HTTP_FINAL) < 0)
        return -1;
    return lws_http_transaction_completed(c) ? -1 : 0;
}

static void start_job(struct http_server *s, struct http_client *c)
{
    if (!c->path && !c->channel)
        c->channel = rpc_channel_new(s->engine);
    c->state = RPC_JOB_RUNS;
    c->job = rpc_worker_add(s->worker, c->path ? NULL : c->channel, c->path, &c->body);
    lws_set_timer_usecs(c->connection, HANG_UP_CHECK_US);
}

/* libwebsockets hears of it when it reads, and nothing is read while a client has sent too much
 * ahead. Returns what the callback is to return. */
static int check_hang_up(const struct http_client *c)
{
    if (!c || !c->job)
        return 0;
    struct pollfd p = {.fd = lws_get_socket_fd(c->connection), .events = POLLRDHUP};
    if (poll(&p, 1, 0) > 0)
        return -1;
    lws_set_timer_usecs(c->connection, HANG_UP_CHECK_US);
    return 0;
}

/* The methods' paths live as long as the program: a request's is looked up among them. */
static bool find_path(const char *path, struct http_client *c)
{
    c->path = strcmp(path, "/rpc") == 0 ? NULL : rpc_engine_path(path);
    return c->path || strcmp(path, "/rpc") == 0;
}

/* The head of a request is there. */
static int begin_request(struct http_server *s, struct lws *connection, const char *path)
{
    char origin[HEADER_MAX], length[HEADER_MAX];
    uint64_t size = 0;
    if (!is_allowed(s, connection))
        return answer_empty(connection, HTTP_STATUS_FORBIDDEN, "", false);
    header(connection, WSI_TOKEN_ORIGIN, origin);
    if (lws_hdr_total_length(connection, WSI_TOKEN_ORIGIN) <= 0)
        origin[0] = 0;
    if (lws_hdr_total_length(connection, WSI_TOKEN_OPTIONS_URI) > 0)
        return answer_empty(connection, HTTP_STATUS_NO_CONTENT, origin, true);
    struct str digits = header(connection, WSI_TOKEN_HTTP_CONTENT_LENGTH, length);
    if ((digits.n > 0 && !str_to_u64(digits, 10, &size)) || size > BODY_MAX ||
        lws_hdr_total_length(connection, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0)
        return answer_empty(connection, HTTP_STATUS_REQ_ENTITY_TOO_LARGE, origin, false);
    struct http_client new_client = {0};
    if (strcmp(path, "/") == 0 && size == 0)
        return answer_greeting(connection, origin);
    if (!find_path(path, &new_client))
        return answer_empty(connection, HTTP_STATUS_NOT_FOUND, origin, false);
    if (asks_for_head(connection))
        return answer_only_head(connection, origin, size > 0);
    struct http_client *c = lws_get_opaque_user_data(connection);
    if (!c)
        c = add_client(s, connection);
    c->path = new_client.path;
    c->head_sent = false;
    c->written = c->answer.v.count = c->body.v.count = 0;
    memcpy(c->origin, origin, sizeof origin);
    if (size == 0)
        start_job(s, c);
    return 0;
}

/* Writes a piece of the answer; false where the connection takes no more at all. */
static bool send_piece(struct http_client *c, size_t n)
{
    uint8_t piece[LWS_PRE + 16 + PIECE + 2], *p = piece + LWS_PRE;
    int head = 0;
    if (!c->is_websocket)
        head = snprintf((char *)p, 16, "%zx\r\n", n);
    memcpy(p + head, c->answer.v.items + c->written, n);
    size_t size = (size_t)head + n;
    if (!c->is_websocket) {
        memcpy(p + size, "\r\n", 2);
        size += 2;
    }
    c->written += n;
    return lws_write(c->connection, p, size, c->is_websocket ? LWS_WRITE_BINARY : LWS_WRITE_HTTP) >=
           0;
}

/* Takes from the job what it has, if there is little left to write. */
static void take_answer(struct http_client *c)
{
    if (c->written > 0 && c->written == c->answer.v.count)
        c->written = c->answer.v.count = 0;
    if (c->job && c->answer.v.count == 0)
        c->state = rpc_job_take(c->job, &c->answer);
}

/* All of the answer is written. Returns what the callback is to return. */
static int end_answer(struct http_server *s, struct http_client *c)
{
    struct rpc_channel *channel = c->is_websocket ? NULL : c->channel;
    bool failed = c->state == RPC_JOB_FAILED;
    rpc_job_leave(c->job, NULL);
    c->job = NULL;
    if (channel)
        rpc_channel_free(channel);
    if (c->is_websocket) {
        lws_rx_flow_control(c->connection, 1);
        if (!failed && c->body.v.count > 0)
            start_job(s, c);
        return failed ? -1 : 0;
    }
    c->channel = NULL;
    uint8_t last[LWS_PRE + 8];
    memcpy(last + LWS_PRE, "0\r\n\r\n", 5);
    if (failed || lws_write(c->connection, last + LWS_PRE, 5, LWS_WRITE_HTTP_FINAL) < 0)
        return -1;
    return lws_http_transaction_completed(c->connection) ? -1 : 0;
}

static int write_answer(struct http_server *s, struct http_client *c)
{
    if (!c || !c->job)
        return 0;
    if (!c->is_websocket && !c->head_sent) {
        if (!send_chunked_head(c->connection, c->origin, false))
            return -1;
        c->head_sent = true;
        lws_callback_on_writable(c->connection);
        return 0;
    }
    take_answer(c);
    size_t left = c->answer.v.count - c->written;
    if (left > 0) {
        if (!send_piece(c, left < PIECE ? left : PIECE))
            return -1;
        lws_callback_on_writable(c->connection);
        return 0;
    }
    return c->state == RPC_JOB_RUNS ? 0 : end_answer(s, c);
}

/* Of a request that says that it has no body, libwebsockets tells the same. */
static int receive_body(struct http_client *c, const void *p, size_t n)
{
    if (n == 0)
        return 0;
    if (!c || c->job || c->body.v.count + n > BODY_MAX)
        return -1;
    pb_put_raw(&c->body, p, n);
    return 0;
}

/* A piece of a websocket's stream. */
static int receive_piece(struct http_server *s, struct http_client *c, const void *p, size_t n)
{
    if (c->body.v.count + n > BODY_MAX)
        return -1;
    pb_put_raw(&c->body, p, n);
    if (!c->job && c->body.v.count > 0)
        start_job(s, c);
    else if (c->body.v.count > PENDING_MAX)
        lws_rx_flow_control(c->connection, 0);
    return 0;
}

static int confirm_upgrade(struct http_server *s, struct lws *connection)
{
    char path[HEADER_MAX];
    if (!is_allowed(s, connection)) {
        lws_return_http_status(connection, HTTP_STATUS_FORBIDDEN, NULL);
        return -1;
    }
    if (str_eq(header(connection, WSI_TOKEN_GET_URI, path), STR("/websocket")))
        return 0;
    lws_return_http_status(connection, HTTP_STATUS_NOT_FOUND, NULL);
    return -1;
}

static void begin_websocket(struct http_server *s, struct lws *connection)
{
    struct http_client *c = add_client(s, connection);
    c->is_websocket = true;
    c->channel = rpc_channel_new(s->engine);
}

/* The worker has something for somebody. */
static void ask_to_write(struct http_server *s)
{
    for (struct http_client *c = s->clients; c; c = c->next)
        if (c->job)
            lws_callback_on_writable(c->connection);
}

static int on_event(struct lws *connection, enum lws_callback_reasons reason, void *user, void *in,
                    size_t n)
{
    (void)user;
    struct http_server *s = lws_context_user(lws_get_context(connection));
    struct http_client *c = lws_get_opaque_user_data(connection);
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return begin_request(s, connection, in);
    case LWS_CALLBACK_HTTP_BODY:
        return receive_body(c, in, n);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        if (!c || c->job)
            return c ? 0 : -1;
        start_job(s, c);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(s, connection);
    case LWS_CALLBACK_ESTABLISHED:
        begin_websocket(s, connection);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return receive_piece(s, c, in, n);
    case LWS_CALLBACK_HTTP_WRITEABLE:
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return write_answer(s, c);
    case LWS_CALLBACK_TIMER:
        return check_hang_up(c);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        ask_to_write(s);
        return 0;
    case LWS_CALLBACK_CLOSED:
    case LWS_CALLBACK_CLOSED_HTTP:
        if (c)
            remove_client(s, c);
        return 0;
    default:
        return 0;
    }
}

static void wake(void *self)
{
    const struct http_server *s = self;
    lws_cancel_service(s->context);
}

/* libwebsockets does not tell why it cannot listen; the same attempt does. */
static struct status listen_error(const char *address, int port)
{
    char service[16];
    snprintf(service, sizeof service, "%d", port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    int error = getaddrinfo(address, service, &hints, &found);
    if (error)
        return status_error(STATUS_IO, "cannot listen at %s: %s", address, gai_strerror(error));
    int fd = socket(found->ai_family, found->ai_socktype, 0), reason = 0;
    if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, 1))
        reason = errno;
    if (fd >= 0)
        close(fd);
    freeaddrinfo(found);
    if (reason == EADDRINUSE)
        return status_error(
            STATUS_IO,
            "cannot listen at %s:%d: another program does; port 0 takes one that is "
            "free",
            address, port);
    return status_error(STATUS_IO, "cannot listen at %s:%d%s%s", address, port, reason ? ": " : "",
                        reason ? strerror(reason) : "");
}

struct status http_server_run(struct rpc_engine *e, const struct http_settings *settings)
{
    static const struct lws_protocols protocols[] = {
        {.name = "rpc", .callback = on_event, .rx_buffer_size = READ_PIECE}, {0}};
    /* Not every client answers pings: connections that are dead are found by TCP. */
    static const lws_retry_bo_t rare_pings = {.secs_since_valid_ping = UINT16_MAX - 60,
                                              .secs_since_valid_hangup = UINT16_MAX};
    struct http_server s = {.engine = e, .settings = settings};
    const char *address = settings->address ? settings->address : "127.0.0.1";
    struct lws_context_creation_info info = {
        .port = settings->port,
        .iface = address,
        .protocols = protocols,
        .user = &s,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .pt_serv_buf_size = READ_PIECE,
        .keepalive_timeout = 60,
        .retry_and_idle_policy = &rare_pings,
        .ka_time = 60,
        .ka_probes = 5,
        .ka_interval = 10,
    };
    lws_set_log_level(0, NULL);
    s.context = lws_create_context(&info);
    if (!s.context)
        return listen_error(address, settings->port);
    s.worker = rpc_worker_new(e, wake, &s);
    fprintf(stderr, "[HTTP] Starting RPC server on %s:%d\n", address,
            lws_get_vhost_listen_port(lws_get_vhost_by_name(s.context, "default")));
    while (lws_service(s.context, 0) >= 0)
        continue;
    rpc_worker_free(s.worker);
    lws_context_destroy(s.context);
    return status_error(STATUS_IO, "the server has ended");
}
