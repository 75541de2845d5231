/* What track events before a window leave behind. */
#include "base/hash.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/track_event_phases.h"
#include "parsers/perfetto/track_event/track_event_place.h"
#include "parsers/perfetto/window/scan.h"
#include "parsers/perfetto/window/track_event.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

static uint64_t thread_key(const struct cut_event *e)
{
    return hash_mix(hash_mix((uint64_t)e->owner.pid, (uint64_t)e->owner.tid),
                    ~(uint64_t)e->event.generation->machine);
}

/* The track itself, or the thread whose it is. */
static uint64_t track_key(struct import *im, const struct cut_event *e)
{
    const struct descriptor_track *d = track_event_track(im, e->record.track);
    if (e->owner.is_thread)
        return thread_key(e);
    return hash_mix(d->uuid, d->machine);
}

static bool of_process(const struct cut_event *e)
{
    return e->event.legacy.id_kind == LEGACY_ID_LOCAL;
}

/* The tracks of old async events, of which an id holds one. */
static uint64_t async_key(const struct cut_event *e, struct cut_names names)
{
    const struct legacy_event *l = &e->event.legacy;
    uint64_t h = hash_mix(e->event.generation->machine, of_process(e));
    h = hash_mix(h, track_event_id_is_by_name(&e->event) ? (uint32_t)names.name : names.category);
    if (l->has_id_scope)
        h = hash_bytes(l->id_scope.p, l->id_scope.n, h);
    return of_process(e) ? hash_mix(h, (uint64_t)e->owner.pid) : h;
}

static uint64_t async_holder(const struct cut_event *e)
{
    uint64_t h = hash_u64(e->event.legacy.id);
    return (of_process(e) ? hash_mix(h, (uint64_t)e->owner.pid) : h) | 1;
}

static enum mark_use async_use(const struct phase *phase)
{
    if (phase->place == PLACE_ASYNC_POINT)
        return MARK_TAKES_AND_GIVES;
    return phase->place == PLACE_ASYNC_BEGIN ? MARK_TAKES : MARK_GIVES;
}

static void mark(struct window_scan *w, struct import *im, const struct packet *p,
                 const struct cut_event *e, int64_t ts, enum mark_kind kind, int64_t dur)
{
    struct cut_names names = cut_event_names(p, e);
    struct window_mark m = {.ts = ts,
                            .other = names.name,
                            .category = names.category,
                            .number = item_number(p->number, PART_EVENT),
                            .kind = (uint8_t)kind,
                            .dur = dur,
                            .whole_us = kind == MARK_COMPLETE};
    const struct phase *phase = legacy_phase(&e->event);
    if (!phase_is_async(phase)) {
        m.key = track_key(im, e);
    } else {
        if (e->event.legacy.id_kind == LEGACY_ID_NONE || (of_process(e) && !e->owner.of_process))
            return;
        m.key = async_key(e, names);
        m.holder = async_holder(e);
        m.use = (uint8_t)async_use(phase);
    }
    selection_mark(&w->selection, &m);
}

/* An instant, which time passes its track with as with any slice. */
static bool is_slice_of_track(const struct cut_event *e)
{
    return !type_of_event(e->event.type)->apply && e->phase->has_flows &&
           !track_event_leaves_thread(&e->event);
}

static void add_event(struct window_scan *w, struct import *im, const struct packet *p,
                      const struct cut_event *e, int64_t ts)
{
    int64_t dur;
    switch (cut_event_span(e)) {
    case SPAN_BEGIN:
        mark(w, im, p, e, ts, MARK_BEGIN, 0);
        return;
    case SPAN_END:
        mark(w, im, p, e, ts, MARK_END, 0);
        return;
    case SPAN_DURATION:
        if (e->event.legacy.duration_us >= 0 &&
            !__builtin_mul_overflow(e->event.legacy.duration_us, 1000, &dur))
            mark(w, im, p, e, ts, MARK_COMPLETE, dur);
        return;
    case SPAN_LAST:
        selection_last(&w->selection, track_key(im, e), ts, item_number(p->number, PART_EVENT));
        return;
    case SPAN_ALWAYS:
        selection_keep(&w->selection, ts, item_number(p->number, PART_EVENT));
        return;
    case SPAN_MOMENT:
        if (phase_is_async(legacy_phase(&e->event)))
            mark(w, im, p, e, ts, MARK_PASS, 0);
        else if (is_slice_of_track(e))
            mark(w, im, p, e, ts, MARK_COMPLETE, 0);
        return;
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

void scan_later_track_event(struct window_scan *w, struct import *im, const struct packet *p)
{
    struct cut_event e;
    cut_event_read(im, p, &e);
    cut_event_flows(&e, ask_for_flow, &w->selection);
}

static void add_thread_counts(struct window_scan *w, const struct packet *p,
                              const struct cut_event *e, int64_t ts)
{
    const struct event_head *h = &e->head;
    uint64_t number = item_number(p->number, PART_THREAD), key = thread_key(e);
    if (!e->owner.of_thread || track_event_leaves_thread(&e->event))
        return;
    if (h->has_thread_time || h->has_thread_time_delta)
        selection_last(&w->selection, hash_mix(key, PB_TrackEvent_thread_time_delta_us), ts,
                       number);
    if (h->has_instructions || h->has_instructions_delta)
        selection_last(&w->selection, hash_mix(key, PB_TrackEvent_thread_instruction_count_delta),
                       ts, number);
}

void scan_track_event(struct window_scan *w, struct import *im, const struct packet *p, int64_t ts)
{
    struct cut_event e;
    cut_event_read(im, p, &e);
    if (e.is_dropped)
        return;
    struct flows_of flows = {&w->selection, ts, item_number(p->number, PART_FLOWS)};
    cut_event_flows(&e, add_flow, &flows);
    for (int32_t i = 0; i < e.counter_count; i++)
        selection_last(&w->selection,
                       hash_mix(cut_counter_uuid(im, &e.counters[i]), ~(uint64_t)p->machine), ts,
                       item_number(p->number, PART_COUNTERS + (uint32_t)i));
    add_thread_counts(w, p, &e, ts);
    add_event(w, im, p, &e, ts);
}
