#include "cli/record_remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/shell_words.h"
#include "record/output.h"

/* What the other side prints before the trace, or waiting for the program; what the user's own
 * files print when a shell begins comes before. */
#define MARK "tptui-record-"
#define SEND MARK "send\n"
#define HAVE MARK "have\n"

enum { PIECE_BYTES = 64 << 10, PREAMBLE_MOST = 64 << 10, NO_SSH = 127, SSH_LOST = 255 };

/* What runs there, in one line: who knows which shell it is that ssh begins. $1: the build that is
 * wanted, $2: the program's size, $3: the config; then the recorder's words. While it records, the
 * end of stdin is the end of the recording. */
static const char script[] =
    "umask 077; v=$1; n=$2; c=$3; shift 3; "
    "d=$(mktemp -d \"${TMPDIR:-/tmp}/tptui-record-XXXXXX\") || exit 3; "
    "trap 'rm -rf \"$d\"' EXIT; trap 'exit 129' HUP INT TERM; t=tptui; "
    "if [ \"$(tptui --version 2>/dev/null | head -n 1)\" = \"$v\" ]; then echo " MARK "have; "
    "else t=$d/tptui; echo " MARK "send; head -c $n >\"$t\"; "
    "[ $(wc -c <\"$t\") -eq $n ] || exit 129; chmod 700 \"$t\"; "
    "\"$t\" --version >/dev/null || { echo \"tptui: $(uname -n) cannot run this build of tptui: a "
    "static one (-Dstatic=true) for $(uname -m) runs anywhere\" >&2; exit 3; }; fi; "
    "if [ -n \"$c\" ]; then printf %s \"$c\" >\"$d/config\"; "
    "set -- --config \"$d/config\" \"$@\"; fi; "
    "\"$t\" record -o - --stdin-ends \"$@\"";

struct remote {
    const struct remote_recording *settings;
    pid_t ssh;
    bool ended; /* it has, with `status` */
    int status;
    int in, out, errors;     /* what it reads, and prints; -1: closed */
    const uint8_t *program;  /* mapped */
    size_t size, sent;       /* of it */
    bool sending, recording; /* what the other side waits for, and does */
    char preamble[PREAMBLE_MOST];
    size_t preamble_size;
    int signals, fd;
    int error; /* of writing the trace */
    unsigned interrupts;
    uint64_t bytes;
};

struct word_list {
    const struct remote_recording *settings;
    FILE *f;
};

static void put_word(FILE *f, const char *text)
{
    fputc(' ', f);
    shell_quote(f, text);
}

static bool is_own(const struct remote_recording *r, const char *name)
{
    for (const char *const *own = r->own; *own; own++)
        if (strcmp(*own, name) == 0)
            return true;
    return false;
}

static int put_option(const struct command_option *option, void *self, const char *value)
{
    const struct word_list *w = self;
    if (is_own(w->settings, option->name))
        return EXIT_DONE;
    fprintf(w->f, " --%s", option->name);
    if (value)
        put_word(w->f, value);
    return EXIT_DONE;
}

static int put_no_word(void *self, const char *word)
{
    (void)self, (void)word;
    return EXIT_DONE;
}

/* The command for the other side's shell; owned by the caller. */
static char *remote_command(const struct remote_recording *r, size_t program_size)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        alloc_fail();
    struct word_list words = {r, f};
    fputs("exec sh -c", f);
    put_word(f, script);
    fputs(" sh", f);
    put_word(f, program_build);
    fprintf(f, " %zu", program_size);
    char *config = alloc_copy(r->config.p, r->config.n);
    put_word(f, config);
    free(config);
    options_walk(r->options, &words, put_option, put_no_word, r->argc, r->argv);
    if (r->command)
        fputs(" --", f);
    for (char *const *word = r->command; word && *word; word++)
        put_word(f, *word);
    if (fclose(f) != 0)
        alloc_fail();
    return text;
}

/* The terminal's Ctrl-C is ours: ssh would end, and with it what is still to come. */
static _Noreturn void become_ssh(const char *host, const char *command, const int in[2],
                                 const int out[2], const int errors[2])
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(errors[1], STDERR_FILENO);
    execlp("ssh", "ssh", "-T", "--", host, command, (char *)NULL);
    fprintf(standard_errors(), "tptui: ssh: %s\n", strerror(errno));
    _exit(NO_SSH);
}

static struct status begin_ssh(struct remote *r)
{
    int in[2], out[2], errors[2];
    if (pipe2(in, O_CLOEXEC) != 0)
        return status_error(STATUS_IO, "no pipe: %s", strerror(errno));
    r->in = in[1];
    if (pipe2(out, O_CLOEXEC) != 0 || (r->out = out[0], pipe2(errors, O_CLOEXEC) != 0)) {
        struct status s = status_error(STATUS_IO, "no pipe: %s", strerror(errno));
        close(in[0]);
        if (r->out >= 0)
            close(out[1]);
        return s;
    }
    r->errors = errors[0];
    char *command = remote_command(r->settings, r->size);
    r->ssh = fork();
    if (r->ssh == 0)
        become_ssh(r->settings->host, command, in, out, errors);
    int error = errno;
    free(command);
    close(in[0]);
    close(out[1]);
    close(errors[1]);
    fcntl(r->in, F_SETFL, O_NONBLOCK);
    fcntl(r->errors, F_SETFL, O_NONBLOCK);
    if (r->ssh > 0)
        return status_ok_value();
    return status_error(STATUS_IO, "no process for ssh: %s", strerror(error));
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_in(struct remote *r)
{
    close_end(&r->in);
}

static void send_program(struct remote *r)
{
    size_t left = r->size - r->sent;
    ssize_t n = write(r->in, r->program + r->sent, left < PIECE_BYTES ? left : PIECE_BYTES);
    if (n > 0)
        r->sent += (size_t)n;
    else if (n < 0 && errno != EAGAIN && errno != EINTR)
        close_in(r); /* it has ended: what it says tells why */
    r->sending = r->in >= 0 && r->sent < r->size;
}

/* The trace. Where it cannot be written, the recording ends. */
static void take_trace(struct remote *r, const char *p, size_t n)
{
    size_t written = 0;
    if (r->error == 0 && n > 0)
        r->error = write_whole(r->fd, p, n, &written);
    r->bytes += written;
    if (r->error)
        close_in(r);
}

static char *find_mark(struct remote *r, const char *mark)
{
    return memmem(r->preamble, r->preamble_size, mark, strlen(mark));
}

/* What comes before the mark is not ours. */
static void take_preamble(struct remote *r, const char *p, size_t n)
{
    size_t room = sizeof r->preamble - r->preamble_size;
    size_t taken = n < room ? n : room;
    memcpy(r->preamble + r->preamble_size, p, taken);
    r->preamble_size += taken;
    const char *have = find_mark(r, HAVE), *send = have ? NULL : find_mark(r, SEND);
    r->sending = send != NULL;
    r->recording = have || send;
    if (r->recording && ftruncate(r->fd, 0) != 0)
        errno = 0; /* a pipe: there is nothing to overwrite */
    if (have) {    /* the trace may have begun */
        const char *behind = have + strlen(HAVE);
        take_trace(r, behind, (size_t)(r->preamble + r->preamble_size - behind));
    }
    if (taken < n && r->recording)
        take_trace(r, p + taken, n - taken);
}

static void take_output(struct remote *r)
{
    char piece[PIECE_BYTES];
    ssize_t n = read(r->out, piece, sizeof piece);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        close_end(&r->out);
    } else if (r->recording) {
        take_trace(r, piece, (size_t)n);
    } else {
        take_preamble(r, piece, (size_t)n);
    }
}

/* What the other side says, through our own stderr: it cannot control the terminal. */
static void take_errors(struct remote *r)
{
    char piece[4096];
    ssize_t n = read(r->errors, piece, sizeof piece);
    if (n > 0)
        fwrite(piece, 1, (size_t)n, standard_errors());
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        close_end(&r->errors);
}

/* The first asks for the end, and what was recorded still comes; the second does not wait. */
static void interrupt(struct remote *r)
{
    r->sending = false;
    close_in(r);
    if (++r->interrupts > 1) {
        kill(r->ssh, SIGTERM);
        close_end(&r->out);
    }
}

static void take_signals(struct remote *r)
{
    struct signalfd_siginfo info;
    while (read(r->signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo != SIGCHLD)
            interrupt(r);
        else if (waitpid(r->ssh, &r->status, WNOHANG) == r->ssh)
            r->ended = true;
    }
}

/* Until it has ended and all of the trace is here: it may go on after it has closed its stdout. */
static void run(struct remote *r)
{
    while (r->out >= 0 || !r->ended) {
        struct pollfd fds[] = {{.fd = r->signals, .events = POLLIN},
                               {.fd = r->out, .events = POLLIN},
                               {.fd = r->errors, .events = POLLIN},
                               {.fd = r->sending ? r->in : -1, .events = POLLOUT}};
        if (poll(fds, sizeof fds / sizeof *fds, -1) < 0)
            continue; /* interrupted */
        if (fds[1].revents)
            take_output(r);
        if (fds[2].revents)
            take_errors(r);
        if (r->sending && fds[3].revents)
            send_program(r);
        if (fds[0].revents)
            take_signals(r);
        if (r->out < 0)
            close_in(r);
    }
}

/* What it said last. Whatever it has left behind may keep the other end open, and is not waited
 * for. */
static void take_last_errors(struct remote *r)
{
    for (int left = 64; r->errors >= 0 && left > 0; left--) {
        struct pollfd ready = {.fd = r->errors, .events = POLLIN};
        if (poll(&ready, 1, 0) != 1)
            break;
        take_errors(r);
    }
}

static sigset_t block_signals(struct remote *r)
{
    sigset_t ours, before;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    sigaddset(&ours, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &ours, &before);
    r->signals = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* who runs this may have it ignored: then it would not come */
    return before;
}

static struct status map_program(struct remote *r)
{
    struct stat st;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    void *p = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0)
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (p == MAP_FAILED)
        return status_error(STATUS_IO, "this program cannot be read: %s", strerror(error));
    r->program = p;
    r->size = (size_t)st.st_size;
    return status_ok_value();
}

/* A command there may have that status, too. */
static bool is_lost(const struct remote *r, int exit_status)
{
    return exit_status == 128 + SIGKILL || (exit_status == SSH_LOST && !r->settings->command);
}

static struct status check(const struct remote *r, int exit_status)
{
    if (r->error && r->error != EPIPE)
        return status_error(STATUS_IO, "the trace cannot be written: %s", strerror(r->error));
    if (!r->recording && exit_status != NO_SSH)
        return status_error(STATUS_IO, "%s: no shell answers", r->settings->host);
    if (r->recording && is_lost(r, exit_status))
        return status_error(STATUS_IO, "the connection to %s was lost: what had come is kept",
                            r->settings->host);
    return status_ok_value();
}

struct status remote_record(const struct remote_recording *settings, int fd,
                            struct remote_result *result)
{
    struct remote *r = alloc_array(1, sizeof *r);
    r->settings = settings;
    r->fd = fd;
    r->in = r->out = r->errors = -1;
    sigset_t before = block_signals(r);
    struct status s = map_program(r);
    if (status_ok(s))
        s = begin_ssh(r);
    if (status_ok(s)) {
        run(r);
        take_last_errors(r);
        int status = WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status) : WEXITSTATUS(r->status);
        *result = (struct remote_result){r->bytes, status};
        s = check(r, result->exit_status);
    }
    if (r->program)
        munmap((void *)r->program, r->size);
    close_in(r);
    close_end(&r->out);
    close_end(&r->errors);
    close(r->signals);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(r);
    return s;
}
