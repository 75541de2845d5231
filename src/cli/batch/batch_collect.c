#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "cli/batch/batch.h"
#include "parsers/trace_folder.h"

static void add_task(struct batch_tasks *tasks, const char *path, size_t n)
{
    struct batch_task *t = vec_push(&tasks->v);
    *t = (struct batch_task){.path = alloc_copy(path, n)};
}

static bool add_file_of_folder(void *self, const char *path, const struct trace_look *look)
{
    struct batch_tasks *tasks = self;
    if (look->may_be_trace)
        add_task(tasks, path, strlen(path));
    else
        tasks->skipped++;
    return true;
}

static struct status add_path(struct batch_tasks *tasks, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return status_error(STATUS_IO, "%s: there is no such file", path);
    if (S_ISDIR(st.st_mode))
        trace_folder_walk(path, false, add_file_of_folder, tasks);
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
        free(t->warning);
    }
    vec_release(&tasks->v);
}
