#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

enum { PIECE_BYTES = 1 << 14, MB = 1 << 20 };

static struct status failed(const char *path)
{
    return status_error(STATUS_IO, "%s: %s", path, strerror(errno));
}

static struct status too_large(const char *path, size_t most)
{
    bool millions = most >= MB && most % MB == 0;
    return status_error(STATUS_FORMAT, "%s: larger than %zu %s", path, millions ? most / MB : most,
                        millions ? "MB" : "bytes");
}

struct status whole_file_open(const char *path, int *fd)
{
    struct stat st;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0)
        return failed(path);
    if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode))
        return status_ok_value();
    close(*fd);
    *fd = -1;
    return status_error(STATUS_IO, "%s: not a file", path);
}

struct status whole_file_read(int fd, const char *path, size_t most, char **text, size_t *n)
{
    VEC(char) all = {0};
    ssize_t got;
    do {
        vec_reserve(&all, all.count + PIECE_BYTES + 1);
        got = read(fd, all.items + all.count, PIECE_BYTES);
        all.count += got > 0 ? (size_t)got : 0;
    } while (got > 0 && all.count <= most);
    struct status s = status_ok_value();
    if (got < 0)
        s = failed(path);
    else if (all.count > most)
        s = too_large(path, most);
    close(fd);
    all.items[all.count] = '\0';
    *n = all.count;
    *text = all.items;
    if (!status_ok(s)) {
        vec_release(&all);
        *text = NULL;
    }
    return s;
}
