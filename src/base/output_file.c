#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_file.h"
#include "base/standard_streams.h"

static struct status cannot_write(const char *path, int error)
{
    return status_error(STATUS_IO, "%s: cannot be written: %s", path, strerror(error));
}

int output_error(FILE *f)
{
    errno = 0;
    if (fflush(f) != 0)
        return errno ? errno : EIO;
    if (!ferror(f))
        return 0;
    /* It was lost before, and only whoever writes is told why: another byte behind what is torn
     * anyway. */
    return write(fileno(f), "\n", 1) < 0 ? errno : EIO;
}

struct status output_open(const char *path, FILE **f)
{
    *f = fopen(path, "we");
    return *f ? status_ok_value() : cannot_write(path, errno);
}

struct status output_close(FILE *f, const char *path, struct status s)
{
    if (f == standard_output())
        return s;
    int error = output_error(f);
    if (fclose(f) != 0 && error == 0)
        error = errno;
    if (error == 0 || (!status_ok(s) && s.code != STATUS_CANCELLED))
        return s; /* which says more */
    status_release(&s);
    return cannot_write(path, error);
}

/* How a file is filled. */
struct filling {
    struct status (*write)(void *self, FILE *file);
    struct status (*write_name)(void *self, const char *path);
    void *self;
};

static struct status fill(const struct filling *w, int fd, const char *name, const char *path)
{
    if (w->write_name) {
        close(fd);
        return w->write_name(w->self, name);
    }
    FILE *f = fdopen(fd, "w+e");
    if (f)
        return output_close(f, path, w->write(w->self, f));
    struct status s = cannot_write(path, errno);
    close(fd);
    return s;
}

/* As what the user had there: others may not read what they could not. */
static int keep_rights(int fd, const char *path)
{
    struct stat named;
    bool own = lstat(path, &named) == 0 && S_ISREG(named.st_mode) && named.st_uid == geteuid();
    return own ? fchmod(fd, named.st_mode & 0777) : 0;
}

/* What stands at `path`, and may not be written, is not replaced. */
static struct status replace(const char *path, const struct filling *w)
{
    struct stat there;
    char *name;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return status_error(STATUS_IO, "%s: it is no regular file, and is not replaced", path);
    if (access(path, W_OK) != 0 && errno != ENOENT)
        return cannot_write(path, errno);
    int fd = own_file_make(path, 0666, &name);
    if (fd < 0)
        return cannot_write(path, errno);
    struct status s = keep_rights(fd, path) == 0 ? status_ok_value() : cannot_write(path, errno);
    if (status_ok(s))
        s = fill(w, fd, name, path);
    else
        close(fd);
    if (status_ok(s) && rename(name, path) != 0)
        s = cannot_write(path, errno);
    if (!status_ok(s))
        unlink(name);
    free(name);
    return s;
}

struct status replace_file(const char *path, struct status (*write)(void *self, FILE *file),
                           void *self)
{
    return replace(path, &(struct filling){.write = write, .self = self});
}

struct status replace_file_by_name(const char *path,
                                   struct status (*write)(void *self, const char *path), void *self)
{
    return replace(path, &(struct filling){.write_name = write, .self = self});
}

struct status replace_or_write_file(const char *path,
                                    struct status (*write)(void *self, FILE *file), void *self)
{
    struct stat named, there;
    if (lstat(path, &named) != 0 || S_ISREG(named.st_mode))
        return replace_file(path, write, self);
    bool regular = stat(path, &there) == 0 && S_ISREG(there.st_mode);
    FILE *f = fopen(path, regular ? "w+e" : "we"); /* some read again what they have written */
    return f ? output_close(f, path, write(self, f)) : cannot_write(path, errno);
}

struct whole_text {
    const char *p;
    size_t n;
};

static struct status write_text(void *self, FILE *file)
{
    const struct whole_text *t = self;
    if (t->n > 0)
        fwrite(t->p, 1, t->n, file);
    return status_ok_value();
}

struct status replace_file_text(const char *path, const char *text, size_t n)
{
    return replace_file(path, write_text, &(struct whole_text){text, n});
}

struct status replace_or_write_text(const char *path, const char *text, size_t n)
{
    return replace_or_write_file(path, write_text, &(struct whole_text){text, n});
}

struct status check_other_file(const char *out, const char *in)
{
    struct stat a, b;
    bool same = out && in && stat(out, &a) == 0 && stat(in, &b) == 0 && S_ISREG(a.st_mode) &&
                a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    return same ? status_error(STATUS_USAGE, "%s: input and output are the same file", out)
                : status_ok_value();
}
