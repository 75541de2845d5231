#include "tui/term/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tui/term/term.h"

/* A crash may leave little stack; a sanitizer's report needs far more than MINSIGSTKSZ. */
enum { STACK_SIZE = 256 * 1024 };

static const int fatal_signals[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,
                                    SIGABRT, SIGTRAP, SIGSYS, SIGQUIT};
static const int loop_signals[] = {SIGTERM, SIGHUP, SIGINT, SIGWINCH, SIGTSTP, SIGCONT};

enum {
    FATALS = sizeof fatal_signals / sizeof fatal_signals[0],
    LOOPS = sizeof loop_signals / sizeof loop_signals[0],
};

static struct {
    int fd;
    struct termios saved;
    struct str bytes;
    volatile sig_atomic_t expected;
    volatile sig_atomic_t signals[LOOPS];
    volatile sig_atomic_t raised; /* signals that were none: a set of enum term_signal */
    int pipe[2];
    struct sigaction old_fatal[FATALS], old_loop[LOOPS];
    void *stack;
    stack_t old_stack;
    bool at_exit;
} armed = {.fd = -1, .pipe = {-1, -1}};

/* ---- in signal handlers: only what POSIX calls async-signal-safe ---- */

static void write_all(int fd, const char *p, size_t n)
{
    enum { PATIENCE_MS = 100, TRIES = 10 };
    for (int tries = 0; n > 0 && tries < TRIES;) {
        ssize_t done = write(fd, p, n);
        if (done > 0) {
            p += done;
            n -= (size_t)done;
        } else if (done < 0 && errno == EINTR) {
            tries++;
        } else if (done < 0 && errno == EAGAIN) {
            struct pollfd wait = {.fd = fd, .events = POLLOUT};
            poll(&wait, 1, PATIENCE_MS);
            tries++;
        } else {
            return;
        }
    }
}

void restore_now(void)
{
    if (!armed.expected)
        return;
    armed.expected = 0;
    int saved_errno = errno;
    sigset_t ttou, before; /* in the background, tcsetattr would stop us half-way */
    sigemptyset(&ttou);
    sigaddset(&ttou, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &ttou, &before);
    write_all(armed.fd, armed.bytes.p, armed.bytes.n);
    tcsetattr(armed.fd, TCSANOW, &armed.saved);
    tcflush(armed.fd, TCIFLUSH); /* mouse reports still under way are not for the shell */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved_errno;
}

static void wake_loop(void)
{
    ssize_t written = write(armed.pipe[1], "", 1);
    (void)written; /* a full pipe wakes as well */
}

static void on_loop_signal(int number)
{
    int saved_errno = errno;
    for (int i = 0; i < LOOPS; i++)
        if (loop_signals[i] == number)
            armed.signals[i] = 1;
    wake_loop();
    errno = saved_errno;
}

/* Restores, then lets what was there before (the default, a sanitizer) have the signal: a fault
 * happens again when the instruction is tried again, a signal that was sent is sent again. */
static void on_fatal_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    int saved_errno = errno;
    restore_now();
    for (int i = 0; i < FATALS; i++)
        if (fatal_signals[i] == number)
            sigaction(number, &armed.old_fatal[i], NULL);
    errno = saved_errno;
    if (info->si_code <= 0)
        raise(number);
}

/* ---- outside of them ---- */

static void install_handlers(void)
{
    struct sigaction fatal = {.sa_sigaction = on_fatal_signal,
                              .sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};
    struct sigaction loop = {.sa_handler = on_loop_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigfillset(&fatal.sa_mask);
    sigemptyset(&loop.sa_mask);
    for (int i = 0; i < FATALS; i++)
        sigaction(fatal_signals[i], &fatal, &armed.old_fatal[i]);
    for (int i = 0; i < LOOPS; i++)
        sigaction(loop_signals[i], &loop, &armed.old_loop[i]);
}

bool restore_arm(int fd, const struct termios *saved)
{
    if (pipe2(armed.pipe, O_NONBLOCK | O_CLOEXEC) != 0)
        return false;
    armed.fd = fd;
    armed.saved = *saved;
    armed.expected = 0;
    armed.raised = 0;
    for (int i = 0; i < LOOPS; i++)
        armed.signals[i] = 0;
    armed.stack = alloc_bytes(STACK_SIZE);
    stack_t stack = {.ss_sp = armed.stack, .ss_size = STACK_SIZE};
    sigaltstack(&stack, &armed.old_stack);
    install_handlers();
    alloc_failed_hook = restore_now;
    if (!armed.at_exit)
        armed.at_exit = atexit(restore_now) == 0;
    return true;
}

void restore_disarm(void)
{
    for (int i = 0; i < FATALS; i++)
        sigaction(fatal_signals[i], &armed.old_fatal[i], NULL);
    for (int i = 0; i < LOOPS; i++)
        sigaction(loop_signals[i], &armed.old_loop[i], NULL);
    alloc_failed_hook = NULL;
    sigaltstack(&armed.old_stack, NULL);
    free(armed.stack);
    armed.stack = NULL;
    close(armed.pipe[0]);
    close(armed.pipe[1]);
    armed.pipe[0] = armed.pipe[1] = armed.fd = -1;
    armed.expected = 0;
}

void restore_expect(struct str bytes)
{
    armed.bytes = bytes;
    atomic_signal_fence(memory_order_release);
    armed.expected = 1;
}

int restore_signal_fd(void)
{
    return armed.pipe[0];
}

unsigned restore_take_signals(void)
{
    static const unsigned meaning[LOOPS] = {TERM_QUIT,    TERM_QUIT, TERM_QUIT,
                                            TERM_RESIZED, TERM_STOP, TERM_CONTINUED};
    char bytes[64];
    while (read(armed.pipe[0], bytes, sizeof bytes) > 0)
        continue;
    unsigned set = (unsigned)armed.raised;
    armed.raised = 0;
    for (int i = 0; i < LOOPS; i++) {
        if (!armed.signals[i])
            continue;
        armed.signals[i] = 0;
        set |= meaning[i];
    }
    return set;
}

void restore_raise(unsigned signals)
{
    armed.raised |= (int)signals;
    wake_loop();
}

void restore_stop(void)
{
    struct sigaction ours, plain = {.sa_handler = SIG_DFL};
    sigemptyset(&plain.sa_mask);
    sigaction(SIGTSTP, &plain, &ours);
    kill(0, SIGTSTP); /* the whole job, as the terminal's Ctrl-Z would */
    sigaction(SIGTSTP, &ours, NULL);
}

void term_block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < LOOPS; i++)
        sigaddset(&set, loop_signals[i]);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}
