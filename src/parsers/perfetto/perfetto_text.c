/* Traces of Perfetto as protobuf text, as `traceconv text` writes them and tests are written: read
 * as the binary trace that the text says. */
#include "parsers/input/byte_source.h"
#include "parsers/input/trace_cut.h"
#include "parsers/input/trace_format.h"
#include "parsers/proto/proto_text.h"

enum { TEXT_BYTES_MAX = 1 << 30 };

extern const struct trace_format perfetto_trace_format;

/* "packet {" behind comments. */
static bool perfetto_text_sniff(struct bytes data)
{
    struct str s = trace_format_skip_space(trace_format_head(data));
    while (s.n && *s.p == '#') {
        str_cut(&s, '\n');
        s = trace_format_skip_space(s);
    }
    if (!str_starts(s, STR("packet")))
        return false;
    s = trace_format_skip_space(str_skip(s, STR("packet").n));
    if (s.n && *s.p == ':')
        s = trace_format_skip_space(str_skip(s, 1));
    return s.n && (*s.p == '{' || *s.p == '<');
}

static struct status too_long(const char *name)
{
    return status_error(STATUS_FORMAT, "%s: more than 1 GB of text", name);
}

/* The binary trace that the text says. */
static struct status to_packets(struct pb_bytes *out, const char *name, struct bytes text)
{
    struct descriptors registry = {0};
    uint32_t type = descriptors_find(&registry, STR("perfetto.protos.Trace"));
    struct status s =
        proto_text_parse(out, &registry, type, name, (struct str){(const char *)text.p, text.n});
    descriptors_release(&registry);
    return s;
}

static struct status perfetto_text_import(struct trace *t, const char *name,
                                          struct byte_source *source)
{
    if (!byte_source_all(source, TEXT_BYTES_MAX))
        return too_long(name);
    struct pb_bytes bytes = {0};
    struct status s = to_packets(&bytes, name, source->window);
    if (status_ok(s)) {
        struct bytes trace = {bytes.v.items, bytes.v.count};
        s = perfetto_trace_format.read(t, name, trace, source->progress);
    }
    pb_bytes_release(&bytes);
    return s;
}

static struct status perfetto_text_cut(struct cut_job *job)
{
    job->unreadable = job->data.n > TEXT_BYTES_MAX;
    if (job->unreadable)
        return too_long(job->name);
    struct pb_bytes bytes = {0};
    struct text_holes holes = {0};
    struct bytes text = job->data;
    bool mapped = job->mapped;
    struct status s = to_packets(&bytes, job->name, text);
    job->unreadable = !status_ok(s);
    text_holes_add(&holes, text.p, text.n);
    job->unread.counts[UNREAD_HOLES] = text_holes_all(&holes);
    job->data = (struct bytes){bytes.v.items, bytes.v.count};
    job->mapped = false;
    if (status_ok(s))
        s = perfetto_trace_format.cut(job);
    job->data = text;
    job->mapped = mapped;
    pb_bytes_release(&bytes);
    return s;
}

const struct trace_format perfetto_text_trace_format = {
    .name = "Perfetto as text",
    .type = "proto_text",
    .about = "recordings of Perfetto as protobuf text: begins with packet {",
    .sniff = perfetto_text_sniff,
    .has_clocks = true,
    .has_machines = true,
    .is_text = true,
    .read_source = perfetto_text_import,
    .cut = perfetto_text_cut,
    .cut_as = &perfetto_trace_format,
};
