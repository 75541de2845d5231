/* Rows and errors of tasks as files of a folder: what a run leaves to the next, or to others. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "cli/batch.h"
#include "cli/batch_rows.h"
#include "parsers/cache.h"

static uint64_t time_key(bool is_set, const struct time_text *t, uint64_t key)
{
    return is_set ? hash_mix(hash_mix(key, 6 + t->origin), (uint64_t)t->ns) : key;
}

static uint64_t window_key(const struct time_window *w, uint64_t key)
{
    return time_key(w->has_to, &w->to, time_key(w->has_from, &w->from, key) + w->has_from);
}

/* Rows depend on the trace and on all that is asked of it. */
static uint64_t key_of(const struct batch_settings *b, uint64_t trace)
{
    uint64_t key = hash_mix(trace, 1);
    for (size_t i = 0; i < b->scripts.count; i++)
        key = hash_bytes(b->scripts.items[i].text, b->scripts.items[i].size, key);
    for (size_t i = 0; i < b->summaries.count; i++)
        key = hash_bytes(b->summaries.items[i].text, b->summaries.items[i].size, hash_mix(key, 2));
    if (b->summary_metrics)
        key = hash_bytes(b->summary_metrics, strlen(b->summary_metrics), hash_mix(key, 3));
    for (size_t i = 0; i < b->metrics.count; i++)
        key = hash_bytes(b->metrics.items[i], strlen(b->metrics.items[i]), hash_mix(key, 4));
    key = b->messages ? hash_mix(key, 5) : key;
    key = window_key(&b->workspace.import.window, key);
    for (size_t i = 0; i < b->metadata.count; i++)
        key = hash_bytes(b->metadata.items[i], strlen(b->metadata.items[i]), key);
    for (size_t i = 0; i < b->workspace.packages.count; i++) {
        const char *folder = b->workspace.packages.items[i].folder;
        key = hash_bytes(folder, strlen(folder), key);
    }
    return key;
}

static char *path_of(const char *folder, uint64_t key, const char *end)
{
    size_t n = strlen(folder) + strlen(end) + 24;
    char *path = alloc_bytes(n);
    snprintf(path, n, "%s/%016" PRIx64 "%s", folder, key, end);
    return path;
}

bool batch_kept_name(struct batch_task *t, const struct batch_settings *b)
{
    uint64_t trace;
    char end[96], host[64] = "";
    if (t->kept)
        return true;
    if (!b->resume || !trace_content_hash(t->path, &trace))
        return false;
    uint64_t key = key_of(b, trace);
    gethostname(host, sizeof host - 1);
    snprintf(end, sizeof end, ".%s.%ld.tmp", host, (long)getpid());
    t->kept = path_of(b->resume, key, ".rows");
    t->kept_tmp = path_of(b->resume, key, end);
    t->kept_error = path_of(b->resume, key, ".error");
    return true;
}

bool batch_kept_take(struct batch_task *t)
{
    FILE *f = t->kept ? fopen(t->kept, "re") : NULL;
    if (!f)
        return false;
    if (batch_rows_whole(f)) {
        t->rows = f;
        t->state = TASK_DONE;
        return true;
    }
    fclose(f);
    return false;
}

void batch_kept_done(struct batch_task *t)
{
    if (!t->kept)
        return;
    if (rename(t->kept_tmp, t->kept) != 0)
        unlink(t->kept_tmp);
    unlink(t->kept_error);
}

void batch_kept_failed(struct batch_task *t)
{
    if (!t->kept)
        return;
    FILE *f = fopen(t->kept_tmp, "we");
    if (!f)
        return;
    fputs(t->error, f);
    if (fclose(f) != 0 || rename(t->kept_tmp, t->kept_error) != 0)
        unlink(t->kept_tmp);
}

char *batch_kept_error(const struct batch_task *t)
{
    struct text_file f;
    if (!t->kept || access(t->kept_error, F_OK) != 0)
        return NULL;
    struct status s = text_file_read(t->kept_error, &f);
    bool read = status_ok(s);
    status_release(&s);
    return read ? f.text : NULL;
}

void batch_kept_forget(struct batch_task *t)
{
    if (t->kept)
        unlink(t->kept_error);
}
