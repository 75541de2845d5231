#include "track_event.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "pb_fields.h"

enum { CLOCK_INCREMENTAL = 64, CLOCK_BOOTTIME = 6, EVENTS_PER_GENERATION = 4000 };

struct event_stream {
    uint32_t sequence;
    uint64_t uuid, time_uuid; /* of the thread's track and of its CPU time */
    int64_t last_ts, last_time;
    int64_t events;
    VEC(const char *) categories, names, keys, values;
};

static struct event_stream *stream_of(struct sim *sim, struct sim_thread *t)
{
    if (!t->events) {
        t->events = alloc_array(1, sizeof *t->events);
        t->events->sequence = sim->next_sequence++;
        t->events->uuid = rng_next(&sim->rng);
        t->events->time_uuid = rng_next(&sim->rng);
    }
    return t->events;
}

void event_stream_free(struct event_stream *s)
{
    if (!s)
        return;
    vec_release(&s->categories);
    vec_release(&s->names);
    vec_release(&s->keys);
    vec_release(&s->values);
    free(s);
}

static void packet_end(struct sim *sim, struct sim_thread *t)
{
    out_end(&sim->out, t->events->sequence, t->process->uid, t->process->pid);
}

static void clock_write(struct proto *w, int id, int64_t ts)
{
    proto_begin(w, PB_ClockSnapshot_clocks);
    proto_i64(w, PB_ClockSnapshot_Clock_clock_id, id);
    proto_i64(w, PB_ClockSnapshot_Clock_timestamp, ts);
    if (id == CLOCK_INCREMENTAL)
        proto_u64(w, PB_ClockSnapshot_Clock_is_incremental, 1);
    proto_end(w);
}

/* The packet that begins a generation of incremental state. */
static void state_write(struct sim *sim, struct sim_thread *t, int64_t ts)
{
    struct event_stream *s = t->events;
    struct proto *w = out_begin(&sim->out);
    proto_i64(w, PB_TracePacket_timestamp, ts);
    proto_u64(w, PB_TracePacket_timestamp_clock_id, CLOCK_BOOTTIME);
    proto_begin(w, PB_TracePacket_clock_snapshot);
    clock_write(w, CLOCK_BOOTTIME, ts);
    clock_write(w, CLOCK_INCREMENTAL, ts);
    proto_end(w);
    proto_begin(w, PB_TracePacket_trace_packet_defaults);
    proto_u64(w, PB_TracePacketDefaults_timestamp_clock_id, CLOCK_INCREMENTAL);
    proto_begin(w, PB_TracePacketDefaults_track_event_defaults);
    proto_u64(w, PB_TrackEventDefaults_track_uuid, s->uuid);
    proto_u64(w, PB_TrackEventDefaults_extra_counter_track_uuids, s->time_uuid);
    proto_end(w);
    proto_end(w);
    proto_u64(w, PB_TracePacket_sequence_flags,
              PB_TracePacket_SequenceFlags_SEQ_INCREMENTAL_STATE_CLEARED);
    if (s->events == 0)
        proto_u64(w, PB_TracePacket_first_packet_on_sequence, 1);
    packet_end(sim, t);
    s->last_ts = ts;
    s->categories.count = s->names.count = s->keys.count = s->values.count = 0;
}

static struct proto *descriptor_begin(struct sim *sim, int64_t ts)
{
    struct proto *w = out_begin(&sim->out);
    proto_i64(w, PB_TracePacket_timestamp, ts);
    proto_u64(w, PB_TracePacket_timestamp_clock_id, CLOCK_BOOTTIME);
    proto_u64(w, PB_TracePacket_sequence_flags,
              PB_TracePacket_SequenceFlags_SEQ_NEEDS_INCREMENTAL_STATE);
    proto_begin(w, PB_TracePacket_track_descriptor);
    return w;
}

static void process_descriptor_write(struct sim *sim, struct sim_thread *t, int64_t ts)
{
    struct proto *w = descriptor_begin(sim, ts);
    proto_u64(w, PB_TrackDescriptor_uuid, t->process->uuid);
    proto_begin(w, PB_TrackDescriptor_process);
    proto_i64(w, PB_ProcessDescriptor_pid, t->process->pid);
    proto_string(w, PB_ProcessDescriptor_process_name, t->process->name);
    proto_end(w);
    proto_end(w);
    packet_end(sim, t);
}

static void thread_descriptors_write(struct sim *sim, struct sim_thread *t, int64_t ts)
{
    struct proto *w = descriptor_begin(sim, ts);
    proto_u64(w, PB_TrackDescriptor_uuid, t->events->uuid);
    proto_u64(w, PB_TrackDescriptor_parent_uuid, t->process->uuid);
    proto_begin(w, PB_TrackDescriptor_thread);
    proto_i64(w, PB_ThreadDescriptor_pid, t->process->pid);
    proto_i64(w, PB_ThreadDescriptor_tid, t->tid);
    proto_string(w, PB_ThreadDescriptor_thread_name, t->name);
    proto_end(w);
    proto_end(w);
    packet_end(sim, t);
    w = descriptor_begin(sim, ts);
    proto_u64(w, PB_TrackDescriptor_uuid, t->events->time_uuid);
    proto_u64(w, PB_TrackDescriptor_parent_uuid, t->events->uuid);
    proto_string(w, PB_TrackDescriptor_static_name, "thread_time");
    proto_begin(w, PB_TrackDescriptor_counter);
    proto_u64(w, PB_CounterDescriptor_type,
              PB_CounterDescriptor_BuiltinCounterType_COUNTER_THREAD_TIME_NS);
    proto_u64(w, PB_CounterDescriptor_unit_multiplier, 1000);
    proto_u64(w, PB_CounterDescriptor_is_incremental, 1);
    proto_end(w);
    proto_end(w);
    packet_end(sim, t);
}

/* Makes the stream ready for an event; returns the event's time. */
static int64_t stream_prepare(struct sim *sim, struct sim_thread *t)
{
    struct event_stream *s = stream_of(sim, t);
    int64_t ts = sim_stamp(sim, sim_cpu_of(sim, t), t);
    if (s->events % EVENTS_PER_GENERATION == 0) {
        state_write(sim, t, ts);
        if (!t->process->described)
            process_descriptor_write(sim, t, ts);
        t->process->described = true;
        thread_descriptors_write(sim, t, ts);
        s->last_time = 0;
    }
    s->events++;
    return ts;
}

uint64_t event_track_add(struct sim *sim, struct sim_thread *t, const char *name)
{
    uint64_t uuid = rng_next(&sim->rng);
    struct proto *w = descriptor_begin(sim, stream_prepare(sim, t));
    proto_u64(w, PB_TrackDescriptor_uuid, uuid);
    proto_u64(w, PB_TrackDescriptor_parent_uuid, t->process->uuid);
    proto_string(w, PB_TrackDescriptor_name, name);
    proto_end(w);
    packet_end(sim, t);
    return uuid;
}

uint64_t event_counter_add(struct sim *sim, struct sim_thread *t, const char *name,
                           const char *unit)
{
    uint64_t uuid = rng_next(&sim->rng);
    struct proto *w = descriptor_begin(sim, stream_prepare(sim, t));
    proto_u64(w, PB_TrackDescriptor_uuid, uuid);
    proto_u64(w, PB_TrackDescriptor_parent_uuid, t->process->uuid);
    proto_string(w, PB_TrackDescriptor_name, name);
    proto_begin(w, PB_TrackDescriptor_counter);
    proto_string(w, PB_CounterDescriptor_unit_name, unit);
    proto_end(w);
    proto_end(w);
    packet_end(sim, t);
    return uuid;
}

/* The interning id of `text`. New texts are those from the count before the event on. */
#define intern(list, text)                                                                         \
    (__extension__({                                                                               \
        size_t i_ = 0;                                                                             \
        while (i_ < (list)->count && (list)->items[i_] != (text))                                  \
            i_++;                                                                                  \
        if (i_ == (list)->count)                                                                   \
            *vec_push(list) = (text);                                                              \
        i_ + 1;                                                                                    \
    }))

struct interned {
    size_t categories, names, keys, values;
};

static struct interned interned_now(const struct event_stream *s)
{
    return (struct interned){s->categories.count, s->names.count, s->keys.count, s->values.count};
}

static void interned_list(struct proto *w, uint32_t field, const char *const *items, size_t from,
                          size_t to)
{
    for (; from < to; from++) {
        proto_begin(w, field);
        proto_u64(w, PB_EventName_iid, from + 1); /* as in the other interned messages */
        proto_string(w, PB_EventName_name, items[from]);
        proto_end(w);
    }
}

static void interned_write(struct proto *w, const struct event_stream *s, struct interned from)
{
    struct interned to = interned_now(s);
    if (to.categories == from.categories && to.names == from.names && to.keys == from.keys &&
        to.values == from.values)
        return;
    proto_begin(w, PB_TracePacket_interned_data);
    interned_list(w, PB_InternedData_event_categories, s->categories.items, from.categories,
                  to.categories);
    interned_list(w, PB_InternedData_event_names, s->names.items, from.names, to.names);
    interned_list(w, PB_InternedData_debug_annotation_names, s->keys.items, from.keys, to.keys);
    interned_list(w, PB_InternedData_debug_annotation_string_values, s->values.items, from.values,
                  to.values);
    proto_end(w);
}

static void annotation_begin(struct proto *w, struct event_stream *s, const char *key)
{
    proto_begin(w, PB_TrackEvent_debug_annotations);
    proto_u64(w, PB_DebugAnnotation_name_iid, intern(&s->keys, key));
}

static void entry_begin(struct proto *w, const char *key)
{
    proto_begin(w, PB_DebugAnnotation_dict_entries);
    proto_string(w, PB_DebugAnnotation_name, key);
}

static void request_write(struct proto *w, int64_t value)
{
    char url[64];
    (void)snprintf(url, sizeof url, "https://example.com/messages/%lld", (long long)value);
    entry_begin(w, "url");
    proto_string(w, PB_DebugAnnotation_string_value, url);
    proto_end(w);
    entry_begin(w, "bytes");
    proto_i64(w, PB_DebugAnnotation_int_value, value * 37 % 65536);
    proto_end(w);
    entry_begin(w, "cached");
    proto_u64(w, PB_DebugAnnotation_bool_value, value % 3 == 0);
    proto_end(w);
    entry_begin(w, "parts");
    for (int i = 1; i <= 3; i++) {
        proto_begin(w, PB_DebugAnnotation_array_values);
        proto_double(w, PB_DebugAnnotation_double_value, (double)i / 4);
        proto_end(w);
    }
    proto_end(w);
}

static void annotation_write(struct proto *w, struct event_stream *s, enum annotation kind,
                             int64_t value)
{
    static const char key_count[] = "count", key_request[] = "request", key_source[] = "source",
                      key_object[] = "object", disk[] = "disk cache", net[] = "network";
    if (kind == ANNOTATION_NONE)
        return;
    if (kind == ANNOTATION_COUNT) {
        annotation_begin(w, s, key_count);
        proto_i64(w, PB_DebugAnnotation_int_value, value);
        proto_end(w);
        return;
    }
    if (kind == ANNOTATION_REQUEST) {
        annotation_begin(w, s, key_request);
        request_write(w, value);
        proto_end(w);
        return;
    }
    const char *source = value & 1 ? disk : net;
    annotation_begin(w, s, key_source);
    proto_u64(w, PB_DebugAnnotation_string_value_iid, intern(&s->values, source));
    proto_end(w);
    annotation_begin(w, s, key_object);
    proto_u64(w, PB_DebugAnnotation_pointer_value, 0x7f0000000000 + (uint64_t)value * 64);
    proto_end(w);
}

static void flows_write(struct proto *w, const struct flows *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        proto_fixed64(w, PB_TrackEvent_flow_ids, (uint64_t)f->first + i);
    for (uint32_t i = 0; i < f->end_count; i++)
        proto_fixed64(w, PB_TrackEvent_terminating_flow_ids, (uint64_t)f->end_first + i);
}

static uint32_t event_type(const struct sim_op *op)
{
    switch (op->kind) {
    case OP_EVENT_BEGIN:
        return PB_TrackEvent_Type_TYPE_SLICE_BEGIN;
    case OP_EVENT_END:
        return PB_TrackEvent_Type_TYPE_SLICE_END;
    case OP_EVENT_INSTANT:
        return PB_TrackEvent_Type_TYPE_INSTANT;
    default:
        return PB_TrackEvent_Type_TYPE_COUNTER;
    }
}

static void event_content(struct proto *w, struct sim_thread *t, const struct sim_op *op)
{
    struct event_stream *s = t->events;
    if (op->n)
        proto_u64(w, PB_TrackEvent_track_uuid, (uint64_t)op->n);
    if (op->kind == OP_EVENT_COUNTER) {
        proto_i64(w, PB_TrackEvent_counter_value, op->m);
        return;
    }
    proto_u64(w, PB_TrackEvent_category_iids, intern(&s->categories, op->site->category));
    if (!op->n) { /* only the thread's own track measures CPU time */
        int64_t time = t->cpu_time / US;
        proto_i64(w, PB_TrackEvent_extra_counter_values, time - s->last_time);
        s->last_time = time;
    }
    if (op->kind == OP_EVENT_END)
        return;
    proto_u64(w, PB_TrackEvent_name_iid, intern(&s->names, op->site->name));
    annotation_write(w, s, op->site->annotation, op->m);
    flows_write(w, &op->flows);
}

void event_execute(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    int64_t ts = stream_prepare(sim, t);
    struct event_stream *s = t->events;
    struct interned before = interned_now(s);
    struct proto *w = out_begin(&sim->out);
    proto_i64(w, PB_TracePacket_timestamp, ts - s->last_ts);
    s->last_ts = ts;
    proto_u64(w, PB_TracePacket_sequence_flags,
              PB_TracePacket_SequenceFlags_SEQ_NEEDS_INCREMENTAL_STATE);
    proto_begin(w, PB_TracePacket_track_event);
    proto_u64(w, PB_TrackEvent_type, event_type(op));
    event_content(w, t, op);
    proto_end(w);
    interned_write(w, s, before);
    packet_end(sim, t);
}
