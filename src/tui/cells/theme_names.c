#include "tui/cells/theme_names.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/user_path.h"
#include "tui/cells/theme.h"

static bool is_built_in(struct str name)
{
    for (int i = 0; theme_builtin_name(i); i++)
        if (str_eq(str_from(theme_builtin_name(i)), name))
            return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* NAME of each NAME.theme. */
static void read_own(DIR *folder, struct theme_names *out)
{
    for (struct dirent *e; (e = readdir(folder));) {
        struct str name = str_from(e->d_name), end = STR(".theme");
        if (!str_ends(name, end))
            continue;
        name.n -= end.n;
        if (name.n > 0 && name.n < THEME_NAME_MAX && name.p[0] != '.' && !is_built_in(name))
            *vec_push(&out->v) = alloc_copy(name.p, name.n);
    }
}

void theme_names_read(struct theme_names *out)
{
    char path[PATH_MAX];
    for (int i = 0; theme_builtin_name(i); i++)
        *vec_push(&out->v) = alloc_copy(theme_builtin_name(i), strlen(theme_builtin_name(i)));
    out->built_in = out->v.count;
    bool known = user_path(USER_CONFIG, "themes", path, sizeof path, false);
    DIR *folder = known ? opendir(path) : NULL;
    if (folder) {
        read_own(folder, out);
        closedir(folder);
    }
    if (out->v.count - out->built_in > 1)
        qsort(out->v.items + out->built_in, out->v.count - out->built_in, sizeof(char *), compare);
}

void theme_names_release(struct theme_names *n)
{
    for (size_t i = 0; i < n->v.count; i++)
        free(n->v.items[i]);
    vec_release(&n->v);
    *n = (struct theme_names){0};
}
