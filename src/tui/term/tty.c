#include "tui/term/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Not every C library has this name for it. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static int open_device(const char *path)
{
    return open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

/* A terminal on one of the standard streams, for the rare process that has no controlling one. */
static int open_standard_stream(void)
{
    char path[256];
    for (int fd = 0; fd < 3; fd++) {
        if (ttyname_r(fd, path, sizeof path) != 0)
            continue;
        int opened = open_device(path);
        if (opened >= 0)
            return opened;
    }
    return -1;
}

struct status tty_open(int *fd, struct termios *saved)
{
    *fd = open_device("/dev/tty");
    int problem = errno;
    if (*fd < 0)
        *fd = open_standard_stream();
    if (*fd < 0)
        return status_error(STATUS_IO, "no terminal (/dev/tty: %s); `tptui query` needs none",
                            strerror(problem));
    if (tcgetattr(*fd, saved) == 0)
        return status_ok_value();
    struct status s = status_error(STATUS_IO, "/dev/tty: %s", strerror(errno));
    close(*fd);
    *fd = -1;
    return s;
}

void tty_make_raw(int fd, const struct termios *saved)
{
    struct termios raw = *saved;
    raw.c_iflag &=
        ~(tcflag_t)(BRKINT | ICRNL | IGNCR | INLCR | INPCK | ISTRIP | IXOFF | IXON | PARMRK);
    raw.c_oflag &= ~(tcflag_t)OPOST;
    raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | IEXTEN | ISIG);
    raw.c_cflag &= ~(tcflag_t)(CSIZE | PARENB);
    raw.c_cflag |= CS8;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    while (tcsetattr(fd, TCSANOW, &raw) != 0 && errno == EINTR)
        continue;
}

struct term_size tty_size(int fd)
{
    struct winsize w;
    struct term_size size = {80, 24};
    if (ioctl(fd, TIOCGWINSZ, &w) != 0 || w.ws_col == 0 || w.ws_row == 0)
        return size;
    size.width = w.ws_col < CELLS_MAX_WIDTH ? w.ws_col : CELLS_MAX_WIDTH;
    size.height = w.ws_row < CELLS_MAX_HEIGHT ? w.ws_row : CELLS_MAX_HEIGHT;
    return size;
}

/* Does nothing but end a write that waits. */
static void on_alarm(int number)
{
    (void)number;
}

void tty_writer_open(struct tty_writer *w, int tty)
{
    char path[256];
    *w = (struct tty_writer){.fd = -1};
    if (ttyname_r(tty, path, sizeof path) != 0)
        return;
    int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    event.sigev_notify_thread_id = gettid();
    if (timer_create(CLOCK_MONOTONIC, &event, &w->timer) != 0) {
        close(fd);
        return;
    }
    struct sigaction alarm_action = {.sa_handler = on_alarm}; /* no SA_RESTART */
    sigemptyset(&alarm_action.sa_mask);
    sigaction(SIGALRM, &alarm_action, &w->former);
    w->fd = fd;
}

void tty_writer_close(struct tty_writer *w)
{
    if (w->fd < 0)
        return;
    timer_delete(w->timer);
    sigaction(SIGALRM, &w->former, NULL);
    close(w->fd);
    w->fd = -1;
}

ssize_t tty_writer_write(struct tty_writer *w, const void *bytes, size_t n)
{
    enum { NS_PER_MS = 1000000 };
    /* Again and again, in case the first comes before the write has begun. */
    struct timespec patience = {.tv_nsec = TTY_PATIENCE_MS * NS_PER_MS};
    struct itimerspec on = {patience, patience}, off = {{0}, {0}};
    timer_settime(w->timer, 0, &on, NULL);
    ssize_t written = write(w->fd, bytes, n);
    int problem = errno;
    timer_settime(w->timer, 0, &off, NULL);
    errno = problem;
    return written;
}
