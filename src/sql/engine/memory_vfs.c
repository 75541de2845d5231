#include "sql/engine/memory_vfs.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define NAME "tptui-memory"

struct memory_file {
    sqlite3_file base;
    char *bytes;
    size_t size, cap;
};

static struct memory_file *file_of(sqlite3_file *f)
{
    return (struct memory_file *)f;
}

static int file_close(sqlite3_file *f)
{
    free(file_of(f)->bytes);
    return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *out, int n, sqlite3_int64 at)
{
    const struct memory_file *f = file_of(base);
    size_t have = (size_t)at < f->size ? f->size - (size_t)at : 0;
    size_t copy = have < (size_t)n ? have : (size_t)n;
    if (copy)
        memcpy(out, f->bytes + at, copy);
    memset((char *)out + copy, 0, (size_t)n - copy);
    return copy == (size_t)n ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *base, const void *in, int n, sqlite3_int64 at)
{
    struct memory_file *f = file_of(base);
    size_t end = (size_t)at + (size_t)n;
    if (end > f->cap) {
        f->cap = end + f->cap / 2;
        f->bytes = realloc_array(f->bytes, f->cap, 1);
    }
    if ((size_t)at > f->size)
        memset(f->bytes + f->size, 0, (size_t)at - f->size);
    memcpy(f->bytes + at, in, (size_t)n);
    f->size = end > f->size ? end : f->size;
    return SQLITE_OK;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    struct memory_file *f = file_of(base);
    f->size = (size_t)size < f->size ? (size_t)size : f->size;
    return SQLITE_OK;
}

static int file_sync(sqlite3_file *f, int flags)
{
    (void)f, (void)flags;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)file_of(f)->size;
    return SQLITE_OK;
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
static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
    sqlite3_vfs *system = vfs->pAppData;
    if (name)
        return system->xOpen(system, name, f, flags, out_flags);
    memset(f, 0, sizeof(struct memory_file));
    f->pMethods = &methods;
    if (out_flags)
        *out_flags = flags;
    return SQLITE_OK;
}

static void register_vfs(void)
{
    static sqlite3_vfs vfs;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    if (!system)
        return;
    vfs = *system;
    vfs.pNext = NULL;
    vfs.zName = NAME;
    vfs.pAppData = system;
    vfs.xOpen = vfs_open;
    if (vfs.szOsFile < (int)sizeof(struct memory_file))
        vfs.szOsFile = (int)sizeof(struct memory_file);
    sqlite3_vfs_register(&vfs, 0);
}

const char *memory_vfs_name(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_vfs);
    return sqlite3_vfs_find(NAME) ? NAME : NULL;
}
