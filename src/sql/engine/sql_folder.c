#include "sql/engine/sql_folder.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/own_file.h"
#include "base/whole_file.h"

enum { FILE_SIZE_MAX = 16 << 20 };

static struct status read_file(const char *path, bool own_only, struct str *out)
{
    int fd;
    char why[64], *text;
    struct status s = whole_file_open(path, &fd);
    if (!status_ok(s))
        return s;
    if (own_only && !own_file_trusted(fd, path, why, sizeof why)) {
        close(fd);
        return status_error(STATUS_IO, "%s: its SQL is refused, as %s: --allow-foreign-sql runs it",
                            path, why);
    }
    s = whole_file_read(fd, path, FILE_SIZE_MAX, &text, &out->n);
    out->p = text;
    return s;
}

static struct status read_files(FTS *tree, size_t skip, const char *suffix, bool own_only,
                                void (*add)(void *self, const char *below, struct str text),
                                void *self)
{
    struct status first = status_ok_value();
    for (FTSENT *e; (e = fts_read(tree));) {
        if (e->fts_info != FTS_F || !str_ends(str_from(e->fts_path), str_from(suffix)))
            continue;
        const char *below = e->fts_path + skip;
        while (*below == '/')
            below++;
        struct str text;
        struct status status = read_file(e->fts_path, own_only, &text);
        if (status_ok(status))
            add(self, below, text);
        else if (status_ok(first))
            first = status;
        else
            status_release(&status);
    }
    return first;
}

static int compare_names(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

struct status sql_folder_read(const char *folder, const char *suffix, bool own_only,
                              void (*add)(void *self, const char *below, struct str text),
                              void *self)
{
    char *copy = alloc_copy(folder, strlen(folder));
    char *paths[] = {copy, NULL};
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, compare_names);
    struct status status =
        tree ? read_files(tree, strlen(folder), suffix, own_only, add, self) : status_ok_value();
    if (tree)
        fts_close(tree);
    free(copy);
    return status;
}

struct status sql_folder_error(const char *folder)
{
    const char *reason = access(folder, R_OK) ? strerror(errno) : "no .sql files there";
    return status_error(STATUS_IO, "%s: %s", folder, reason);
}

void sql_folder_free(const char *name, struct str text)
{
    free((void *)(uintptr_t)name);
    free((void *)(uintptr_t)text.p);
}
