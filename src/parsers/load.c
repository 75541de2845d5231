#include "parsers/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "core/metadata.h"
#include "core/settled_args.h"
#include "parsers/formats.h"
#include "parsers/memory_watch.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/decompress.h"
#include "parsers/input/input_file.h"
#include "parsers/input/unpacked_file.h"
#include "parsers/unknown_file.h"

/* What is loaded. */
struct load {
    struct trace *trace;
    const char *name;
    const struct trace_format *as; /* NULL: what the bytes look like */
    struct load_progress *progress;
    struct bytes bytes; /* as they lie in the file */
};

static const struct trace_format *detect(const struct trace_format *as, struct bytes data)
{
    if (data.n == 0)
        return NULL;
    return as ? as : trace_format_detect(trace_formats, data);
}

static struct status unknown_format(const char *name, struct bytes data)
{
    char look[256];
    if (data.n == 0)
        return status_error(STATUS_FORMAT, "%s: expected a trace, found an empty file", name);
    unknown_file_describe(data, look, sizeof look);
    return status_error(STATUS_FORMAT,
                        "%s: this is %s: not a trace format known here, as Perfetto, Chrome JSON, "
                        "ftrace text or perf.data; `tptui formats` lists all, --as FORMAT reads "
                        "it as one of them",
                        name, look);
}

/* The name of a trace that does not name itself, as Trace Processor makes it: a hash (FNV-1a) of
 * its first bytes as they lie in the file. */
static void name_trace(const struct load *l)
{
    enum { HASHED = 4096 };
    char text[40];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < l->bytes.n && i < HASHED; i++)
        hash = (hash ^ l->bytes.p[i]) * UINT64_C(0x100000001b3);
    int n = snprintf(text, sizeof text, "00000000-0000-0000-%04x-%012" PRIx64,
                     (unsigned)(hash >> 48), hash & UINT64_C(0xffffffffffff));
    metadata_set_str(l->trace, "trace_uuid", (struct str){text, (size_t)n});
}

/* A compressed file stands around what is in it, which then is a file of its own without a name. */
static void begin(const struct load *l, enum compression kind, size_t unpacked,
                  const struct trace_format *format)
{
    struct trace_file file = {.size = (int64_t)l->bytes.n, .parent = NULL_U32, .machine = NULL_U32};
    if (kind == COMPRESSION_GZIP || kind == COMPRESSION_ZSTD) {
        const char *type = kind == COMPRESSION_GZIP ? "gzip" : "zstd";
        file.parent = trace_format_enclose(l->trace, type, &file);
        file.name = STR("");
        file.order++;
    }
    file.size = (int64_t)unpacked;
    trace_format_begin(format, l->trace, &file);
    if (!format->read_archive)
        name_trace(l);
}

/* Known only when it was read to the end. */
static void set_unpacked_size(const struct load *l, uint64_t size)
{
    metadata_set_int(l->trace, "trace_size_bytes", (int64_t)size);
    table_set_i64(&l->trace->tables.trace_file, trace_file_col_size, stats_scope(l->trace)->file,
                  (int64_t)size);
}

/* `kind`: how the file is compressed; `data` is not. */
static struct status read_plain(const struct load *l, struct bytes data, enum compression kind)
{
    const struct trace_format *format = detect(l->as, data);
    if (!format)
        return unknown_format(l->name, data);
    begin(l, kind, data.n, format);
    if (format->read)
        return format->read(l->trace, l->name, data, l->progress);
    if (format->read_archive)
        return format->read_archive(l->trace, l->name, data, trace_formats, l->progress);
    struct byte_source source = byte_source_memory(data, input_file_maps(data.p), l->progress);
    return format->read_source(l->trace, l->name, &source);
}

/* Where the format can be told from the first bytes inside and none of them is a trace's, or it
 * need not be inflated as a whole before it is read: from front to back, or as an archive. */
static bool read_packed_stream(const struct load *l, struct bytes data, enum compression kind,
                               struct status *s)
{
    struct byte_source source = byte_source_compressed(kind, data, l->progress);
    struct bytes head = source.window;
    const struct trace_format *format = detect(l->as, head);
    bool streamed = format && (format->read_source || format->read_growing || format->read_archive);
    bool unknown = head.n && !format;
    if (unknown)
        *s = unknown_format(l->name, head);
    if (streamed)
        begin(l, kind, decompressed_size(kind, data), format);
    if (streamed && !format->read_archive) {
        *s = format->read_source ? format->read_source(l->trace, l->name, &source)
                                 : format->read_growing(l->trace, l->name, &source);
        set_unpacked_size(l, source.unpacked);
        if (source.cut)
            stats_count(l->trace, STAT_decompression_errors);
    }
    byte_source_release(&source);
    if (streamed && format->read_archive)
        *s = format->read_archive(l->trace, l->name, data, trace_formats, l->progress);
    return streamed || unknown;
}

/* Whether the file that begins like this is to be read on. */
static bool may_be_trace(struct bytes head)
{
    enum compression kind = compression_sniff(head);
    if (kind == COMPRESSION_NONE)
        return trace_format_detect(trace_formats, head) != NULL;
    struct byte_source source = byte_source_compressed(kind, head, NULL);
    bool may = source.window.n == 0 || trace_format_detect(trace_formats, source.window);
    byte_source_release(&source);
    return may;
}

struct status trace_probe_file(const char *path, const struct trace_format *as)
{
    enum { HEAD = 1 << 16 };
    struct input_file in;
    struct status s = input_file_find(&in, path);
    if (status_ok(s) && S_ISREG(in.stat.st_mode) && in.stat.st_size > 0) {
        uint8_t *head = alloc_bytes(HEAD);
        ssize_t n = pread(in.fd, head, HEAD, 0);
        struct bytes bytes = {head, n > 0 ? (size_t)n : 0};
        if (n > 0 && compression_sniff(bytes) == COMPRESSION_NONE && !detect(as, bytes))
            s = unknown_format(path, bytes);
        free(head);
    }
    input_file_close(&in);
    return s;
}

bool trace_may_be_file(const char *path)
{
    enum { HEAD = 1 << 16 };
    struct input_file in;
    struct status s = input_file_find(&in, path);
    bool may = false;
    if (status_ok(s) && S_ISREG(in.stat.st_mode)) {
        uint8_t *head = alloc_bytes(HEAD);
        ssize_t n = pread(in.fd, head, HEAD, 0);
        may = n > 0 && may_be_trace((struct bytes){head, (size_t)n});
        free(head);
    }
    status_release(&s);
    input_file_close(&in);
    return may;
}

static struct status read_compressed(const struct load *l, struct bytes data, enum compression kind)
{
    struct status s;
    if (read_packed_stream(l, data, kind, &s))
        return s;
    struct decompressed inside = decompress(kind, data, decompress_file_limit(data.n), l->progress);
    if (inside.cancelled) {
        s = progress_cancelled(l->name);
    } else if (!inside.whole && inside.n == 0) {
        s = status_error(STATUS_FORMAT, "%s: at offset 0: the %s data cannot be decompressed",
                         l->name, kind == COMPRESSION_GZIP ? "gzip" : "zstd");
    } else {
        s = read_plain(l, (struct bytes){inside.p, inside.n}, kind);
        if (!inside.whole)
            stats_count(l->trace, STAT_decompression_errors);
    }
    free(inside.p);
    return s;
}

/* Formats with windows, for the message. */
static struct status no_window(const char *name, const struct trace_format *format)
{
    char known[256];
    size_t n = 0;
    for (size_t i = 0; trace_formats[i]; i++)
        if (trace_formats[i]->cut && n < sizeof known)
            n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "",
                                  trace_formats[i]->name);
    return status_error(STATUS_FORMAT,
                        "%s: windows can be cut out of these formats: %s; this is %s", name, known,
                        format->name);
}

/* `data` is uncompressed; `format` becomes what it is. */
static struct status cut_plain(const struct load *l, struct cut_job *job,
                               const struct trace_format **format)
{
    *format = detect(l->as, job->data);
    if (!*format)
        return unknown_format(job->name, job->data);
    return (*format)->cut ? (*format)->cut(job) : no_window(job->name, *format);
}

/* What can be told from the first bytes need not wait until all are there. */
static struct status check_packed(const struct load *l, struct bytes data, enum compression kind)
{
    struct byte_source source = byte_source_compressed(kind, data, NULL);
    const struct trace_format *format = detect(l->as, source.window);
    struct status s = status_ok_value();
    if (source.window.n && !format)
        s = unknown_format(l->name, source.window);
    else if (format && !format->cut)
        s = no_window(l->name, format);
    byte_source_release(&source);
    return s;
}

/* What `l` says of the file goes into the job. */
static struct status cut_bytes(const struct load *l, struct cut_job *job,
                               const struct trace_format **format)
{
    job->name = l->name;
    job->progress = l->progress;
    job->data = l->bytes;
    progress_begin(l->progress, LOAD_READING, job->data.n);
    enum compression kind = compression_sniff(job->data);
    if (kind == COMPRESSION_NONE)
        return cut_plain(l, job, format);
    struct status s = check_packed(l, job->data, kind);
    if (!status_ok(s))
        return s;
    struct unpacked_file inside = unpacked_file_make(kind, job->data, l->progress);
    job->data = inside.bytes;
    s = inside.cancelled ? progress_cancelled(l->name) : cut_plain(l, job, format);
    unpacked_file_release(&inside);
    return s;
}

struct cut_memory {
    struct cut_output output;
    VEC(uint8_t) bytes;
};

static bool write_memory(struct cut_output *self, const void *p, size_t n)
{
    struct cut_memory *m = (struct cut_memory *)self;
    vec_append(&m->bytes, p, n);
    return true;
}

static struct status read_format(const struct load *l, const struct trace_format *format,
                                 struct bytes data)
{
    if (format->read)
        return format->read(l->trace, l->name, data, l->progress);
    struct byte_source source = byte_source_memory(data, false, l->progress);
    return format->read_source(l->trace, l->name, &source);
}

/* Only the window becomes a trace; where it is in the whole says what its bounds are. */
static struct status read_window(const struct load *l)
{
    struct trace_builder *builder = l->trace->builder;
    struct cut_memory cut = {.output = {.write = write_memory}};
    struct cut_job job = {.window = &builder->options.window, .out = &cut.output};
    const struct trace_format *format = NULL;
    struct status s = cut_bytes(l, &job, &format);
    if (status_ok(s)) {
        struct cut_span span = job.span;
        builder->has_window = true;
        builder->window_from = span.from > span.first ? span.from : span.first;
        builder->window_to = span.to < span.last ? span.to : span.last;
        begin(l, compression_sniff(l->bytes), l->bytes.n, format);
        progress_begin(l->progress, LOAD_READING, cut.bytes.count);
        s = read_format(l, format, (struct bytes){cut.bytes.items, cut.bytes.count});
    }
    vec_release(&cut.bytes);
    return s;
}

static struct status read_unwatched(const struct load *l)
{
    struct bytes data = l->bytes;
    const struct time_window *window = &l->trace->builder->options.window;
    if (window->has_from || window->has_to)
        return read_window(l);
    progress_begin(l->progress, LOAD_READING, data.n);
    enum compression kind = compression_sniff(data);
    if (kind != COMPRESSION_NONE)
        return read_compressed(l, data, kind);
    return read_plain(l, data, kind);
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
    else if (change == INPUT_CHANGED)
        stats_count(t, STAT_trace_file_changed_while_loading);
}

static void finish(struct trace *t, struct load_progress *progress)
{
    if (progress)
        atomic_store(&progress->phase, LOAD_FINISHING);
    trace_finish(t);
}

static bool wants_anything(struct bytes head)
{
    (void)head;
    return true;
}

/* The file that deferred args lie in (core/args.h). */
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

struct status trace_load_file_as(struct trace *t, const char *path, const struct trace_format *as,
                                 struct load_progress *progress)
{
    struct input_file in;
    struct status s = input_file_open(&in, path, as ? wants_anything : may_be_trace);
    if (status_ok(s) && in.mapped)
        args_defer(&t->args, in.bytes.p, in.bytes.n);
    if (status_ok(s))
        s = read_bytes(&(struct load){t, path, as, progress, in.bytes});
    if (status_ok(s))
        count_change(t, &in);
    if (status_ok(s))
        finish(t, progress);
    args_defer(&t->args, NULL, 0);
    if (!status_ok(s) || !in.mapped || !args_any_deferred(&t->args)) {
        input_file_close(&in);
        return s;
    }
    bool changes = input_file_change(&in) != INPUT_UNCHANGED;
    input_file_unmap(&in);
    keep_input(t, &in, changes);
    return s;
}

struct status trace_cut_file(const struct trace_format *as, struct cut_job *job)
{
    const char *path = job->name;
    struct input_file in;
    const struct trace_format *format;
    struct status s = input_file_open(&in, path, as ? wants_anything : may_be_trace);
    if (status_ok(s))
        s = cut_bytes(&(struct load){NULL, path, as, job->progress, in.bytes}, job, &format);
    input_file_close(&in);
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
        finish(t, progress);
    return s;
}
