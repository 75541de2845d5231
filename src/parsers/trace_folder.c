#include "parsers/trace_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/vec.h"

struct names {
    VEC(char *) v;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_folder(const char *folder, struct names *out)
{
    DIR *dir = opendir(folder);
    const struct dirent *e;
    size_t n = strlen(folder);
    while (dir && (e = readdir(dir))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        size_t size = n + strlen(e->d_name) + 2;
        char *path = alloc_bytes(size);
        snprintf(path, size, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", e->d_name);
        *vec_push(&out->v) = path;
    }
    if (dir)
        closedir(dir);
    if (out->v.count)
        qsort(out->v.items, out->v.count, sizeof *out->v.items, compare_names);
}

bool trace_folder_is(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && !trace_look_at(path).may_be_trace;
}

void trace_folder_walk(const char *folder, bool one_system,
                       bool (*found)(void *self, const char *path, const struct trace_look *look),
                       void *self)
{
    struct names todo = {0};
    struct stat root;
    bool wanted = stat(folder, &root) == 0;
    *vec_push(&todo.v) = alloc_copy(folder, strlen(folder));
    while (todo.v.count > 0) {
        char *path = todo.v.items[--todo.v.count];
        struct names inside = {0};
        struct stat st;
        bool is_top = strcmp(path, folder) == 0;
        if (!wanted) {
            free(path);
            continue;
        }
        if (lstat(path, &st) == 0 && (S_ISDIR(st.st_mode) || is_top)) {
            if (is_top || !one_system || st.st_dev == root.st_dev)
                list_folder(path, &inside);
        } else if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
            struct trace_look look = trace_look_at(path);
            wanted = found(self, path, &look);
        }
        for (size_t i = inside.v.count; i > 0; i--)
            *vec_push(&todo.v) = inside.v.items[i - 1];
        vec_release(&inside.v);
        free(path);
    }
    vec_release(&todo.v);
}
