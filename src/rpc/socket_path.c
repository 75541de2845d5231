#include "rpc/socket_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct status make_folder(char *folder, size_t size)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (runtime && *runtime)
        snprintf(folder, size, "%s/tptui", runtime);
    else
        snprintf(folder, size, "/tmp/tptui-%u", (unsigned)getuid());
    struct stat s;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return status_error(STATUS_IO, "%s: %s", folder, strerror(errno));
    if (lstat(folder, &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != getuid() ||
        (s.st_mode & 077) != 0)
        return status_error(STATUS_IO, "%s: others may look into that folder", folder);
    return status_ok_value();
}

static bool is_name(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return *text && *text != '.' && strspn(text, plain) == strlen(text);
}

struct status socket_path(const char *address, char *path, size_t size)
{
    char folder[sizeof((struct sockaddr_un *)NULL)->sun_path];
    struct status s = status_ok_value();
    bool is_path = strchr(address, '/') != NULL;
    if (!is_path && !is_name(address))
        return status_error(STATUS_USAGE, "%s: a session's name has letters, digits, . _ - only",
                            address);
    if (!is_path)
        s = make_folder(folder, sizeof folder);
    if (!status_ok(s))
        return s;
    int n = is_path ? snprintf(path, size, "%s", address)
                    : snprintf(path, size, "%s/%s.sock", folder, address);
    if (n < 0 || (size_t)n >= size || (size_t)n >= sizeof folder)
        return status_error(STATUS_USAGE, "%s: too long a path for a socket", address);
    return status_ok_value();
}
