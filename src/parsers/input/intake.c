#include "parsers/input/intake.h"

#include <errno.h>

#include "core/trace_builder.h"
#include "parsers/input/input_file.h"

/* Of what is packed more than once, to tell what it is. */
enum { FIRST_BYTES = 1 << 18 };

const struct time_window *intake_window(const struct trace *t)
{
    const struct time_window *window = &t->builder->options.window;
    return window->has_from || window->has_to ? window : NULL;
}

void intake_unwrap(struct intake *in)
{
    enum compression kind = compression_sniff(in->bytes);
    if (kind == COMPRESSION_NONE) {
        in->source = byte_source_memory(in->bytes, input_file_maps(in->bytes.p), in->progress);
        return;
    }
    in->layers = (struct packed_layers){{kind}, 1};
    in->source =
        byte_source_unpack_all(byte_source_compressed(kind, in->bytes, in->budget, in->progress),
                               in->budget, FIRST_BYTES, &in->layers);
}

bool intake_tell(struct intake *in, const struct trace_format *const *formats,
                 const struct trace_format *as)
{
    if (in->source.window.n == 0)
        return false;
    in->format = as ? as : trace_format_detect(formats, in->source.window);
    return true;
}

static void lie_in_memory(struct intake *in, struct bytes bytes, bool mapped)
{
    byte_source_release(&in->source);
    in->source = byte_source_memory(bytes, mapped, in->progress);
}

/* The source begins anew; what was unpacked to a file lies there. */
static void leave_uncut(struct intake *in, struct unpacked_file all)
{
    bool is_cut = in->source.cut;
    in->uncut = true;
    in->window = NULL;
    in->unpacked = all;
    if (!all.mapped)
        return;
    lie_in_memory(in, all.bytes, true);
    in->source.cut = is_cut;
    in->source.unpacked = all.bytes.n;
}

static struct status cut_trace_to(struct intake *in, struct cut_output *out, bool tells_unread)
{
    bool packed = in->source.stream;
    struct unpacked_file all = unpacked_file_make(&in->source);
    in->unread.counts[UNREAD_PACKED] += in->source.cut;
    struct cut_job job = {.name = in->name,
                          .data = all.bytes,
                          .mapped = all.mapped || input_file_maps(all.bytes.p),
                          .packed = packed,
                          .window = in->window,
                          .out = out,
                          .tells_unread = tells_unread,
                          .unread = in->unread,
                          .unpacking = in->budget,
                          .progress = in->progress};
    struct status s =
        all.cancelled ? progress_cancelled(in->name)
        : all.failed  ? status_error(STATUS_IO, "%s: cannot be unpacked to a temporary file: %s",
                                     in->name, strerror(errno))
                      : in->format->cut(&job);
    in->span = job.span;
    in->unread = job.unread;
    in->unreadable = job.unreadable;
    if (job.uncut)
        leave_uncut(in, all);
    else
        unpacked_file_release(&all);
    return s;
}

/* All of it in one piece. False where loading was cancelled. */
static bool read_whole(struct byte_source *s)
{
    if (s->compressed)
        byte_source_keep(s);
    while (byte_source_more(s, 0))
        if (!byte_source_done(s, 0))
            return false;
    return true;
}

/* An archive in another one is read whole. */
static struct status cut_archive_to(struct intake *in, const struct trace_format *const *formats,
                                    struct cut_output *out)
{
    bool is_member = in->depth > 0;
    if (is_member && !read_whole(&in->source))
        return progress_cancelled(in->name);
    if (is_member)
        in->bytes = in->source.window;
    in->unread.counts[UNREAD_PACKED] += is_member && in->source.cut;
    return in->format->cut_archive(in, formats, out);
}

struct status intake_cut_to(struct intake *in, const struct trace_format *const *formats,
                            struct cut_output *out)
{
    return in->format->cut_archive ? cut_archive_to(in, formats, out) : cut_trace_to(in, out, true);
}

struct cut_to_source {
    struct cut_output output;
    struct intake *in;
};

static bool write_source(struct cut_output *self, const void *p, size_t n)
{
    return growing_file_write(&((struct cut_to_source *)self)->in->cut, p, n);
}

/* Where the window is in the whole says what the trace's bounds are. */
struct status intake_cut(struct intake *in)
{
    struct trace_builder *builder = in->trace->builder;
    struct cut_to_source to = {.output = {.write = write_source}, .in = in};
    struct status s = cut_trace_to(in, &to.output, false);
    if (!status_ok(s) || in->uncut)
        return s;
    for (int i = 0; i < UNREAD_KINDS; i++)
        if (in->unread.counts[i])
            stats_add(in->trace, cut_unread_stats[i], STAT_SINGLE, in->unread.counts[i]);
    builder->has_window = true;
    builder->window_from = in->span.kept_from;
    builder->window_to = in->span.kept_to;
    builder->whole_from = in->span.first;
    builder->whole_to = in->span.last;
    in->unpacked = growing_file_end(&in->cut);
    if (in->unpacked.failed)
        return status_error(STATUS_IO, "%s: the window cannot be kept in a temporary file: %s",
                            in->name, strerror(errno));
    lie_in_memory(in, in->unpacked.bytes, in->unpacked.mapped);
    in->is_cut = true;
    progress_begin(in->progress, LOAD_READING, in->unpacked.bytes.n);
    return s;
}

static struct status read_as(struct intake *in, const struct trace_format *format)
{
    if (format->read_source)
        return format->read_source(in->trace, in->name, &in->source);
    if (format->read_growing && in->source.compressed)
        return format->read_growing(in->trace, in->name, &in->source);
    if (!read_whole(&in->source))
        return progress_cancelled(in->name);
    return format->read(in->trace, in->name, in->source.window, in->progress);
}

/* What a window has of holes counts with those of the whole. */
struct status intake_read(struct intake *in)
{
    const struct trace_format *cut_as = in->format->cut_as;
    const struct trace_format *format = in->is_cut && cut_as ? cut_as : in->format;
    const struct import_options *options = &in->trace->builder->options;
    in->source.looks_for_holes = format->is_text && !in->is_cut;
    struct status s = read_as(in, format);
    int64_t holes = byte_source_hole_bytes(&in->source, options->growing || options->head > 0);
    if (holes > 0)
        stats_add(in->trace, STAT_text_hole_bytes, STAT_SINGLE, holes);
    return s;
}

void intake_release_cut(struct intake *in)
{
    unpacked_file_release(&in->unpacked);
    growing_file_release(&in->cut);
}

void intake_release(struct intake *in)
{
    byte_source_release(&in->source);
    intake_release_cut(in);
}
