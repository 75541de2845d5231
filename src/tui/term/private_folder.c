#include "tui/term/private_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

enum { PATH_LENGTH = 1024 };

static bool make_under(struct private_folder *f, const char *base)
{
    if (!base || base[0] != '/' || strlen(base) > 200)
        return false;
    snprintf(f->path, sizeof f->path, "%s/tptui-XXXXXX", base);
    if (mkdtemp(f->path))
        return true;
    f->path[0] = 0;
    return false;
}

bool private_folder_make(struct private_folder *f, const char *variable)
{
    if (!make_under(f, getenv("TMPDIR")) && !make_under(f, "/tmp") && !make_under(f, "/dev/shm"))
        return false;
    const char *former = getenv(variable);
    f->former = former ? alloc_copy(former, strlen(former)) : NULL;
    f->variable = variable;
    setenv(variable, f->path, 1);
    return true;
}

bool private_folder_add(const struct private_folder *f, const char *sub, const char *name,
                        const void *bytes, size_t size)
{
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/%s", f->path, sub);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/%s", f->path, sub, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool whole = write(fd, bytes, size) == (ssize_t)size;
    close(fd);
    if (!whole)
        unlink(path); /* a torn one is worse than none */
    return whole;
}

/* Removes the files in `folder` and the folder itself. */
static void remove_files(const char *folder)
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        unlinkat(dirfd(d), e->d_name, 0); /* "." and ".." cannot be unlinked */
    closedir(d);
    rmdir(folder);
}

void private_folder_remove(struct private_folder *f)
{
    if (!f->path[0])
        return;
    DIR *d = opendir(f->path);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char path[PATH_LENGTH];
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", f->path, e->d_name);
        remove_files(path);
    }
    if (d)
        closedir(d);
    rmdir(f->path);
    if (f->former)
        setenv(f->variable, f->former, 1);
    else
        unsetenv(f->variable);
    free(f->former);
    *f = (struct private_folder){0};
}
