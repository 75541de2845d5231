#include "parsers/cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/content_hash.h"
#include "base/own_file.h"
#include "base/user_path.h"

/* Of the free space, all kept columns together. */
enum { SPACE_SHARE = 10, STALE_SECONDS = 3600, DAY_SECONDS = 24 * 3600 };

/* Of columns: behind a key of so many hexadecimal digits. What stands beside them, and what is
 * being written, is longer. Other files, which may lie in a folder that was named, are left as they
 * are.
 */
static const char suffix[] = ".columns";
enum { KEY_DIGITS = 16 };

static bool is_of_cache(const char *name)
{
    return strspn(name, "0123456789abcdef") == KEY_DIGITS &&
           strncmp(name + KEY_DIGITS, suffix, strlen(suffix)) == 0;
}

static char *join(const char *folder, const char *name)
{
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = alloc_bytes(n);
    snprintf(path, n, "%s/%s", folder, name);
    return path;
}

static char *own_folder(const char *path)
{
    return own_folder_is(path) ? alloc_copy(path, strlen(path)) : NULL;
}

char *cache_folder(const char *own, bool make)
{
    enum { PATH_BYTES = 4096 };
    char path[PATH_BYTES];
    if (own && make)
        mkdir(own, 0700);
    if (own)
        return own_folder(own);
    if (!user_path(USER_CACHE, "", path, sizeof path, make))
        return NULL;
    path[strlen(path) - 1] = '\0'; /* the slash */
    return own_folder(path);
}

uint64_t cache_key(const struct stored_source *source)
{
    struct content_hash h = content_hash_begin();
    content_hash_add(&h, source, offsetof(struct stored_source, name));
    return content_hash_end(&h);
}

char *cache_path(const char *own, const struct stored_source *source, bool make)
{
    char *folder = cache_folder(own, make);
    if (!folder)
        return NULL;
    char name[KEY_DIGITS + sizeof suffix];
    snprintf(name, sizeof name, "%016" PRIx64 "%s", cache_key(source), suffix);
    char *path = join(folder, name);
    free(folder);
    return path;
}

static uint64_t hash_name(const struct trace_format *as)
{
    struct content_hash h = content_hash_begin();
    if (!as)
        return 0;
    content_hash_add_text(&h, str_from(as->name));
    return content_hash_end(&h);
}

/* Blocks at even distances, the first and the last among them: for file systems whose times do not
 * tell all. */
static bool sample(int fd, uint64_t size, uint64_t *hash)
{
    enum { BLOCK = 4096, BLOCKS = 64 };
    uint8_t *block = alloc_bytes(BLOCK);
    uint64_t last = size > BLOCK ? size - BLOCK : 0;
    struct content_hash h = content_hash_begin();
    bool read_all = true;
    for (uint64_t i = 0; i < BLOCKS && read_all; i++) {
        uint64_t at = i == BLOCKS - 1 ? last : last / (BLOCKS - 1) * i;
        ssize_t n = pread(fd, block, BLOCK, (off_t)at);
        read_all = n >= 0;
        if (n > 0)
            content_hash_add(&h, block, (size_t)n);
    }
    free(block);
    *hash = content_hash_end(&h);
    return read_all;
}

static void put_name(struct stored_source *source, const char *path)
{
    char *whole = realpath(path, NULL);
    const char *name = whole ? whole : path;
    size_t n = strlen(name), room = sizeof source->name - 1;
    snprintf(source->name, sizeof source->name, "%s", n > room ? name + n - room : name);
    free(whole);
}

bool cache_identify(int fd, const char *path, const struct trace_format *as,
                    struct stored_source *source)
{
    *source = (struct stored_source){.as = hash_name(as)};
    put_name(source, path);
    return file_identity_take(fd, &source->file) && sample(fd, source->file.size, &source->content);
}

bool cache_identify_content(int fd, const char *path, const struct trace_format *as,
                            const atomic_bool *stop, struct stored_source *source)
{
    struct file_identity file;
    if (!file_identity_take(fd, &file))
        return false;
    *source = (struct stored_source){.file.size = file.size, .as = hash_name(as)};
    put_name(source, path);
    return file_hash(fd, stop, &source->content);
}

static bool ends_with(const char *name, const char *end)
{
    return str_ends(str_from(name), str_from(end));
}

char *cache_beside(const char *path)
{
    size_t n = strlen(path) + sizeof CACHE_BESIDE;
    char *name = alloc_bytes(n);
    snprintf(name, n, "%s%s", path, CACHE_BESIDE);
    return name;
}

static uint64_t beside_size(const char *path)
{
    struct stat st;
    char *name = cache_beside(path);
    bool there = lstat(name, &st) == 0;
    free(name);
    return there ? (uint64_t)st.st_size : 0;
}

/* Columns and what is beside them; whether the columns were there. */
static bool remove_entry(const char *path)
{
    char *name = cache_beside(path);
    unlink(name);
    free(name);
    return unlink(path) == 0;
}

/* Of a name that was too long only the end is known. */
static enum cache_use use_of(const struct cache_entry *e)
{
    struct file_identity now;
    if (e->use != CACHE_USABLE || e->trace[0] != '/')
        return e->use;
    int fd = file_identity_open(e->trace);
    if (fd < 0)
        return CACHE_NO_TRACE;
    bool same = file_identity_read(fd, &now) && file_identity_same(&now, &e->file);
    close(fd);
    return same ? CACHE_USABLE : CACHE_TRACE_CHANGED;
}

void cache_list_look(struct cache_list *list)
{
    for (size_t i = 0; i < list->v.count; i++)
        list->v.items[i].use = use_of(&list->v.items[i]);
}

static void describe(struct cache_list *list, char *path)
{
    struct stored_source source;
    struct stat st;
    bool of_this_version = true;
    enum cache_use use;
    int fd = own_file_open(path);
    if (fd < 0 || fstat(fd, &st) != 0) {
        free(path);
        return;
    }
    if (!stored_columns_describe(fd, &source, &of_this_version)) {
        source = (struct stored_source){0};
        use = CACHE_DAMAGED;
    } else {
        use = of_this_version ? CACHE_USABLE : CACHE_OTHER_VERSION;
    }
    struct cache_entry *e = vec_push(&list->v);
    *e = (struct cache_entry){.path = path,
                              .size = (uint64_t)st.st_size + beside_size(path),
                              .used_s = st.st_mtim.tv_sec,
                              .trace_size = source.file.size,
                              .file = source.file,
                              .use = use};
    memcpy(e->trace, source.name, sizeof e->trace);
    close(fd);
}

/* What a run that was killed has left, or what stood beside columns that are gone; whether it was
 * that. */
static bool remove_stale(const char *path, struct stat *st)
{
    return lstat(path, st) != 0 ||
           (st->st_mtim.tv_sec + STALE_SECONDS < time(NULL) && unlink(path) == 0);
}

/* Whether what it stands beside is not there. */
static bool is_alone(const char *path)
{
    struct stat st;
    char *columns = alloc_copy(path, strlen(path) - strlen(CACHE_BESIDE));
    bool alone = lstat(columns, &st) != 0;
    free(columns);
    return alone;
}

static int compare_use(const void *a, const void *b)
{
    const struct cache_entry *x = a, *y = b;
    return x->used_s > y->used_s ? -1 : x->used_s < y->used_s;
}

void cache_list_read(struct cache_list *list)
{
    char *folder = cache_folder(list->folder, false);
    DIR *dir = folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    struct stat st;
    while (dir && (entry = readdir(dir))) {
        if (!is_of_cache(entry->d_name))
            continue;
        char *path = join(folder, entry->d_name);
        if (ends_with(path, suffix)) {
            describe(list, path);
            continue;
        }
        if (ends_with(path, OWN_FILE_UNFINISHED) && !remove_stale(path, &st))
            list->unfinished += (uint64_t)st.st_blocks * 512;
        else if (ends_with(path, CACHE_BESIDE) && is_alone(path))
            remove_stale(path, &st);
        free(path);
    }
    if (dir)
        closedir(dir);
    free(folder);
    if (list->v.count > 0)
        qsort(list->v.items, list->v.count, sizeof *list->v.items, compare_use);
}

void cache_list_release(struct cache_list *list)
{
    for (size_t i = 0; i < list->v.count; i++)
        free(list->v.items[i].path);
    vec_release(&list->v);
}

size_t cache_clear(const char *folder)
{
    struct cache_list list = {.folder = folder};
    size_t removed = 0;
    cache_list_read(&list);
    for (size_t i = 0; i < list.v.count; i++)
        removed += remove_entry(list.v.items[i].path);
    cache_list_release(&list);
    return removed;
}

uint64_t cache_room(const struct cache_list *list)
{
    char *folder = cache_folder(list->folder, false);
    struct statvfs fs;
    bool known = folder && statvfs(folder, &fs) == 0;
    free(folder);
    uint64_t kept = list->unfinished;
    for (size_t i = 0; i < list->v.count; i++)
        kept += list->v.items[i].size;
    return known ? ((uint64_t)fs.f_bavail * fs.f_frsize + kept) / SPACE_SHARE : 0;
}

/* What goes first comes last. */
static int compare_worth(const void *a, const void *b)
{
    const struct cache_entry *x = a, *y = b;
    bool x_usable = x->use == CACHE_USABLE, y_usable = y->use == CACHE_USABLE;
    return x_usable != y_usable ? y_usable - x_usable : compare_use(a, b);
}

bool cache_shrink(struct cache_list *list, uint64_t most, int64_t spared_seconds)
{
    uint64_t kept = list->unfinished;
    int64_t now = (int64_t)time(NULL), oldest = now - (int64_t)CACHE_DAYS * DAY_SECONDS;
    for (size_t i = 0; i < list->v.count; i++)
        kept += list->v.items[i].size;
    if (kept > most)
        cache_list_look(list);
    if (list->v.count > 0)
        qsort(list->v.items, list->v.count, sizeof *list->v.items, compare_worth);
    for (size_t i = list->v.count; i > 0; i--) {
        const struct cache_entry *e = &list->v.items[i - 1];
        bool spared = e->use == CACHE_USABLE && e->used_s > now - spared_seconds;
        if (e->used_s >= oldest && (kept <= most || spared))
            continue;
        remove_entry(e->path);
        kept -= e->size;
    }
    return kept <= most;
}

bool cache_make_room(const char *own, uint64_t size, int64_t spared_seconds)
{
    struct cache_list list = {.folder = own};
    free(cache_folder(own, true));
    cache_list_read(&list);
    uint64_t room = cache_room(&list);
    bool fits = room > list.unfinished && size <= room - list.unfinished;
    fits &= cache_shrink(&list, fits ? room - size : UINT64_MAX, spared_seconds);
    cache_list_release(&list);
    return fits;
}
