#include "base/user_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own_file.h"

static const struct {
    const char *variable, *below_home;
} folders[] = {
    [USER_CACHE] = {"XDG_CACHE_HOME", ".cache"},
    [USER_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
    [USER_STATE] = {"XDG_STATE_HOME", ".local/state"},
};

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

bool user_path(enum user_folder folder, const char *name, char *out, size_t size, bool make)
{
    const char *base = getenv(folders[folder].variable), *home = getenv("HOME");
    int n;
    if (base && base[0] == '/')
        n = snprintf(out, size, "%s/tptui/%s", base, name);
    else if (home && home[0] == '/')
        n = snprintf(out, size, "%s/%s/tptui/%s", home, folders[folder].below_home, name);
    else
        return false;
    if (n < 0 || (size_t)n >= size)
        return false;
    if (!make)
        return true;
    make_folders(out);
    char *end = strrchr(out, '/');
    *end = '\0';
    bool own = own_folder_is(out); /* root may have somebody else's $HOME */
    *end = '/';
    return own;
}
