#include "base/unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"

enum { PATH_SIZE = 4096, FOLDERS = 4 };

/* /tmp is in memory on many systems, which is what these files are to spare. */
static void list_folders(const char *folders[FOLDERS])
{
    folders[0] = getenv("SQLITE_TMPDIR");
    folders[1] = getenv("TMPDIR");
    folders[2] = "/var/tmp";
    folders[3] = "/tmp";
}

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
    const char *folders[FOLDERS];
    int fd = -1;
    list_folders(folders);
    for (size_t i = 0; i < FOLDERS && fd < 0; i++)
        if (folders[i] && *folders[i])
            fd = open_in(folders[i]);
    return fd;
}

static int open_on_disk_in(const char *folder)
{
    struct statfs fs;
    int fd = open_in(folder);
    if (fd < 0 || (fstatfs(fd, &fs) == 0 && fs.f_type != TMPFS_MAGIC && fs.f_type != RAMFS_MAGIC))
        return fd;
    close(fd);
    errno = ENOENT;
    return -1;
}

int unnamed_file_open_on_disk(const char *folder, char **place)
{
    const char *folders[1 + FOLDERS] = {folder};
    list_folders(folders + 1);
    for (size_t i = 0; i < 1 + FOLDERS; i++) {
        int fd = folders[i] && *folders[i] ? open_on_disk_in(folders[i]) : -1;
        if (fd < 0)
            continue;
        *place = alloc_copy(folders[i], strlen(folders[i]));
        return fd;
    }
    return -1;
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
