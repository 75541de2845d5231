#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "cli/batch.h"
#include "parsers/load.h"

static void add_task(struct batch_tasks *tasks, const char *path, size_t n)
{
    struct batch_task *t = vec_push(&tasks->v);
    *t = (struct batch_task){.path = alloc_copy(path, n)};
}

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

static void add_file_of_folder(struct batch_tasks *tasks, const char *path)
{
    if (trace_may_be_file(path))
        add_task(tasks, path, strlen(path));
    else
        tasks->skipped++;
}

/* The traces below a folder, by name. Links to folders are not followed: they may lead back. */
static void add_folder(struct batch_tasks *tasks, const char *folder)
{
    struct names todo = {0};
    *vec_push(&todo.v) = alloc_copy(folder, strlen(folder));
    while (todo.v.count > 0) {
        char *path = todo.v.items[--todo.v.count];
        struct names inside = {0};
        struct stat st;
        if (lstat(path, &st) == 0 && (S_ISDIR(st.st_mode) || strcmp(path, folder) == 0))
            list_folder(path, &inside);
        else if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
            add_file_of_folder(tasks, path);
        for (size_t i = inside.v.count; i > 0; i--)
            *vec_push(&todo.v) = inside.v.items[i - 1];
        vec_release(&inside.v);
        free(path);
    }
    vec_release(&todo.v);
}

static struct status add_path(struct batch_tasks *tasks, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return status_error(STATUS_IO, "%s: there is no such file", path);
    if (S_ISDIR(st.st_mode))
        add_folder(tasks, path);
    else
        add_task(tasks, path, strlen(path));
    return status_ok_value();
}

/* A path a line. What is not there fails when its turn comes. */
static struct status add_list(struct batch_tasks *tasks, const char *name)
{
    struct text_file f;
    struct status s = text_file_read(name, &f);
    if (!status_ok(s))
        return s;
    struct str rest = text_file_str(&f);
    for (struct str line; str_next_line(&rest, &line);) {
        line = str_trim(line);
        if (line.n > 0)
            add_task(tasks, line.p, line.n);
    }
    text_file_release(&f);
    return s;
}

struct status batch_collect(struct batch_tasks *tasks, const struct batch_settings *b, size_t first)
{
    struct status s = status_ok_value();
    for (size_t i = first; i < b->words.count && status_ok(s); i++)
        s = add_path(tasks, b->words.items[i]);
    for (size_t i = 0; i < b->lists.count && status_ok(s); i++)
        s = add_list(tasks, b->lists.items[i]);
    return s;
}

void batch_tasks_release(struct batch_tasks *tasks)
{
    for (size_t i = 0; i < tasks->v.count; i++) {
        struct batch_task *t = &tasks->v.items[i];
        if (t->rows)
            fclose(t->rows);
        if (t->messages)
            fclose(t->messages);
        free(t->path);
        free(t->kept);
        free(t->kept_tmp);
        free(t->kept_error);
        free(t->error);
    }
    vec_release(&tasks->v);
}
