#include "parsers/load.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "parsers/formats.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/decompress.h"
#include "parsers/input/input_file.h"

static struct status unknown_format(const char *name, struct bytes data)
{
    if (data.n == 0)
        return status_error(STATUS_FORMAT, "%s: expected a trace, found an empty file", name);
    const struct trace_format *known = trace_format_detect(trace_formats, data);
    if (known)
        return status_error(STATUS_FORMAT, "%s: this is a %s trace, a format not supported yet",
                            name, known->name);
    return status_error(STATUS_FORMAT,
                        "%s: at offset 0: expected a Perfetto trace (byte 0x0a and a length), "
                        "found byte 0x%02x: not a trace format known here",
                        name, data.p[0]);
}

static void begin(struct trace *t, const char *name, size_t size, const struct trace_format *format)
{
    struct trace_file file = {.name = str_from(name),
                              .size = (int64_t)size,
                              .parent = NULL_U32,
                              .machine = NULL_U32};
    trace_format_begin(format, t, &file);
}

static struct status read_plain(struct trace *t, const char *name, struct bytes data, size_t size,
                                struct load_progress *progress)
{
    const struct trace_format *format = data.n ? trace_format_detect(trace_formats, data) : NULL;
    if (!format || (!format->read && !format->read_source && !format->read_archive))
        return unknown_format(name, data);
    begin(t, name, size, format);
    if (format->read)
        return format->read(t, name, data, progress);
    if (format->read_archive)
        return format->read_archive(t, name, data, trace_formats, progress);
    struct byte_source source = byte_source_memory(data, input_file_maps(data.p), progress);
    return format->read_source(t, name, &source);
}

/* Where the format can be told from the first bytes inside and none of them is a trace's, or it
 * need not be inflated as a whole: it is read from front to back, or an archive. */
static bool read_packed_stream(struct trace *t, const char *name, struct bytes data,
                               enum compression kind, struct load_progress *progress,
                               struct status *s)
{
    struct byte_source source = byte_source_compressed(kind, data, progress);
    struct bytes head = source.window;
    const struct trace_format *format = head.n ? trace_format_detect(trace_formats, head) : NULL;
    bool streamed = format && (format->read_source || format->read_archive);
    bool unknown = head.n && (!format || (!streamed && !format->read));
    if (unknown)
        *s = unknown_format(name, head);
    if (streamed)
        begin(t, name, data.n, format);
    if (streamed && format->read_source) {
        *s = format->read_source(t, name, &source);
        if (source.cut)
            stats_count(t, STAT_decompression_errors);
    }
    byte_source_release(&source);
    if (streamed && format->read_archive)
        *s = format->read_archive(t, name, data, trace_formats, progress);
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

struct status trace_probe_file(const char *path)
{
    enum { HEAD = 1 << 16 };
    struct input_file in;
    struct status s = input_file_find(&in, path);
    if (status_ok(s) && S_ISREG(in.stat.st_mode) && in.stat.st_size > 0) {
        uint8_t *head = alloc_bytes(HEAD);
        ssize_t n = pread(in.fd, head, HEAD, 0);
        struct bytes bytes = {head, n > 0 ? (size_t)n : 0};
        if (n > 0 && compression_sniff(bytes) == COMPRESSION_NONE &&
            !trace_format_detect(trace_formats, bytes))
            s = unknown_format(path, bytes);
        free(head);
    }
    input_file_close(&in);
    return s;
}

static struct status read_compressed(struct trace *t, const char *name, struct bytes data,
                                     enum compression kind, struct load_progress *progress)
{
    struct status s;
    if (read_packed_stream(t, name, data, kind, progress, &s))
        return s;
    struct decompressed inside = decompress(kind, data, decompress_file_limit(data.n), progress);
    if (inside.cancelled) {
        s = progress_cancelled(name);
    } else if (!inside.whole && inside.n == 0) {
        s = status_error(STATUS_FORMAT, "%s: at offset 0: the %s data cannot be decompressed", name,
                         kind == COMPRESSION_GZIP ? "gzip" : "zstd");
    } else {
        s = read_plain(t, name, (struct bytes){inside.p, inside.n}, data.n, progress);
        if (!inside.whole)
            stats_count(t, STAT_decompression_errors);
    }
    free(inside.p);
    return s;
}

static struct status read_bytes(struct trace *t, const char *name, struct bytes data,
                                struct load_progress *progress)
{
    progress_begin(progress, LOAD_READING, data.n);
    enum compression kind = compression_sniff(data);
    if (kind != COMPRESSION_NONE)
        return read_compressed(t, name, data, kind, progress);
    return read_plain(t, name, data, data.n, progress);
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

struct status trace_load_file(struct trace *t, const char *path, struct load_progress *progress)
{
    struct input_file in;
    struct status s = input_file_open(&in, path, may_be_trace);
    if (status_ok(s))
        s = read_bytes(t, path, in.bytes, progress);
    if (status_ok(s))
        count_change(t, &in);
    input_file_close(&in);
    if (status_ok(s))
        finish(t, progress);
    return s;
}

struct status trace_load_memory(struct trace *t, const char *name, const uint8_t *data, size_t size,
                                struct load_progress *progress)
{
    struct status s = read_bytes(t, name, (struct bytes){data, size}, progress);
    if (status_ok(s))
        finish(t, progress);
    return s;
}
