#include "base/unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static int open_in(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (fd >= 0)
        return fd;
    char path[PATH_SIZE]; /* of file systems that have no such files */
    if (snprintf(path, sizeof path, "%s/tptui-XXXXXX", folder) >= (int)sizeof path)
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

int unnamed_file_open(void)
{
    /* /tmp is in memory on many systems, which is what these files are to spare */
    const char *const folders[] = {getenv("SQLITE_TMPDIR"), getenv("TMPDIR"), "/var/tmp", "/tmp"};
    int fd = -1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && fd < 0; i++)
        if (folders[i] && *folders[i])
            fd = open_in(folders[i]);
    return fd;
}

FILE *unnamed_file_stream(void)
{
    int fd = unnamed_file_open();
    FILE *f = fd >= 0 ? fdopen(fd, "w+e") : NULL;
    if (fd >= 0 && !f)
        close(fd);
    return f;
}

int unnamed_file_open_or_memory(void)
{
    int fd = unnamed_file_open();
    return fd >= 0 ? fd : memfd_create("tptui", MFD_CLOEXEC);
}

bool unnamed_file_write(int fd, struct str bytes)
{
    while (bytes.n > 0) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes = str_skip(bytes, (size_t)n);
    }
    return true;
}
