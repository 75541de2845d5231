/* What a trace says of itself and of the system: config, uuid, system info, service events. */
#include <inttypes.h>

#include "base/base64.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/text.h"
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

bool trace_uuid_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t msb = 0, lsb = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TraceUuid_msb)
            msb = pb_u64(&f);
        else if (f.number == PB_TraceUuid_lsb)
            lsb = pb_u64(&f);
    }
    set_uuid(im, msb, lsb);
    return true;
}

enum { ATTRIBUTE_NAME_MAX = 1024 };

static void set_attribute(struct import *im, struct pb_reader r)
{
    char name[ATTRIBUTE_NAME_MAX];
    struct pb_field f, value = {0};
    struct str key = {"", 0};
    while (pb_next(&r, &f)) {
        if (f.number == PB_TraceAttributes_Attribute_key)
            key = pb_str(&f);
        else
            value = f;
    }
    snprintf(name, sizeof name, "trace_attribute.%.*s", (int)(key.n & 0xffff), key.p);
    if (value.number == PB_TraceAttributes_Attribute_long_value)
        metadata_set_int(im->trace, name, pb_i64(&value));
    else if (value.number == PB_TraceAttributes_Attribute_string_value)
        metadata_set_str(im->trace, name, pb_str(&value));
}

static void set_attributes(struct import *im, struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_TraceAttributes_attribute)
            set_attribute(im, pb_message(&f));
}

bool trace_attributes_tokenize(struct import *im, struct packet *p)
{
    set_attributes(im, bytes_reader(p->field));
    return true;
}

struct config {
    uint64_t uuid_msb, uuid_lsb;
    int64_t file_write_period_ms;
    bool into_file, flushes;
    uint32_t buffers;
    VEC(uint32_t) discarding; /* buffers that discard when full */
};

static void read_buffer(struct config *c, struct pb_reader r)
{
    struct pb_field f;
    uint32_t policy = PB_TraceConfig_BufferConfig_FillPolicy_UNSPECIFIED;
    while (pb_next(&r, &f))
        if (f.number == PB_TraceConfig_BufferConfig_fill_policy)
            policy = pb_u32(&f);
    if (policy == PB_TraceConfig_BufferConfig_FillPolicy_DISCARD)
        *vec_push(&c->discarding) = c->buffers;
    c->buffers++;
}

static void read_statsd_metadata(struct import *im, struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_TraceConfig_StatsdMetadata_triggering_subscription_id)
            metadata_set_int(im->trace, "statsd_triggering_subscription_id", pb_i64(&f));
}

static void read_config(struct import *im, struct config *c, struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_TraceConfig_trace_uuid_msb:
            c->uuid_msb = pb_u64(&f);
            break;
        case PB_TraceConfig_trace_uuid_lsb:
            c->uuid_lsb = pb_u64(&f);
            break;
        case PB_TraceConfig_unique_session_name:
            metadata_set_str(im->trace, "unique_session_name", pb_str(&f));
            break;
        case PB_TraceConfig_statsd_metadata:
            read_statsd_metadata(im, pb_message(&f));
            break;
        case PB_TraceConfig_trace_attributes:
            set_attributes(im, pb_message(&f));
            break;
        case PB_TraceConfig_buffers:
            read_buffer(c, pb_message(&f));
            break;
        case PB_TraceConfig_write_into_file:
            c->into_file = pb_bool(&f);
            break;
        case PB_TraceConfig_file_write_period_ms:
            c->file_write_period_ms = pb_i64(&f);
            break;
        case PB_TraceConfig_flush_period_ms:
            c->flushes = pb_u64(&f) != 0;
            break;
        default:
            break;
        }
    }
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

static void check_streaming(struct import *im, const struct config *c)
{
    if (!c->into_file)
        return;
    struct config_state *state = import_state(im, &config_kind);
    state->streams = c->file_write_period_ms < WEEK_MS;
    if (!c->flushes)
        stats_count(im->trace, STAT_config_write_into_file_no_flush);
    for (size_t i = 0; i < c->discarding.count; i++)
        stats_add(im->trace, STAT_config_write_into_file_discard, c->discarding.items[i], 1);
}

bool trace_config_tokenize(struct import *im, struct packet *p)
{
    struct config c = {0};
    struct text text = {0};
    read_config(im, &c, bytes_reader(p->field));
    set_uuid(im, c.uuid_msb, c.uuid_lsb);
    check_streaming(im, &c);
    vec_release(&c.discarding);
    struct descriptors *d = import_descriptors(im);
    uint32_t type = descriptors_find(d, STR("perfetto.protos.TraceConfig"));
    proto_text_append(&text, d, type, p->field.p, p->field.n);
    metadata_set_str(im->trace, "trace_config_pbtxt",
                     (struct str){text.v.items ? text.v.items : "", text.v.count});
    vec_release(&text.v);
    return true;
}

/* The time of a service event is in BOOTTIME where the packet does not say otherwise. */
static int64_t service_event_time(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->data);
    struct pb_field f;
    int64_t ts;
    while (pb_next(&r, &f))
        if (f.number == PB_TracePacket_timestamp_clock_id && pb_u32(&f) != 0)
            return p->ts;
    return import_to_trace_time(im, p->sequence, p->machine, PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME,
                                p->ts, &ts)
               ? ts
               : p->ts;
}

static void append_slow_sources(struct import *im, const char *name, struct pb_reader r)
{
    struct pb_field f, g;
    while (pb_next(&r, &f)) {
        struct pb_reader source = pb_message(&f);
        struct str producer = {"", 0}, data_source = {"", 0};
        while (pb_next(&source, &g)) {
            if (g.number == PB_TracingServiceEvent_DataSources_DataSource_producer_name)
                producer = pb_str(&g);
            else if (g.number == PB_TracingServiceEvent_DataSources_DataSource_data_source_name)
                data_source = pb_str(&g);
        }
        char text[ATTRIBUTE_NAME_MAX];
        snprintf(text, sizeof text, "%.*s %.*s", (int)(producer.n & 0xffff), producer.p,
                 (int)(data_source.n & 0xffff), data_source.p);
        metadata_append_str(im->trace, name, str_from(text));
    }
}

bool service_event_tokenize(struct import *im, struct packet *p)
{
    struct trace *t = im->trace;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    int64_t ts = service_event_time(im, p);
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_TracingServiceEvent_tracing_started:
            metadata_set_int(t, "tracing_started_ns", ts);
            im->tracing_started_ts = ts;
            break;
        case PB_TracingServiceEvent_all_data_sources_started:
            metadata_set_int(t, "all_data_source_started_ns", ts);
            im->data_sources_started_ts = ts;
            break;
        case PB_TracingServiceEvent_all_data_sources_flushed:
            metadata_append_int(t, "all_data_source_flushed_ns", ts);
            break;
        case PB_TracingServiceEvent_tracing_disabled:
            metadata_set_int(t, "tracing_disabled_ns", ts);
            break;
        case PB_TracingServiceEvent_slow_starting_data_sources:
            append_slow_sources(im, "slow_start_datasource", pb_message(&f));
            break;
        case PB_TracingServiceEvent_last_flush_slow_data_sources:
            append_slow_sources(im, "last_flush_slow_datasource", pb_message(&f));
            break;
        case PB_TracingServiceEvent_clone_started:
            stats_set(t, STAT_traced_clone_started_timestamp_ns, STAT_SINGLE, ts);
            break;
        case PB_TracingServiceEvent_buffer_cloned:
            stats_set(t, STAT_traced_buf_clone_done_timestamp_ns, pb_u32(&f), ts);
            break;
        default:
            break;
        }
    }
    return true;
}

bool ui_state_tokenize(struct import *im, struct packet *p)
{
    struct str text = base64_encode(p->field.p, p->field.n);
    metadata_set_str(im->trace, "ui_state", text);
    free((char *)(uintptr_t)text.p);
    return true;
}

static bool add_extensions(struct import *im, const struct pb_field *f)
{
    struct bytes set = field_bytes(f);
    if (f->number == PB_ExtensionDescriptor_extension_set_gzip && !import_inflate(im, set, &set))
        return false;
    struct status s = descriptors_add(import_descriptors(im), set.p, set.n);
    bool good = status_ok(s);
    status_release(&s);
    return good;
}

/* Android's own come compressed. */
bool extension_descriptor_tokenize(struct import *im, struct packet *p)
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
