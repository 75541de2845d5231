#include "parsers/input/piped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/unnamed_file.h"

enum { PIECE = 1 << 20, LOOK_MS = 10, MEMORY_MOST = 256 << 20 };

struct piped_file {
    pthread_t thread;
    int from, end_fd; /* an eventfd: it is to stop */
    int64_t started_ms;
    atomic_uint_fast64_t size;
    atomic_bool ended;
    pthread_mutex_t lock; /* of what follows */
    int to;
    int error; /* errno; 0: all was read and kept so far */
};

static int64_t now_ms(void)
{
    return clock_now_ns() / 1000000;
}

static bool write_at(int fd, const uint8_t *bytes, size_t n, uint64_t at)
{
    while (n > 0) {
        ssize_t written = pwrite(fd, bytes, n, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        at += (uint64_t)written;
        n -= (size_t)written;
    }
    return true;
}

/* The disk is full: goes on in memory, if that is not too much. Who has the file open still reads
 * there. */
static bool move_to_memory(struct piped_file *p, uint8_t *piece, uint64_t size)
{
    int memory = size <= MEMORY_MOST ? memfd_create("tptui", MFD_CLOEXEC) : -1;
    bool moved = memory >= 0;
    for (uint64_t at = 0; moved && at < size;) {
        ssize_t n = pread(p->to, piece, PIECE, (off_t)at);
        moved = n > 0 && write_at(memory, piece, (size_t)n, at);
        at += n > 0 ? (uint64_t)n : 0;
    }
    if (!moved) {
        if (memory >= 0)
            close(memory);
        errno = ENOSPC;
        return false;
    }
    pthread_mutex_lock(&p->lock);
    close(p->to);
    p->to = memory;
    pthread_mutex_unlock(&p->lock);
    return true;
}

static bool keep(struct piped_file *p, uint8_t *pieces, size_t n)
{
    uint64_t size = atomic_load(&p->size);
    bool kept = write_at(p->to, pieces, n, size) ||
                ((errno == ENOSPC || errno == EDQUOT || errno == EFBIG) &&
                 move_to_memory(p, pieces + PIECE, size) && write_at(p->to, pieces, n, size));
    if (kept)
        atomic_store(&p->size, size + n);
    return kept;
}

/* Bytes; 0 at the end; below 0: errno. */
static ssize_t read_piece(const struct piped_file *p, uint8_t *piece)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = p->from, .events = POLLIN},
                               {.fd = p->end_fd, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return -1;
        if (fds[1].revents) {
            errno = ECANCELED;
            return -1;
        }
        if (!fds[0].revents)
            continue;
        ssize_t n = read(p->from, piece, PIECE);
        if (n >= 0 || (errno != EINTR && errno != EAGAIN))
            return n;
    }
}

static void *run(void *self)
{
    struct piped_file *p = self;
    uint8_t *pieces = alloc_bytes((size_t)2 * PIECE); /* the second is for move_to_memory */
    ssize_t n;
    while ((n = read_piece(p, pieces)) > 0 && keep(p, pieces, (size_t)n))
        ;
    if (n != 0) {
        int error = errno;
        pthread_mutex_lock(&p->lock);
        p->error = error;
        pthread_mutex_unlock(&p->lock);
    }
    free(pieces);
    close(p->from);
    atomic_store(&p->ended, true);
    return NULL;
}

struct piped_file *piped_file_start(int fd)
{
    struct piped_file *p = alloc_array(1, sizeof *p);
    p->started_ms = now_ms();
    p->from = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    p->end_fd = eventfd(0, EFD_CLOEXEC);
    p->to = unnamed_file_open_or_memory();
    pthread_mutex_init(&p->lock, NULL);
    if (p->from >= 0 && p->end_fd >= 0 && p->to >= 0 &&
        pthread_create(&p->thread, NULL, run, p) == 0)
        return p;
    close(p->from);
    close(p->end_fd);
    close(p->to);
    pthread_mutex_destroy(&p->lock);
    free(p);
    return NULL;
}

void piped_file_stop(struct piped_file *p)
{
    uint64_t one = 1;
    while (p && write(p->end_fd, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

void piped_file_end(struct piped_file *p)
{
    if (!p)
        return;
    piped_file_stop(p);
    pthread_join(p->thread, NULL);
    close(p->end_fd);
    close(p->to);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

uint64_t piped_file_size(const struct piped_file *p)
{
    return atomic_load(&p->size);
}

uint64_t piped_file_wait(struct piped_file *p, struct piped_wish wish,
                         struct load_progress *progress, bool *all)
{
    progress_begin(progress, LOAD_READING, 0);
    for (;;) {
        *all = atomic_load(&p->ended); /* before the size, which stays then */
        uint64_t size = atomic_load(&p->size);
        bool impatient = size >= wish.least && now_ms() - p->started_ms >= wish.patience_ms;
        if (*all || size >= wish.want || impatient || !progress_report(progress, size))
            return size;
        poll(NULL, 0, LOOK_MS);
    }
}

struct status piped_file_open(struct piped_file *p, bool all, int *fd)
{
    pthread_mutex_lock(&p->lock);
    int error = all ? p->error : 0;
    *fd = error ? -1 : fcntl(p->to, F_DUPFD_CLOEXEC, 0);
    error = *fd < 0 && !error ? errno : error;
    pthread_mutex_unlock(&p->lock);
    return *fd >= 0 ? status_ok_value()
                    : status_error(STATUS_IO, "-: cannot be read to its end, or kept: %s",
                                   strerror(error));
}
