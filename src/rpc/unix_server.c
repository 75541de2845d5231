#include "rpc/unix_server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "rpc/engine.h"
#include "rpc/worker.h"

enum { CLIENTS_MAX = 64, PIECE = 64 << 10, PENDING_MAX = 1 << 20, MILLISECONDS = 1000 };

struct unix_client {
    int fd; /* -1: none */
    struct rpc_channel *channel;
    struct rpc_job *job; /* NULL: none */
    struct pb_bytes request, answer;
    size_t written; /* of the answer */
    enum rpc_job_state state;
};

struct unix_server {
    struct rpc_engine *engine;
    struct rpc_worker *worker;
    int wake; /* an eventfd */
    struct unix_client clients[CLIENTS_MAX];
    int count; /* of clients */
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
    int rc = bind(*fd, (const struct sockaddr *)&address, sizeof address);
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

static void accept_client(struct unix_server *s, int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    for (int i = 0; fd >= 0 && i < CLIENTS_MAX; i++) {
        struct unix_client *c = &s->clients[i];
        if (c->fd >= 0)
            continue;
        *c = (struct unix_client){.fd = fd, .channel = rpc_channel_new(s->engine)};
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
    pb_bytes_release(&c->request);
    pb_bytes_release(&c->answer);
    close(c->fd);
    c->fd = -1;
    s->count--;
}

static void start_job(struct unix_server *s, struct unix_client *c)
{
    c->state = RPC_JOB_RUNS;
    c->job = rpc_worker_add(s->worker, c->channel, NULL, &c->request);
}

/* False: the client is gone. */
static bool receive(struct unix_server *s, struct unix_client *c)
{
    uint8_t piece[PIECE];
    ssize_t n = recv(c->fd, piece, sizeof piece, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0)
        return false;
    pb_put_raw(&c->request, piece, (size_t)n);
    if (!c->job)
        start_job(s, c);
    return true;
}

/* Writes what there is of the answer. False: the client is gone, or to be disconnected. */
static bool send_answer(struct unix_server *s, struct unix_client *c)
{
    for (;;) {
        if (c->written == c->answer.v.count) {
            c->written = c->answer.v.count = 0;
            c->state = rpc_job_take(c->job, &c->answer);
        }
        if (c->answer.v.count == 0)
            break;
        ssize_t n = send(c->fd, c->answer.v.items + c->written, c->answer.v.count - c->written,
                         MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        c->written += (size_t)n;
    }
    if (c->state == RPC_JOB_RUNS)
        return true;
    rpc_job_leave(c->job, NULL);
    c->job = NULL;
    bool good = c->state == RPC_JOB_DONE;
    if (good && c->request.v.count > 0)
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
    short reads = c->request.v.count < PENDING_MAX ? POLLIN : 0;
    short writes = c->job && c->written < c->answer.v.count ? POLLOUT : 0;
    return (short)(reads | writes | POLLRDHUP);
}

enum { AT_LISTENER, AT_WAKE, AT_SIGNAL, AT_CLIENTS };

/* One round of waiting. False: the server shall end. */
static bool serve_once(struct unix_server *s, int listener, int signals, int timeout)
{
    struct pollfd fds[AT_CLIENTS + CLIENTS_MAX] = {
        [AT_LISTENER] = {.fd = listener, .events = POLLIN},
        [AT_WAKE] = {.fd = s->wake, .events = POLLIN},
        [AT_SIGNAL] = {.fd = signals, .events = POLLIN},
    };
    uint64_t count;
    for (int i = 0; i < CLIENTS_MAX; i++)
        fds[AT_CLIENTS + i] =
            (struct pollfd){.fd = s->clients[i].fd, .events = wanted_events(&s->clients[i])};
    int n = poll(fds, AT_CLIENTS + CLIENTS_MAX, s->count == 0 ? timeout : -1);
    if (n == 0 || fds[AT_SIGNAL].revents)
        return false;
    if (fds[AT_WAKE].revents && read(s->wake, &count, sizeof count) < 0)
        return errno == EAGAIN;
    for (int i = 0; i < CLIENTS_MAX; i++)
        if (s->clients[i].fd >= 0 && !serve_client(s, &s->clients[i], fds[AT_CLIENTS + i].revents))
            drop_client(s, &s->clients[i]);
    if (fds[AT_LISTENER].revents)
        accept_client(s, listener);
    return true;
}

struct status unix_server_run(struct rpc_engine *e, int fd, const char *path, long idle_seconds)
{
    sigset_t ends;
    listen(fd, CLIENTS_MAX); /* clients shall see this process as the server's, not its parent */
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* before there is a worker: it inherits that */
    int signals = signalfd(-1, &ends, SFD_CLOEXEC);
    struct unix_server *s = alloc_array(1, sizeof *s);
    s->engine = e;
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    for (int i = 0; i < CLIENTS_MAX; i++)
        s->clients[i].fd = -1;
    s->worker = rpc_worker_new(e, wake, s);
    int timeout = idle_seconds > 0 && idle_seconds < INT32_MAX / MILLISECONDS
                      ? (int)(idle_seconds * MILLISECONDS)
                      : -1;
    while (serve_once(s, fd, signals, timeout))
        continue;
    unlink(path);
    for (int i = 0; i < CLIENTS_MAX; i++)
        if (s->clients[i].fd >= 0)
            drop_client(s, &s->clients[i]);
    rpc_worker_free(s->worker);
    close(s->wake);
    close(signals);
    close(fd);
    free(s);
    return status_ok_value();
}
