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
#include "parsers/json/args.h"
#include "parsers/perfetto/ftrace/ftrace_decoder.h"
#include "parsers/perfetto/ftrace/ftrace_task.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/system/message_args.h"
#include "parsers/tracefs/text_args.h"

/* A trace that loads faster is not kept. */
static const int64_t kept_from_ns = 1000000000;
/* Of a smaller file nothing may go to disk while it loads. */
enum { LARGE = 16 << 20 };

const struct args_restorer cache_restorers[] = {
    {FTRACE_DECODER_NAME, ftrace_decoder_restore},
    {FTRACE_CALL_ARGS_NAME, ftrace_call_args_restore},
    {IMPORT_DESCRIPTORS_NAME, import_descriptors_restore},
    {JSON_ARGS_NAME, json_args_restore},
    {MESSAGE_ARGS_NAME, message_args_restore},
    {TEXT_ARGS_NAME, text_args_restore},
    {0},
};

struct cache_writer {
    const struct trace *trace;
    struct stored_image *image;
    struct stored_source source;
    char *path;
    bool in_folder;
    int64_t load_ns; /* how long loading took */
    atomic_bool cancel;
    pthread_t thread;
    struct status status;
};

/* Writes a file under another name, which becomes `path` once it is whole. */
static struct status write_file(const char *path, struct status (*write)(void *self, int fd),
                                void *self)
{
    char *unfinished;
    int fd = own_file_make(path, 0600, &unfinished);
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

static void *run_writer(void *self)
{
    struct cache_writer *w = self;
    w->image = stored_image_new(w->trace);
    if (!w->image) {
        w->status = status_error(STATUS_IO, "%s", settled_args_lost);
        return NULL;
    }
    if (!w->in_folder || cache_make_room(stored_image_size(w->image)))
        w->status = write_file(w->path, write_columns, w);
    stored_image_free(w->image);
    return NULL;
}

/* Takes over `path`. */
static struct cache_writer *writer_start(const struct trace *t, const struct stored_source *source,
                                         char *path, bool in_folder, int64_t load_ns)
{
    struct cache_writer *w = alloc_array(1, sizeof *w);
    *w = (struct cache_writer){
        .trace = t, .source = *source, .path = path, .in_folder = in_folder, .load_ns = load_ns};
    if (pthread_create(&w->thread, NULL, run_writer, w) == 0)
        return w;
    free(w->path);
    free(w);
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
    while (!ended && !atomic_load(stop) && (!w->in_folder || clock_now_ns() - begin < w->load_ns))
        ended = has_ended(w, step_ns);
    atomic_store(&w->cancel, true);
    if (!ended)
        pthread_join(w->thread, NULL);
    struct status s = w->status;
    free(w->path);
    free(w);
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
    char *kept = cache_identify(fd, path, as, &source) ? cache_path(&source, false) : NULL;
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
    if (!outcome->beside || (outcome->in_folder && !cache_make_room(size)))
        return status_error(STATUS_CANCELLED, "there is no room for it");
    return write_file(outcome->beside, write, self);
}

void cache_remove_beside(const struct cache_outcome *outcome)
{
    if (outcome->beside)
        unlink(outcome->beside);
}

/* Loads, and keeps what took long: where the file has not changed since it was identified. */
static struct status load_and_keep(struct trace *t, int fd, const struct stored_source *source,
                                   const char *path, const struct trace_format *as,
                                   const struct cache_options *options,
                                   struct load_progress *progress, struct cache_outcome *outcome)
{
    char *folder = options->off || outcome->file.size < LARGE ? NULL : cache_folder(true);
    block_store_place(folder);
    free(folder);
    int64_t start = clock_now_ns();
    struct status s = trace_load_open_file(t, fd, path, as, progress);
    int64_t load_ns = clock_now_ns() - start;
    bool slow = options->file || load_ns >= kept_from_ns;
    if (!status_ok(s) || !source || !slow || !stored_columns_possible(t) ||
        !is_unchanged(fd, &outcome->file))
        return s;
    char *to =
        options->file ? alloc_copy(options->file, strlen(options->file)) : cache_path(source, true);
    if (to)
        outcome->beside = cache_beside(to);
    if (to)
        outcome->writer = writer_start(t, source, to, !options->file, load_ns);
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
    char *kept = known && !options->file ? cache_path(&source, false) : NULL;
    const char *place = options->file ? options->file : kept;
    outcome->content = known ? cache_key(&source) : 0;
    outcome->hit = known && place && read_kept(t, &source, place, outcome);
    if (outcome->hit)
        outcome->beside = cache_beside(place);
    else
        s = load_and_keep(t, fd, known ? &source : NULL, path, as, options, progress, outcome);
    free(kept);
    close(fd);
    return s;
}
