#include "parsers/perfetto/window/write_track_event.h"

#include <math.h>

#include "base/hash.h"
#include "core/trace_builder.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/track_event_phases.h"
#include "parsers/perfetto/window/track_event.h"
#include "pb_fields.h"

static const struct track_event_sequence *sequence_of(struct window_write *w,
                                                      const struct packet *p)
{
    track_event_generation_of(w->im, p);
    return p->sequence->track_event;
}

static struct dropped_deltas *deltas_of(struct window_write *w, const struct packet *p)
{
    bool inserted;
    uint32_t begun = sequence_of(w, p)->begun;
    uint64_t key = (uint64_t)p->machine << 32 | p->sequence->id;
    uint32_t *at = map_insert(&w->sequences, key, &inserted);
    if (inserted) {
        *at = (uint32_t)w->deltas.count;
        *vec_push(&w->deltas) = (struct dropped_deltas){.begun = begun};
    }
    struct dropped_deltas *d = &w->deltas.items[*at];
    if (d->begun != begun)
        *d = (struct dropped_deltas){.begun = begun};
    return d;
}

/* NULL where the counter's values are no differences. */
static struct dropped_counter *counter_of(struct window_write *w, const struct packet *p,
                                          uint32_t track)
{
    if (!track_event_track(w->im, track)->incremental)
        return NULL;
    bool inserted;
    uint64_t sequence = hash_mix(p->sequence->id, sequence_of(w, p)->cleared);
    uint32_t *at = map_insert(&w->counters, hash_mix(track, sequence), &inserted);
    if (inserted) {
        *at = (uint32_t)w->counter_list.count;
        *vec_push(&w->counter_list) = (struct dropped_counter){0, 0};
    }
    return &w->counter_list.items[*at];
}

static void drop_counter(struct window_write *w, const struct packet *p,
                         const struct counter_change *c)
{
    struct dropped_counter *d = counter_of(w, p, c->track);
    if (!d)
        return;
    d->whole = time_plus(d->whole, c->whole);
    d->real += c->real;
}

/* The counter's value with what was dropped before; a fraction waits for a real one. */
static void take_counter(struct window_write *w, const struct packet *p, struct counter_change *c)
{
    static const double EXACT = 9007199254740992.0; /* up to there integers are */
    struct dropped_counter *d = counter_of(w, p, c->track);
    if (!d)
        return;
    if (c->is_real) {
        c->real += d->real + (double)d->whole;
        d->real = 0;
    } else {
        double reals = fabs(d->real) < EXACT ? trunc(d->real) : 0;
        c->whole = time_plus(time_plus(c->whole, d->whole), (int64_t)reals);
        d->real -= reals;
    }
    d->whole = 0;
}

static void drop_deltas(struct window_write *w, const struct packet *p, const struct event_head *h)
{
    struct dropped_deltas *d = deltas_of(w, p);
    if (h->has_timestamp_delta)
        d->timestamp_us = time_plus(d->timestamp_us, h->timestamp_delta_us);
    if (h->has_thread_time_delta)
        d->thread_time_us = time_plus(d->thread_time_us, h->thread_time_delta_us);
    if (h->has_instructions_delta)
        d->instructions = time_plus(d->instructions, h->instructions_delta);
}

static void put_delta(struct pb_bytes *out, const struct pb_field *f, int64_t *dropped)
{
    pb_put_uint(out, f->number, (uint64_t)time_plus(pb_i64(f), *dropped));
    *dropped = 0;
}

static void put_counters(struct window_write *w, const struct cut_event *e)
{
    for (int32_t i = 0; i < e->counter_count && !e->is_dropped; i++) {
        const struct counter_change *c = &e->counters[i];
        bool own = i == 0 && e->has_own_counter;
        uint32_t whole = own ? PB_TrackEvent_counter_value : PB_TrackEvent_extra_counter_values;
        uint32_t real =
            own ? PB_TrackEvent_double_counter_value : PB_TrackEvent_extra_double_counter_values;
        if (c->is_real)
            pb_put_double(&w->payload, real, c->real);
        else
            pb_put_uint(&w->payload, whole, (uint64_t)c->whole);
    }
}

/* Whether a flow of an event that is told again has gone on elsewhere and ended. */
static bool flow_is_over(const struct window_write *w, uint64_t id)
{
    return selection_asks_in_vain(&w->scan->selection, cut_flow_key(id));
}

/* A slice that was known to last so long begins later. A flow that goes on in it may have begun in
 * one that is over: as a flow of the event's own it begins where it has not. */
static void put_told_legacy(struct window_write *w, const struct cut_event *e, int64_t cut_ns)
{
    const struct legacy_event *l = &e->event.legacy;
    bool goes_on = track_flow_of_direction(l->flow_direction) == TRACK_FLOW_STEP;
    struct pb_reader r = bytes_reader(e->head.legacy);
    struct pb_field f;
    w->inner.v.count = 0;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.number == PB_TrackEvent_LegacyEvent_duration_us)
            pb_put_uint(&w->inner, f.number, (uint64_t)time_minus(pb_i64(&f), cut_ns / 1000));
        else if (f.number != PB_TrackEvent_LegacyEvent_bind_id ||
                 (!goes_on && !flow_is_over(w, pb_u64(&f))))
            pb_put_raw(&w->inner, start, (size_t)(r.p - start));
    pb_put_message(&w->payload, PB_TrackEvent_legacy_event, &w->inner);
    if (l->has_bind_id && goes_on && !flow_is_over(w, l->bind_id))
        pb_put_fixed64(&w->payload, PB_TrackEvent_flow_ids, l->bind_id);
}

static void put_told_flows(struct window_write *w, const struct pb_field *f,
                           enum pb_wire_type element)
{
    struct pb_packed it = pb_packed_begin(f, element);
    uint64_t id;
    while (pb_packed_next(&it, &id)) {
        if (flow_is_over(w, id))
            continue;
        if (element == PB_WIRE_I64)
            pb_put_fixed64(&w->payload, f->number, id);
        else
            pb_put_uint(&w->payload, f->number, id);
    }
}

static void put_event_field(struct window_write *w, const struct packet *p,
                            const struct cut_event *e, const struct pb_field *f, struct bytes raw,
                            const int64_t *later)
{
    struct dropped_deltas *d = deltas_of(w, p);
    bool told = later != NULL;
    switch (f->number) {
    case PB_TrackEvent_timestamp_delta_us:
        if (told)
            d->timestamp_us = time_plus(d->timestamp_us, pb_i64(f));
        else
            put_delta(&w->payload, f, &d->timestamp_us);
        return;
    case PB_TrackEvent_timestamp_absolute_us:
        if (!told)
            pb_put_raw(&w->payload, raw.p, raw.n);
        return;
    case PB_TrackEvent_thread_time_delta_us:
        put_delta(&w->payload, f, &d->thread_time_us);
        return;
    case PB_TrackEvent_thread_instruction_count_delta:
        put_delta(&w->payload, f, &d->instructions);
        return;
    case PB_TrackEvent_legacy_event:
        if (told)
            put_told_legacy(w, e, *later);
        else
            pb_put_raw(&w->payload, raw.p, raw.n);
        return;
    case PB_TrackEvent_counter_value:
    case PB_TrackEvent_double_counter_value:
    case PB_TrackEvent_extra_counter_values:
    case PB_TrackEvent_extra_double_counter_values:
        if (e->is_dropped) /* otherwise see put_counters */
            pb_put_raw(&w->payload, raw.p, raw.n);
        return;
    case PB_TrackEvent_flow_ids:
    case PB_TrackEvent_flow_ids_old:
    case PB_TrackEvent_terminating_flow_ids:
    case PB_TrackEvent_terminating_flow_ids_old:
        if (told)
            put_told_flows(w, f,
                           f->number == PB_TrackEvent_flow_ids ||
                                   f->number == PB_TrackEvent_terminating_flow_ids
                               ? PB_WIRE_I64
                               : PB_WIRE_VARINT);
        else
            pb_put_raw(&w->payload, raw.p, raw.n);
        return;
    default:
        pb_put_raw(&w->payload, raw.p, raw.n);
    }
}

/* The event, told again so many ns later than it was; NULL: at its time. */
static void put_track_event(struct window_write *w, const struct packet *p, struct cut_event *e,
                            int64_t ts, const int64_t *later)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    w->payload.v.count = 0;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        put_event_field(w, p, e, &f, (struct bytes){start, (size_t)(r.p - start)}, later);
    for (int32_t i = 0; i < e->counter_count && !e->is_dropped; i++)
        take_counter(w, p, &e->counters[i]);
    put_counters(w, e);
    window_put_envelope(w, p);
    if (later)
        window_put_new_time(w, p, ts);
    else
        window_put_time(w, p, ts);
    pb_put_message(&w->packet, PB_TracePacket_track_event, &w->payload);
    window_put_frame(w);
}

/* A value that came with an event that is not told again. */
static void put_counter_alone(struct window_write *w, const struct packet *p,
                              struct counter_change *c, int64_t ts)
{
    take_counter(w, p, c);
    w->payload.v.count = 0;
    pb_put_uint(&w->payload, PB_TrackEvent_type, PB_TrackEvent_Type_TYPE_COUNTER);
    pb_put_uint(&w->payload, PB_TrackEvent_track_uuid, cut_counter_uuid(w->im, c));
    if (c->is_real)
        pb_put_double(&w->payload, PB_TrackEvent_double_counter_value, c->real);
    else
        pb_put_uint(&w->payload, PB_TrackEvent_counter_value, (uint64_t)c->whole);
    window_put_stream(w, p->has_sequence, p->sequence->id, p->raw_machine);
    window_put_absolute_time(w, p->machine, ts);
    pb_put_message(&w->packet, PB_TracePacket_track_event, &w->payload);
    window_put_frame(w);
}

static void put_thread_override(struct window_write *w, const struct cut_event *e)
{
    const struct legacy_event *l = &e->event.legacy;
    w->inner.v.count = 0;
    if (l->has_pid_override)
        pb_put_uint(&w->inner, PB_TrackEvent_LegacyEvent_pid_override, (uint64_t)l->pid_override);
    if (l->has_tid_override)
        pb_put_uint(&w->inner, PB_TrackEvent_LegacyEvent_tid_override, (uint64_t)l->tid_override);
    if (w->inner.v.count)
        pb_put_message(&w->payload, PB_TrackEvent_legacy_event, &w->inner);
}

/* Who an event is of, in a slice without length in its place. */
static void put_place(struct window_write *w, const struct packet *p, const struct cut_event *e)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    pb_put_uint(&w->payload, PB_TrackEvent_type, PB_TrackEvent_Type_TYPE_INSTANT);
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.number == PB_TrackEvent_track_uuid || f.number == PB_TrackEvent_name ||
            f.number == PB_TrackEvent_name_iid)
            pb_put_raw(&w->payload, start, (size_t)(r.p - start));
    put_thread_override(w, e);
}

/* Writes the payload as an event at `ts`, in place of one that is not told again. */
static void put_in_place(struct window_write *w, const struct packet *p, int64_t ts)
{
    window_put_stream(w, p->has_sequence, p->sequence->id, p->raw_machine);
    window_put_absolute_time(w, p->machine, ts);
    pb_put_message(&w->packet, PB_TracePacket_track_event, &w->payload);
    window_put_frame(w);
}

/* Flows of an event that is not told again, one after the other. */
struct told_flows {
    struct window_write *w;
    uint64_t number; /* of the next one */
    int64_t ts;      /* of the last one that is told */
    bool any;
};

static void put_flow(void *self, enum track_flow_kind kind, uint64_t id)
{
    struct told_flows *flows = self;
    (void)kind; /* as only the last of each flow is told */
    if (!retelling_at(&flows->w->scan->told, flows->number++, &flows->ts))
        return;
    pb_put_fixed64(&flows->w->payload, PB_TrackEvent_flow_ids, id);
    flows->any = true;
}

/* They go through a slice without length in its place. */
static void put_flows_alone(struct window_write *w, const struct packet *p,
                            const struct cut_event *e)
{
    struct told_flows flows = {w, item_number(p->number, PART_FLOWS), 0, false};
    w->payload.v.count = 0;
    cut_event_flows(e, put_flow, &flows);
    if (!flows.any)
        return;
    put_place(w, p, e);
    put_in_place(w, p, flows.ts);
}

/* The thread's time and instructions, with what was dropped before. */
static void put_thread_alone(struct window_write *w, const struct packet *p,
                             const struct cut_event *e, int64_t ts)
{
    struct dropped_deltas *d = deltas_of(w, p);
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    w->payload.v.count = 0;
    put_place(w, p, e);
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.number == PB_TrackEvent_timestamp_delta_us)
            d->timestamp_us = time_plus(d->timestamp_us, pb_i64(&f));
        else if (f.number == PB_TrackEvent_thread_time_delta_us)
            put_delta(&w->payload, &f, &d->thread_time_us);
        else if (f.number == PB_TrackEvent_thread_instruction_count_delta)
            put_delta(&w->payload, &f, &d->instructions);
        else if (f.number == PB_TrackEvent_thread_time_absolute_us ||
                 f.number == PB_TrackEvent_thread_instruction_count_absolute)
            pb_put_raw(&w->payload, start, (size_t)(r.p - start));
    put_in_place(w, p, ts);
}

/* An event outside of the window: told again, or its counters' values, or what it would have added
 * is kept in mind. */
static void put_outside(struct window_write *w, const struct packet *p, struct cut_event *e,
                        int64_t ts)
{
    int64_t told;
    if (window_told_at(w->scan, p, PART_EVENT, &told) ||
        (e->has_own_counter && window_told_at(w->scan, p, PART_COUNTERS, &told))) {
        int64_t later = time_minus(told, ts);
        put_track_event(w, p, e, told, &later);
        return;
    }
    window_put_rest(w, p);
    if (window_told_at(w->scan, p, PART_THREAD, &told))
        put_thread_alone(w, p, e, told);
    else
        drop_deltas(w, p, &e->head);
    for (int32_t i = 0; i < e->counter_count; i++) {
        if (window_told_at(w->scan, p, PART_COUNTERS + (uint32_t)i, &told))
            put_counter_alone(w, p, &e->counters[i], told);
        else
            drop_counter(w, p, &e->counters[i]);
    }
    put_flows_alone(w, p, e);
}

void window_put_event(struct window_write *w, const struct packet *p, int64_t ts)
{
    struct cut_event e;
    cut_event_read(w->im, p, &e);
    if (window_has(w->scan, ts) || (ts >= w->scan->to && cut_event_span(&e) == SPAN_ALWAYS))
        put_track_event(w, p, &e, ts, NULL);
    else
        put_outside(w, p, &e, ts);
}

/* How far it goes, in us. */
static int64_t sum_of_samples(const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t delta;
    int64_t sum = 0;
    while (pb_next(&r, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (f.number == PB_StreamingProfilePacket_timestamp_delta_us &&
               pb_packed_next(&it, &delta))
            sum = time_plus(sum, (int64_t)delta);
    }
    return sum;
}

/* The first of the times takes what was dropped. */
static void put_sample_times(struct window_write *w, const struct pb_field *f, int64_t *dropped)
{
    struct pb_packed it = pb_packed_begin(f, PB_WIRE_VARINT);
    uint64_t delta;
    while (pb_packed_next(&it, &delta)) {
        pb_put_uint(&w->payload, f->number, (uint64_t)time_plus((int64_t)delta, *dropped));
        *dropped = 0;
    }
}

void window_put_samples(struct window_write *w, const struct packet *p, int64_t ts)
{
    if (ts == PACKET_TIME_UNKNOWN) {
        window_put_whole(w, p); /* what has no time is counted there, too */
        return;
    }
    struct dropped_deltas *d = deltas_of(w, p);
    int64_t sum = sum_of_samples(p), length;
    if (__builtin_mul_overflow(sum, 1000, &length))
        length = 0;
    int64_t last = time_plus(ts, length);
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    if (ts >= w->scan->to || last < w->scan->from) {
        window_put_rest(w, p);
        d->timestamp_us = time_plus(d->timestamp_us, sum);
        return;
    }
    w->payload.v.count = 0;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.number == PB_StreamingProfilePacket_timestamp_delta_us)
            put_sample_times(w, &f, &d->timestamp_us);
        else
            pb_put_raw(&w->payload, start, (size_t)(r.p - start));
    window_put_envelope(w, p);
    window_put_time(w, p, ts);
    pb_put_message(&w->packet, p->field_number, &w->payload);
    window_put_frame(w);
}
