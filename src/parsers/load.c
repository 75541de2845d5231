#include "parsers/load.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "core/metadata.h"
#include "core/trace/settled_args.h"
#include "core/trace/trace_window.h"
#include "parsers/formats.h"
#include "parsers/memory_watch.h"
#include "parsers/input/input_file.h"
#include "parsers/input/intake.h"
#include "parsers/unknown_file.h"

static struct status unknown_format(const char *name, struct bytes data)
{
    char look[256];
    if (data.n == 0)
        return status_error(STATUS_FORMAT, "%s: expected a trace, found an empty file", name);
    unknown_file_describe(data, look, sizeof look);
    return status_error(STATUS_UNKNOWN_FORMAT,
                        "%s: this is %s: not a trace format known here, as Perfetto, Chrome JSON, "
                        "ftrace text or perf.data; `tptui formats` lists all, --as FORMAT reads "
                        "it as one of them",
                        name, look);
}

/* The name of a trace that does not name itself, as Trace Processor makes it: a hash (FNV-1a) of
 * its first bytes as they lie in the file. */
static void name_trace(const struct intake *in)
{
    enum { HASHED = 4096 };
    char text[40];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < in->bytes.n && i < HASHED; i++)
        hash = (hash ^ in->bytes.p[i]) * UINT64_C(0x100000001b3);
    int n = snprintf(text, sizeof text, "00000000-0000-0000-%04x-%012" PRIx64,
                     (unsigned)(hash >> 48), hash & UINT64_C(0xffffffffffff));
    metadata_set_made_uuid(in->trace, (struct str){text, (size_t)n});
}

/* What packs a file stands around what is in it, which then is a file of its own without a name. */
static void begin(const struct intake *in)
{
    name_trace(in);
    struct trace_file file = {.size = (int64_t)in->bytes.n,
                              .parent = NULL_U32,
                              .machine = NULL_U32};
    for (int i = 0; i < in->layers.n; i++) {
        const char *name = compression_name(in->layers.kinds[i]);
        if (name) {
            file.parent = trace_format_enclose(in->trace, name, &file);
            file.name = STR("");
            file.order++;
            file.size = -1;
        }
    }
    if (in->layers.n == 1 && !in->window)
        file.size = (int64_t)decompressed_size(in->layers.kinds[0], in->bytes);
    trace_format_begin(in->format, in->trace, &file);
}

/* Known only when it was read to the end. */
static void set_unpacked_size(const struct intake *in)
{
    int64_t size = (int64_t)in->source.unpacked;
    metadata_set_int(in->trace, "trace_size_bytes", size);
    table_set_i64(&in->trace->tables.trace_file, trace_file_col_size, stats_scope(in->trace)->file,
                  size);
}

/* Formats of which a window can be written, for the message. */
static struct status no_window(const char *name, const struct trace_format *format)
{
    char known[256];
    size_t n = 0;
    for (size_t i = 0; trace_formats[i]; i++)
        if (trace_formats[i]->cut && n < sizeof known)
            n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "",
                                  trace_formats[i]->name);
    return status_error(
        STATUS_FORMAT,
        "%s: windows can be written of these formats: %s; this is %s%s, of which they "
        "can only be loaded (--from and --to of other commands)",
        name, known, format->cut ? "another kind of " : "", format->name);
}

/* What it is, before more than its first bytes are unpacked. */
static struct status unwrap_and_tell(struct intake *in, const struct trace_format *as)
{
    intake_unwrap(in);
    if (!intake_tell(in, trace_formats, as) && in->layers.n > 0 && in->source.cut) {
        const char *name = compression_name(in->layers.kinds[in->layers.n - 1]);
        return status_error(STATUS_FORMAT, "%s: at offset 0: the %s data cannot be decompressed",
                            in->name, name ? name : "UTF-16");
    }
    return in->format ? status_ok_value() : unknown_format(in->name, in->source.window);
}

enum { HEAD = 1 << 16 };

/* Whether what begins like this is no trace, as far as that can be told, and what it is (NULL:
 * nobody asks). */
static struct status probe(const char *name, struct bytes head, const struct trace_format *as,
                           const struct trace_format **format)
{
    enum { ALWAYS = 4 << 20, RATIO = 16 };
    struct budget budget = {decompress_limit(head.n, ALWAYS, RATIO)};
    struct intake in = {.name = name, .budget = &budget, .bytes = head};
    intake_unwrap(&in);
    struct status s = status_ok_value();
    if (intake_tell(&in, trace_formats, as) && !in.format)
        s = unknown_format(name, in.source.window);
    if (format)
        *format = in.format;
    intake_release(&in);
    return s;
}

static bool may_be_trace(struct bytes head)
{
    struct status s = probe("", head, NULL, NULL);
    bool may = head.n > 0 && status_ok(s);
    status_release(&s);
    return may;
}

struct status trace_probe_memory(const char *name, const uint8_t *data, size_t size)
{
    struct bytes head = {data, size};
    return size ? probe(name, head, NULL, NULL) : unknown_format(name, head);
}

/* The first bytes of a regular file, or none. */
struct probed {
    struct status status;
    size_t n;
    const struct trace_format *format;
};

static struct probed probe_file(const char *path, const struct trace_format *as)
{
    struct input_file in;
    struct probed p = {.status = input_file_find(&in, path)};
    if (status_ok(p.status) && S_ISREG(in.stat.st_mode)) {
        uint8_t *head = alloc_bytes(HEAD);
        ssize_t n = pread(in.fd, head, HEAD, 0);
        p.n = n > 0 ? (size_t)n : 0;
        p.status = probe(path, (struct bytes){head, p.n}, as, &p.format);
        free(head);
    }
    input_file_close(&in);
    return p;
}

struct status trace_probe_file(const char *path, const struct trace_format *as)
{
    return probe_file(path, as).status;
}

struct trace_look trace_look_at(const char *path)
{
    struct probed p = probe_file(path, NULL);
    bool may = p.n > 0 && status_ok(p.status);
    status_release(&p.status);
    return (struct trace_look){may, may ? p.format : NULL};
}

/* Where no window can be cut, as the format cannot or an archive's members decide, all is read. */
static struct status cut_and_read(struct intake *in)
{
    bool is_archive = in->format->read_archive != NULL;
    if (!trace_format_cuts(in->format, in->source.window))
        in->window = NULL;
    if (in->window) {
        struct status s = intake_cut(in);
        if (!status_ok(s))
            return s;
    }
    begin(in);
    if (is_archive)
        return in->format->read_archive(in->trace, in->name, in->bytes, trace_formats,
                                        in->progress);
    struct status s = intake_read(in);
    if (in->layers.n > 0 && !in->window)
        set_unpacked_size(in);
    const struct import_options *options = &in->trace->builder->options;
    if (in->source.cut && !options->growing && options->head == 0)
        stats_count(in->trace, STAT_decompression_errors);
    return s;
}

/* What is packed becomes several times as much. */
static uint64_t head_size(struct bytes file, uint64_t head)
{
    enum { PACKED = 8 };
    enum compression kind = compression_sniff(file);
    return kind != COMPRESSION_NONE && kind != COMPRESSION_UTF16 ? head / PACKED : head;
}

uint64_t trace_head_bytes(const char *path, uint64_t head)
{
    uint8_t first[64];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, first, sizeof first) : 0;
    if (fd >= 0)
        close(fd);
    return head_size((struct bytes){first, n > 0 ? (size_t)n : 0}, head);
}

static struct bytes head_of(struct bytes file, uint64_t head)
{
    head = head_size(file, head);
    if (head > 0 && head < file.n)
        file.n = (size_t)head;
    return file;
}

/* A part of a file has events where they could be cut out of it as they stand. */
static struct status check_head(const struct intake *in)
{
    bool has_events = in->format->cut && !in->format->cut_as;
    return in->trace->builder->options.head == 0 || has_events
               ? status_ok_value()
               : status_error(STATUS_USAGE, "%s: nothing can be told of %s by its first bytes",
                              in->name, in->format->name);
}

/* What is loaded. */
struct load {
    struct trace *trace;
    const char *name;
    const struct trace_format *as; /* NULL: what the bytes look like */
    struct load_progress *progress;
    struct bytes bytes; /* as they lie in the file */
};

static struct status read_unwatched(const struct load *l)
{
    struct trace_builder *builder = l->trace->builder;
    struct intake in = {.name = l->name,
                        .trace = l->trace,
                        .window = intake_window(l->trace),
                        .budget = &builder->unpacking,
                        .progress = l->progress,
                        .bytes = head_of(l->bytes, builder->options.head)};
    atomic_store(&builder->unpacking.left, decompress_file_limit(in.bytes.n));
    progress_begin(in.progress, LOAD_READING, in.bytes.n);
    struct status s = unwrap_and_tell(&in, l->as);
    if (status_ok(s))
        s = check_head(&in);
    if (status_ok(s))
        s = cut_and_read(&in);
    intake_release(&in);
    return s;
}

/* What is small does not take all memory. */
static struct status read_bytes(const struct load *l)
{
    enum { WATCHED = 1 << 20 };
    struct load_progress unseen = {0};
    struct load watched = *l;
    if (l->bytes.n < WATCHED)
        return read_unwatched(l);
    if (!watched.progress)
        watched.progress = &unseen;
    struct memory_watch *w = memory_watch_start(l->name, watched.progress);
    return memory_watch_end(w, read_unwatched(&watched));
}

/* A file that is being written or was cut while we read it may have given anything. */
static void count_change(struct trace *t, const struct input_file *in)
{
    enum input_change change = input_file_change(in);
    if (change == INPUT_CUT)
        stats_count(t, STAT_trace_file_cut_while_loading);
    else if (change == INPUT_CHANGED && !t->builder->options.growing)
        stats_count(t, STAT_trace_file_changed_while_loading);
}

/* Of what was read for a window only that stays: of a trace that was read whole, as there is no
 * cutter for its format, and of one that was cut, which begins with what holds when the window
 * begins. */
static struct status finish(struct trace *t, const char *name, struct load_progress *progress)
{
    struct time_window window = t->builder->options.window;
    const struct trace_builder *b = t->builder;
    bool is_cut = b->has_window, wanted = intake_window(t);
    int64_t from = b->window_from, to = b->window_to;
    if (progress)
        atomic_store(&progress->phase, LOAD_FINISHING);
    trace_finish(t);
    if (is_cut)
        trace_window(t, from, to);
    if (is_cut || !wanted)
        return status_ok_value();
    struct cut_job job = {.name = name, .window = &window};
    struct status s = cut_resolve(&job, t->start_ts, t->start_ts, t->end_ts);
    if (status_ok(s))
        trace_window(t, job.span.kept_from, job.span.kept_to);
    return s;
}

static bool wants_anything(struct bytes head)
{
    (void)head;
    return true;
}

/* The file that deferred args lie in (core/store/args.h). */
struct args_input {
    struct input_file in;
    bool changes; /* while it is read, as perhaps before: what is there has to do */
};

static const uint8_t *map_input(void *self, size_t *n)
{
    struct args_input *kept = self;
    bool same = input_file_map_again(&kept->in);
    *n = kept->in.bytes.n;
    return same || kept->changes ? kept->in.bytes.p : NULL;
}

static void forget_input(void *self)
{
    (void)self;
    input_file_release_pages();
}

static bool unmap_input(void *self)
{
    struct args_input *kept = self;
    bool same = input_file_change(&kept->in) == INPUT_UNCHANGED;
    input_file_unmap(&kept->in);
    return same || kept->changes;
}

static void free_input(void *self)
{
    struct args_input *kept = self;
    input_file_close(&kept->in);
    free(kept);
}

/* Args that lie in a file which changes are settled at once. */
static void keep_input(struct trace *t, const struct input_file *in, bool changes)
{
    struct args_input *kept = alloc_array(1, sizeof *kept);
    *kept = (struct args_input){*in, changes};
    args_deferred_lie_in(&t->args, (struct args_file){.map = map_input,
                                                      .forget = forget_input,
                                                      .unmap = unmap_input,
                                                      .free = free_input,
                                                      .self = kept});
    if (changes)
        (void)settled_args_ready(t);
}

/* `in` is taken over; `s` says whether it was opened. */
static struct status load_input(struct trace *t, struct input_file in, struct status s,
                                const char *path, const struct trace_format *as,
                                struct load_progress *progress)
{
    if (status_ok(s) && in.mapped)
        args_defer(&t->args, in.bytes.p, in.bytes.n);
    if (status_ok(s))
        s = read_bytes(&(struct load){t, path, as, progress, in.bytes});
    bool growing = t->builder->options.growing;
    if (status_ok(s))
        count_change(t, &in);
    if (status_ok(s))
        s = finish(t, path, progress);
    args_defer(&t->args, NULL, 0);
    if (!status_ok(s) || !in.mapped || !args_any_deferred(&t->args)) {
        input_file_close(&in);
        return s;
    }
    bool changes = growing || input_file_change(&in) != INPUT_UNCHANGED;
    input_file_unmap(&in);
    keep_input(t, &in, changes);
    return s;
}

struct status trace_load_file_as(struct trace *t, const char *path, const struct trace_format *as,
                                 struct load_progress *progress)
{
    struct input_file in;
    bool (*wanted)(struct bytes head) = as ? wants_anything : may_be_trace;
    struct status s = t->builder->options.growing ? input_file_open_regular(&in, path, wanted)
                                                  : input_file_open(&in, path, wanted);
    return load_input(t, in, s, path, as, progress);
}

struct status trace_load_open_file(struct trace *t, int fd, const char *path,
                                   const struct trace_format *as, struct load_progress *progress)
{
    struct input_file in;
    struct status s = input_file_take(&in, fd, path, as ? wants_anything : may_be_trace);
    return load_input(t, in, s, path, as, progress);
}

struct status trace_cut_file(const struct trace_format *as, struct cut_job *job)
{
    struct input_file file;
    struct status s = input_file_open(&file, job->name, as ? wants_anything : may_be_trace);
    struct budget unpacking = {decompress_file_limit(file.bytes.n)};
    struct intake in = {.name = job->name,
                        .window = job->window,
                        .budget = &unpacking,
                        .progress = job->progress,
                        .bytes = file.bytes};
    progress_begin(in.progress, LOAD_READING, in.bytes.n);
    if (status_ok(s))
        s = unwrap_and_tell(&in, as);
    if (status_ok(s))
        s = trace_format_trims(in.format, in.source.window)
                ? intake_cut_to(&in, trace_formats, job->out)
                : no_window(in.name, in.format);
    if (status_ok(s) && in.uncut)
        s = no_window(in.name, in.format);
    job->span = in.span;
    job->unread = in.unread;
    intake_release(&in);
    input_file_close(&file);
    return s;
}

struct status trace_load_file(struct trace *t, const char *path, struct load_progress *progress)
{
    return trace_load_file_as(t, path, NULL, progress);
}

struct status trace_load_memory(struct trace *t, const char *name, const uint8_t *data, size_t size,
                                struct load_progress *progress)
{
    struct load l = {.trace = t, .name = name, .progress = progress, .bytes = {data, size}};
    struct status s = read_bytes(&l);
    if (status_ok(s))
        s = finish(t, name, progress);
    return s;
}
