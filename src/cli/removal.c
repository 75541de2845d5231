#include "cli/removal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void remove_both(const struct removal *r)
{
    unlink(r->path);
    if (r->folder)
        rmdir(r->folder);
}

/* Until nobody has the other end any more. Signals of the terminal and what reads from this program
 * are not kept waiting. */
static _Noreturn void wait_and_remove(const struct removal *r, int begin)
{
    char none;
    signal(SIGTERM, SIG_IGN); /* which may be meant for all of the name, or of a session */
    setsid();
    close(r->end);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        close(fd);
    while (read(begin, &none, 1) < 0 && errno == EINTR)
        ;
    remove_both(r);
    _exit(0);
}

struct removal removal_begin(const char *path, const char *folder)
{
    struct removal r = {.path = path, .folder = folder, .pid = -1, .end = -1};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return r;
    r.end = ends[1];
    r.pid = fork();
    if (r.pid == 0)
        wait_and_remove(&r, ends[0]);
    close(ends[0]);
    return r;
}

void removal_end(struct removal *r)
{
    if (r->end >= 0)
        close(r->end);
    while (r->pid > 0 && waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    remove_both(r); /* it may have been killed */
}
