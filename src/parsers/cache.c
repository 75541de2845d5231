#include "parsers/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/block_store.h"
#include "base/clock.h"
#include "base/own_file.h"
#include "core/trace/settled_args.h"
#include "core/trace_builder.h"
#include "parsers/cache_folder.h"
#include "parsers/cache_lock.h"
#include "parsers/json/args.h"
#include "parsers/perfetto/ftrace/ftrace_decoder.h"
#include "parsers/perfetto/ftrace/ftrace_task.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/system/message_args.h"
#include "parsers/tracefs/text_args.h"

/* A trace that loads faster is not kept. */
static const int64_t kept_from_ns = 1000000000;
/* Of a smaller file nothing may go to disk while it loads, and nobody waits for it. */
enum { LARGE = 16 << 20 };
/* Bytes a second: who loads more slowly is not waited for. */
enum { SLOWEST = 4 << 20 };
/* What was used since is not pushed out by one of many. */
enum { SPARED_SECONDS = 3600 };

const struct args_restorer cache_restorers[] = {
    {FTRACE_DECODER_NAME, ftrace_decoder_restore},
    {FTRACE_CALL_ARGS_NAME, ftrace_call_args_restore},
    {IMPORT_DESCRIPTORS_NAME, import_descriptors_restore},
    {JSON_ARGS_NAME, json_args_restore},
    {MESSAGE_ARGS_NAME, message_args_restore},
    {TEXT_ARGS_NAME, text_args_restore},
    {0},
};

/* Of a file. */
struct place {
    const char *path;
    bool in_folder; /* which has limits */
    bool shared;    /* that of cache_options */
};

struct cache_writer {
    const struct trace *trace;
    struct stored_image *image;
    struct stored_source source;
    struct place place; /* the path is owned */
    int lock;           /* of who loads it for all; -1: none */
    int64_t patience;   /* how long its end is waited for, in ns */
    atomic_bool cancel;
    pthread_t thread;
    struct status status;
};

/* own_file_make in the cache's folder, where that has room for it, of which nobody else is given
 * the same: it is taken at once. */
static int make_in_folder(const struct place *place, uint64_t size, char **unfinished,
                          bool *has_room)
{
    char *folder = alloc_copy(place->path, (size_t)(strrchr(place->path, '/') - place->path));
    int lock = cache_lock_room(folder);
    *has_room = cache_make_room(folder, size, place->shared ? SPARED_SECONDS : 0);
    int fd = *has_room ? own_file_make(place->path, 0600, unfinished) : -1, error = errno;
    if (fd >= 0) /* not all file systems can: then what has been written counts */
        fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size);
    if (lock >= 0)
        close(lock);
    free(folder);
    errno = error;
    return fd;
}

/* Writes a file of that size under another name, which becomes `path` once it is whole. In the
 * cache's folder, where there is no room for it, that is a STATUS_CANCELLED. */
static struct status write_file(const struct place *place, uint64_t size,
                                struct status (*write)(void *self, int fd), void *self)
{
    const char *path = place->path;
    char *unfinished;
    bool has_room = true;
    int fd = place->in_folder ? make_in_folder(place, size, &unfinished, &has_room)
                              : own_file_make(path, 0600, &unfinished);
    if (!has_room)
        return status_error(STATUS_CANCELLED, "there is no room for it");
    if (fd < 0)
        return status_error(STATUS_IO, "%s: cannot be made: %s", path, strerror(errno));
    struct status s = write(self, fd);
    if (close(fd) != 0 && status_ok(s))
        s = status_error(STATUS_IO, "cannot be written: %s", strerror(errno));
    if (status_ok(s) && rename(unfinished, path) != 0)
        s = status_error(STATUS_IO, "cannot be renamed: %s", strerror(errno));
    if (!status_ok(s))
        unlink(unfinished);
    free(unfinished);
    return status_prefix(s, "%s", path);
}

static struct status write_columns(void *self, int fd)
{
    struct cache_writer *w = self;
    return stored_image_write(w->image, &w->source, fd, &w->cancel);
}

static void unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

static void *run_writer(void *self)
{
    struct cache_writer *w = self;
    w->image = stored_image_new(w->trace);
    if (w->image)
        w->status = write_file(&w->place, stored_image_size(w->image), write_columns, w);
    else
        w->status = status_error(STATUS_IO, "%s", settled_args_lost);
    unlock(w->lock);
    if (w->image)
        stored_image_free(w->image);
    return NULL;
}

static void free_writer(struct cache_writer *w)
{
    free((void *)(uintptr_t)w->place.path);
    free(w);
}

/* Takes over the path and `lock`. */
static struct cache_writer *writer_start(const struct trace *t, const struct stored_source *source,
                                         struct place place, int lock, int64_t patience)
{
    struct cache_writer *w = alloc_array(1, sizeof *w);
    *w = (struct cache_writer){
        .trace = t, .source = *source, .place = place, .lock = lock, .patience = patience};
    if (pthread_create(&w->thread, NULL, run_writer, w) == 0)
        return w;
    unlock(lock);
    free_writer(w);
    return NULL;
}

/* Whether the thread has ended, after at most so long. */
static bool has_ended(struct cache_writer *w, int64_t wait_ns)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    int64_t ns = until.tv_nsec + wait_ns;
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    return pthread_timedjoin_np(w->thread, NULL, &until) == 0;
}

struct status cache_writer_end(struct cache_writer *w, const atomic_bool *stop)
{
    if (!w)
        return status_ok_value();
    const int64_t step_ns = 20000000, begin = clock_now_ns();
    bool ended = false;
    while (!ended && !atomic_load(stop) && clock_now_ns() - begin < w->patience)
        ended = has_ended(w, step_ns);
    atomic_store(&w->cancel, true);
    if (!ended)
        pthread_join(w->thread, NULL);
    struct status s = w->status;
    free_writer(w);
    return s;
}

/* Whether the columns at `path` became the trace. A file that is there and cannot be used is
 * worth a word. */
static bool read_kept(struct trace *t, const struct stored_source *source, const char *path,
                      struct cache_outcome *outcome)
{
    int fd = own_file_open(path);
    if (fd < 0)
        return false;
    struct status s = stored_columns_read(t, source, fd, cache_restorers);
    close(fd);
    if (status_ok(s)) {
        trace_finish_stored(t);
        utimensat(AT_FDCWD, path, NULL, 0); /* used now */
        return true;
    }
    trace_release(t);
    trace_init(t);
    if (s.code != STATUS_USAGE) { /* after an update it is as usual */
        size_t n = strlen(path) + strlen(s.message) + 32;
        outcome->note = alloc_bytes(n);
        snprintf(outcome->note, n, "%s is not used: %s", path, s.message);
    }
    status_release(&s);
    return false;
}

/* The trace file; -1 where it is none that can be known again. */
static int open_regular(const char *path, struct file_identity *file)
{
    bool is_input = strcmp(path, "-") == 0;
    int fd = is_input ? -1 : file_identity_open(path);
    if (fd >= 0 && file_identity_read(fd, file))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool is_unchanged(int fd, const struct file_identity *file)
{
    struct file_identity now;
    return file_identity_read(fd, &now) && file_identity_same(&now, file);
}

/* The user may have named his trace. */
static struct status check_named(const char *path)
{
    struct stored_source source;
    struct stat st;
    bool of_this_version;
    if (!path || stat(path, &st) != 0)
        return status_ok_value();
    if (!S_ISREG(st.st_mode))
        return status_error(STATUS_USAGE,
                            "%s: --cache: this is no regular file, and is left as it is", path);
    if (st.st_size == 0)
        return status_ok_value();
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool columns = fd >= 0 && stored_columns_describe(fd, &source, &of_this_version);
    if (fd >= 0)
        close(fd);
    if (columns)
        return status_ok_value();
    return status_error(STATUS_USAGE,
                        "%s: --cache: this is no file of columns, and is left as it is", path);
}

bool cache_has(const char *path, const struct trace_format *as)
{
    struct stored_source source;
    struct file_identity file;
    int fd = open_regular(path, &file);
    if (fd < 0)
        return false;
    char *kept = cache_identify(fd, path, as, &source) ? cache_path(NULL, &source, false) : NULL;
    bool has = kept && access(kept, R_OK) == 0;
    free(kept);
    close(fd);
    return has;
}

int cache_open_beside(const struct cache_outcome *outcome)
{
    return outcome->beside ? own_file_open(outcome->beside) : -1;
}

struct status cache_write_beside(const struct cache_outcome *outcome, uint64_t size,
                                 struct status (*write)(void *self, int fd), void *self)
{
    if (!outcome->beside)
        return status_error(STATUS_CANCELLED, "there is no place for it");
    struct place place = {.path = outcome->beside, .in_folder = outcome->in_folder};
    return write_file(&place, size, write, self);
}

void cache_remove_beside(const struct cache_outcome *outcome)
{
    if (outcome->beside)
        unlink(outcome->beside);
}

/* Loads, and keeps what took long: where the file has not changed since it was identified. Takes
 * over `lock`. */
static struct status load_and_keep(struct trace *t, int fd, const struct stored_source *source,
                                   const char *path, const struct trace_format *as,
                                   const struct cache_options *options, int lock,
                                   struct load_progress *progress, struct cache_outcome *outcome)
{
    char *folder =
        options->off || outcome->file.size < LARGE ? NULL : cache_folder(options->folder, true);
    block_store_place(folder);
    free(folder);
    int64_t start = clock_now_ns();
    struct status s = trace_load_open_file(t, fd, path, as, progress);
    int64_t load_ns = clock_now_ns() - start;
    bool slow = options->file || load_ns >= kept_from_ns;
    char *to = NULL;
    if (status_ok(s) && source && slow && stored_columns_possible(t) &&
        is_unchanged(fd, &outcome->file))
        to = options->file ? alloc_copy(options->file, strlen(options->file))
                           : cache_path(options->folder, source, true);
    if (!to) {
        unlock(lock);
        return s;
    }
    outcome->beside = cache_beside(to);
    bool limited = !options->file && !options->whole;
    struct place place = {.path = to, .in_folder = !options->file, .shared = options->shared};
    outcome->writer = writer_start(t, source, place, lock, limited ? load_ns : INT64_MAX);
    return s;
}

/* The lock of who loads the trace for all, -1 where that is another: then the caller waits for it,
 * once, if it does so at all. What is kept may be there behind it. */
static int lock_trace(const struct cache_options *options, const struct stored_source *source,
                      const struct load_progress *progress)
{
    char *folder = cache_folder(options->folder, true);
    uint64_t seconds = 10 + source->file.size / SLOWEST;
    bool busy = false;
    int lock = folder ? cache_lock_trace(folder, cache_key(source), &busy) : -1;
    if (busy && options->shared) {
        cache_lock_wait(folder, cache_key(source), seconds, progress);
        lock = cache_lock_trace(folder, cache_key(source), &busy);
    }
    free(folder);
    return lock;
}

static char *unusable(const char *folder)
{
    size_t n = strlen(folder) + 128;
    char *note = alloc_bytes(n);
    snprintf(note, n, "%s: nothing is kept there: it cannot be made, or is not the user's alone",
             folder);
    return note;
}

/* From the folder, where one of those that open a large trace at once loads it for all. */
static struct status open_in_folder(struct trace *t, int fd, const struct stored_source *source,
                                    const char *path, const struct trace_format *as,
                                    const struct cache_options *options,
                                    struct load_progress *progress, struct cache_outcome *outcome)
{
    bool large = outcome->file.size >= LARGE;
    char *kept = cache_path(options->folder, source, large || options->folder);
    struct status s = status_ok_value();
    int lock = -1;
    outcome->hit = kept && read_kept(t, source, kept, outcome);
    if (!kept && options->folder)
        outcome->note = unusable(options->folder);
    if (!outcome->hit && kept && large) {
        lock = lock_trace(options, source, progress);
        outcome->hit = !outcome->note && read_kept(t, source, kept, outcome);
    }
    if (outcome->hit) {
        outcome->beside = cache_beside(kept);
        unlock(lock);
    } else if (!progress_goes_on(progress)) { /* it waited in vain */
        s = progress_cancelled(path);
        unlock(lock);
    } else {
        s = load_and_keep(t, fd, source, path, as, options, lock, progress, outcome);
    }
    free(kept);
    return s;
}

struct status trace_open(struct trace *t, const char *path, const struct trace_format *as,
                         const struct cache_options *options, struct load_progress *progress,
                         struct cache_outcome *outcome)
{
    struct stored_source source;
    *outcome = (struct cache_outcome){.in_folder = !options->file};
    struct status s = check_named(options->file);
    if (!status_ok(s))
        return s;
    int fd = open_regular(path, &outcome->file);
    if (fd < 0)
        return trace_load_file_as(t, path, as, progress);
    /* What is kept of a trace is all of it, as it is read without options. */
    bool known =
        !options->off && import_options_are_usual(&t->builder->options) &&
        (options->file
             ? cache_identify_content(fd, path, as, progress ? &progress->cancel : NULL, &source)
             : cache_identify(fd, path, as, &source)) &&
        is_unchanged(fd, &outcome->file);
    outcome->content = known ? cache_key(&source) : 0;
    if (known && !options->file) {
        s = open_in_folder(t, fd, &source, path, as, options, progress, outcome);
    } else if (known && read_kept(t, &source, options->file, outcome)) {
        outcome->hit = true;
        outcome->beside = cache_beside(options->file);
    } else {
        s = load_and_keep(t, fd, known ? &source : NULL, path, as, options, -1, progress, outcome);
    }
    close(fd);
    return s;
}
