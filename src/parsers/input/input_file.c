#include "parsers/input/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"
#include "parsers/input/perf_folder.h"

/* A mapped file can be cut short by somebody else: reading behind its new end raises SIGBUS. The
 * handler puts zeros there and the load goes on with what was read before; jumping out of the
 * handler instead would leave tables half written. Thread-local, because the signal goes to the
 * thread that read. */
struct input_guard {
    uint8_t *p;
    size_t n;
    volatile sig_atomic_t cut;
};

static _Thread_local struct input_guard own;
/* NULL: the thread's own, which has no address that is known when it starts. */
static _Thread_local struct input_guard *joined;

struct input_guard *input_guard_here(void)
{
    return joined ? joined : &own;
}

void input_guard_join(struct input_guard *guard)
{
    joined = guard;
}

/* A signal that its own reading raises would end the program where it is blocked. */
bool input_guard_thread(pthread_t *thread, void *(*run)(void *), void *self)
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, NULL, run, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* Who gets a SIGBUS that is not ours: the terminal's handler, which restores it. Of the process, as
 * signal actions are. */
static struct sigaction action_before;

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)context;
    struct input_guard *guarded = input_guard_here();
    uintptr_t at = (uintptr_t)info->si_addr, start = (uintptr_t)guarded->p;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!guarded->p || at < start || at - start >= guarded->n) {
        sigaction(number, &action_before, NULL); /* not ours: happens again */
        if (info->si_code <= 0)
            raise(number); /* unless it was sent */
        return;
    }
    size_t offset = (at - start) / page * page;
    void *zeros = mmap(guarded->p + offset, guarded->n - offset, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED)
        sigaction(number, &action_before, NULL);
    guarded->cut = 1;
}

static struct status read_stream(struct input_file *in, const char *path,
                                 bool (*wanted)(struct bytes head))
{
    enum { STEP = 1 << 16, HEAD = 4 << 20 };
    VEC(uint8_t) all = {0};
    ssize_t n = 1;
    bool asked = false, stopped = false;
    while (n != 0 && !stopped) {
        vec_reserve(&all, all.count + STEP);
        n = read(in->fd, all.items + all.count, STEP);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            vec_release(&all);
            return status_error(STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
        }
        all.count += (size_t)n;
        stopped = !asked && all.count >= HEAD && !wanted((struct bytes){all.items, all.count});
        asked = all.count >= HEAD;
    }
    in->bytes = (struct bytes){all.items, all.count};
    return status_ok_value();
}

static bool map(struct input_file *in)
{
    size_t n = (size_t)in->stat.st_size;
    void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, in->fd, 0);
    if (p == MAP_FAILED)
        return false;
    in->bytes = (struct bytes){p, n};
    in->mapped = true;
    madvise(p, n, MADV_SEQUENTIAL);
    own = (struct input_guard){.p = p, .n = n};
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &in->old_action);
    action_before = in->old_action;
    return true;
}

/* A folder may be a recording of perf. */
static void open_folder(struct input_file *in)
{
    int fd = perf_folder_open(in->fd);
    if (fd < 0)
        return;
    close(in->fd);
    in->fd = fd;
    if (fstat(fd, &in->stat) != 0)
        in->stat.st_mode = S_IFDIR;
}

/* Of what is not there. */
static struct status missing(const char *path, int error)
{
    if (error == ENOENT && strstr(path, "://"))
        return status_error(STATUS_IO,
                            "%s: expected a file, found an address: curl -fsSL '%s' | tptui - "
                            "opens what is there",
                            path, path);
    return status_error(STATUS_IO, "%s: cannot be opened: %s", path, strerror(error));
}

/* Of in->fd. */
static struct status find_opened(struct input_file *in, const char *path, bool is_input)
{
    if (in->fd < 0)
        return missing(path, errno);
    if (fstat(in->fd, &in->stat) != 0)
        return status_error(STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(in->stat.st_mode))
        open_folder(in);
    if (S_ISDIR(in->stat.st_mode))
        return status_error(STATUS_IO,
                            "%s: expected a trace file, found a directory; `tptui merge -o OUT.tar "
                            "%s/*` makes one of the files in it",
                            path, path);
    if (is_input && isatty(in->fd))
        return status_error(STATUS_IO, "%s: expected a trace on standard input, found a terminal",
                            path);
    return status_ok_value();
}

enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NOCTTY };

struct status input_file_find(struct input_file *in, const char *path)
{
    bool is_input = strcmp(path, "-") == 0;
    *in = (struct input_file){.fd = is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                             : open(path, OPEN_FLAGS)};
    return find_opened(in, path, is_input);
}

/* Maps or reads what was found. */
static struct status get_bytes(struct input_file *in, struct status s, const char *path,
                               bool (*wanted)(struct bytes head))
{
    if (!status_ok(s))
        return s;
    /* Files of /proc have no size either. */
    if (!S_ISREG(in->stat.st_mode) || in->stat.st_size == 0)
        return read_stream(in, path, wanted);
    if ((uint64_t)in->stat.st_size > SIZE_MAX)
        return status_error(STATUS_IO, "%s: larger than the address space", path);
    if (map(in))
        return s;
    return status_error(STATUS_IO, "%s: cannot be mapped: %s", path, strerror(errno));
}

struct status input_file_open(struct input_file *in, const char *path,
                              bool (*wanted)(struct bytes head))
{
    return get_bytes(in, input_file_find(in, path), path, wanted);
}

struct status input_file_open_regular(struct input_file *in, const char *path,
                                      bool (*wanted)(struct bytes head))
{
    *in = (struct input_file){.fd = open(path, OPEN_FLAGS | O_NONBLOCK)};
    struct status s = find_opened(in, path, false);
    if (status_ok(s) && !S_ISREG(in->stat.st_mode))
        return status_error(STATUS_IO, "%s: expected a file that grows, found a pipe or a device",
                            path);
    return get_bytes(in, s, path, wanted);
}

struct status input_file_take(struct input_file *in, int fd, const char *path,
                              bool (*wanted)(struct bytes head))
{
    *in = (struct input_file){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)};
    return get_bytes(in, find_opened(in, path, false), path, wanted);
}

void input_file_unmap(struct input_file *in)
{
    sigaction(SIGBUS, &in->old_action, NULL);
    munmap((void *)(uintptr_t)in->bytes.p, in->bytes.n);
    own = (struct input_guard){0};
    in->bytes = (struct bytes){0};
    in->mapped = false;
}

bool input_file_map_again(struct input_file *in)
{
    return map(in) && input_file_change(in) == INPUT_UNCHANGED;
}

void input_file_close(struct input_file *in)
{
    if (in->mapped)
        input_file_unmap(in);
    else
        free((void *)(uintptr_t)in->bytes.p);
    if (in->fd >= 0)
        close(in->fd);
}

enum input_change input_file_change(const struct input_file *in)
{
    struct stat now;
    if (!in->mapped || fstat(in->fd, &now) != 0)
        return INPUT_UNCHANGED;
    if (own.cut || now.st_size < in->stat.st_size)
        return INPUT_CUT;
    bool same = now.st_size == in->stat.st_size && now.st_mtim.tv_sec == in->stat.st_mtim.tv_sec &&
                now.st_mtim.tv_nsec == in->stat.st_mtim.tv_nsec;
    return same ? INPUT_UNCHANGED : INPUT_CHANGED;
}

bool input_file_maps(const uint8_t *p)
{
    return p && p == own.p;
}

void input_file_release_pages(void)
{
    if (own.p)
        madvise(own.p, own.n, MADV_DONTNEED);
}
