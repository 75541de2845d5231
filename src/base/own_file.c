#include "base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/alloc.h"

bool own_file_is(const struct stat *st)
{
    return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static bool is_own(const struct stat *st)
{
    return st->st_uid == geteuid() || st->st_uid == 0;
}

/* A group of the same number as its user is the user's alone, as most systems make them. */
static bool others_may_write(const struct stat *st)
{
    return (st->st_mode & S_IWOTH) || ((st->st_mode & S_IWGRP) && st->st_gid != st->st_uid);
}

/* Where the sticky bit is set, as in /tmp, others can add files, but not take the place of one. */
static bool others_may_replace(const struct stat *folder)
{
    return !is_own(folder) || (others_may_write(folder) && !(folder->st_mode & S_ISVTX));
}

bool own_file_trusted(int fd, const char *path, char *why, size_t size)
{
    struct stat st;
    char *full = realpath(path, NULL);
    bool own = false;
    if (fstat(fd, &st) != 0 || !full)
        snprintf(why, size, "its owner cannot be told");
    else if (!is_own(&st))
        snprintf(why, size, "it belongs to uid %lu", (unsigned long)st.st_uid);
    else if (others_may_write(&st))
        snprintf(why, size, "others may write it");
    else if (stat(dirname(full), &st) != 0 || others_may_replace(&st))
        snprintf(why, size, "others may write its folder");
    else
        own = true;
    free(full);
    return own;
}

bool own_folder_is(const char *path)
{
    struct stat named, folder;
    return lstat(path, &named) == 0 && named.st_uid == geteuid() && stat(path, &folder) == 0 &&
           S_ISDIR(folder.st_mode) && folder.st_uid == geteuid() && !others_may_write(&folder);
}

int own_file_open(const char *path)
{
    struct stat st;
    /* A FIFO would be waited for. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && own_file_is(&st))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static char *random_name(const char *path)
{
    uint64_t number;
    size_t n = strlen(path) + sizeof OWN_FILE_UNFINISHED + 24;
    char *name = alloc_bytes(n);
    if (getrandom(&number, sizeof number, 0) != sizeof number) {
        free(name);
        return NULL;
    }
    snprintf(name, n, "%s.%016" PRIx64 OWN_FILE_UNFINISHED, path, number);
    return name;
}

int own_file_make(const char *path, mode_t mode, char **name)
{
    *name = random_name(path);
    int fd = *name ? open(*name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode) : -1;
    if (fd >= 0)
        return fd;
    int error = errno;
    free(*name);
    *name = NULL;
    errno = error;
    return -1;
}
