#include "symbols/symbol_files.h"

#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "symbols/elf_file.h"

enum { HEX_MAX = 2 * ELF_BUILD_ID_BYTES };

void symbol_attempts_add(struct symbol_attempts *a, const char *path, const char *reason)
{
    *vec_push(&a->v) = (struct symbol_attempt){alloc_copy(path, strlen(path)), reason};
}

void symbol_attempts_release(struct symbol_attempts *a)
{
    for (size_t i = 0; i < a->v.count; i++)
        free(a->v.items[i].path);
    vec_release(&a->v);
}

/* The file's build id as hex digits. */
static struct str build_id_text(const struct elf_file *e, char out[HEX_MAX])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < e->build_id_size; i++) {
        out[2 * i] = digits[e->build_id[i] >> 4];
        out[2 * i + 1] = digits[e->build_id[i] & 15];
    }
    return (struct str){out, 2 * e->build_id_size};
}

bool symbol_file_matches(const char *path, struct str build_id, struct symbol_attempts *attempts)
{
    char text[HEX_MAX];
    struct elf_file e = {0};
    const char *reason = NULL;
    struct status s = elf_file_read(path, &e);
    if (s.code == STATUS_IO)
        reason = access(path, F_OK) != 0 ? "no such file" : "it cannot be read";
    else if (!status_ok(s))
        reason = "not an ELF file";
    else if (!str_eq(build_id_text(&e, text), build_id))
        reason = "of another build";
    symbol_attempts_add(attempts, path, reason);
    status_release(&s);
    elf_file_release(&e);
    return !reason;
}

/* FOLDER/NAME without the first "base.apk!" of NAME where `strips`; false where that changes
 * nothing, or does not fit. */
static bool make_path(char out[PATH_MAX], const char *folder, struct str name, bool strips)
{
    static const char embedded[] = "base.apk!";
    const char *hit = name.n ? memmem(name.p, name.n, embedded, sizeof embedded - 1) : NULL;
    size_t head = strips && hit ? (size_t)(hit - name.p) : name.n;
    struct str tail = str_skip(name, head);
    if (strips && !hit)
        return false;
    if (strips)
        tail = str_skip(tail, sizeof embedded - 1);
    while (head > 0 && name.p[0] == '/') {
        name = str_skip(name, 1);
        head--;
    }
    int n = snprintf(out, PATH_MAX, "%s/%.*s%.*s", folder, (int)head, name.p, (int)tail.n, tail.p);
    return n > 0 && n < PATH_MAX;
}

static struct str base_name(struct str name)
{
    const char *slash = name.n ? memrchr(name.p, '/', name.n) : NULL;
    return slash ? str_skip(name, (size_t)(slash + 1 - name.p)) : name;
}

char *symbol_file_find(const char *folder, struct str name, struct str build_id,
                       struct symbol_attempts *attempts)
{
    char path[PATH_MAX];
    struct str names[] = {name, base_name(name)};
    for (size_t i = 0; i < 4; i++) {
        struct str tried = names[i / 2];
        bool again = i >= 2 && names[1].n == name.n; /* it has no folders */
        if (tried.n > 0 && tried.n < PATH_MAX && !again && !memchr(tried.p, 0, tried.n) &&
            make_path(path, folder, tried, i % 2) && symbol_file_matches(path, build_id, attempts))
            return alloc_copy(path, strlen(path));
    }
    int n = build_id.n < 3 ? 0
                           : snprintf(path, sizeof path, "%s/.build-id/%.2s/%.*s.debug", folder,
                                      build_id.p, (int)build_id.n - 2, build_id.p + 2);
    if (n > 0 && n < PATH_MAX && symbol_file_matches(path, build_id, attempts))
        return alloc_copy(path, strlen(path));
    return NULL;
}

struct indexed_file {
    char *path; /* owned */
    int worth;  /* how much it knows */
    char id[HEX_MAX];
    size_t id_size;
};

struct symbol_index {
    VEC(struct indexed_file) files;
    struct map by_id; /* hash of the build id -> index in files */
};

struct symbol_index *symbol_index_new(void)
{
    return alloc_array(1, sizeof(struct symbol_index));
}

void symbol_index_free(struct symbol_index *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->files.count; i++)
        free(x->files.items[i].path);
    vec_release(&x->files);
    map_release(&x->by_id);
    free(x);
}

static uint64_t id_key(struct str id)
{
    return hash_bytes(id.p, id.n, 0);
}

static void add_file(struct symbol_index *x, const char *path)
{
    struct elf_file e;
    struct indexed_file f = {0};
    struct status s = elf_file_read(path, &e);
    if (status_ok(s) && e.build_id_size > 0) {
        struct str id = build_id_text(&e, f.id);
        f.id_size = id.n;
        f.worth = 2 * e.has_debug_info + e.has_symbols;
        bool is_new;
        uint32_t *at = map_insert(&x->by_id, id_key(id), &is_new);
        if (is_new || x->files.items[*at].worth < f.worth) {
            *at = (uint32_t)x->files.count;
            f.path = alloc_copy(path, strlen(path));
            *vec_push(&x->files) = f;
        }
    }
    status_release(&s);
    elf_file_release(&e);
}

void symbol_index_add(struct symbol_index *x, const char *folder)
{
    char *root = alloc_copy(folder, strlen(folder)), *roots[] = {root, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    for (FTSENT *entry; walk && (entry = fts_read(walk));)
        if (entry->fts_info == FTS_F)
            add_file(x, entry->fts_path);
    if (walk)
        fts_close(walk);
    free(root);
}

const char *symbol_index_find(const struct symbol_index *x, struct str build_id)
{
    const uint32_t *at = map_find(&x->by_id, id_key(build_id));
    if (!at)
        return NULL;
    const struct indexed_file *f = &x->files.items[*at];
    return str_eq((struct str){f->id, f->id_size}, build_id) ? f->path : NULL;
}
