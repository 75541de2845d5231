#include "parsers/cache_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

enum { POLL_MS = 20, ROOM_SECONDS = 5 };

static int open_locks(const char *folder)
{
    static const char name[] = "/locks";
    size_t n = strlen(folder) + sizeof name;
    char *path = alloc_bytes(n);
    snprintf(path, n, "%s%s", folder, name);
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    free(path);
    return fd;
}

/* The first byte is that of the room. */
static struct flock byte_of_trace(uint64_t key, short type)
{
    return (struct flock){.l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)(key >> 2) + 1,
                          .l_len = 1};
}

int cache_lock_trace(const char *folder, uint64_t key, bool *busy)
{
    struct flock lock = byte_of_trace(key, F_WRLCK);
    int fd = open_locks(folder);
    *busy = false;
    if (fd < 0 || fcntl(fd, F_OFD_SETLK, &lock) == 0)
        return fd;
    *busy = errno == EAGAIN || errno == EACCES;
    close(fd);
    return -1;
}

/* How often it is looked in so many seconds, at least. */
static uint64_t looks(uint64_t seconds)
{
    return seconds * (1000 / POLL_MS);
}

static void sleep_a_while(void)
{
    nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
}

void cache_lock_wait(const char *folder, uint64_t key, uint64_t seconds,
                     const struct load_progress *progress)
{
    int fd = open_locks(folder);
    for (uint64_t i = 0; fd >= 0 && i < looks(seconds) && progress_goes_on(progress); i++) {
        struct flock lock = byte_of_trace(key, F_RDLCK); /* becomes the one that is in the way */
        if (fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
            break;
        sleep_a_while();
    }
    if (fd >= 0)
        close(fd);
}

int cache_lock_room(const char *folder)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    int fd = open_locks(folder);
    for (uint64_t i = 0; fd >= 0 && i < looks(ROOM_SECONDS); i++) {
        if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
            return fd;
        sleep_a_while();
    }
    if (fd >= 0)
        close(fd);
    return -1;
}
