/* What track events before a window leave behind. */
#include "base/hash.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_phases.h"
#include "parsers/perfetto/window/scan.h"
#include "parsers/perfetto/window/track_event.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* The track of an id, of old async events. */
static uint64_t async_key(const struct packet *p, const struct cut_event *e)
{
    struct pb_reader r = bytes_reader(e->legacy);
    struct pb_field f;
    uint64_t h = hash_u64(p->machine);
    while (pb_next(&r, &f)) {
        if (f.number == PB_TrackEvent_LegacyEvent_id_scope)
            h ^= hash_bytes(f.data, f.data ? (size_t)f.value : 0, f.number);
        else if (f.number == PB_TrackEvent_LegacyEvent_unscoped_id ||
                 f.number == PB_TrackEvent_LegacyEvent_global_id ||
                 f.number == PB_TrackEvent_LegacyEvent_local_id)
            h ^= hash_mix(f.value, f.number);
        if (f.number == PB_TrackEvent_LegacyEvent_local_id)
            h = hash_mix(h, (uint64_t)packet_writer(p));
    }
    return h;
}

/* The track itself, or the thread that its writer speaks of. */
static uint64_t track_key(const struct packet *p, const struct cut_event *e)
{
    uint64_t h = e->has_track && e->track_uuid ? hash_mix(e->track_uuid, p->machine)
                                               : hash_mix(p->sequence->id, ~(uint64_t)p->machine);
    struct pb_reader r = bytes_reader(e->legacy);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_TrackEvent_LegacyEvent_pid_override ||
            f.number == PB_TrackEvent_LegacyEvent_tid_override)
            h = hash_mix(h, hash_mix(f.value, f.number));
    return h;
}

static uint64_t phase_key(const struct packet *p, const struct cut_event *e,
                          const struct phase *phase)
{
    return phase_is_async(phase) ? async_key(p, e) : track_key(p, e);
}

static void mark(struct window_scan *w, const struct packet *p, const struct cut_event *e,
                 int64_t ts, enum mark_kind kind, uint64_t key)
{
    struct cut_names names = cut_event_names(p, e);
    struct window_mark m = {.ts = ts,
                            .key = key,
                            .other = names.name,
                            .category = names.category,
                            .number = item_number(p->number, PART_EVENT),
                            .kind = (uint8_t)kind};
    selection_mark(&w->selection, &m);
}

static void add_event(struct window_scan *w, const struct packet *p, const struct cut_event *e,
                      int64_t ts)
{
    const struct event_type *type = type_of_event(e->type);
    const struct phase *phase = phase_of_letter(e->phase ? e->phase : type->on_thread);
    int64_t dur;
    switch (e->phase || type->on_thread ? phase->span : type->span) {
    case SPAN_BEGIN:
        mark(w, p, e, ts, MARK_BEGIN, phase_key(p, e, phase));
        return;
    case SPAN_END:
        mark(w, p, e, ts, MARK_END, phase_key(p, e, phase));
        return;
    case SPAN_DURATION:
        if (!__builtin_mul_overflow(e->duration_us, 1000, &dur) && time_plus(ts, dur) > w->from)
            selection_keep_item(&w->selection,
                                &(struct window_item){.ts = ts,
                                                      .number = item_number(p->number, PART_EVENT),
                                                      .whole_us = true});
        return;
    case SPAN_LAST:
        selection_last(&w->selection, track_key(p, e), ts, item_number(p->number, PART_EVENT));
        return;
    case SPAN_ALWAYS:
        selection_keep(&w->selection, ts, item_number(p->number, PART_EVENT));
        return;
    case SPAN_MOMENT:
    case SPAN_UNSAID: /* it means nothing */
        return;
    }
}

/* Flows of an event, one after the other. */
struct flows_of {
    struct selection *selection;
    int64_t ts;
    uint64_t number; /* of the next one */
};

static void add_flow(void *self, enum track_flow_kind kind, uint64_t id)
{
    static const enum mark_kind kinds[] = {[TRACK_FLOW_BEGIN] = MARK_BEGIN_ONCE,
                                           [TRACK_FLOW_STEP] = MARK_STEP,
                                           [TRACK_FLOW_THROUGH] = MARK_SEND,
                                           [TRACK_FLOW_CLOSE] = MARK_END};
    struct flows_of *of = self;
    struct window_mark m = {.ts = of->ts,
                            .key = cut_flow_key(id),
                            .number = of->number++,
                            .kind = (uint8_t)kinds[kind],
                            .on_demand = true};
    if (kind != TRACK_FLOW_UNKNOWN && kind != TRACK_FLOW_END)
        selection_mark(of->selection, &m);
}

static void ask_for_flow(void *self, enum track_flow_kind kind, uint64_t id)
{
    (void)kind;
    selection_ask(self, cut_flow_key(id));
}

void scan_later_track_event(struct window_scan *w, const struct packet *p)
{
    struct cut_event e;
    cut_event_read(p, &e);
    cut_event_flows(p, &e, ask_for_flow, &w->selection);
}

void scan_track_event(struct window_scan *w, const struct packet *p, int64_t ts)
{
    struct cut_event e;
    cut_event_read(p, &e);
    if (e.has_more) /* there is no event */
        return;
    struct flows_of flows = {&w->selection, ts, item_number(p->number, PART_FLOWS)};
    cut_event_flows(p, &e, add_flow, &flows);
    for (int32_t i = 0; i < e.counter_count; i++)
        selection_last(&w->selection, hash_mix(e.counters[i].uuid, ~(uint64_t)p->machine), ts,
                       item_number(p->number, PART_COUNTERS + (uint32_t)i));
    if (e.has_thread_time)
        selection_last(&w->selection,
                       hash_mix(track_key(p, &e), PB_TrackEvent_thread_time_delta_us), ts,
                       item_number(p->number, PART_THREAD));
    if (e.has_instructions)
        selection_last(&w->selection,
                       hash_mix(track_key(p, &e), PB_TrackEvent_thread_instruction_count_delta), ts,
                       item_number(p->number, PART_THREAD));
    add_event(w, p, &e, ts);
}
