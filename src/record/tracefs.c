#include "record/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/proc_file.h"

/* Instances are "tptui.PID.START", START as /proc/PID/stat has it: pids come again. */
#define INSTANCE_PREFIX "tptui."

/* A mount without a place, which ends with its descriptor; -1 where that cannot be. */
static int mount_apart(void)
{
#ifdef FSOPEN_CLOEXEC
    int context = fsopen("tracefs", FSOPEN_CLOEXEC);
    if (context < 0)
        return -1;
    int folder = -1;
    if (fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
        folder = fsmount(context, FSMOUNT_CLOEXEC, 0);
    int error = errno;
    close(context);
    errno = error;
    return folder;
#else /* a C library older than these calls */
    errno = ENOSYS;
    return -1;
#endif
}

struct status tracefs_open(struct tracefs *t)
{
    static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    *t = (struct tracefs){.root = -1, .instance = -1};
    int error = ENOENT;
    for (size_t i = 0; i < sizeof places / sizeof *places && t->root < 0; i++) {
        int fd = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && faccessat(fd, "instances", F_OK, 0) == 0)
            t->root = fd;
        else if (fd >= 0)
            close(fd);
        else if (errno == EACCES)
            error = EACCES;
    }
    if (t->root < 0 && error != EACCES) {
        t->root = mount_apart();
        error = errno;
    }
    if (t->root >= 0 && faccessat(t->root, "instances", W_OK, AT_EACCESS) == 0)
        return status_ok_value();
    if (t->root >= 0)
        error = errno;
    tracefs_end(t);
    if (error == EACCES || error == EPERM)
        return status_error(STATUS_IO, "tracefs wants root, or write access to its instances");
    return status_error(STATUS_IO, "tracefs: %s", strerror(error));
}

struct status tracefs_begin(struct tracefs *t)
{
    snprintf(t->name, sizeof t->name, "instances/" INSTANCE_PREFIX "%d.%" PRIu64, (int)getpid(),
             proc_start_time(getpid()));
    if (mkdirat(t->root, t->name, 0700) == 0) {
        t->instance = openat(t->root, t->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (t->instance >= 0)
            return status_ok_value();
    }
    int error = errno;
    return status_error(STATUS_IO, "tracefs: %s cannot be made: %s", t->name, strerror(error));
}

void tracefs_end(struct tracefs *t)
{
    if (t->instance >= 0) {
        write_file_at(t->instance, "events/enable", "0");
        close(t->instance);
        unlinkat(t->root, t->name, AT_REMOVEDIR);
    }
    if (t->root >= 0)
        close(t->root);
    t->root = t->instance = -1;
}

/* Whether its process is there. */
static bool is_running(const char *name)
{
    struct str rest = str_skip(str_from(name), strlen(INSTANCE_PREFIX));
    struct str pid = str_cut(&rest, '.');
    uint64_t p, start;
    return str_to_u64(pid, 10, &p) && p <= INT32_MAX && str_to_u64(rest, 10, &start) &&
           proc_start_time((pid_t)p) == start;
}

/* Owned texts. */
struct names {
    VEC(char *) v;
};

/* Removing one while the folder is read would end the reading. */
static void list_stale(struct tracefs *t, struct names *names)
{
    int fd = openat(t->root, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (str_starts(str_from(entry->d_name), STR(INSTANCE_PREFIX)) && !is_running(entry->d_name))
            *vec_push(&names->v) = alloc_copy(entry->d_name, strlen(entry->d_name));
    closedir(dir);
}

void tracefs_remove_stale(struct tracefs *t, void (*found)(void *self, const char *name),
                          void *self)
{
    struct names names = {0};
    list_stale(t, &names);
    for (size_t i = 0; i < names.v.count; i++) {
        char path[320];
        snprintf(path, sizeof path, "instances/%s", names.v.items[i]);
        /* One that somebody has open, in another PID namespace, say, is not removed: EBUSY. */
        if (unlinkat(t->root, path, AT_REMOVEDIR) == 0)
            found(self, names.v.items[i]);
        free(names.v.items[i]);
    }
    vec_release(&names.v);
}

bool read_file_at(int folder, const char *path, struct byte_list *out)
{
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n;
    do {
        vec_reserve(&out->v, out->v.count + 4096);
        n = read(fd, out->v.items + out->v.count, out->v.cap - out->v.count);
        if (n > 0)
            out->v.count += (size_t)n;
    } while (n > 0 || (n < 0 && errno == EINTR));
    int error = errno;
    close(fd);
    errno = error;
    return n == 0;
}

bool write_file_at(int folder, const char *path, const char *text)
{
    int fd = openat(folder, path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = write(fd, text, strlen(text));
    int error = errno;
    close(fd);
    errno = error;
    return n >= 0;
}
