#include "parsers/perfetto/track_event/track_event.h"

#include "text/time.h"
#include "parsers/perfetto/packets/content.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_head.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/v8_samples.h"
#include "pb_fields.h"

/* Whether the record has room for all that the event says. */
static bool is_plain(const struct event_head *h)
{
    return !h->has_more && h->categories <= 1 && h->category_iid <= UINT32_MAX &&
           h->name_iid <= UINT32_MAX;
}

/* False where the event has no usable time, which is counted. */
static bool event_time(struct import *im, const struct packet *p, const struct event_head *h,
                       int64_t *out)
{
    struct track_event_sequence *s = p->sequence->track_event;
    bool is_monotonic = true;
    int64_t ts;
    if (h->has_timestamp_delta) {
        if (!s->timestamps_valid) {
            packet_log_sequence(im, p,
                                STAT_track_event_skipped_timestamp_delta_without_valid_state);
            return false;
        }
        ts = s->timestamp = time_plus(s->timestamp, track_event_us_to_ns(h->timestamp_delta_us));
    } else if (h->timestamp_absolute_us) {
        ts = track_event_us_to_ns(h->timestamp_absolute_us);
    } else if (p->has_timestamp) {
        ts = p->ts;
        is_monotonic = false;
    } else {
        packet_log(im, p, STAT_track_event_missing_timestamp, NULL);
        return false;
    }
    if (ts < 0) {
        packet_log(im, p, STAT_track_event_invalid_timestamp, NULL);
        return false;
    }
    *out = is_monotonic ? track_event_from_monotonic(im, p, ts) : ts;
    return true;
}

bool track_event_time(struct import *im, const struct packet *p, int64_t *ts)
{
    if (!p->has_sequence)
        return false;
    struct event_head h;
    track_event_generation_of(im, p);
    event_head_read(bytes_reader(p->field), &h);
    return event_time(im, p, &h, ts);
}

/* A record under construction: what will stand behind it. */
struct record_values {
    struct track_event_record record;
    const uint8_t *event;
    struct plain_names names;
    int64_t thread_time, instructions;
    double counter, extra[TRACK_EVENT_EXTRA_COUNTERS];
    uint32_t extra_tracks[TRACK_EVENT_EXTRA_COUNTERS];
    const struct event_generation *generation;
};

static void thread_counts(struct track_event_sequence *s, const struct event_head *h,
                          struct record_values *v)
{
    if (h->has_thread_time_delta) {
        v->thread_time = s->thread_time =
            time_plus(s->thread_time, track_event_us_to_ns(h->thread_time_delta_us));
    } else if (h->has_thread_time) {
        v->thread_time = track_event_us_to_ns(h->thread_time_absolute_us);
    }
    if (h->has_thread_time_delta || h->has_thread_time)
        v->record.flags |= RECORD_HAS_THREAD_TIME;
    if (h->has_instructions_delta) {
        v->instructions = s->thread_instructions =
            time_plus(s->thread_instructions, h->instructions_delta);
    } else if (h->has_instructions) {
        v->instructions = h->instructions_absolute;
    }
    if (h->has_instructions_delta || h->has_instructions)
        v->record.flags |= RECORD_HAS_INSTRUCTIONS;
}

static void counter_value(struct import *im, const struct packet *p, const struct event_head *h,
                          struct record_values *v)
{
    double value = h->has_int_value ? (double)h->int_value : h->double_value;
    v->counter =
        descriptor_track_counter_value(im, p->sequence->track_event, v->record.track, value);
    v->record.flags |= RECORD_HAS_COUNTER;
}

/* The event whose extra counters are read. */
struct extra_reading {
    struct import *im;
    const struct packet *p;
    struct record_values *v;
};

static void add_extra(void *self, const struct extra_value *extra)
{
    struct extra_reading *e = self;
    struct record_values *v = e->v;
    uint16_t at = v->record.extra_counters++;
    uint32_t track = v->extra_tracks[at] = extra->tracks->items[extra->at];
    double value = (double)(int64_t)extra->bits;
    if (extra->is_real)
        memcpy(&value, &extra->bits, sizeof value);
    if (extra->tracks != &v->generation->extra_ints)
        v->record.flags &= (uint16_t)~RECORD_USUAL_EXTRAS;
    v->extra[at] = descriptor_track_counter_value(e->im, e->p->sequence->track_event, track, value);
}

static uint8_t *put(uint8_t *at, const void *value, size_t size)
{
    memcpy(at, value, size);
    return at + size;
}

static uint64_t push_record(struct import *im, int64_t ts, const struct record_values *v)
{
    size_t n = v->record.extra_counters;
    uint32_t flags = v->record.flags;
    bool usual = flags & RECORD_USUAL_EXTRAS;
    size_t size = sizeof v->record + (record_words(flags) + n) * 8 + (usual ? 0 : n * 4);
    uint8_t *at = arena_alloc(&im->arena, size);
    uint64_t ref = (uintptr_t)at;
    at = put(at, &v->record, sizeof v->record);
    if (!(flags & RECORD_IS_PLAIN))
        memcpy(at, &v->event, sizeof v->event);
    else if (flags & RECORD_HAS_NAMES)
        memcpy(at, &v->names, sizeof v->names);
    at += record_has_what(flags) ? 8 : 0;
    if (flags & RECORD_HAS_THREAD_TIME)
        at = put(at, &v->thread_time, sizeof v->thread_time);
    if (flags & RECORD_HAS_INSTRUCTIONS)
        at = put(at, &v->instructions, sizeof v->instructions);
    if (flags & RECORD_HAS_COUNTER)
        at = put(at, &v->counter, sizeof v->counter);
    for (size_t i = 0; i < n; i++)
        at = put(at, &v->extra[i], sizeof v->extra[i]);
    for (size_t i = 0; i < n && !usual; i++)
        at = put(at, &v->extra_tracks[i], sizeof v->extra_tracks[i]);
    sorter_push(&im->sorter, 0, ts, RECORD_TRACK_EVENT, ref);
    return ref;
}

/* The record of an event, but for its track and its values. */
static void begin_record(struct record_values *v, const struct packet *p,
                         const struct event_head *h)
{
    v->record = (struct track_event_record){.generation = p->generation->number,
                                            .flags = RECORD_USUAL_EXTRAS};
    if (!is_plain(h)) {
        v->event = p->field.p;
        v->record.size = (uint32_t)p->field.n;
        return;
    }
    v->names = (struct plain_names){(uint32_t)h->name_iid, (uint32_t)h->category_iid};
    v->record.type = h->type;
    v->record.flags |= RECORD_IS_PLAIN;
    v->record.flags |= h->has_type ? RECORD_HAS_TYPE : 0;
    v->record.flags |= h->categories ? RECORD_HAS_CATEGORY : 0;
    v->record.flags |= h->categories || h->name_iid ? RECORD_HAS_NAMES : 0;
    v->record.flags |= h->has_track_uuid ? RECORD_HAS_UUID : 0;
}

static bool track_event_tokenize(struct import *im, struct packet *p)
{
    if (!p->has_sequence) {
        packet_log(im, p, STAT_track_event_missing_sequence_id, NULL);
        return true;
    }
    if (p->field.n > UINT32_MAX)
        return true;
    struct event_head h;
    struct record_values v; /* of the arrays only what is used is set */
    int64_t ts;
    v.generation = track_event_generation_of(im, p);
    event_head_read(bytes_reader(p->field), &h);
    begin_record(&v, p, &h);
    if (!event_time(im, p, &h, &ts))
        return true;
    if (h.legacy.n > 0)
        v8_samples_tokenize(im, p, h.legacy);
    if (!event_head_has_state(im, p, &h))
        return true;
    thread_counts(p->sequence->track_event, &h, &v);
    v.record.track = event_head_track(im, p, v.generation, &h);
    if (!event_head_has_value(im, p, &h, v.record.track))
        return true;
    if (h.type == PB_TrackEvent_Type_TYPE_COUNTER)
        counter_value(im, p, &h, &v);
    struct extra_reading extras = {im, p, &v};
    if (!event_head_extras(im, p, v.generation, &h, add_extra, &extras))
        return true;
    content_note_event(im, push_record(im, ts, &v), p->data);
    return true;
}

static bool range_of_interest_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    bool has_start = false;
    while (pb_next(&r, &f))
        if (f.number == PB_TrackEventRangeOfInterest_start_us) {
            has_start = true;
            metadata_set_int(im->trace, "range_of_interest_start_us", pb_i64(&f));
            im->trace->builder->range_of_interest_us = pb_i64(&f);
        }
    if (!has_start)
        packet_log(im, p, STAT_track_event_range_of_interest_missing_start_us, NULL);
    return true;
}

static bool track_event_span(struct import *im, const struct packet *p, struct packet_span *out)
{
    bool known = track_event_time(im, p, &out->first);
    out->last = out->first;
    return known;
}

const struct packet_module track_event_packets[] = {
    {PB_TracePacket_track_event, .tokenize = track_event_tokenize, .felt = PACKET_TRACK_EVENT,
     .span = track_event_span},
    {PB_TracePacket_track_event_range_of_interest, .tokenize = range_of_interest_tokenize,
     .felt = PACKET_MOMENT},
    {0},
};
