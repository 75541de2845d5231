/* Network packets: slices on a track for each interface and direction. */
#define PB_READS_LITTLE
#include "core/track_set.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum { PROTO_ICMP = 1, PROTO_TCP = 6, PROTO_UDP = 17, PROTO_ICMPV6 = 58 };

/* Android: a uid is its user times this, plus the app's own. */
enum { UIDS_OF_USER = 100000 };

/* One packet, or one sum of several; what they have in common is in `context`. */
struct network_record {
    struct record_call call;
    struct bytes context; /* NetworkPacketEvent */
    int64_t dur, length, count;
};

struct u64_list {
    VEC(uint64_t) v;
};

struct network_event {
    uint32_t direction, uid, tag, protocol;
    int64_t length;
    struct str interface;     /* NULL: not said */
    struct pb_field ports[4]; /* local, remote, icmp type, icmp code */
    struct pb_field tcp_flags;
};

static struct network_event read_event(struct bytes message)
{
    struct network_event e = {0};
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_NetworkPacketEvent_direction:
            e.direction = pb_u32(&f);
            break;
        case PB_NetworkPacketEvent_network_interface:
            e.interface = pb_str(&f);
            break;
        case PB_NetworkPacketEvent_length:
            e.length = pb_u32(&f);
            break;
        case PB_NetworkPacketEvent_uid:
            e.uid = pb_u32(&f);
            break;
        case PB_NetworkPacketEvent_tag:
            e.tag = pb_u32(&f);
            break;
        case PB_NetworkPacketEvent_ip_proto:
            e.protocol = pb_u32(&f);
            break;
        case PB_NetworkPacketEvent_tcp_flags:
            e.tcp_flags = f;
            break;
        case PB_NetworkPacketEvent_local_port:
            e.ports[0] = f;
            break;
        case PB_NetworkPacketEvent_remote_port:
            e.ports[1] = f;
            break;
        case PB_NetworkPacketEvent_icmp_type:
            e.ports[2] = f;
            break;
        case PB_NetworkPacketEvent_icmp_code:
            e.ports[3] = f;
            break;
        default:
            break;
        }
    }
    return e;
}

/* The first package of each uid, from the list's first `rows`. */
struct network_uids {
    struct map packages; /* uid -> row of package_list */
    uint32_t rows;
};

static void network_uids_release(void *state)
{
    struct network_uids *s = state;
    map_release(&s->packages);
}

static const struct import_state_kind uids_kind = {.size = sizeof(struct network_uids),
                                                   .release = network_uids_release};

/* Uids are called by the first package of their app. */
static string_id uid_name(struct import *im, uint32_t uid)
{
    struct network_uids *s = import_state(im, &uids_kind);
    const struct table *packages = &im->trace->tables.package_list;
    const int64_t *uids = table_i64(packages, package_list_col_uid);
    for (; s->rows < packages->rows; s->rows++) {
        bool inserted;
        uint32_t *row = map_insert(&s->packages, (uint64_t)uids[s->rows], &inserted);
        if (inserted)
            *row = s->rows;
    }
    const uint32_t *row = uid ? map_find(&s->packages, uid % UIDS_OF_USER) : NULL;
    if (row)
        return column_str(&packages->columns[package_list_col_package_name], *row);
    char name[32];
    snprintf(name, sizeof name, "uid=%u", uid);
    return trace_intern_c(im->trace, name);
}

static string_id protocol_name(struct import *im, uint32_t protocol)
{
    char name[32];
    switch (protocol) {
    case PROTO_ICMP:
        return trace_intern(im->trace, STR("IPPROTO_ICMP"));
    case PROTO_TCP:
        return trace_intern(im->trace, STR("IPPROTO_TCP"));
    case PROTO_UDP:
        return trace_intern(im->trace, STR("IPPROTO_UDP"));
    case PROTO_ICMPV6:
        return trace_intern(im->trace, STR("IPPROTO_ICMPV6"));
    default:
        snprintf(name, sizeof name, "IPPROTO (%u)", protocol);
        return trace_intern_c(im->trace, name);
    }
}

static struct track_spec track_of(struct import *im, uint32_t machine,
                                  const struct network_event *e)
{
    struct trace *t = im->trace;
    const char *direction = "DIR_UNKNOWN";
    char name[256];
    if (e->direction == PB_TrafficDirection_DIR_INGRESS)
        direction = "Received";
    else if (e->direction == PB_TrafficDirection_DIR_EGRESS)
        direction = "Transmitted";
    snprintf(name, sizeof name, "%.*s %s", (int)(e->interface.n & 0xffff),
             e->interface.p ? e->interface.p : "", direction);
    return (struct track_spec){
        .type = "network_packets",
        .machine = machine,
        .dimension_count = 2,
        .dimensions = {{.key = "net_interface",
                        .type = ARG_STRING,
                        .s = e->interface.p ? trace_intern(t, e->interface) : NULL_STRING},
                       {.key = "net_direction",
                        .type = ARG_STRING,
                        .s = trace_intern_c(t, direction)}},
        .name = trace_intern_c(t, name),
    };
}

/* A letter for each bit that is set, from FIN on, and a dot for the others. */
static string_id tcp_flags_name(struct trace *t, uint32_t flags)
{
    static const char letters[] = "fsrpauec";
    char name[] = "........";
    for (unsigned i = 0; i < sizeof name - 1; i++)
        if (flags >> i & 1)
            name[i] = letters[i];
    return trace_intern_c(t, name);
}

static uint32_t event_args(struct import *im, const struct network_record *record,
                           const struct network_event *e)
{
    static const char *const port_keys[] = {"local_port", "remote_port", "packet_icmp_type",
                                            "packet_icmp_code"};
    struct trace *t = im->trace;
    struct arg_list args = {0};
    char tag[16];
    snprintf(tag, sizeof tag, "0x%x", e->tag);
    arg_list_int(&args, trace_intern(t, STR("packet_length")), record->length);
    arg_list_int(&args, trace_intern(t, STR("packet_count")), record->count);
    arg_list_int(&args, trace_intern(t, STR("socket_uid")), e->uid);
    arg_list_str(&args, trace_intern(t, STR("socket_tag")), trace_intern_c(t, tag));
    arg_list_str(&args, trace_intern(t, STR("packet_transport")), protocol_name(im, e->protocol));
    for (size_t i = 0; i < 4; i++)
        if (e->ports[i].number)
            arg_list_int(&args, trace_intern_c(t, port_keys[i]), pb_u32(&e->ports[i]));
    if (e->tcp_flags.number)
        arg_list_str(&args, trace_intern(t, STR("packet_tcp_flags")),
                     tcp_flags_name(t, pb_u32(&e->tcp_flags)));
    uint32_t set = args_intern(&t->args, &args);
    arg_list_release(&args);
    return set;
}

static void apply_network(struct import *im, int64_t ts, const struct record_call *call)
{
    const struct network_record *record = (const struct network_record *)call;
    struct trace *t = im->trace;
    struct network_event e = read_event(record->context);
    struct track_spec spec = track_of(im, record->call.machine, &e);
    uint32_t track = track_set_complete(t, &spec, ts, record->dur);
    uint32_t slice = slice_complete(t, ts, record->dur, track, NULL_STRING, uid_name(im, e.uid));
    if (slice != NULL_U32)
        table_set_u32(&t->tables.slice, slice_col_arg_set_id, slice, event_args(im, record, &e));
}

static void push_record(struct import *im, int64_t ts, struct network_record record)
{
    struct network_record *copy = arena_alloc(&im->arena, sizeof *copy);
    record.call.apply = apply_network;
    *copy = record;
    sorter_push(&im->sorter, 0, ts, RECORD_CALL, (uintptr_t)copy);
}

static bool network_packet_tokenize(struct import *im, struct packet *p)
{
    push_record(im, p->ts,
                (struct network_record){.context = p->field,
                                        .length = read_event(p->field).length,
                                        .count = 1,
                                        .call.machine = p->machine});
    return true;
}

/* NetworkPacketContext.ctx */
static struct bytes interned_context(const struct packet *p, uint64_t iid)
{
    struct bytes entry = interned_find(p->generation, PB_InternedData_packet_context, iid);
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_NetworkPacketContext_ctx)
            return field_bytes(&f);
    return (struct bytes){NULL, 0};
}

/* Adds the elements of a list; false if one is cut off. */
static bool add_elements(const struct pb_field *f, struct u64_list *list)
{
    struct pb_packed it = pb_packed_begin(f, PB_WIRE_VARINT);
    uint64_t v;
    while (pb_packed_next(&it, &v))
        *vec_push(&list->v) = v;
    return !it.r.error;
}

/* Times and lengths are two lists side by side. */
static void push_packets(struct import *im, const struct packet *p, struct bytes context)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    struct u64_list times = {0}, lengths = {0};
    bool good = true;
    while (pb_next(&r, &f)) {
        if (f.number == PB_NetworkPacketBundle_packet_timestamps)
            good = good && add_elements(&f, &times);
        else if (f.number == PB_NetworkPacketBundle_packet_lengths)
            good = good && add_elements(&f, &lengths);
    }
    if (!good)
        stats_count(im->trace, STAT_network_trace_parse_errors);
    for (size_t i = 0; good && i < times.v.count && i < lengths.v.count; i++)
        push_record(im, (int64_t)((uint64_t)p->ts + times.v.items[i]),
                    (struct network_record){.context = context,
                                            .length = (int64_t)lengths.v.items[i],
                                            .count = 1,
                                            .call.machine = p->machine});
    vec_release(&times.v);
    vec_release(&lengths.v);
}

static bool network_packet_bundle_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    struct network_record sum = {.call.machine = p->machine};
    bool is_sum = false;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_NetworkPacketBundle_iid:
            sum.context = interned_context(p, pb_u64(&f));
            if (!sum.context.p)
                stats_count(im->trace, STAT_network_trace_intern_errors);
            break;
        case PB_NetworkPacketBundle_ctx:
            sum.context = field_bytes(&f);
            break;
        case PB_NetworkPacketBundle_total_packets:
            sum.count = pb_u32(&f);
            break;
        case PB_NetworkPacketBundle_total_duration:
            sum.dur = pb_i64(&f) < 0 ? 0 : pb_i64(&f);
            break;
        case PB_NetworkPacketBundle_total_length:
            sum.length = pb_i64(&f);
            is_sum = true;
            break;
        default:
            break;
        }
    }
    if (is_sum)
        push_record(im, p->ts, sum);
    else
        push_packets(im, p, sum.context);
    return true;
}

/* From the first packet to the last, or as long as all of them took. */
static bool network_packet_bundle_span(struct import *im, const struct packet *p,
                                       struct packet_span *out)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t longest = 0, v;
    (void)im;
    while (pb_next(&r, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while ((f.number == PB_NetworkPacketBundle_packet_timestamps ||
                f.number == PB_NetworkPacketBundle_total_duration) &&
               pb_packed_next(&it, &v))
            longest = v > longest && v < INT64_MAX ? v : longest;
    }
    out->first = p->ts;
    out->last = time_plus(p->ts, (int64_t)longest);
    return p->has_timestamp;
}

const struct packet_module network_packets[] = {
    {PB_TracePacket_network_packet, .tokenize = network_packet_tokenize, .felt = PACKET_MOMENT},
    {PB_TracePacket_network_packet_bundle, .tokenize = network_packet_bundle_tokenize,
     .felt = PACKET_SPAN, .span = network_packet_bundle_span},
    {0},
};
