#include "base/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

static struct status cannot_write(const char *path)
{
    return status_error(STATUS_IO, "%s: %s", path, strerror(errno));
}

/* An empty file of that name; `path` is its name in messages. What stands at `path`, and may not be
 * written, is not replaced. */
static struct status make_unfinished(const char *unfinished, const char *path)
{
    if (access(path, W_OK) != 0 && errno != ENOENT)
        return cannot_write(path);
    unlink(unfinished);
    int fd = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return cannot_write(path);
    close(fd);
    return status_ok_value();
}

struct status replace_file(const char *path, struct status (*write)(void *self, const char *path),
                           void *self)
{
    static const char suffix[] = ".unfinished";
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return status_error(STATUS_IO, "%s: it is no regular file, and is not replaced", path);
    size_t size = strlen(path) + sizeof suffix;
    char *unfinished = alloc_bytes(size);
    snprintf(unfinished, size, "%s%s", path, suffix);
    struct status status = make_unfinished(unfinished, path);
    bool made = status_ok(status);
    if (made)
        status = write(self, unfinished);
    if (status_ok(status) && rename(unfinished, path) != 0)
        status = cannot_write(path);
    if (made && !status_ok(status))
        unlink(unfinished);
    free(unfinished);
    return status;
}

struct status replace_or_write_file(const char *path,
                                    struct status (*write)(void *self, const char *path),
                                    void *self)
{
    struct stat there;
    bool as_it_is = lstat(path, &there) == 0 && !S_ISREG(there.st_mode);
    return as_it_is ? write(self, path) : replace_file(path, write, self);
}

struct status check_other_file(const char *out, const char *in)
{
    struct stat a, b;
    bool same = out && in && stat(out, &a) == 0 && stat(in, &b) == 0 && S_ISREG(a.st_mode) &&
                a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    return same ? status_error(STATUS_USAGE, "%s: input and output are the same file", out)
                : status_ok_value();
}
