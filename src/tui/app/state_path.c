#include "tui/app/state_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool app_state_path(const char *name, char *out, size_t size, bool make)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char dir[3800];
    int n;
    if (state && *state)
        n = snprintf(dir, sizeof dir, "%s", state);
    else if (home && *home)
        n = snprintf(dir, sizeof dir, "%s/.local/state", home);
    else
        return false;
    if (n < 0 || (size_t)n >= sizeof dir - 32)
        return false;
    for (char *slash = make ? strchr(dir + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(dir, 0700);
        *slash = '/';
    }
    if (make)
        mkdir(dir, 0700);
    snprintf(out, size, "%s/tptui", dir);
    if (make)
        mkdir(out, 0700);
    int used = snprintf(out, size, "%s/tptui/%s", dir, name);
    return used > 0 && (size_t)used < size;
}
