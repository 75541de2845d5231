#include "tui/term/clipboard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"

extern char **environ;

char *clipboard_osc52(struct str text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char head[] = "\x1b]52;c;";
    char *out = alloc_array(text.n / 3 + 8, 4);
    size_t n = sizeof head - 1;
    memcpy(out, head, n);
    for (size_t i = 0; i < text.n; i += 3) {
        const unsigned char *p = (const unsigned char *)text.p + i;
        size_t left = text.n - i;
        uint32_t bits = (uint32_t)p[0] << 16 | (left > 1 ? (uint32_t)p[1] << 8 : 0) |
                        (left > 2 ? (uint32_t)p[2] : 0);
        out[n++] = digits[bits >> 18];
        out[n++] = digits[bits >> 12 & 63];
        out[n++] = left > 1 ? digits[bits >> 6 & 63] : '=';
        out[n++] = left > 2 ? digits[bits & 63] : '=';
    }
    memcpy(out + n, "\x1b\\", 3);
    return out;
}

/* A memory file with the text, at its beginning, so that no pipe has to be fed. */
static int text_file(struct str text)
{
    int fd = memfd_create("tptui-copy", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    if (pwrite(fd, text.p, text.n, 0) == (ssize_t)text.n)
        return fd;
    close(fd);
    return -1;
}

static bool spawn_tmux(int input, pid_t *child)
{
    char *arguments[] = {"tmux", "load-buffer", "-w", "-", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(child, "tmux", &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed == 0;
}

/* The child's success, or false and its end where it takes too long. */
static bool wait_for(pid_t child)
{
    enum { STEP_MS = 5, STEPS = 100 };
    int status = 0;
    for (int i = 0; i < STEPS; i++) {
        pid_t done = waitpid(child, &status, WNOHANG);
        if (done == child)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (done < 0)
            return false;
        poll(NULL, 0, STEP_MS);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return false;
}

bool clipboard_tmux(struct str text)
{
    int input = text_file(text);
    if (input < 0)
        return false;
    pid_t child;
    bool copied = spawn_tmux(input, &child) && wait_for(child);
    close(input);
    return copied;
}
