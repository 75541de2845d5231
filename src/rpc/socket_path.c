#include "rpc/socket_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct status make_private(const char *folder)
{
    struct stat s;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return status_error(STATUS_IO, "%s: %s", folder, strerror(errno));
    if (lstat(folder, &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != getuid() ||
        (s.st_mode & 077) != 0)
        return status_error(STATUS_IO, "%s: others may look into that folder", folder);
    return status_ok_value();
}

static struct status make_folder(char *folder, size_t size)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
    bool is_runtime = runtime && *runtime;
    if (!is_runtime)
        runtime = temporary && *temporary ? temporary : "/tmp";
    int n = snprintf(folder, size, "%s/perfetto", runtime);
    struct status s = n > 0 && (size_t)n < size
                          ? make_private(folder)
                          : status_error(STATUS_IO, "%s: too long a path for a socket", runtime);
    if (status_ok(s) || is_runtime)
        return s;
    /* There is one for all users, and it is another's. */
    status_release(&s);
    snprintf(folder, size, "/tmp/tptui-%u", (unsigned)getuid());
    return make_private(folder);
}

static bool is_name(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return *text && *text != '-' && *text != '_' && strspn(text, plain) == strlen(text);
}

static bool is_path(const char *address)
{
    static const char ending[] = ".sock";
    size_t n = strlen(address), tail = sizeof ending - 1;
    return strchr(address, '/') || (n > tail && strcmp(address + n - tail, ending) == 0);
}

struct status socket_path(const char *address, char *path, size_t size)
{
    char folder[sizeof((struct sockaddr_un *)NULL)->sun_path];
    struct status s = status_ok_value();
    bool at_path = is_path(address);
    if (!at_path && !is_name(address))
        return status_error(STATUS_USAGE, "%s: a session's name has letters, digits, _ - only",
                            address);
    if (!at_path)
        s = make_folder(folder, sizeof folder);
    if (!status_ok(s))
        return s;
    int n = at_path ? snprintf(path, size, "%s", address)
                    : snprintf(path, size, "%s/%s.sock", folder, address);
    if (n < 0 || (size_t)n >= size || (size_t)n >= sizeof folder)
        return status_error(STATUS_USAGE, "%s: too long a path for a socket", address);
    return status_ok_value();
}
