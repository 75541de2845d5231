/* Rows and errors of tasks as files of --resume's folder: what a run leaves to the next, or to
 * others. KEY.rows are the rows of a trace with some content for what was asked; KEY.error why it
 * failed; PLACE.trace says which content a file had when it was last read, so that a file that is
 * as it was need not be read again. Only files of the user's own count, each says what it is of,
 * and each is made under another name. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/content_hash.h"
#include "base/own_file.h"
#include "cli/batch/batch.h"
#include "cli/batch/batch_rows.h"

enum { MEMO_BYTES = 34 }; /* two numbers in hexadecimal, a blank and a line's end */

static char *path_of(const char *folder, uint64_t key, const char *end)
{
    size_t n = strlen(folder) + strlen(end) + 24;
    char *path = alloc_bytes(n);
    snprintf(path, n, "%s/%016" PRIx64 "%s", folder, key, end);
    return path;
}

/* Where a file lies and when it was changed. Not the device, whose number each machine of a cluster
 * makes up by itself. */
static uint64_t place_of(const char *path, const struct file_identity *file)
{
    struct content_hash h = content_hash_begin();
    content_hash_add_text(&h, str_from(path));
    const uint64_t numbers[] = {file->size, file->inode, file->mtime_ns, file->ctime_ns};
    content_hash_add(&h, numbers, sizeof numbers);
    return content_hash_end(&h);
}

/* Writes a file that is there as a whole or not at all. */
static bool write_whole(const char *path, const char *text, size_t n)
{
    char *unfinished;
    int fd = own_file_make(path, 0600, &unfinished);
    if (fd < 0)
        return false;
    bool written = write(fd, text, n) == (ssize_t)n;
    written = close(fd) == 0 && written && rename(unfinished, path) == 0;
    if (!written)
        unlink(unfinished);
    free(unfinished);
    return written;
}

static bool write_memo(const char *folder, uint64_t place, uint64_t content)
{
    char text[MEMO_BYTES + 1], *path = path_of(folder, place, ".trace");
    snprintf(text, sizeof text, "%016" PRIx64 " %016" PRIx64 "\n", place, content);
    bool written = write_whole(path, text, MEMO_BYTES);
    free(path);
    return written;
}

static bool parse_memo(struct str text, uint64_t *place, uint64_t *content)
{
    return text.n == MEMO_BYTES && str_to_u64((struct str){text.p, 16}, 16, place) &&
           str_to_u64((struct str){text.p + 17, 16}, 16, content);
}

static bool read_memo(const char *folder, uint64_t place, uint64_t *content)
{
    char text[MEMO_BYTES + 1] = "", *path = path_of(folder, place, ".trace");
    int fd = own_file_open(path);
    free(path);
    uint64_t of;
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : -1;
    bool read_all = n > 0 && parse_memo((struct str){text, (size_t)n}, &of, content) && of == place;
    if (fd >= 0)
        close(fd);
    return read_all;
}

static uint64_t key_of(const struct batch_settings *b, uint64_t content)
{
    struct content_hash h = content_hash_begin();
    content_hash_add(&h, &b->asked, sizeof b->asked);
    content_hash_add(&h, &content, sizeof content);
    return content_hash_end(&h);
}

static void set_names(struct batch_task *t, const struct batch_settings *b, uint64_t content)
{
    t->key = key_of(b, content);
    t->kept = path_of(b->resume, t->key, ".rows");
    t->kept_error = path_of(b->resume, t->key, ".error");
}

bool batch_kept_name(struct batch_task *t, const struct batch_settings *b)
{
    struct file_identity file;
    uint64_t content;
    if (t->kept)
        return true;
    int fd = b->resume ? file_identity_open(t->path) : -1;
    bool known = fd >= 0 && file_identity_read(fd, &file) &&
                 read_memo(b->resume, place_of(t->path, &file), &content);
    if (fd >= 0)
        close(fd);
    if (known)
        set_names(t, b, content);
    return known;
}

struct batch_identity batch_kept_identify(struct batch_task *t, const struct batch_settings *b)
{
    struct batch_identity id = {.fd = file_identity_open(t->path)};
    struct file_identity now;
    uint64_t content;
    if (id.fd < 0 || !file_identity_take(id.fd, &id.file))
        return id;
    uint64_t place = place_of(t->path, &id.file);
    id.known = read_memo(b->resume, place, &content);
    if (id.known && !t->kept)
        set_names(t, b, content);
    if (id.known || !file_hash(id.fd, NULL, &content) || !file_identity_read(id.fd, &now) ||
        !file_identity_same(&now, &id.file))
        return id;
    if (!t->kept)
        set_names(t, b, content);
    batch_kept_forget(t); /* one of before, which who reads the note would take for this run's */
    id.known = write_memo(b->resume, place, content);
    return id;
}

bool batch_kept_holds(const struct batch_identity *id, const struct batch_settings *b,
                      const struct file_identity *loaded)
{
    struct file_identity now;
    return id->known && file_identity_same(loaded, &id->file) && file_identity_read(id->fd, &now) &&
           file_identity_same(&now, &id->file) && batch_asked(b) == b->asked;
}

bool batch_kept_begin(struct batch_task *t, const struct batch_settings *b)
{
    char *path = path_of(b->resume, 0, ".rows");
    int fd = own_file_make(path, 0600, &t->kept_tmp);
    free(path);
    t->rows = fd >= 0 ? fdopen(fd, "w+e") : NULL;
    if (fd >= 0 && !t->rows)
        close(fd);
    return t->rows;
}

bool batch_kept_take(struct batch_task *t)
{
    int fd = t->kept ? own_file_open(t->kept) : -1;
    FILE *f = fd >= 0 ? fdopen(fd, "re") : NULL;
    uint64_t key;
    if (!f)
        return false;
    if (batch_rows_whole(f, &key) && key == t->key) {
        if (t->rows)
            fclose(t->rows);
        t->rows = f;
        t->state = TASK_DONE;
        return true;
    }
    fclose(f);
    return false;
}

void batch_kept_drop(struct batch_task *t)
{
    if (t->kept_tmp)
        unlink(t->kept_tmp);
    free(t->kept_tmp);
    t->kept_tmp = NULL;
}

void batch_kept_done(struct batch_task *t)
{
    if (!t->kept_tmp)
        return;
    if (t->kept && rename(t->kept_tmp, t->kept) == 0)
        unlink(t->kept_error);
    batch_kept_drop(t);
}

void batch_kept_failed(struct batch_task *t)
{
    batch_kept_drop(t);
    if (t->kept)
        write_whole(t->kept_error, t->error, strlen(t->error));
}

char *batch_kept_error(const struct batch_task *t)
{
    int fd = t->kept ? own_file_open(t->kept_error) : -1;
    if (fd < 0)
        return NULL;
    char text[BATCH_ERROR_MAX + 1];
    ssize_t n = read(fd, text, BATCH_ERROR_MAX);
    close(fd);
    return n >= 0 ? alloc_copy(text, (size_t)n) : NULL;
}

void batch_kept_forget(struct batch_task *t)
{
    if (t->kept)
        unlink(t->kept_error);
}

uint64_t batch_kept_content(struct str note)
{
    uint64_t place, content;
    return parse_memo(note, &place, &content) ? content : 0;
}

/* Where they cannot be kept they are taken as they are. */
static void keep_rows(struct batch_task *t, const struct batch_settings *b, FILE *rows,
                      uint64_t content)
{
    struct batch_identity id = batch_kept_identify(t, b);
    if (id.known && t->key == key_of(b, content) && batch_kept_begin(t, b)) {
        if (batch_rows_copy(rows, t->rows, t->key))
            batch_kept_done(t);
        batch_kept_drop(t);
        fclose(t->rows);
    }
    if (id.fd >= 0)
        close(id.fd);
}

bool batch_kept_bring(struct batch_task *t, const struct batch_settings *b, FILE *rows,
                      uint64_t content)
{
    uint64_t key;
    if (!batch_rows_whole(rows, &key))
        return false;
    if (b->resume && content)
        keep_rows(t, b, rows, content);
    t->rows = rows;
    t->state = TASK_DONE;
    return true;
}
