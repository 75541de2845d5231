#define PB_READS_LITTLE
#include "cli/convert_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/workspace.h"
#include "parsers/input/decompress.h"
#include "parsers/load.h"
#include "parsers/proto/proto_text.h"
#include "pb_fields.h"

struct text_writer {
    FILE *out;
    struct descriptors registry;
    uint32_t type; /* of Trace */
};

static struct status read_all(const char *path, struct pb_bytes *out)
{
    bool is_stdin = !path || strcmp(path, "-") == 0;
    gzFile f = is_stdin ? gzdopen(0, "rb") : gzopen(path, "rb");
    if (!f)
        return status_error(STATUS_IO, "%s: %s", is_stdin ? "<stdin>" : path, strerror(errno));
    int n;
    uint8_t piece[1 << 14];
    while ((n = gzread(f, piece, sizeof piece)) > 0)
        pb_put_raw(out, piece, (size_t)n);
    gzclose(f);
    return n == 0 ? status_ok_value()
                  : status_error(STATUS_IO, "%s: cannot be read", is_stdin ? "<stdin>" : path);
}

struct memory_output {
    struct cut_output output;
    struct pb_bytes *bytes;
};

static bool write_memory(struct cut_output *self, const void *p, size_t n)
{
    pb_put_raw(((struct memory_output *)self)->bytes, p, n);
    return true;
}

static struct status read_input(const struct convert_settings *s, struct pb_bytes *out)
{
    struct memory_output memory = {.output = {.write = write_memory}, .bytes = out};
    struct cut_job job = {.name = s->in ? s->in : "-",
                          .window = s->window,
                          .out = &memory.output,
                          .progress = workspace_progress()};
    if (!s->window)
        return read_all(s->in, out);
    return trace_cut_file(NULL, &job);
}

static void write_packet(struct text_writer *w, const struct pb_field *packet)
{
    struct pb_bytes trace = {0};
    struct text text = {0};
    pb_put_str(&trace, PB_Trace_packet, pb_str(packet));
    proto_text_append(&text, &w->registry, w->type, trace.v.items, trace.v.count);
    fwrite(text.v.items, 1, text.v.count, w->out);
    putc('\n', w->out);
    vec_release(&text.v);
    pb_bytes_release(&trace);
}

/* Packets within a packet, packed; {NULL, 0} where there are none. */
static struct bytes compressed_part(const struct pb_field *packet)
{
    struct pb_reader r = pb_message(packet);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_TracePacket_compressed_packets)
            return field_bytes(&f);
    return (struct bytes){NULL, 0};
}

/* What can be had of them; `p` is for free(). */
static struct decompressed inflate_packets(struct bytes packed)
{
    return decompress(COMPRESSION_ZLIB, packed, decompress_file_limit(packed.n), NULL, NULL);
}

/* What is packed holds no packed packets itself: writers pack once. */
static void write_compressed(struct text_writer *w, struct bytes packed)
{
    struct decompressed inner = inflate_packets(packed);
    struct pb_reader r = pb_reader_from(inner.p, inner.n);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_Trace_packet)
            write_packet(w, &f);
    free(inner.p);
}

static bool write_packets(struct text_writer *w, struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f) && !ferror(w->out)) {
        if (f.number != PB_Trace_packet)
            continue;
        struct bytes packed = compressed_part(&f);
        if (packed.p)
            write_compressed(w, packed);
        else
            write_packet(w, &f);
    }
    return !r.error;
}

static struct status write_text(const struct pb_bytes *trace, FILE *out)
{
    struct text_writer w = {.out = out};
    w.type = descriptors_find(&w.registry, STR("perfetto.protos.Trace"));
    bool whole = write_packets(&w, pb_reader_from(trace->v.items, trace->v.count));
    descriptors_release(&w.registry);
    return whole ? status_ok_value()
                 : status_error(STATUS_FORMAT, "this is no Perfetto trace, or its end is cut off");
}

struct status convert_to_text(const struct convert_settings *s)
{
    struct pb_bytes trace = {0};
    struct status status = read_input(s, &trace);
    if (status_ok(status))
        status = write_text(&trace, s->file);
    pb_bytes_release(&trace);
    return status;
}

struct status decompress_packets(const char *path, struct pb_bytes *out)
{
    struct pb_bytes trace = {0};
    struct status status = read_all(path, &trace);
    struct pb_reader r = pb_reader_from(trace.v.items, trace.v.count);
    struct pb_field f;
    while (status_ok(status) && pb_next(&r, &f)) {
        if (f.number != PB_Trace_packet)
            continue;
        struct bytes packed = compressed_part(&f);
        struct decompressed inner = packed.p ? inflate_packets(packed) : (struct decompressed){0};
        if (packed.p)
            pb_put_raw(out, inner.p, inner.n);
        else
            pb_put_str(out, PB_Trace_packet, pb_str(&f));
        free(inner.p);
    }
    if (status_ok(status) && r.error)
        status = status_error(STATUS_FORMAT, "this is no Perfetto trace, or its end is cut off");
    pb_bytes_release(&trace);
    return status;
}
