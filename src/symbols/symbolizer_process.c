#include "symbols/symbolizer_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"

enum { POLL_MS = 50, ANSWER_MAX = 1 << 20 };

extern char **environ;

struct symbolizer_process {
    pid_t pid;
    int socket; /* its stdin and stdout */
};

struct symbolizer_process *symbolizer_process_start(void)
{
    char *argv[] = {"llvm-symbolizer", "--output-style=LLVM", "--demangle", "--inlines", NULL};
    int ends[2];
    /* A socket, because writing to a pipe that nobody reads would raise a signal. */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t pid;
    int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return NULL;
    }
    struct symbolizer_process *s = alloc_array(1, sizeof *s);
    *s = (struct symbolizer_process){pid, ends[0]};
    return s;
}

void symbolizer_process_stop(struct symbolizer_process *s)
{
    if (!s)
        return;
    close(s->socket);
    kill(s->pid, SIGKILL);
    while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    free(s);
}

static bool send_all(struct symbolizer_process *s, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t sent = send(s->socket, text, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        text += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* An answer ends in an empty line. */
static bool is_complete(const struct symbolized *out)
{
    size_t n = out->text.count;
    return n >= 2 && out->text.items[n - 1] == '\n' && out->text.items[n - 2] == '\n';
}

static struct status receive(struct symbolizer_process *s, const atomic_bool *cancel,
                             struct symbolized *out)
{
    while (!is_complete(out)) {
        struct pollfd p = {.fd = s->socket, .events = POLLIN};
        if (atomic_load(cancel))
            return status_error(STATUS_CANCELLED, "interrupted");
        if (poll(&p, 1, POLL_MS) <= 0)
            continue;
        vec_reserve(&out->text, out->text.count + 4096);
        ssize_t n = recv(s->socket, out->text.items + out->text.count, 4096, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || out->text.count > ANSWER_MAX)
            return status_error(STATUS_IO, "llvm-symbolizer ended without an answer");
        out->text.count += (size_t)n;
    }
    return status_ok_value();
}

struct status symbolizer_process_ask(struct symbolizer_process *s, const char *file,
                                     uint64_t address, const atomic_bool *cancel,
                                     struct symbolized *out)
{
    char request[4096];
    out->v.count = out->text.count = 0;
    /* The name comes from the trace: it must stay one argument of one request. */
    struct stat info;
    if (strpbrk(file, "\"\n\r\\") || access(file, R_OK) != 0)
        return status_ok_value();
    if (stat(file, &info) != 0 || !S_ISREG(info.st_mode)) /* "/dev/zero" never ends */
        return status_ok_value();
    int n = snprintf(request, sizeof request, "CODE \"%s\" 0x%llx\n", file,
                     (unsigned long long)address);
    if (n < 0 || (size_t)n >= sizeof request)
        return status_ok_value();
    if (!send_all(s, request, (size_t)n))
        return status_error(STATUS_IO, "llvm-symbolizer does not take requests");
    struct status status = receive(s, cancel, out);
    struct str rest = {out->text.items, out->text.count};
    for (struct symbol_line line; status_ok(status) && llvm_answer_take(&rest, &line);)
        *vec_push(&out->v) = line;
    return status;
}
