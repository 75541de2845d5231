#include "base/file_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/content_hash.h"

/* How far apart two changes are at most whose times are the same: a tick of the slowest kernel, and
 * a second where the file system counts in seconds. And how long is waited at most: another
 * machine's clock may be a little ahead. */
enum { TICK_NS = 20000000, SECOND_NS = 1000000000, WAIT_NS = 2000000000 };

static uint64_t in_ns(struct timespec t)
{
    return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

int file_identity_open(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return -1;
    errno = EINVAL;
    if (!S_ISREG(st.st_mode))
        return -1;
    /* What takes its place in this moment is at least not waited for. */
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

bool file_identity_read(int fd, struct file_identity *id)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    *id = (struct file_identity){.size = (uint64_t)st.st_size,
                                 .device = st.st_dev,
                                 .inode = st.st_ino,
                                 .mtime_ns = in_ns(st.st_mtim),
                                 .ctime_ns = in_ns(st.st_ctim)};
    return true;
}

/* How long until the tick of the last change is over. */
static uint64_t ns_until_settled(const struct file_identity *id)
{
    struct timespec clock;
    clock_gettime(CLOCK_REALTIME, &clock);
    uint64_t now = in_ns(clock), tick = id->ctime_ns % SECOND_NS ? TICK_NS : SECOND_NS;
    return now < id->ctime_ns + tick ? id->ctime_ns + tick - now : 0;
}

bool file_identity_take(int fd, struct file_identity *id)
{
    if (!file_identity_read(fd, id))
        return false;
    uint64_t ns = ns_until_settled(id);
    if (ns == 0 || ns > WAIT_NS)
        return ns == 0;
    nanosleep(&(struct timespec){.tv_sec = (time_t)(ns / SECOND_NS),
                                 .tv_nsec = (long)(ns % SECOND_NS)},
              NULL);
    /* A file that is changed all the time is none that can be known. */
    return file_identity_read(fd, id) && ns_until_settled(id) == 0;
}

bool file_hash(int fd, const atomic_bool *stop, uint64_t *hash)
{
    enum { STEP = 1 << 18 }; /* stays in the processor's cache */
    uint8_t *bytes = alloc_bytes(STEP);
    struct content_hash h = content_hash_begin();
    ssize_t n;
    for (off_t at = 0; (n = pread(fd, bytes, STEP, at)) != 0; at += n > 0 ? n : 0) {
        if ((n < 0 && errno != EINTR) || (stop && atomic_load(stop)))
            break;
        content_hash_add(&h, bytes, n > 0 ? (size_t)n : 0);
    }
    free(bytes);
    *hash = content_hash_end(&h);
    return n == 0;
}
