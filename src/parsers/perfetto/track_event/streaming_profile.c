/* Chrome's sampling profiler: stacks of the sequence's thread, at times relative to its events. */
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/profile/callstack.h"
#include "parsers/perfetto/profile/profiler_sample.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/store/rows.h"

struct streaming_record {
    struct record_call call;
    const struct packet *packet;
    struct sequence_thread thread;
    uint64_t callstack;
    int32_t priority;
};

struct streaming_lists {
    VEC(uint64_t) callstacks;
    VEC(int64_t) deltas_us;
    int32_t priority;
};

static struct streaming_lists read_lists(struct bytes message)
{
    struct streaming_lists l = {0};
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    uint64_t v;
    while (pb_next(&r, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (f.number == PB_StreamingProfilePacket_callstack_iid && pb_packed_next(&it, &v))
            *vec_push(&l.callstacks) = v;
        while (f.number == PB_StreamingProfilePacket_timestamp_delta_us && pb_packed_next(&it, &v))
            *vec_push(&l.deltas_us) = (int64_t)v;
        if (f.number == PB_StreamingProfilePacket_process_priority)
            l.priority = pb_i32(&f);
    }
    return l;
}

static void release_lists(struct streaming_lists *l)
{
    vec_release(&l->callstacks);
    vec_release(&l->deltas_us);
}

static void apply_sample(struct import *im, int64_t ts, const struct record_call *call)
{
    const struct streaming_record *r = (const struct streaming_record *)call;
    const struct packet *p = r->packet;
    struct trace *t = im->trace;
    uint32_t utid = r->thread.known
                        ? process_tracker_update_thread(t, p->machine, r->thread.tid, r->thread.pid)
                        : NULL_U32;
    uint32_t upid =
        utid == NULL_U32 ? NULL_U32 : table_u32(&t->tables.thread, thread_col_upid)[utid];
    struct profiler_sample_row row = profiler_sample_row_null();
    row.callsite_id = callstack_find(im, p->generation, NULL, upid, r->callstack, NULL);
    if (row.callsite_id == NULL_U32) {
        stats_count(t, STAT_stackprofile_parser_error);
        return;
    }
    row.ts = ts;
    row.source = trace_intern(t, STR("chrome"));
    row.task_context_id = profiler_task_context(im, upid, utid, NULL_U32);
    struct chrome_stack_sample_extras_row extras = {
        .profiler_sample_id = profiler_sample_append(&t->tables.profiler_sample, &row),
        .process_priority = r->priority};
    if (r->priority)
        chrome_stack_sample_extras_append(&t->tables.chrome_stack_sample_extras, &extras);
}

static void push_samples(struct import *im, const struct packet *p, int64_t ts,
                         const struct sequence_thread *thread, const struct streaming_lists *l)
{
    const struct packet *kept = packet_keep(im, p);
    for (size_t i = 0; i < l->deltas_us.count || i < l->callstacks.count; i++) {
        if (i >= l->deltas_us.count) {
            stats_count(im->trace, STAT_stackprofile_parser_error);
            return;
        }
        if (!track_event_sequence_advance(p, l->deltas_us.items[i])) {
            packet_log(im, p, STAT_streaming_profile_invalid_timestamp, NULL);
            return;
        }
        ts = (int64_t)((uint64_t)ts + (uint64_t)l->deltas_us.items[i] * 1000);
        if (i >= l->callstacks.count)
            continue;
        struct streaming_record *record = arena_alloc(&im->arena, sizeof *record);
        *record = (struct streaming_record){.call = {apply_sample, p->machine},
                                            .packet = kept,
                                            .thread = *thread,
                                            .callstack = l->callstacks.items[i],
                                            .priority = l->priority};
        sorter_push(&im->sorter, 0, ts, RECORD_CALL, (uintptr_t)record);
    }
}

/* The times are taken while reading: a later thread descriptor would set others. */
static bool streaming_profile_tokenize(struct import *im, struct packet *p)
{
    struct sequence_thread thread;
    int64_t ts;
    if (!track_event_sequence_now(im, p, &ts, &thread)) {
        packet_log(im, p, STAT_streaming_profile_invalid_timestamp, NULL);
        return true;
    }
    struct streaming_lists l = read_lists(p->field);
    push_samples(im, p, ts, &thread, &l);
    release_lists(&l);
    return true;
}

/* The times of samples are relative to those of their sequence's track events. */
static bool streaming_profile_span(struct import *im, const struct packet *p,
                                   struct packet_span *out)
{
    struct sequence_thread thread;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t delta;
    if (!track_event_sequence_now(im, p, &out->first, &thread))
        return false;
    out->last = out->first;
    while (pb_next(&r, &f)) {
        if (f.number != PB_StreamingProfilePacket_timestamp_delta_us)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (pb_packed_next(&it, &delta)) {
            if (!track_event_sequence_advance(p, (int64_t)delta))
                return false;
            out->last = (int64_t)((uint64_t)out->last + delta * 1000);
        }
    }
    return true;
}

const struct packet_module streaming_profile_packets[] = {
    {PB_TracePacket_streaming_profile_packet, .tokenize = streaming_profile_tokenize,
     .felt = PACKET_SAMPLES, .span = streaming_profile_span},
    {0},
};
