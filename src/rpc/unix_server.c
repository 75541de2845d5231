#include "rpc/unix_server.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "rpc/engine.h"
#include "rpc/memory.h"
#include "rpc/server_end.h"
#include "rpc/worker.h"

enum {
    CLIENTS_MAX = 64,
    PIECE = 64 << 10,
    PENDING_MAX = 1 << 20,
    MILLISECONDS = 1000,
    FULL_WAIT_MS = 200
};

struct unix_client {
    int fd; /* -1: none */
    struct rpc_channel *channel;
    struct rpc_job *job; /* NULL: none */
    struct rpc_bytes request, answer;
    size_t written; /* of the answer */
    enum rpc_job_state state;
};

struct unix_server {
    struct rpc_engine *engine;
    struct rpc_worker *worker;
    int wake; /* an eventfd */
    struct unix_client clients[CLIENTS_MAX];
    int count;        /* of clients */
    int idle_timeout; /* ms; -1: none */
    bool is_full;     /* a client waits for which there were no descriptors, or no memory */
};

/* A socket, and no file of another kind, that nobody listens at. */
static bool is_abandoned(const struct sockaddr_un *address)
{
    struct stat file;
    if (lstat(address->sun_path, &file) != 0 || !S_ISSOCK(file.st_mode))
        return false;
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool refused = probe >= 0 &&
                   connect(probe, (const struct sockaddr *)address, sizeof *address) != 0 &&
                   errno == ECONNREFUSED;
    if (probe >= 0)
        close(probe);
    return refused;
}

struct status unix_server_listen(const char *path, int *fd)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return status_error(STATUS_USAGE, "%s: too long a path for a socket", path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int rc = *fd < 0 ? -1 : fchmod(*fd, S_IRUSR | S_IWUSR); /* what bind() makes has that mode */
    if (rc == 0)
        rc = bind(*fd, (const struct sockaddr *)&address, sizeof address);
    if (rc != 0 && errno == EADDRINUSE && is_abandoned(&address) && unlink(path) == 0)
        rc = bind(*fd, (const struct sockaddr *)&address, sizeof address);
    if (rc == 0)
        rc = listen(*fd, CLIENTS_MAX);
    if (rc == 0)
        return status_ok_value();
    struct status s =
        errno == EADDRINUSE
            ? status_error(STATUS_IO, "%s: a session of that name is there already", path)
            : status_error(STATUS_IO, "%s: %s", path, strerror(errno));
    if (*fd >= 0)
        close(*fd);
    return s;
}

static void wake(void *self)
{
    const struct unix_server *s = self;
    uint64_t one = 1;
    ssize_t n = write(s->wake, &one, sizeof one);
    (void)n; /* it cannot be so full that nobody wakes up */
}

/* Whether a client may ask: the server's own user, and the superuser, who may do all anyway. */
static bool may_ask(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == geteuid() || peer.uid == 0);
}

static void accept_client(struct unix_server *s, int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    s->is_full =
        fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
    bool may = fd >= 0 && may_ask(fd);
    for (int i = 0; may && i < CLIENTS_MAX; i++) {
        struct unix_client *c = &s->clients[i];
        if (c->fd >= 0)
            continue;
        struct rpc_memory *memory = rpc_engine_memory(s->engine);
        *c = (struct unix_client){.fd = fd,
                                  .channel = rpc_channel_new(s->engine),
                                  .request.memory = memory,
                                  .answer.memory = memory};
        s->count++;
        return;
    }
    if (fd >= 0)
        close(fd);
}

static void drop_client(struct unix_server *s, struct unix_client *c)
{
    if (c->job)
        rpc_job_leave(c->job, c->channel);
    else
        rpc_channel_free(c->channel);
    rpc_bytes_release(&c->request);
    rpc_bytes_release(&c->answer);
    close(c->fd);
    c->fd = -1;
    s->count--;
}

static void start_job(struct unix_server *s, struct unix_client *c)
{
    c->state = RPC_JOB_RUNS;
    c->job = rpc_worker_add(s->worker, c->channel, 0, &c->request);
}

/* False: the client is gone, or to be disconnected. */
static bool receive(struct unix_server *s, struct unix_client *c)
{
    uint8_t piece[PIECE];
    ssize_t n = recv(c->fd, piece, sizeof piece, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    size_t kept = rpc_bytes_count(&c->request) + rpc_channel_held(c->channel);
    if (n <= 0 || !rpc_memory_hears(rpc_engine_memory(s->engine), kept, (size_t)n))
        return false;
    rpc_bytes_append(&c->request, piece, (size_t)n);
    if (!c->job)
        start_job(s, c);
    return true;
}

/* Writes what there is of the answer. False: the client is gone, or to be disconnected. */
static bool send_answer(struct unix_server *s, struct unix_client *c)
{
    for (;;) {
        if (c->written == rpc_bytes_count(&c->answer)) {
            rpc_bytes_clear(&c->answer);
            c->written = 0;
            c->state = rpc_job_take(c->job, &c->answer);
        }
        struct str left = str_skip(rpc_bytes_text(&c->answer), c->written);
        if (left.n == 0)
            break;
        ssize_t n = send(c->fd, left.p, left.n, MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        c->written += (size_t)n;
    }
    if (c->state == RPC_JOB_RUNS)
        return true;
    rpc_job_leave(c->job, NULL);
    c->job = NULL;
    rpc_bytes_release(&c->answer);
    bool good = c->state == RPC_JOB_DONE;
    if (good && rpc_bytes_count(&c->request) > 0)
        start_job(s, c);
    return good;
}

static bool serve_client(struct unix_server *s, struct unix_client *c, short events)
{
    if ((events & (POLLHUP | POLLERR)) && !(events & POLLIN))
        return false;
    if ((events & POLLIN) && !receive(s, c))
        return false;
    return !c->job || send_answer(s, c);
}

/* What a client is waited for: one that has sent much ahead is not read meanwhile. */
static short wanted_events(const struct unix_client *c)
{
    short reads = rpc_bytes_count(&c->request) < PENDING_MAX ? POLLIN : 0;
    short writes = c->job && c->written < rpc_bytes_count(&c->answer) ? POLLOUT : 0;
    return (short)(reads | writes | POLLRDHUP);
}

enum { AT_WAKE, AT_LISTENER, AT_CLIENTS };

/* How long poll() may wait: for clients that do not come, or until there may be descriptors for
 * one that waits. */
static int find_timeout(const struct unix_server *s)
{
    if (s->is_full)
        return FULL_WAIT_MS;
    return s->count == 0 ? s->idle_timeout : -1;
}

/* One round of waiting. False: the server shall end, because nobody came or of what `status` says.
 */
static bool serve_once(struct unix_server *s, int listener, struct status *status)
{
    struct pollfd fds[AT_CLIENTS + CLIENTS_MAX] = {
        [AT_WAKE] = {.fd = s->wake, .events = POLLIN},
        [AT_LISTENER] = {.fd = s->is_full ? -1 : listener, .events = POLLIN},
    };
    struct unix_client *polled[CLIENTS_MAX];
    nfds_t count = AT_CLIENTS; /* no more than there are: there must not be more than descriptors */
    for (int i = 0; i < CLIENTS_MAX; i++) {
        struct unix_client *c = &s->clients[i];
        if (c->fd < 0)
            continue;
        polled[count - AT_CLIENTS] = c;
        fds[count++] = (struct pollfd){.fd = c->fd, .events = wanted_events(c)};
    }
    int n = poll(fds, count, find_timeout(s));
    if (n < 0 && errno != EINTR && errno != EAGAIN && errno != ENOMEM) {
        *status = status_error(STATUS_IO, "clients cannot be waited for: %s", strerror(errno));
        return false;
    }
    bool was_full = s->is_full;
    s->is_full = false;
    if (n <= 0)
        return n < 0 || was_full;
    uint64_t woken;
    if (fds[AT_WAKE].revents && read(s->wake, &woken, sizeof woken) < 0 && errno != EAGAIN)
        return false;
    for (nfds_t i = AT_CLIENTS; i < count; i++)
        if (!serve_client(s, polled[i - AT_CLIENTS], fds[i].revents))
            drop_client(s, polled[i - AT_CLIENTS]);
    if (fds[AT_LISTENER].revents)
        accept_client(s, listener);
    return true;
}

struct status unix_server_run(struct rpc_engine *e, int fd, const char *path, long idle_seconds)
{
    struct status status = status_ok_value();
    listen(fd, CLIENTS_MAX); /* clients shall see this process as the server's, not its parent */
    server_end_on_signals(path);
    struct unix_server *s = alloc_array(1, sizeof *s);
    s->engine = e;
    s->idle_timeout = idle_seconds > 0 && idle_seconds < INT32_MAX / MILLISECONDS
                          ? (int)(idle_seconds * MILLISECONDS)
                          : -1;
    for (int i = 0; i < CLIENTS_MAX; i++)
        s->clients[i].fd = -1;
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->wake < 0)
        status = status_error(STATUS_IO, "cannot serve: %s", strerror(errno));
    else
        s->worker = rpc_worker_new(e, wake, s);
    while (status_ok(status) && serve_once(s, fd, &status))
        continue;
    unlink(path);
    for (int i = 0; i < CLIENTS_MAX; i++)
        if (s->clients[i].fd >= 0)
            drop_client(s, &s->clients[i]);
    if (s->worker)
        rpc_worker_free(s->worker);
    if (s->wake >= 0)
        close(s->wake);
    close(fd);
    free(s);
    return status;
}
