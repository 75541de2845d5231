#include "sql/engine/memory_vfs.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/unnamed_file.h"

enum { NAME_SIZE = 40, USUAL_SHARE = 4 };
static const size_t usual_most = (size_t)4 << 30;

struct memory_vfs {
    sqlite3_vfs base;
    sqlite3_vfs *system; /* for files that have a name */
    char name[NAME_SIZE];
    size_t limit, used; /* bytes; `used` by all files */
    bool overflowed;
};

struct memory_file {
    sqlite3_file base;
    struct memory_vfs *vfs;
    char *bytes;
    size_t size, cap;
    int fd; /* -1: in memory */
};

static struct memory_file *file_of(sqlite3_file *f)
{
    return (struct memory_file *)f;
}

static void free_bytes(struct memory_file *f)
{
    free(f->bytes);
    f->bytes = NULL;
    f->vfs->used -= f->cap;
    f->cap = 0;
}

static int file_close(sqlite3_file *base)
{
    struct memory_file *f = file_of(base);
    free_bytes(f);
    if (f->fd >= 0)
        close(f->fd);
    return SQLITE_OK;
}

/* As many of the bytes as the file has; negative where reading fails. */
static ssize_t read_disk(int fd, char *out, size_t n, off_t at)
{
    size_t done = 0;
    while (done < n) {
        ssize_t got = pread(fd, out + done, n - done, at + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return got;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static int write_disk(int fd, const char *bytes, size_t n, off_t at)
{
    for (size_t done = 0; done < n;) {
        ssize_t put = pwrite(fd, bytes + done, n - done, at + (off_t)done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? SQLITE_FULL
                                                                        : SQLITE_IOERR_WRITE;
        done += (size_t)put;
    }
    return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *out, int n, sqlite3_int64 at)
{
    const struct memory_file *f = file_of(base);
    size_t wanted = (size_t)n, have = (size_t)at < f->size ? f->size - (size_t)at : 0;
    size_t copy = have < wanted ? have : wanted;
    if (f->fd >= 0) {
        ssize_t got = read_disk(f->fd, out, wanted, at);
        if (got < 0)
            return SQLITE_IOERR_READ;
        copy = (size_t)got;
    } else if (copy > 0) {
        memcpy(out, f->bytes + at, copy);
    }
    memset((char *)out + copy, 0, wanted - copy);
    return copy == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

/* False where the limit or the system does not let it have so much memory. */
static bool grow(struct memory_file *f, size_t needed)
{
    struct memory_vfs *v = f->vfs;
    size_t others = v->used - f->cap, most = others < v->limit ? v->limit - others : 0;
    if (needed > most)
        return false;
    size_t cap = needed + f->cap / 2;
    cap = cap < most ? cap : most;
    char *bytes = realloc(f->bytes, cap);
    if (!bytes)
        return false;
    f->bytes = bytes;
    f->cap = cap;
    v->used = others + cap;
    return true;
}

/* From memory to the disk. The result is SQLite's. */
static int spill(struct memory_file *f)
{
    int fd = unnamed_file_open();
    if (fd < 0)
        return SQLITE_IOERR_WRITE;
    int rc = write_disk(fd, f->bytes, f->size, 0);
    if (rc != SQLITE_OK) {
        close(fd);
        return rc;
    }
    f->fd = fd;
    free_bytes(f);
    return SQLITE_OK;
}

static int file_write(sqlite3_file *base, const void *in, int n, sqlite3_int64 at)
{
    struct memory_file *f = file_of(base);
    size_t end = (size_t)at + (size_t)n;
    int rc = SQLITE_OK;
    if (f->fd < 0 && end > f->cap && !grow(f, end))
        rc = spill(f);
    if (rc == SQLITE_OK && f->fd >= 0)
        rc = write_disk(f->fd, in, (size_t)n, at);
    f->vfs->overflowed |= rc != SQLITE_OK;
    if (rc != SQLITE_OK || f->fd >= 0)
        return rc;
    if ((size_t)at > f->size)
        memset(f->bytes + f->size, 0, (size_t)at - f->size);
    memcpy(f->bytes + at, in, (size_t)n);
    f->size = end > f->size ? end : f->size;
    return SQLITE_OK;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    struct memory_file *f = file_of(base);
    if (f->fd >= 0)
        return ftruncate(f->fd, size) == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
    f->size = (size_t)size < f->size ? (size_t)size : f->size;
    return SQLITE_OK;
}

static int file_sync(sqlite3_file *f, int flags)
{
    (void)f, (void)flags;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *out)
{
    const struct memory_file *f = file_of(base);
    *out = f->fd >= 0 ? lseek(f->fd, 0, SEEK_END) : (sqlite3_int64)f->size;
    return *out >= 0 ? SQLITE_OK : SQLITE_IOERR_FSTAT;
}

static int file_lock(sqlite3_file *f, int level)
{
    (void)f, (void)level;
    return SQLITE_OK;
}

static int file_is_reserved(sqlite3_file *f, int *out)
{
    (void)f;
    *out = 0;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *f, int operation, void *argument)
{
    (void)f, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *f)
{
    (void)f;
    return 512;
}

static int file_characteristics(sqlite3_file *f)
{
    (void)f;
    return SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_SEQUENTIAL;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_lock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
};

/* Files without a name are SQLite's temporary ones; others (ATTACH) are the system's. */
static int vfs_open(sqlite3_vfs *base, const char *name, sqlite3_file *file, int flags,
                    int *out_flags)
{
    struct memory_vfs *v = (struct memory_vfs *)base;
    if (name)
        return v->system->xOpen(v->system, name, file, flags, out_flags);
    *file_of(file) = (struct memory_file){.base.pMethods = &methods, .vfs = v, .fd = -1};
    if (out_flags)
        *out_flags = flags;
    return SQLITE_OK;
}

struct memory_vfs *memory_vfs_new(size_t limit)
{
    struct memory_vfs *v = alloc_array(1, sizeof *v);
    v->limit = limit;
    v->system = sqlite3_vfs_find(NULL);
    v->base = *v->system;
    snprintf(v->name, sizeof v->name, "tptui-%p", (void *)v);
    v->base.pNext = NULL;
    v->base.zName = v->name;
    v->base.xOpen = vfs_open;
    if (v->base.szOsFile < (int)sizeof(struct memory_file))
        v->base.szOsFile = (int)sizeof(struct memory_file);
    sqlite3_vfs_register(&v->base, 0);
    return v;
}

void memory_vfs_set_limit(struct memory_vfs *v, size_t limit)
{
    v->limit = limit;
}

void memory_vfs_free(struct memory_vfs *v)
{
    sqlite3_vfs_unregister(&v->base);
    free(v);
}

bool memory_vfs_overflowed(struct memory_vfs *v)
{
    bool overflowed = v->overflowed;
    v->overflowed = false;
    return overflowed;
}

const char *memory_vfs_name(const struct memory_vfs *v)
{
    return v->name;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* What a container may have, as the kernel shows it to those within; SIZE_MAX where all. */
static size_t group_limit(void)
{
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "re");
    unsigned long long limit = 0;
    bool found = f && fscanf(f, "%llu", &limit) == 1; /* else it says "max" */
    if (f)
        fclose(f);
    return found ? (size_t)limit : SIZE_MAX;
}

size_t memory_vfs_usual_limit(void)
{
    struct rlimit address_space;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t most = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : usual_most;
    if (getrlimit(RLIMIT_AS, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY)
        most = least(most, address_space.rlim_cur);
    return least(least(most, group_limit()) / USUAL_SHARE, usual_most);
}
