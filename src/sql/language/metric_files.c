#include "sql/language/metric_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/language/language.h"
#include "sql/engine/sql_folder.h"
#include "sql/language/stdlib_modules.h"

void metric_files_init(struct language *l)
{
    for (size_t i = 0; i < embedded_metric_count; i++) {
        const struct embedded_module *m = &embedded_metrics[i];
        *vec_push(&l->metric_files) =
            (struct metric_file){.path = m->name, .text = {m->text, m->size}};
    }
}

static void release_file(struct metric_file *f)
{
    if (f->owned)
        sql_folder_free(f->path, f->text);
}

void metric_files_release(struct language *l)
{
    for (size_t i = 0; i < l->metric_files.count; i++)
        release_file(&l->metric_files.items[i]);
    vec_release(&l->metric_files);
}

struct metric_file *metric_files_find(const struct language *l, struct str path)
{
    for (size_t i = 0; i < l->metric_files.count; i++)
        if (str_eq(str_from(l->metric_files.items[i].path), path))
            return &l->metric_files.items[i];
    return NULL;
}

static void put_file(struct language *l, struct metric_file made)
{
    struct metric_file *old = metric_files_find(l, str_from(made.path));
    if (old)
        release_file(old);
    else
        old = vec_push(&l->metric_files);
    *old = made;
}

void metric_files_add(struct language *l, struct str path, struct str text)
{
    put_file(l, (struct metric_file){.path = alloc_copy(path.p, path.n),
                                     .text = {alloc_copy(text.p, text.n), text.n},
                                     .owned = true});
}

struct folder_metrics {
    struct language *language;
    const char *prefix;
    size_t added;
};

static void add_file(void *self, const char *below, struct str text)
{
    struct folder_metrics *f = self;
    char *path = sqlite3_mprintf("%s%s", f->prefix, below);
    put_file(f->language, (struct metric_file){.path = alloc_copy(path, strlen(path)),
                                               .text = text,
                                               .owned = true});
    sqlite3_free(path);
    f->added++;
}

struct status metric_files_add_folder(struct language *l, const char *folder, const char *prefix)
{
    struct folder_metrics f = {.language = l, .prefix = prefix};
    struct status status = sql_folder_read(folder, ".sql", false, add_file, &f);
    if (status_ok(status) && f.added == 0)
        status = sql_folder_error(folder);
    return status;
}

struct str metric_file_stem(const struct metric_file *f)
{
    const char *slash = strrchr(f->path, '/');
    struct str name = str_from(slash ? slash + 1 : f->path);
    return (struct str){name.p, str_find(name, '.')};
}

const struct metric_file *metric_files_find_metric(const struct language *l, struct str metric)
{
    for (size_t i = l->metric_files.count; i-- > 0;) {
        struct str path = str_from(l->metric_files.items[i].path);
        const char *slash = memrchr(path.p, '/', path.n);
        struct str name = slash ? str_skip(path, (size_t)(slash + 1 - path.p)) : path;
        if (name.n == metric.n + 4 && str_starts(name, metric))
            return &l->metric_files.items[i];
    }
    return NULL;
}
