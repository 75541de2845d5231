#include "parsers/perfetto/trace/trace_metadata.h"

#include <inttypes.h>

#include "base/base64.h"
#include "parsers/perfetto/packets/clock.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/trace/diagnostics.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/proto_text.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

static void set_uuid(struct import *im, uint64_t msb, uint64_t lsb)
{
    char text[40];
    if (msb == 0 && lsb == 0)
        return;
    int n = snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012" PRIx64, (unsigned)(msb >> 32),
                     (unsigned)(msb >> 16 & 0xffff), (unsigned)(msb & 0xffff),
                     (unsigned)(lsb >> 48), lsb & UINT64_C(0xffffffffffff));
    metadata_set_str(im->trace, "trace_uuid", (struct str){text, (size_t)n});
}

static bool trace_uuid_tokenize(struct import *im, struct packet *p)
{
    const TraceUuid *uuid = unpack_packet(im, &trace_uuid__descriptor, p);
    set_uuid(im, (uint64_t)uuid->msb, (uint64_t)uuid->lsb);
    return true;
}

enum { ATTRIBUTE_NAME_MAX = 1024 };

static void set_attributes(struct import *im, const TraceAttributes *attributes)
{
    for (size_t i = 0; i < attributes->n_attribute; i++) {
        const TraceAttributes__Attribute *a = attributes->attribute[i];
        struct str key = unpacked_str(a->key);
        char name[ATTRIBUTE_NAME_MAX];
        snprintf(name, sizeof name, "trace_attribute.%.*s", (int)(key.n & 0xffff), key.p);
        if (a->has_long_value)
            metadata_set_int(im->trace, name, a->long_value);
        else if (a->has_string_value)
            metadata_set_str(im->trace, name, unpacked_str(a->string_value));
    }
}

static bool trace_attributes_tokenize(struct import *im, struct packet *p)
{
    set_attributes(im, unpack_packet(im, &trace_attributes__descriptor, p));
    return true;
}

static void read_config(struct import *im, const TraceConfig *c)
{
    const TraceConfig__StatsdMetadata *statsd = c->statsd_metadata;
    set_uuid(im, (uint64_t)c->trace_uuid_msb, (uint64_t)c->trace_uuid_lsb);
    if (c->has_unique_session_name)
        metadata_set_str(im->trace, "unique_session_name", unpacked_str(c->unique_session_name));
    if (statsd && statsd->has_triggering_subscription_id)
        metadata_set_int(im->trace, "statsd_triggering_subscription_id",
                         statsd->triggering_subscription_id);
    if (c->trace_attributes)
        set_attributes(im, c->trace_attributes);
}

/* A trace that is streamed into a file. */
struct config_state {
    bool streams;
};

static const struct import_state_kind config_kind = {.size = sizeof(struct config_state)};

/* Who asks for a week between writes wants a ring buffer: what is overwritten is no loss. */
#define WEEK_MS INT64_C(604800000)

bool config_streams_into_file(struct import *im)
{
    return ((struct config_state *)import_state(im, &config_kind))->streams;
}

static void check_streaming(struct import *im, const TraceConfig *c)
{
    if (!c->write_into_file)
        return;
    struct config_state *state = import_state(im, &config_kind);
    state->streams = c->file_write_period_ms < WEEK_MS;
    if (c->flush_period_ms == 0)
        stats_count(im->trace, STAT_config_write_into_file_no_flush);
    for (size_t i = 0; i < c->n_buffers; i++)
        if (c->buffers[i]->fill_policy == PB_TraceConfig_BufferConfig_FillPolicy_DISCARD)
            stats_add(im->trace, STAT_config_write_into_file_discard, (int64_t)i, 1);
}

static bool trace_config_tokenize(struct import *im, struct packet *p)
{
    struct text text = {0};
    const TraceConfig *config = unpack_packet(im, &trace_config__descriptor, p);
    read_config(im, config);
    check_streaming(im, config);
    diagnostics_keep_config(im, p);
    struct descriptors *d = import_descriptors(im);
    uint32_t type = descriptors_find(d, STR("perfetto.protos.TraceConfig"));
    proto_text_append(&text, d, type, p->field.p, p->field.n);
    metadata_set_str(im->trace, "trace_config_pbtxt",
                     (struct str){text.v.items ? text.v.items : "", text.v.count});
    vec_release(&text.v);
    return true;
}

/* The time of a service event is in BOOTTIME where the packet does not say otherwise. `p->ts` may
 * be converted already, where a manifest relates the clocks of several files. */
static int64_t service_event_time(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->data);
    struct pb_field f;
    int64_t written = p->ts, ts;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TracePacket_timestamp_clock_id && pb_u32(&f) != 0)
            return p->ts;
        if (f.number == PB_TracePacket_timestamp)
            written = pb_i64(&f);
    }
    return clock_to_trace_time(im, p->sequence, p->machine, PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME,
                               written, &ts)
               ? ts
               : p->ts;
}

static void append_slow_sources(struct import *im, const TracingServiceEvent__DataSources *sources)
{
    for (size_t i = 0; sources && i < sources->n_data_source; i++) {
        struct str producer = unpacked_str(sources->data_source[i]->producer_name);
        struct str source = unpacked_str(sources->data_source[i]->data_source_name);
        char text[ATTRIBUTE_NAME_MAX];
        snprintf(text, sizeof text, "%.*s %.*s", (int)(producer.n & 0xffff), producer.p,
                 (int)(source.n & 0xffff), source.p);
        metadata_append_str(im->trace, "slow_start_data_source", str_from(text));
    }
}

static bool service_event_tokenize(struct import *im, struct packet *p)
{
    struct trace *t = im->trace;
    const TracingServiceEvent *e = unpack_packet(im, &tracing_service_event__descriptor, p);
    int64_t ts = service_event_time(im, p);
    if (e->tracing_started) {
        metadata_set_int(t, "tracing_started_ns", ts);
        im->tracing_started_ts = ts;
    }
    if (e->all_data_sources_started) {
        metadata_set_int(t, "all_data_source_started_ns", ts);
        im->data_sources_started_ts = ts;
    }
    if (e->all_data_sources_flushed)
        metadata_append_int(t, "all_data_source_flushed_ns", ts);
    if (e->tracing_disabled)
        metadata_set_int(t, "tracing_disabled_ns", ts);
    append_slow_sources(im, e->slow_starting_data_sources);
    if (e->has_clone_started)
        stats_set(t, STAT_traced_clone_started_timestamp_ns, STAT_SINGLE, ts);
    if (e->has_buffer_cloned)
        stats_set(t, STAT_traced_buf_clone_done_timestamp_ns, e->buffer_cloned, ts);
    return true;
}

static bool ui_state_tokenize(struct import *im, struct packet *p)
{
    struct str text = base64_encode(p->field.p, p->field.n);
    metadata_set_str(im->trace, "ui_state", text);
    free((char *)(uintptr_t)text.p);
    return true;
}

static bool add_extensions(struct import *im, const struct pb_field *f)
{
    struct bytes set = field_bytes(f);
    if (f->number == PB_ExtensionDescriptor_extension_set_gzip &&
        !import_decompress(im, COMPRESSION_ZLIB, set, &set))
        return false;
    struct status s = import_add_descriptors(im, set);
    bool good = status_ok(s);
    status_release(&s);
    return good;
}

/* Android's own come compressed. */
static bool extension_descriptor_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number != PB_ExtensionDescriptor_extension_set &&
            f.number != PB_ExtensionDescriptor_extension_set_gzip)
            continue;
        if (f.data && !add_extensions(im, &f))
            stats_count(im->trace, STAT_extension_descriptor_errors);
    }
    return true;
}

const struct packet_module trace_metadata_packets[] = {
    {PB_TracePacket_trace_uuid, .tokenize = trace_uuid_tokenize, .felt = PACKET_ALWAYS},
    {PB_TracePacket_trace_attributes, .tokenize = trace_attributes_tokenize, .felt = PACKET_ALWAYS},
    {PB_TracePacket_trace_config, .tokenize = trace_config_tokenize, .felt = PACKET_ALWAYS},
    {PB_TracePacket_service_event, .tokenize = service_event_tokenize, .felt = PACKET_ALWAYS,
     .tells = TELLS_TIMES},
    {PB_TracePacket_ui_state, .tokenize = ui_state_tokenize, .felt = PACKET_ALWAYS},
    {PB_TracePacket_extension_descriptor, .tokenize = extension_descriptor_tokenize,
     .felt = PACKET_ALWAYS},
    {0},
};
