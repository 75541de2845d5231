#include "base/replace_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

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
    unlink(unfinished);
    struct status status = write(self, unfinished);
    if (status_ok(status) && rename(unfinished, path) != 0)
        status = status_error(STATUS_IO, "%s: %s", path, strerror(errno));
    if (!status_ok(status))
        unlink(unfinished);
    free(unfinished);
    return status;
}
