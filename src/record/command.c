#include "record/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_SUCH_PROGRAM = 127 };

static _Noreturn void become(const struct record_command *c, bool quiet, bool no_input)
{
    char byte;
    sigset_t none;
    sigemptyset(&none);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    if (quiet)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    int nothing = no_input ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    if (read(c->go, &byte, 1) == 1)
        execvp(c->argv[0], c->argv);
    int error = errno;
    if (write(c->problem, &error, sizeof error) < 0)
        _exit(NO_SUCH_PROGRAM);
    _exit(NO_SUCH_PROGRAM);
}

struct status record_command_begin(struct record_command *c, char *const *argv, bool quiet,
                                   bool no_input)
{
    int go[2], problem[2];
    *c = (struct record_command){.argv = argv, .go = -1, .problem = -1};
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(problem, O_CLOEXEC) != 0)
        return status_error(STATUS_IO, "no pipe: %s", strerror(errno));
    c->pid = fork();
    if (c->pid == 0) {
        c->go = go[0];
        c->problem = problem[1];
        close(go[1]);
        become(c, quiet, no_input);
    }
    int error = errno;
    close(go[0]);
    close(problem[1]);
    c->go = go[1];
    c->problem = problem[0];
    if (c->pid > 0)
        return status_ok_value();
    c->pid = 0;
    return status_error(STATUS_IO, "no process for %s: %s", argv[0], strerror(error));
}

static void close_pipes(struct record_command *c)
{
    close(c->go);
    close(c->problem);
    c->go = c->problem = -1;
}

struct status record_command_run(struct record_command *c)
{
    int error;
    if (c->pid == 0)
        return status_ok_value();
    bool told = write(c->go, "g", 1) == 1;
    bool failed = !told || read(c->problem, &error, sizeof error) == (ssize_t)sizeof error;
    close_pipes(c);
    if (!failed)
        return status_ok_value();
    return status_error(STATUS_USAGE, "%s: %s", c->argv[0], told ? strerror(error) : "it is gone");
}

void record_command_cancel(struct record_command *c)
{
    if (c->pid == 0)
        return;
    close_pipes(c);
    kill(c->pid, SIGKILL);
    waitpid(c->pid, &c->status, 0);
    c->ended = true;
}

bool record_command_has_ended(struct record_command *c)
{
    if (c->pid && !c->ended)
        c->ended = waitpid(c->pid, &c->status, WNOHANG) == c->pid;
    return c->pid && c->ended;
}

void record_command_end(struct record_command *c)
{
    if (c->pid == 0 || record_command_has_ended(c))
        return;
    kill(c->pid, SIGTERM);
    waitpid(c->pid, &c->status, 0);
    c->ended = true;
}
