#include "parsers/perfetto/window/write.h"

#include <stdio.h>

#include "base/hash.h"
#include "core/trace_builder.h"
#include "parsers/perfetto/ftrace/ftrace_read.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/window/compact.h"
#include "parsers/perfetto/window/packet_policy.h"
#include "parsers/perfetto/window/track_event.h"
#include "parsers/proto/write.h"
#include "pb_fields.h"

enum { SEQUENCE_CLOCKS = 64 }; /* from here on clocks may count differences */

/* What the dropped events of a sequence would have added up to. */
struct dropped_deltas {
    uint32_t epoch; /* how often its state was cleared */
    int64_t timestamp_us, thread_time_us, instructions;
};

struct dropped_counter {
    int64_t whole;
    double real;
};

struct window_write {
    struct window_scan *scan;
    struct cut_output *out;
    struct pb_bytes packet, payload, inner; /* scratch */
    bool has_steps;                         /* they are written */
    struct map written_cpus;                /* machine << 32 | cpu */
    struct map sequences;                   /* machine << 32 | id -> index */
    VEC(struct dropped_deltas) deltas;
    struct map counters; /* hash of sequence, epoch and uuid -> index */
    VEC(struct dropped_counter) counter_list;
};

static void release(void *self)
{
    struct window_write *w = self;
    pb_bytes_release(&w->packet);
    pb_bytes_release(&w->payload);
    pb_bytes_release(&w->inner);
    map_release(&w->written_cpus);
    map_release(&w->sequences);
    vec_release(&w->deltas);
    map_release(&w->counters);
    vec_release(&w->counter_list);
}

static const struct import_state_kind write_state_kind = {.size = sizeof(struct window_write),
                                                          .release = release};

static struct window_write *state(struct import *im)
{
    return import_state(im, &write_state_kind);
}

/* The packet that is in w->packet leaves. */
static void put_frame(struct window_write *w)
{
    struct pb_bytes head = {0};
    pb_put_tag(&head, PB_Trace_packet, PB_WIRE_LEN);
    pb_put_varint(&head, w->packet.v.count);
    cut_write(w->out, head.v.items, head.v.count);
    cut_write(w->out, w->packet.v.items, w->packet.v.count);
    pb_bytes_release(&head);
    w->packet.v.count = 0;
}

/* The time at which a part of the packet is told again. */
static bool told_at(const struct window_scan *s, const struct packet *p, uint32_t part, int64_t *ts)
{
    return retelling_at(&s->told, item_number(p->number, part), ts);
}

/* Whether anything of the packet is told again. */
static bool is_told(const struct window_scan *s, const struct packet *p)
{
    return retelling_has(&s->told, item_number(p->number, 0), item_number(p->number + 1, 0));
}

static bool in_window(const struct window_scan *s, int64_t ts)
{
    return ts >= s->from && ts < s->to;
}

/* What the envelope says of its time. */
struct envelope_time {
    int64_t ts, clock;
    bool has_ts, has_clock;
};

static struct envelope_time envelope_time(const struct packet *p)
{
    struct envelope_time t = {.clock = p->sequence->default_clock};
    struct pb_reader r = bytes_reader(p->data);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TracePacket_timestamp) {
            t.ts = pb_i64(&f);
            t.has_ts = true;
        } else if (f.number == PB_TracePacket_timestamp_clock_id && pb_u32(&f)) {
            t.clock = pb_u32(&f);
            t.has_clock = true;
        }
    }
    return t;
}

/* A trace time, so that reading it needs nothing but clocks that every packet can name. */
static void put_absolute_time(struct window_write *w, const struct packet *p, int64_t ts)
{
    struct trace *t = w->scan->trace;
    uint32_t clock = t->builder->clocks.trace_clock.number;
    int64_t shown = ts;
    if (clock != CLOCK_TRACE_FILE_NUMBER) {
        if (clock_at_trace_time(t, p->machine, clock, ts, &shown) != CLOCK_CONVERTED)
            shown = ts;
        pb_put_uint(&w->packet, PB_TracePacket_timestamp_clock_id, clock);
    }
    pb_put_uint(&w->packet, PB_TracePacket_timestamp, (uint64_t)shown);
}

/* The packet's own time. Clocks that count differences would be wrong where packets are missing. */
static void put_time(struct window_write *w, const struct packet *p, int64_t ts)
{
    struct envelope_time e = envelope_time(p);
    if (!e.has_ts)
        return;
    if (e.clock >= SEQUENCE_CLOCKS) {
        put_absolute_time(w, p, ts);
        return;
    }
    pb_put_uint(&w->packet, PB_TracePacket_timestamp, (uint64_t)e.ts);
    if (e.has_clock)
        pb_put_uint(&w->packet, PB_TracePacket_timestamp_clock_id, (uint64_t)e.clock);
}

/* Another time, in the packet's clock where that can be. */
static void put_new_time(struct window_write *w, const struct packet *p, int64_t ts)
{
    struct envelope_time e = envelope_time(p);
    int64_t was = scan_time(w->scan, p->number);
    if (!e.has_ts || e.clock >= SEQUENCE_CLOCKS || was <= PACKET_TIME_NONE ||
        p->field_number == PB_TracePacket_track_event) {
        put_absolute_time(w, p, ts);
        return;
    }
    pb_put_uint(&w->packet, PB_TracePacket_timestamp,
                (uint64_t)e.ts + (uint64_t)ts - (uint64_t)was);
    if (e.has_clock)
        pb_put_uint(&w->packet, PB_TracePacket_timestamp_clock_id, (uint64_t)e.clock);
}

/* The fields of the envelope but time and payload. Returns whether one of them is worth a packet.
 */
static bool put_envelope(struct window_write *w, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->data);
    struct pb_field f;
    bool matters = false;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p) {
        bool is_state = f.number == PB_TracePacket_interned_data ||
                        f.number == PB_TracePacket_trace_packet_defaults;
        if (f.number == PB_TracePacket_timestamp || f.number == PB_TracePacket_timestamp_clock_id ||
            (f.data && !is_state))
            continue;
        matters |= is_state || f.number == PB_TracePacket_previous_packet_dropped ||
                   f.number == PB_TracePacket_first_packet_on_sequence ||
                   f.number == PB_TracePacket_incremental_state_cleared ||
                   (f.number == PB_TracePacket_sequence_flags &&
                    f.value & PB_TracePacket_SequenceFlags_SEQ_INCREMENTAL_STATE_CLEARED);
        pb_put_raw(&w->packet, start, (size_t)(r.p - start));
    }
    return matters;
}

/* Only what later packets of the sequence need. */
static void put_rest(struct window_write *w, const struct packet *p)
{
    if (put_envelope(w, p))
        put_frame(w);
    w->packet.v.count = 0;
}

/* Fields of unknown number that are messages are kept with the payload. */
static void put_payload_as_it_is(struct window_write *w, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->data);
    struct pb_field f;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.data && f.number != PB_TracePacket_interned_data &&
            f.number != PB_TracePacket_trace_packet_defaults)
            pb_put_raw(&w->packet, start, (size_t)(r.p - start));
}

/* As it stands in the file. */
static void put_whole(struct window_write *w, const struct packet *p)
{
    pb_put_raw(&w->packet, p->data.p, p->data.n);
    put_frame(w);
}

/* With another time. */
static void put_at(struct window_write *w, const struct packet *p, int64_t ts)
{
    put_envelope(w, p);
    put_new_time(w, p, ts);
    put_payload_as_it_is(w, p);
    put_frame(w);
}

static void put_in_window(struct window_write *w, const struct packet *p, int64_t ts)
{
    if (envelope_time(p).clock < SEQUENCE_CLOCKS) {
        put_whole(w, p);
        return;
    }
    put_at(w, p, ts);
}

static void put_switch(struct pb_bytes *out, int64_t ts, const struct sched_task *prev,
                       int64_t prev_state, const struct sched_task *next)
{
    struct pb_bytes event = {0}, message = {0};
    pb_put_str(&message, PB_SchedSwitchFtraceEvent_prev_comm,
               (struct str){prev->comm.text, prev->comm.n});
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_prev_pid, (uint64_t)prev->pid);
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_prev_prio, (uint64_t)(int64_t)prev->prio);
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_prev_state, (uint64_t)prev_state);
    pb_put_str(&message, PB_SchedSwitchFtraceEvent_next_comm,
               (struct str){next->comm.text, next->comm.n});
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_next_pid, (uint64_t)next->pid);
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_next_prio, (uint64_t)(int64_t)next->prio);
    pb_put_uint(&event, PB_FtraceEvent_timestamp, (uint64_t)ts);
    pb_put_uint(&event, PB_FtraceEvent_pid, (uint64_t)prev->pid);
    pb_put_message(&event, PB_FtraceEvent_sched_switch, &message);
    pb_put_message(out, PB_FtraceEventBundle_event, &event);
    pb_bytes_release(&message);
    pb_bytes_release(&event);
}

static void put_waking(struct pb_bytes *out, int64_t ts, const struct sched_thread_state *t)
{
    struct pb_bytes event = {0}, message = {0};
    pb_put_str(&message, PB_SchedWakingFtraceEvent_comm,
               (struct str){t->task.comm.text, t->task.comm.n});
    pb_put_uint(&message, PB_SchedWakingFtraceEvent_pid, (uint64_t)t->task.pid);
    pb_put_uint(&message, PB_SchedWakingFtraceEvent_prio, (uint64_t)(int64_t)t->waking_prio);
    pb_put_uint(&message, PB_SchedWakingFtraceEvent_success, 1);
    pb_put_uint(&message, PB_SchedWakingFtraceEvent_target_cpu, (uint64_t)(int64_t)t->target_cpu);
    pb_put_uint(&event, PB_FtraceEvent_timestamp, (uint64_t)ts);
    pb_put_uint(&event, PB_FtraceEvent_pid, (uint64_t)t->waker);
    pb_put_uint(&event, PB_FtraceEvent_common_flags, t->waking_flags);
    pb_put_message(&event, PB_FtraceEvent_sched_waking, &message);
    pb_put_message(out, PB_FtraceEventBundle_event, &event);
    pb_bytes_release(&message);
    pb_bytes_release(&event);
}

/* Only who runs. */
static void put_noted(struct pb_bytes *out, int64_t ts, const struct sched_task *next)
{
    struct compact_sched_view view = {0};
    struct pb_bytes columns = {0};
    *vec_push(&view.comms) = (struct str){next->comm.text, next->comm.n};
    *vec_push(&view.switches) =
        (struct compact_switch){.ts = ts, .pid = (int32_t)next->pid, .prio = next->prio};
    compact_sched_write(&view, INT64_MIN, INT64_MAX, &columns);
    pb_put_message(out, PB_FtraceEventBundle_compact_sched, &columns);
    pb_bytes_release(&columns);
    compact_sched_release(&view);
}

static void put_step(const struct window_scan *s, const struct told_step *told,
                     struct pb_bytes *by_cpu)
{
    struct sched_step_subject about = sched_step_subject(&s->sched, &told->step);
    const struct sched_thread_state *t = about.thread;
    struct pb_bytes *out = &by_cpu[about.cpu_index];
    int64_t ts = time_minus(told->ts, s->forms.items[about.cpu_index].offset);
    switch (told->step.kind) {
    case SCHED_STEP_LEAVE:
        put_switch(out, ts, &about.idle, 0, &t->task);
        put_switch(out, time_plus(ts, 1), &t->task, t->prev_state, &about.idle);
        return;
    case SCHED_STEP_WAKE:
        put_waking(out, ts, t);
        return;
    case SCHED_STEP_RUN:
        if (about.cpu->only_noted)
            put_noted(out, ts, &about.cpu->running);
        else
            put_switch(out, ts, &about.idle, 0, &about.cpu->running);
        return;
    }
}

static void put_form(struct pb_bytes *bundle, const struct bundle_form *form)
{
    if (form->has_clock)
        pb_put_uint(bundle, PB_FtraceEventBundle_ftrace_clock, (uint64_t)form->clock);
    if (form->has_ftrace_ts)
        pb_put_uint(bundle, PB_FtraceEventBundle_ftrace_timestamp, (uint64_t)form->ftrace_ts);
    if (form->has_boot_ts)
        pb_put_uint(bundle, PB_FtraceEventBundle_boot_timestamp, (uint64_t)form->boot_ts);
}

/* The scheduling state, as bundles of their cpus. */
static void put_steps(struct window_write *w)
{
    const struct window_scan *s = w->scan;
    size_t cpus = s->sched.cpus.count;
    struct pb_bytes *by_cpu = alloc_array(cpus ? cpus : 1, sizeof *by_cpu);
    for (size_t i = 0; i < s->told.steps.count; i++)
        put_step(s, &s->told.steps.items[i], by_cpu);
    for (size_t i = 0; i < cpus; i++) {
        const struct sched_place *place = &s->sched.cpus.items[i].place;
        struct pb_bytes bundle = {0};
        pb_put_uint(&bundle, PB_FtraceEventBundle_cpu, place->cpu);
        put_form(&bundle, &s->forms.items[i]);
        pb_put_raw(&bundle, by_cpu[i].v.items, by_cpu[i].v.count);
        if (place->has_sequence)
            pb_put_uint(&w->packet, PB_TracePacket_trusted_packet_sequence_id, place->sequence);
        if (place->raw_machine)
            pb_put_uint(&w->packet, PB_TracePacket_machine_id, place->raw_machine);
        pb_put_message(&w->packet, PB_TracePacket_ftrace_events, &bundle);
        if (by_cpu[i].v.count)
            put_frame(w);
        w->packet.v.count = 0;
        pb_bytes_release(&bundle);
        pb_bytes_release(&by_cpu[i]);
    }
    free(by_cpu);
}

/* An event at another time. */
static void put_event_at(struct pb_bytes *out, const struct pb_field *event, int64_t ts)
{
    struct pb_bytes copy = {0};
    struct pb_reader r = pb_message(event);
    struct pb_field f;
    pb_put_uint(&copy, PB_FtraceEvent_timestamp, (uint64_t)ts);
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.number != PB_FtraceEvent_timestamp)
            pb_put_raw(&copy, start, (size_t)(r.p - start));
    pb_put_message(out, PB_FtraceEventBundle_event, &copy);
    pb_bytes_release(&copy);
}

static bool put_compact(const struct window_scan *s, struct bytes compact, int64_t offset,
                        struct pb_bytes *bundle)
{
    struct compact_sched_view view;
    struct pb_bytes columns = {0};
    compact_sched_read(compact, &view);
    bool any = compact_sched_write(&view, time_minus(s->from, offset), time_minus(s->to, offset),
                                   &columns);
    if (any)
        pb_put_message(bundle, PB_FtraceEventBundle_compact_sched, &columns);
    pb_bytes_release(&columns);
    compact_sched_release(&view);
    return any;
}

/* One event of a bundle. Returns whether it is written. */
static bool put_event(struct window_write *w, const struct packet *p, uint32_t part,
                      const struct pb_field *f, struct bytes raw, int64_t offset)
{
    struct pb_reader message = pb_message(f);
    struct event_parts parts = {0};
    int64_t ts;
    while (!parts.has_ts && event_next(&message, &parts))
        ;
    if (!parts.has_ts)
        return false;
    if (in_window(w->scan, time_plus(parts.ts, offset))) {
        pb_put_raw(&w->payload, raw.p, raw.n);
        return true;
    }
    if (!told_at(w->scan, p, part, &ts))
        return false;
    put_event_at(&w->payload, f, time_minus(ts, offset));
    return true;
}

/* Whether the bundle, the first of its cpu, says from when on nothing is lost, and that is later
 * than the window's begin. */
static bool says_valid_from(struct window_write *w, const struct packet *p, uint32_t cpu)
{
    const struct window_scan *s = w->scan;
    bool inserted;
    map_insert(&w->written_cpus, (uint64_t)p->machine << 32 | cpu, &inserted);
    return inserted && p->machine < s->valid_from.count &&
           s->valid_from.items[p->machine] > s->from;
}

static uint32_t bundle_cpu(struct bytes bundle)
{
    struct pb_reader r = bytes_reader(bundle);
    struct pb_field f;
    uint32_t cpu = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_FtraceEventBundle_cpu)
            cpu = pb_u32(&f);
    return cpu;
}

/* Returns whether the bundle in w->payload has anything. */
static bool cut_bundle(struct window_write *w, const struct packet *p, int64_t offset)
{
    bool says_valid = says_valid_from(w, p, bundle_cpu(p->field)), any = says_valid;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint32_t part = 0;
    w->payload.v.count = 0;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p) {
        struct bytes raw = {start, (size_t)(r.p - start)};
        switch (f.number) {
        case PB_FtraceEventBundle_event:
            if (f.data && ++part >> ITEM_PART_BITS == 0)
                any |= put_event(w, p, part, &f, raw, offset);
            break;
        case PB_FtraceEventBundle_compact_sched:
            any |= put_compact(w->scan, field_bytes(&f), offset, &w->payload);
            break;
        case PB_FtraceEventBundle_last_read_event_timestamp:
        case PB_FtraceEventBundle_previous_bundle_end_timestamp:
            if (says_valid)
                pb_put_raw(&w->payload, raw.p, raw.n);
            break;
        default:
            any |= f.number == PB_FtraceEventBundle_generic_event_descriptors ||
                   f.number == PB_FtraceEventBundle_error;
            pb_put_raw(&w->payload, raw.p, raw.n);
        }
    }
    return any;
}

static void put_bundle(struct window_write *w, const struct packet *p)
{
    int64_t offset = scan_time(w->scan, p->number);
    if (!w->has_steps)
        put_steps(w);
    w->has_steps = true;
    if (offset == PACKET_TIME_UNKNOWN) {
        put_whole(w, p); /* what cannot be read is counted there, too */
        return;
    }
    if (!cut_bundle(w, p, offset)) {
        put_rest(w, p);
        return;
    }
    put_envelope(w, p);
    pb_put_message(&w->packet, PB_TracePacket_ftrace_events, &w->payload);
    put_frame(w);
}

static struct dropped_deltas *deltas_of(struct window_write *w, const struct packet *p)
{
    bool inserted;
    uint64_t key = (uint64_t)p->machine << 32 | p->sequence->id;
    uint32_t *at = map_insert(&w->sequences, key, &inserted);
    if (inserted) {
        *at = (uint32_t)w->deltas.count;
        *vec_push(&w->deltas) = (struct dropped_deltas){0};
    }
    return &w->deltas.items[*at];
}

/* NULL where the counter's values are no differences. */
static struct dropped_counter *counter_of(struct window_write *w, const struct packet *p,
                                          uint64_t uuid)
{
    uint64_t key = scan_counter_key(p->machine, uuid);
    if (!map_find(&w->scan->incremental, key))
        return NULL;
    bool inserted;
    uint64_t sequence = hash_mix(p->sequence->id, deltas_of(w, p)->epoch);
    uint32_t *at = map_insert(&w->counters, hash_mix(key, sequence), &inserted);
    if (inserted) {
        *at = (uint32_t)w->counter_list.count;
        *vec_push(&w->counter_list) = (struct dropped_counter){0, 0};
    }
    return &w->counter_list.items[*at];
}

static bool clears_state(const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->data);
    struct pb_field f;
    if (p->sequence_flags & PB_TracePacket_SequenceFlags_SEQ_INCREMENTAL_STATE_CLEARED)
        return true;
    while (pb_next(&r, &f))
        if (f.number == PB_TracePacket_incremental_state_cleared && pb_bool(&f))
            return true;
    return false;
}

/* What is added up starts anew. */
static void follow_state(struct window_write *w, const struct packet *p)
{
    bool cleared = clears_state(p);
    if (!cleared && p->field_number != PB_TracePacket_thread_descriptor)
        return;
    struct dropped_deltas *d = deltas_of(w, p);
    *d = (struct dropped_deltas){.epoch = d->epoch + cleared};
}

static void drop_counter(struct window_write *w, const struct packet *p,
                         const struct counter_change *c)
{
    struct dropped_counter *d = counter_of(w, p, c->uuid);
    if (!d)
        return;
    d->whole = time_plus(d->whole, c->whole);
    d->real += c->real;
}

/* The counter's value with what was dropped before. */
static void take_counter(struct window_write *w, const struct packet *p, struct counter_change *c)
{
    struct dropped_counter *d = counter_of(w, p, c->uuid);
    if (!d)
        return;
    c->whole = time_plus(c->whole, d->whole);
    c->real += d->real;
    *d = (struct dropped_counter){0, 0};
}

static void drop_deltas(struct window_write *w, const struct packet *p)
{
    struct dropped_deltas *d = deltas_of(w, p);
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TrackEvent_timestamp_delta_us)
            d->timestamp_us = time_plus(d->timestamp_us, pb_i64(&f));
        else if (f.number == PB_TrackEvent_thread_time_delta_us)
            d->thread_time_us = time_plus(d->thread_time_us, pb_i64(&f));
        else if (f.number == PB_TrackEvent_thread_instruction_count_delta)
            d->instructions = time_plus(d->instructions, pb_i64(&f));
    }
}

static void put_delta(struct pb_bytes *out, const struct pb_field *f, int64_t *dropped)
{
    pb_put_uint(out, f->number, (uint64_t)time_plus(pb_i64(f), *dropped));
    *dropped = 0;
}

static void put_counters(struct window_write *w, const struct cut_event *e)
{
    for (int32_t i = 0; i < e->counter_count && !e->has_more; i++) {
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

/* A slice that was known to last so long begins later. */
static void put_shorter(struct window_write *w, const struct cut_event *e, int64_t cut_ns)
{
    struct pb_reader r = bytes_reader(e->legacy);
    struct pb_field f;
    w->inner.v.count = 0;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.number == PB_TrackEvent_LegacyEvent_duration_us)
            pb_put_uint(&w->inner, f.number, (uint64_t)time_minus(pb_i64(&f), cut_ns / 1000));
        else
            pb_put_raw(&w->inner, start, (size_t)(r.p - start));
    pb_put_message(&w->payload, PB_TrackEvent_legacy_event, &w->inner);
}

static void put_event_field(struct window_write *w, const struct packet *p,
                            const struct cut_event *e, const struct pb_field *f, struct bytes raw,
                            int64_t later)
{
    struct dropped_deltas *d = deltas_of(w, p);
    bool told = later >= 0;
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
        if (told && e->phase == 'X')
            put_shorter(w, e, later);
        else
            pb_put_raw(&w->payload, raw.p, raw.n);
        return;
    case PB_TrackEvent_counter_value:
    case PB_TrackEvent_double_counter_value:
    case PB_TrackEvent_extra_counter_values:
    case PB_TrackEvent_extra_double_counter_values:
        if (e->has_more) /* otherwise see put_counters */
            pb_put_raw(&w->payload, raw.p, raw.n);
        return;
    default:
        pb_put_raw(&w->payload, raw.p, raw.n);
    }
}

/* The event, `later` ns later than it was; -1: at its time. */
static void put_track_event(struct window_write *w, const struct packet *p, struct cut_event *e,
                            int64_t ts, int64_t later)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    w->payload.v.count = 0;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        put_event_field(w, p, e, &f, (struct bytes){start, (size_t)(r.p - start)}, later);
    for (int32_t i = 0; i < e->counter_count && !e->has_more; i++)
        take_counter(w, p, &e->counters[i]);
    put_counters(w, e);
    put_envelope(w, p);
    if (later >= 0)
        put_new_time(w, p, ts);
    else
        put_time(w, p, ts);
    pb_put_message(&w->packet, PB_TracePacket_track_event, &w->payload);
    put_frame(w);
}

/* A value that came with an event that is not told again. */
static void put_counter_alone(struct window_write *w, const struct packet *p,
                              struct counter_change *c, int64_t ts)
{
    take_counter(w, p, c);
    w->payload.v.count = 0;
    pb_put_uint(&w->payload, PB_TrackEvent_type, PB_TrackEvent_Type_TYPE_COUNTER);
    pb_put_uint(&w->payload, PB_TrackEvent_track_uuid, c->uuid);
    if (c->is_real)
        pb_put_double(&w->payload, PB_TrackEvent_double_counter_value, c->real);
    else
        pb_put_uint(&w->payload, PB_TrackEvent_counter_value, (uint64_t)c->whole);
    pb_put_uint(&w->packet, PB_TracePacket_trusted_packet_sequence_id, p->sequence->id);
    if (p->raw_machine)
        pb_put_uint(&w->packet, PB_TracePacket_machine_id, p->raw_machine);
    put_absolute_time(w, p, ts);
    pb_put_message(&w->packet, PB_TracePacket_track_event, &w->payload);
    put_frame(w);
}

static void tell_track_event(struct window_write *w, const struct packet *p, int64_t ts)
{
    struct cut_event e;
    int64_t told;
    cut_event_read(p, &e);
    if (told_at(w->scan, p, 0, &told) || (e.has_own_counter && told_at(w->scan, p, 1, &told))) {
        put_track_event(w, p, &e, told, time_minus(told, ts));
        return;
    }
    put_rest(w, p);
    drop_deltas(w, p);
    for (int32_t i = 0; i < e.counter_count; i++) {
        if (told_at(w->scan, p, 1 + (uint32_t)i, &told))
            put_counter_alone(w, p, &e.counters[i], told);
        else
            drop_counter(w, p, &e.counters[i]);
    }
}

/* Samples move the time of their sequence on. */
static void drop_samples(struct window_write *w, const struct packet *p)
{
    struct dropped_deltas *d = deltas_of(w, p);
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t delta;
    while (pb_next(&r, &f)) {
        if (f.number != PB_StreamingProfilePacket_timestamp_delta_us)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (pb_packed_next(&it, &delta))
            d->timestamp_us = time_plus(d->timestamp_us, (int64_t)delta);
    }
}

static bool message_in_window(struct window_write *w, const struct packet *p,
                              const struct pb_field *message)
{
    struct trace *t = w->scan->trace;
    struct clock_id clock = clock_of_machine(t, p->machine, CLOCK_REALTIME_NUMBER, 0);
    struct pb_reader r = pb_message(message);
    struct pb_field f;
    int64_t ts = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_AndroidLogPacket_LogEvent_timestamp)
            ts = pb_i64(&f);
    return clock_convert(t, p->machine, clock, ts, &ts) != CLOCK_CONVERTED ||
           in_window(w->scan, ts);
}

/* Messages come together, some time after they were logged. */
static void put_logs(struct window_write *w, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    w->payload.v.count = 0;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.number != PB_AndroidLogPacket_events || message_in_window(w, p, &f))
            pb_put_raw(&w->payload, start, (size_t)(r.p - start));
    if (w->payload.v.count == 0) {
        put_rest(w, p);
        return;
    }
    put_envelope(w, p);
    put_time(w, p, scan_time(w->scan, p->number));
    pb_put_message(&w->packet, PB_TracePacket_android_log, &w->payload);
    put_frame(w);
}

static void put_event_in_window(struct window_write *w, const struct packet *p, int64_t ts)
{
    struct cut_event e;
    cut_event_read(p, &e);
    put_track_event(w, p, &e, ts, -1);
}

static void put_by_policy(struct window_write *w, const struct packet *p, int64_t ts)
{
    const struct window_scan *s = w->scan;
    enum packet_policy policy = packet_policy_of(p->field_number);
    int64_t told;
    if (policy == POLICY_NEVER) {
        put_rest(w, p);
    } else if (policy == POLICY_FTRACE) {
        put_bundle(w, p);
    } else if (policy == POLICY_TRACK_EVENT && ts > PACKET_TIME_NONE) {
        if (in_window(s, ts))
            put_event_in_window(w, p, ts);
        else
            tell_track_event(w, p, ts);
    } else if (policy == POLICY_LOGS) {
        put_logs(w, p);
    } else if (ts <= PACKET_TIME_NONE || policy == POLICY_KEEP) {
        put_whole(w, p);
    } else if (in_window(s, ts) || (policy == POLICY_KEEP_EARLY && ts >= s->to)) {
        put_in_window(w, p, ts);
    } else if (is_told(s, p) && told_at(s, p, 0, &told)) {
        put_at(w, p, told);
    } else {
        if (p->field_number == PB_TracePacket_streaming_profile_packet)
            drop_samples(w, p);
        put_rest(w, p);
    }
}

static bool write_packet(struct import *im, struct packet *p, bool usable)
{
    struct window_write *w = state(im);
    w->scan = scan_of(im);
    w->out = w->scan->out;
    scan_follow_patches(im, p);
    follow_state(w, p);
    if (usable)
        put_by_policy(w, p, scan_time(w->scan, p->number));
    else
        put_whole(w, p); /* what is lost is counted there, too */
    return true;
}

struct status scan_write(struct window_scan *w, struct cut_output *out)
{
    static const struct import_handlers handlers = {.inspect = write_packet,
                                                    .sequence_cleared = track_event_sequence_reset};
    static const uint8_t empty_packet[] = {PB_Trace_packet << 3 | PB_WIRE_LEN, 0};
    w->out = out;
    struct status s = scan_walk(w, &handlers);
    if (!out->any) /* a window in which nothing happens is a trace, too */
        cut_write(out, empty_packet, sizeof empty_packet);
    if (status_ok(s) && out->failed)
        s = status_error(STATUS_IO, "%s: the smaller trace cannot be written", w->name);
    return s;
}
