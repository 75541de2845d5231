#include "summary/metric_protos.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/proto/proto_file.h"
#include "sql/engine/session_state.h"
#include "sql/engine/sql_folder.h"

struct found_files {
    const char *folder;
    VEC(struct proto_file) files; /* paths and texts are owned */
};

static void add_file(void *self, const char *below, struct str text)
{
    struct found_files *f = self;
    char *path = sqlite3_mprintf("%s%s%s", f->folder, *below ? "/" : "", below);
    *vec_push(&f->files) = (struct proto_file){alloc_copy(path, strlen(path)), text};
    sqlite3_free(path);
}

struct status metric_protos_add(struct sql_session *s, const char *path)
{
    struct found_files f = {.folder = path};
    struct status status = sql_folder_read(path, ".proto", false, add_file, &f);
    if (status_ok(status))
        status = proto_files_add(&s->descriptors, f.files.items, f.files.count);
    for (size_t i = 0; i < f.files.count; i++) {
        free((void *)(uintptr_t)f.files.items[i].path);
        free((void *)(uintptr_t)f.files.items[i].text.p);
    }
    vec_release(&f.files);
    return status;
}
