#include "rpc/http_server.h"

#include <errno.h>
#include <libwebsockets.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/standard_streams.h"
#include "rpc/engine.h"
#include "rpc/http_access.h"
#include "rpc/http_reply.h"
#include "rpc/server_end.h"
#include "rpc/worker.h"

enum {
    CLIENTS_MAX = 512,
    OWN_FILES = 32, /* descriptors that queries and uploads may need */
    CLIENTS_MIN = 4,
    TRY_AGAIN_LATER = 1013, /* RFC 6455's registry of reasons to close */
    BODY_MAX = 128 << 20,   /* clients send a trace in pieces of 32 MB */
    PIECE = 64 << 10,       /* written at once */
    READ_PIECE = 64 << 10,  /* read at once */
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
    struct rpc_bytes body;       /* received */
    struct rpc_bytes answer;     /* not yet written, from `written` on */
    size_t written;
    uint32_t method; /* 0: a stream of messages */
    char origin[HEADER_MAX];
    bool is_websocket, head_sent;
    bool is_refused;          /* there is no room for the body: it is read and forgotten */
    enum rpc_job_state state; /* of the job, as it was when last looked at */
};

struct http_server {
    struct rpc_engine *engine;
    struct rpc_worker *worker;
    const struct http_settings *settings;
    struct lws_context *context;
    struct http_client *clients;
};

static struct http_client *add_client(struct http_server *s, struct lws *connection)
{
    struct http_client *c = alloc_array(1, sizeof *c);
    c->connection = connection;
    c->body.memory = c->answer.memory = rpc_engine_memory(s->engine);
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
    rpc_bytes_release(&c->body);
    rpc_bytes_release(&c->answer);
    free(c);
}

/* What is said of a request in its head, as texts that end with the struct. */
struct request_head {
    struct http_request said;
    char host[HEADER_MAX], origin[HEADER_MAX], site[HEADER_MAX], content_type[HEADER_MAX],
        user_agent[HEADER_MAX];
    bool overflowed; /* something is longer than there is room for */
};

static struct str read_header(struct lws *c, enum lws_token_indexes token, char out[HEADER_MAX],
                              bool *overflowed)
{
    int n = lws_hdr_copy_fragment(c, out, HEADER_MAX, token, 0);
    if (n < 0 && lws_hdr_total_length(c, token) <= 0)
        return (struct str){0};
    *overflowed |= n < 0 || lws_hdr_total_length(c, token) != n; /* too long, or there are two */
    return (struct str){out, n > 0 ? (size_t)n : 0};
}

static struct str read_site(struct lws *c, char out[HEADER_MAX], bool *overflowed)
{
    static const char name[] = "sec-fetch-site:"; /* libwebsockets wants the colon */
    int n = lws_hdr_custom_length(c, name, sizeof name - 1);
    if (n < 0)
        return (struct str){0};
    *overflowed |= lws_hdr_custom_copy(c, out, HEADER_MAX, name, sizeof name - 1) < 0;
    return (struct str){out, (size_t)n};
}

static enum http_verb read_verb(struct lws *c)
{
    static const struct {
        enum lws_token_indexes token;
        enum http_verb verb;
    } verbs[] = {{WSI_TOKEN_GET_URI, HTTP_VERB_GET},
                 {WSI_TOKEN_POST_URI, HTTP_VERB_POST},
                 {WSI_TOKEN_HEAD_URI, HTTP_VERB_HEAD},
                 {WSI_TOKEN_OPTIONS_URI, HTTP_VERB_OPTIONS}};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (lws_hdr_total_length(c, verbs[i].token) > 0)
            return verbs[i].verb;
    return HTTP_VERB_OTHER;
}

static void read_head(struct lws *c, struct str path, struct request_head *h)
{
    h->overflowed = false;
    h->said = (struct http_request){
        .verb = read_verb(c),
        .path = path,
        .host = read_header(c, WSI_TOKEN_HOST, h->host, &h->overflowed),
        .origin = read_header(c, WSI_TOKEN_ORIGIN, h->origin, &h->overflowed),
        .content_type =
            read_header(c, WSI_TOKEN_HTTP_CONTENT_TYPE, h->content_type, &h->overflowed),
        .user_agent = read_header(c, WSI_TOKEN_HTTP_USER_AGENT, h->user_agent, &h->overflowed),
        .site = read_site(c, h->site, &h->overflowed),
    };
}

static void start_job(struct http_server *s, struct http_client *c)
{
    if (!c->method && !c->channel)
        c->channel = rpc_channel_new(s->engine);
    c->state = RPC_JOB_RUNS;
    c->job = rpc_worker_add(s->worker, c->method ? NULL : c->channel, c->method, &c->body);
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

/* The size that the head says of the body; false where it is too large, or not said in bytes. */
static bool read_body_size(struct lws *c, uint64_t *size)
{
    char text[HEADER_MAX];
    bool overflowed = false;
    struct str digits = read_header(c, WSI_TOKEN_HTTP_CONTENT_LENGTH, text, &overflowed);
    *size = 0;
    if (overflowed || (digits.n > 0 && !str_to_u64(digits, 10, size)))
        return false;
    return *size <= BODY_MAX && lws_hdr_total_length(c, WSI_TOKEN_HTTP_TRANSFER_ENCODING) <= 0;
}

/* What a method or a stream of messages is to answer, once its body is there. */
static int begin_job(struct http_server *s, struct lws *connection, const struct http_route *route,
                     const char *origin, size_t size)
{
    struct http_client *c = lws_get_opaque_user_data(connection);
    if (!c)
        c = add_client(s, connection);
    c->method = route->method;
    c->head_sent = false;
    c->is_refused = !rpc_memory_hears(c->body.memory, 0, size);
    c->written = 0;
    rpc_bytes_release(&c->answer);
    rpc_bytes_release(&c->body);
    memcpy(c->origin, origin, strlen(origin) + 1);
    if (size == 0)
        start_job(s, c);
    return 0;
}

/* The head of a request is there. */
static int begin_request(struct http_server *s, struct lws *connection, const char *path)
{
    struct request_head head;
    uint64_t size;
    read_head(connection, str_from(path), &head);
    if (head.overflowed)
        return http_refuse(connection, HTTP_STATUS_BAD_REQUEST,
                           "a header is too long, or there twice", NULL, "");
    struct http_decision d = http_decide(&head.said, s->settings->origins);
    const char *origin = head.said.origin.p && d.route ? head.said.origin.p : "";
    if (d.status)
        return http_refuse(connection, d.status, d.reason, d.route, origin);
    if (head.said.verb == HTTP_VERB_OPTIONS)
        return http_reply_preflight(connection, d.route, origin);
    if (!read_body_size(connection, &size))
        return http_refuse(connection, HTTP_STATUS_REQ_ENTITY_TOO_LARGE,
                           "bodies have a length of at most 128 MB", NULL, origin);
    bool only_head = head.said.verb == HTTP_VERB_HEAD;
    if (d.route->target == HTTP_TO_GREETING)
        return http_reply_greeting(connection, origin, only_head, size > 0);
    if (only_head)
        return http_reply_only_head(connection, origin, size > 0);
    return begin_job(s, connection, d.route, origin, (size_t)size);
}

/* Writes a piece of the answer; false where the connection takes no more at all. */
static bool send_piece(struct http_client *c, size_t n)
{
    uint8_t piece[LWS_PRE + 16 + PIECE + 2], *p = piece + LWS_PRE;
    int head = 0;
    if (!c->is_websocket)
        head = snprintf((char *)p, 16, "%zx\r\n", n);
    memcpy(p + head, rpc_bytes_text(&c->answer).p + c->written, n);
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
    if (c->written > 0 && c->written == rpc_bytes_count(&c->answer)) {
        rpc_bytes_clear(&c->answer);
        c->written = 0;
    }
    if (c->job && rpc_bytes_count(&c->answer) == 0)
        c->state = rpc_job_take(c->job, &c->answer);
}

/* All of the answer is written. Returns what the callback is to return. */
static int end_answer(struct http_server *s, struct http_client *c)
{
    struct rpc_channel *channel = c->is_websocket ? NULL : c->channel;
    bool failed = c->state == RPC_JOB_FAILED;
    rpc_job_leave(c->job, NULL);
    c->job = NULL;
    rpc_bytes_release(&c->answer);
    if (channel)
        rpc_channel_free(channel);
    if (c->is_websocket) {
        lws_rx_flow_control(c->connection, 1);
        if (!failed && rpc_bytes_count(&c->body) > 0)
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
        if (!http_reply_begin(c->connection, c->origin, false))
            return -1;
        c->head_sent = true;
        lws_callback_on_writable(c->connection);
        return 0;
    }
    take_answer(c);
    size_t left = rpc_bytes_count(&c->answer) - c->written;
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
    if (!c || c->job || rpc_bytes_count(&c->body) + n > BODY_MAX)
        return -1;
    c->is_refused |= !rpc_memory_hears(c->body.memory, rpc_bytes_count(&c->body), n);
    if (c->is_refused)
        rpc_bytes_release(&c->body);
    else
        rpc_bytes_append(&c->body, p, n);
    return 0;
}

static int end_body(struct http_server *s, struct http_client *c)
{
    if (!c)
        return -1;
    if (c->is_refused)
        return http_refuse(c->connection, HTTP_STATUS_SERVICE_UNAVAILABLE,
                           "others have sent too much: try again later", NULL, c->origin);
    if (!c->job)
        start_job(s, c);
    return 0;
}

/* A piece of a websocket's stream. */
static int receive_piece(struct http_server *s, struct http_client *c, const void *p, size_t n)
{
    static const char busy[] = "others have sent too much";
    size_t kept = rpc_bytes_count(&c->body) + (c->channel ? rpc_channel_held(c->channel) : 0);
    if (!rpc_memory_hears(c->body.memory, kept, n)) {
        lws_close_reason(c->connection, (enum lws_close_status)TRY_AGAIN_LATER,
                         (unsigned char *)(uintptr_t)busy, sizeof busy - 1);
        return -1;
    }
    rpc_bytes_append(&c->body, p, n);
    if (!c->job && rpc_bytes_count(&c->body) > 0)
        start_job(s, c);
    else if (rpc_bytes_count(&c->body) > PENDING_MAX)
        lws_rx_flow_control(c->connection, 0);
    return 0;
}

static int confirm_upgrade(struct http_server *s, struct lws *connection)
{
    char path[HEADER_MAX];
    struct request_head head;
    bool overflowed = false;
    read_head(connection, read_header(connection, WSI_TOKEN_GET_URI, path, &overflowed), &head);
    head.said.wants_websocket = true;
    struct http_decision d = http_decide(&head.said, s->settings->origins);
    if (overflowed || head.overflowed)
        d.status = HTTP_STATUS_BAD_REQUEST;
    if (!d.status)
        return 0;
    lws_return_http_status(connection, d.status, NULL);
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
        return end_body(s, c);
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

/* As many descriptors are taken as its number says; -1: all. */
static int next_descriptor(void)
{
    int next = dup(STDERR_FILENO);
    if (next >= 0)
        close(next);
    return next;
}

/* Where there is none for a client who waits, libwebsockets would ask for one again and again. */
static void rest_without_descriptors(void)
{
    enum { REST_MS = 50 };
    if (next_descriptor() < 0)
        poll(NULL, 0, REST_MS);
}

/* How many descriptors libwebsockets may have; it stops asking for more then. */
static unsigned find_room_for_clients(void)
{
    struct rlimit limit;
    int next = next_descriptor();
    if (next < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return CLIENTS_MIN;
    rlim_t spare = limit.rlim_cur > (rlim_t)next ? limit.rlim_cur - (rlim_t)next : 0;
    rlim_t clients = spare > 2 * OWN_FILES ? spare - OWN_FILES : spare / 2;
    return clients > CLIENTS_MAX   ? CLIENTS_MAX
           : clients < CLIENTS_MIN ? CLIENTS_MIN
                                   : (unsigned)clients;
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
        .fd_limit_per_thread = find_room_for_clients(),
        .keepalive_timeout = 60,
        .retry_and_idle_policy = &rare_pings,
        .ka_time = 60,
        .ka_probes = 5,
        .ka_interval = 10,
    };
    server_end_on_signals(NULL);
    lws_set_log_level(0, NULL);
    s.context = lws_create_context(&info);
    if (!s.context)
        return listen_error(address, settings->port);
    if (next_descriptor() < 0) {
        lws_context_destroy(s.context);
        return status_error(STATUS_IO, "cannot serve: no file can be opened for a client: see "
                                       "ulimit -n");
    }
    s.worker = rpc_worker_new(e, wake, &s);
    fprintf(standard_errors(), "[HTTP] Starting RPC server on %s:%d\n", address,
            lws_get_vhost_listen_port(lws_get_vhost_by_name(s.context, "default")));
    while (lws_service(s.context, 0) >= 0)
        rest_without_descriptors();
    rpc_worker_free(s.worker);
    lws_context_destroy(s.context);
    return status_error(STATUS_IO, "the server has ended");
}
