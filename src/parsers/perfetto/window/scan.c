#include "parsers/perfetto/window/scan.h"

#include <stdio.h>

#include "base/hash.h"
#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/input_file.h"
#include "parsers/perfetto/ftrace/ftrace_bundle.h"
#include "parsers/perfetto/packets/reader.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/window/packet_policy.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* Finds the scan of an import. */
static const struct import_state_kind scan_state_kind = {.size = sizeof(struct window_scan *)};

struct window_scan *scan_of(struct import *im)
{
    return *(struct window_scan **)import_state(im, &scan_state_kind);
}

struct status scan_walk(struct window_scan *w, const struct import_handlers *handlers)
{
    struct import im;
    struct byte_source source =
        byte_source_memory(w->input, input_file_maps(w->input.p), w->progress);
    import_init(&im, w->trace, w->input);
    im.name = w->name;
    im.source = &source;
    im.progress = w->progress;
    im.handlers = handlers;
    im.modules = w->modules;
    ftrace_import_init(&im);
    track_event_import_init(&im);
    *(struct window_scan **)import_state(&im, &scan_state_kind) = w;
    struct status s = packets_read(&im);
    track_event_import_release(&im);
    ftrace_import_release(&im);
    import_release(&im);
    byte_source_release(&source);
    return s;
}

uint64_t scan_counter_key(uint32_t machine, uint64_t uuid)
{
    return hash_mix(uuid, ~(uint64_t)machine);
}

static void set_time(struct window_scan *w, uint64_t packet, int64_t ts)
{
    while (w->times.count <= packet)
        *vec_push(&w->times) = PACKET_TIME_UNKNOWN;
    w->times.items[packet] = ts;
}

static void note_any(struct window_scan *w, int64_t ts)
{
    w->first_any = ts < w->first_any ? ts : w->first_any;
    w->last_any = ts > w->last_any ? ts : w->last_any;
}

static void note_span(struct window_scan *w, int64_t first, int64_t last)
{
    w->first = first < w->first ? first : w->first;
    w->last = last > w->last ? last : w->last;
}

static void note_bundle(struct window_scan *w, struct import *im, const struct packet *p)
{
    struct bundle_span span;
    bool inserted;
    if (!ftrace_bundle_span(im, p, &span))
        return;
    set_time(w, p->number, span.offset);
    if (span.first <= span.last)
        note_span(w, span.first, span.last);
    while (w->valid_from.count <= p->machine)
        *vec_push(&w->valid_from) = INT64_MIN;
    map_insert(&w->seen_cpus, (uint64_t)p->machine << 32 | span.cpu, &inserted);
    if (inserted && span.valid_from > w->valid_from.items[p->machine])
        w->valid_from.items[p->machine] = span.valid_from;
}

/* Counters whose values are what they changed by. */
static void note_descriptor(struct window_scan *w, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field), counter = {0};
    struct pb_field f;
    uint64_t uuid = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TrackDescriptor_uuid)
            uuid = pb_u64(&f);
        else if (f.number == PB_TrackDescriptor_counter)
            counter = pb_message(&f);
    }
    while (pb_next(&counter, &f))
        if (f.number == PB_CounterDescriptor_is_incremental && pb_bool(&f))
            map_set(&w->incremental, scan_counter_key(p->machine, uuid), 1);
}

/* Whether what ftrace recorded before tracing began counts. */
static void note_ftrace_stats(struct window_scan *w, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    bool at_start = false, preserves = false;
    while (pb_next(&r, &f)) {
        if (f.number == PB_FtraceStats_phase)
            at_start = f.value == PB_FtraceStats_Phase_START_OF_TRACE;
        else if (f.number == PB_FtraceStats_preserve_ftrace_buffer)
            preserves = pb_bool(&f);
    }
    w->keeps_old |= at_start && preserves;
}

/* The times of samples are relative to those of their sequence's track events. */
static bool streaming_time(struct import *im, const struct packet *p, int64_t *ts)
{
    struct sequence_thread thread;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t delta;
    if (!track_event_sequence_now(im, p, ts, &thread))
        return false;
    while (pb_next(&r, &f)) {
        if (f.number != PB_StreamingProfilePacket_timestamp_delta_us)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (pb_packed_next(&it, &delta))
            if (!track_event_sequence_advance(p, (int64_t)delta))
                return false;
    }
    return true;
}

/* Atoms come together, some time after they happened. */
static void atoms_time(const struct packet *p, int64_t *ts)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        uint64_t v;
        if (f.number != PB_StatsdAtom_timestamp_nanos || !pb_packed_next(&it, &v))
            continue;
        *ts = (int64_t)v;
        return;
    }
}

/* Which numbers are which system calls. */
static void note_system(struct window_scan *w, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f, inner;
    while (pb_next(&r, &f)) {
        struct pb_reader names = pb_message(&f);
        while (f.number == PB_SystemInfo_utsname && pb_next(&names, &inner))
            if (inner.number == PB_Utsname_machine)
                snprintf(w->arch, sizeof w->arch, "%.*s", (int)(pb_str(&inner).n & 0xff),
                         pb_str(&inner).p);
    }
}

/* What has to be done of a packet so that the times of others can be known. */
static void note_state(struct window_scan *w, struct import *im, struct packet *p)
{
    switch (p->field_number) {
    case PB_TracePacket_clock_snapshot:
    case PB_TracePacket_remote_clock_sync:
    case PB_TracePacket_service_event:
    case PB_TracePacket_thread_descriptor:
    case PB_TracePacket_protovms:
    case PB_TracePacket_trace_provenance:
        packet_modules_find(&im->modules, p->field_number)->tokenize(im, p);
        return;
    case PB_TracePacket_track_descriptor:
        note_descriptor(w, p);
        return;
    case PB_TracePacket_system_info:
        note_system(w, p);
        return;
    case PB_TracePacket_ftrace_stats:
        note_ftrace_stats(w, p);
        return;
    default:
        return;
    }
}

static void note_packet(struct import *im, struct packet *p)
{
    struct window_scan *w = scan_of(im);
    enum packet_policy policy = packet_policy_of(p->field_number);
    int64_t ts = p->has_timestamp ? p->ts : PACKET_TIME_NONE;
    if (policy == POLICY_FTRACE) {
        note_bundle(w, im, p);
        return;
    }
    note_state(w, im, p);
    if (policy == POLICY_TRACK_EVENT && !track_event_time(im, p, &ts))
        return;
    if (p->field_number == PB_TracePacket_streaming_profile_packet && !streaming_time(im, p, &ts))
        return;
    if (p->field_number == PB_TracePacket_statsd_atom)
        atoms_time(p, &ts);
    if (ts <= PACKET_TIME_NONE && p->has_timestamp)
        return;
    set_time(w, p->number, ts);
    if (ts != PACKET_TIME_NONE)
        note_any(w, ts);
    if (policy != POLICY_KEEP && policy != POLICY_KEEP_EARLY && policy != POLICY_NEVER &&
        ts != PACKET_TIME_NONE)
        note_span(w, ts, ts);
    w->tracing_started = im->tracing_started_ts;
}

struct status scan_times(struct window_scan *w)
{
    static const struct import_handlers handlers = {.packet = note_packet,
                                                    .sequence_cleared = track_event_sequence_reset};
    w->first = w->first_any = INT64_MAX;
    w->last = w->last_any = INT64_MIN;
    w->tracing_started = INT64_MIN;
    struct status s = scan_walk(w, &handlers);
    if (w->first > w->last) {
        w->first = w->first_any;
        w->last = w->last_any;
    }
    if (w->keeps_old)
        w->tracing_started = INT64_MIN;
    return s;
}

bool scan_ftrace_counts(const struct window_scan *w, uint32_t machine, int64_t ts)
{
    return ts >= w->tracing_started &&
           (machine >= w->valid_from.count || ts >= w->valid_from.items[machine]);
}

/* What a value is of: the first number of a message in it, and which others it has. */
static uint64_t value_key(const struct pb_field *value)
{
    struct pb_reader r = pb_message(value);
    struct pb_field f;
    uint64_t h = hash_u64(value->number), fields = 0;
    while (pb_next(&r, &f)) {
        if (f.number == 1 && f.wire_type == PB_WIRE_VARINT)
            h = hash_mix(h, f.value);
        fields ^= hash_u64(f.number);
    }
    return hash_mix(h, fields);
}

/* The descriptors of values come with the first of them. */
static bool has_descriptor(const struct packet *p, const struct pb_field *f)
{
    switch (p->field_number) {
    case PB_TracePacket_gpu_counter_event:
        return f->number == PB_GpuCounterEvent_counter_descriptor;
    case PB_TracePacket_power_rails:
        return f->number == PB_PowerRails_rail_descriptor;
    default:
        return false;
    }
}

/* Whether a field tells what the values beside it are of. */
static bool says_whose(uint32_t packet, uint32_t field)
{
    if (packet == PB_TracePacket_perf_sample)
        return field == PB_PerfSample_cpu;
    if (packet == PB_TracePacket_battery)
        return field == PB_BatteryCounters_name;
    return packet == PB_TracePacket_gpu_mem_total_event && field != PB_GpuMemTotalEvent_size;
}

static void keep_last(struct window_scan *w, const struct packet *p, int64_t ts)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t number = item_number(p->number, 0), who = 0;
    uint64_t source = hash_mix(hash_mix(p->field_number, p->sequence->id), p->machine);
    while (pb_next(&r, &f))
        if (says_whose(p->field_number, f.number))
            who = f.data ? hash_bytes(f.data, (size_t)f.value, who) : hash_mix(who, f.value);
    r = bytes_reader(p->field);
    while (pb_next(&r, &f)) {
        if (has_descriptor(p, &f))
            selection_keep(&w->selection, ts, number);
        uint64_t key = hash_mix(f.data ? value_key(&f) : hash_u64(f.number), source ^ who);
        if (p->field_number == PB_TracePacket_sys_stats)
            selection_last_two(&w->selection, key, ts, number); /* some tell differences */
        else
            selection_last(&w->selection, key, ts, number);
    }
}

static void add_frame(struct window_scan *w, const struct packet *p, int64_t ts)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f, inner;
    while (pb_next(&r, &f)) {
        struct pb_reader event = pb_message(&f);
        uint64_t cookie = 0;
        while (pb_next(&event, &inner))
            if (inner.number == PB_FrameTimelineEvent_FrameEnd_cookie) /* the same in all */
                cookie = inner.value;
        struct window_mark m = {.ts = ts,
                                .key = hash_mix(cookie, ~(uint64_t)p->machine),
                                .number = item_number(p->number, 0),
                                .kind = f.number == PB_FrameTimelineEvent_frame_end ? MARK_END
                                                                                    : MARK_BEGIN};
        selection_mark(&w->selection, &m);
    }
}

void scan_follow_patches(struct import *im, struct packet *p)
{
    if (p->field_number == PB_TracePacket_protovms ||
        p->field_number == PB_TracePacket_trace_provenance)
        packet_modules_find(&im->modules, p->field_number)->tokenize(im, p);
}

static bool look_at_packet(struct import *im, struct packet *p, bool usable)
{
    struct window_scan *w = scan_of(im);
    int64_t ts = scan_time(w, p->number);
    enum packet_policy policy = packet_policy_of(p->field_number);
    scan_follow_patches(im, p);
    if (!usable || ts == PACKET_TIME_UNKNOWN)
        return true;
    if (policy == POLICY_FTRACE)
        scan_ftrace_bundle(w, p);
    else if (ts >= w->from || ts == PACKET_TIME_NONE)
        return true;
    else if (policy == POLICY_TRACK_EVENT)
        scan_track_event(w, p, ts);
    else if (policy == POLICY_KEEP_LAST)
        keep_last(w, p, ts);
    else if (policy == POLICY_KEEP_EARLY)
        selection_keep(&w->selection, ts, item_number(p->number, 0));
    else if (policy == POLICY_FRAME_TIMELINE)
        add_frame(w, p, ts);
    return true;
}

struct status scan_state(struct window_scan *w)
{
    static const struct import_handlers handlers = {.inspect = look_at_packet,
                                                    .sequence_cleared = track_event_sequence_reset};
    struct status s = status_ok_value();
    if (w->first < w->from || w->first_any < w->from)
        s = scan_walk(w, &handlers);
    if (status_ok(s))
        retelling_make(&w->told, &w->selection, &w->sched, w->from);
    return s;
}

void scan_release(struct window_scan *w)
{
    vec_release(&w->times);
    vec_release(&w->valid_from);
    map_release(&w->seen_cpus);
    map_release(&w->incremental);
    selection_release(&w->selection);
    sched_states_release(&w->sched);
    vec_release(&w->forms);
    retelling_release(&w->told);
}
