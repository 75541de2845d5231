#include "parsers/perfetto/track_event/track_event.h"

#include "core/time.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/v8_samples.h"
#include "pb_fields.h"

/* Where an event's extra counters of one kind, integers or doubles, begin. */
struct extra_head {
    struct pb_reader values; /* in front of the first one */
    uint32_t fields;         /* that have them */
    bool has_uuids;
};

/* A TrackEvent as far as it matters before its turn. */
struct event_head {
    int64_t timestamp_delta_us, timestamp_absolute_us;
    int64_t thread_time_delta_us, thread_time_absolute_us;
    int64_t instructions_delta, instructions_absolute;
    uint64_t track_uuid;
    double counter_value;
    struct bytes legacy;
    int32_t type;
    bool has_timestamp_delta, has_thread_time_delta, has_thread_time, has_instructions_delta;
    bool has_instructions, has_track_uuid, has_int_value, has_double_value;
    struct extra_head extra_ints, extra_reals;
};

static void extra_begins(struct extra_head *h, struct pb_reader before)
{
    if (h->fields++ == 0)
        h->values = before;
}

static void read_head(struct pb_reader r, struct event_head *h)
{
    struct pb_field f;
    struct pb_reader before = r;
    for (; pb_next(&r, &f); before = r) {
        switch (f.number) {
        case PB_TrackEvent_type:
            h->type = pb_i32(&f);
            break;
        case PB_TrackEvent_track_uuid:
            h->track_uuid = pb_u64(&f);
            h->has_track_uuid = true;
            break;
        case PB_TrackEvent_timestamp_delta_us:
            h->timestamp_delta_us = pb_i64(&f);
            h->has_timestamp_delta = true;
            break;
        case PB_TrackEvent_timestamp_absolute_us:
            h->timestamp_absolute_us = pb_i64(&f);
            break;
        case PB_TrackEvent_thread_time_delta_us:
            h->thread_time_delta_us = pb_i64(&f);
            h->has_thread_time_delta = true;
            break;
        case PB_TrackEvent_thread_time_absolute_us:
            h->thread_time_absolute_us = pb_i64(&f);
            h->has_thread_time = true;
            break;
        case PB_TrackEvent_thread_instruction_count_delta:
            h->instructions_delta = pb_i64(&f);
            h->has_instructions_delta = true;
            break;
        case PB_TrackEvent_thread_instruction_count_absolute:
            h->instructions_absolute = pb_i64(&f);
            h->has_instructions = true;
            break;
        case PB_TrackEvent_counter_value:
            h->counter_value = (double)pb_i64(&f);
            h->has_int_value = true;
            break;
        case PB_TrackEvent_double_counter_value:
            if (!h->has_int_value)
                h->counter_value = pb_real(&f);
            h->has_double_value = true;
            break;
        case PB_TrackEvent_extra_counter_values:
            extra_begins(&h->extra_ints, before);
            break;
        case PB_TrackEvent_extra_double_counter_values:
            extra_begins(&h->extra_reals, before);
            break;
        case PB_TrackEvent_extra_counter_track_uuids:
            h->extra_ints.has_uuids = true;
            break;
        case PB_TrackEvent_extra_double_counter_track_uuids:
            h->extra_reals.has_uuids = true;
            break;
        case PB_TrackEvent_legacy_event:
            h->legacy = field_bytes(&f);
            break;
        default:
            break;
        }
    }
}

/* False where the event has no usable time, which is counted. */
static bool event_time(struct import *im, const struct packet *p, const struct event_head *h,
                       int64_t *out)
{
    struct track_event_sequence *s = p->sequence->track_event;
    int64_t ts;
    if (h->has_timestamp_delta) {
        if (!s->timestamps_valid) {
            stats_count(im->trace, STAT_track_event_skipped_timestamp_delta_without_valid_state);
            return false;
        }
        ts = s->timestamp = time_plus(s->timestamp, track_event_us_to_ns(h->timestamp_delta_us));
    } else if (h->timestamp_absolute_us) {
        ts = track_event_us_to_ns(h->timestamp_absolute_us);
    } else if (p->has_timestamp) {
        *out = p->ts;
        return true;
    } else {
        stats_count(im->trace, STAT_track_event_missing_timestamp);
        return false;
    }
    if (ts != INT64_MIN && ts != INT64_MAX)
        ts = track_event_from_monotonic(im, p, ts);
    if (ts < 0 || ts == INT64_MAX) {
        packet_log(im, p, STAT_track_event_invalid_timestamp, NULL);
        return false;
    }
    *out = ts;
    return true;
}

bool track_event_time(struct import *im, const struct packet *p, int64_t *ts)
{
    if (!p->has_sequence)
        return false;
    struct event_head h = {0};
    track_event_generation_of(im, p);
    read_head(bytes_reader(p->field), &h);
    return event_time(im, p, &h, ts);
}

/* A record under construction: what will stand behind it. */
struct record_values {
    struct track_event_record record;
    int64_t thread_time, instructions;
    double counter, extra[TRACK_EVENT_EXTRA_COUNTERS];
    uint32_t extra_tracks[TRACK_EVENT_EXTRA_COUNTERS];
    const struct event_generation *generation;
};

static bool thread_counts(struct import *im, const struct packet *p, const struct event_head *h,
                          struct record_values *v)
{
    struct track_event_sequence *s = p->sequence->track_event;
    if (h->has_thread_time_delta) {
        if (!s->timestamps_valid) {
            stats_count(im->trace, STAT_track_event_skipped_thread_time_delta_without_valid_state);
            return false;
        }
        v->thread_time = s->thread_time =
            time_plus(s->thread_time, track_event_us_to_ns(h->thread_time_delta_us));
    } else if (h->has_thread_time) {
        v->thread_time = track_event_us_to_ns(h->thread_time_absolute_us);
    }
    if (h->has_thread_time_delta || h->has_thread_time)
        v->record.flags |= RECORD_HAS_THREAD_TIME;
    if (h->has_instructions_delta) {
        if (!s->timestamps_valid) {
            stats_count(im->trace,
                        STAT_track_event_skipped_thread_instruction_delta_without_valid_state);
            return false;
        }
        v->instructions = s->thread_instructions =
            time_plus(s->thread_instructions, h->instructions_delta);
    } else if (h->has_instructions) {
        v->instructions = h->instructions_absolute;
    }
    if (h->has_instructions_delta || h->has_instructions)
        v->record.flags |= RECORD_HAS_INSTRUCTIONS;
    return true;
}

static bool counter_value(struct import *im, const struct packet *p, const struct event_head *h,
                          struct record_values *v)
{
    if (!h->has_track_uuid) {
        stats_count(im->trace, STAT_track_event_counter_missing_track_uuid);
        return false;
    }
    if (!h->has_int_value && !h->has_double_value) {
        stats_count(im->trace, STAT_track_event_counter_missing_value);
        return false;
    }
    if (!descriptor_track_counter_value(im, p->sequence->track_event, v->record.track,
                                        h->counter_value, &v->counter)) {
        stats_count(im->trace, STAT_track_event_counter_invalid_track_uuid);
        return false;
    }
    v->record.flags |= RECORD_HAS_COUNTER;
    return true;
}

/* The tracks that the event names for its extra counters, or else its sequence's defaults do. */
static const struct extra_tracks *extra_tracks_of(struct import *im, const struct packet *p,
                                                  const struct extra_head *h, uint32_t uuid_field,
                                                  const struct event_generation *g,
                                                  struct extra_tracks *own)
{
    own->count = 0;
    if (h->has_uuids)
        track_event_add_extra_tracks(im, p->machine, bytes_reader(p->field), uuid_field, own);
    if (own->count > 0)
        return own;
    return uuid_field == PB_TrackEvent_extra_counter_track_uuids ? &g->extra_ints : &g->extra_reals;
}

static bool extra_value(struct import *im, const struct packet *p, uint32_t track, double value,
                        struct record_values *v)
{
    uint16_t at = v->record.extra_counters++;
    v->extra_tracks[at] = track;
    if (descriptor_track_counter_value(im, p->sequence->track_event, track, value, &v->extra[at]))
        return true;
    stats_count(im->trace, STAT_track_event_extra_counter_invalid_track);
    return false;
}

/* Adds the values of one of the two kinds. */
static bool extra_values(struct import *im, const struct packet *p, const struct extra_head *h,
                         uint32_t value_field, uint32_t uuid_field, struct record_values *v)
{
    bool real = value_field == PB_TrackEvent_extra_double_counter_values;
    struct pb_reader r = h->values;
    const struct extra_tracks *tracks = NULL;
    struct extra_tracks own;
    uint32_t used = 0;
    struct pb_field f;
    uint64_t bits;
    for (uint32_t left = h->fields; left > 0 && pb_next(&r, &f);) {
        if (f.number != value_field)
            continue;
        left--;
        struct pb_packed it = pb_packed_begin(&f, real ? PB_WIRE_I64 : PB_WIRE_VARINT);
        for (; pb_packed_next(&it, &bits); used++) {
            if (!tracks)
                tracks = extra_tracks_of(im, p, h, uuid_field, v->generation, &own);
            if (tracks->count == 0) {
                stats_count(im->trace, STAT_track_event_extra_counter_missing_track_uuids);
                return false;
            }
            if (v->record.extra_counters >= TRACK_EVENT_EXTRA_COUNTERS) {
                stats_count(im->trace, STAT_track_event_extra_counter_exceeds_max);
                return false;
            }
            if (used >= tracks->count) {
                stats_count(im->trace, STAT_track_event_extra_counter_track_uuid_mismatch);
                return false;
            }
            double value = (double)(int64_t)bits;
            if (real)
                memcpy(&value, &bits, sizeof value);
            if (!extra_value(im, p, tracks->items[used], value, v))
                return false;
        }
    }
    return true;
}

static void push_record(struct import *im, int64_t ts, const struct record_values *v)
{
    size_t n = v->record.extra_counters;
    size_t size = sizeof v->record + record_words(v->record.flags) * 8 + n * 12;
    uint8_t *at = arena_alloc(&im->arena, size);
    uint64_t ref = (uintptr_t)at;
    memcpy(at, &v->record, sizeof v->record);
    at += sizeof v->record;
    if (v->record.flags & RECORD_HAS_THREAD_TIME) {
        memcpy(at, &v->thread_time, 8);
        at += 8;
    }
    if (v->record.flags & RECORD_HAS_INSTRUCTIONS) {
        memcpy(at, &v->instructions, 8);
        at += 8;
    }
    if (v->record.flags & RECORD_HAS_COUNTER) {
        memcpy(at, &v->counter, 8);
        at += 8;
    }
    for (size_t i = 0; i < n; i++, at += 12) {
        memcpy(at, &v->extra[i], 8);
        memcpy(at + 8, &v->extra_tracks[i], 4);
    }
    sorter_push(&im->sorter, 0, ts, RECORD_TRACK_EVENT, ref);
}

/* The event's track_uuid, or its sequence's default. */
static void find_track(struct import *im, const struct packet *p, struct event_head *h,
                       struct record_values *v)
{
    uint32_t default_track = v->generation->default_track;
    if (!h->has_track_uuid && default_track != NULL_U32) {
        h->has_track_uuid = true;
        v->record.track = default_track;
        return;
    }
    v->record.track = descriptor_track_find(im, p->machine, h->track_uuid);
}

static bool track_event_tokenize(struct import *im, struct packet *p)
{
    if (!p->has_sequence) {
        stats_count(im->trace, STAT_track_event_missing_sequence_id);
        return true;
    }
    if (p->field.n > UINT32_MAX)
        return true;
    struct event_head h = {0};
    struct record_values v = {.record = {.event = p->field.p,
                                         .size = (uint32_t)p->field.n,
                                         .generation = p->generation->number},
                              .generation = track_event_generation_of(im, p)};
    int64_t ts;
    read_head(bytes_reader(p->field), &h);
    if (!event_time(im, p, &h, &ts))
        return true;
    if (h.legacy.n > 0)
        v8_samples_tokenize(im, p, h.legacy);
    if (!thread_counts(im, p, &h, &v))
        return true;
    find_track(im, p, &h, &v);
    if (h.type == PB_TrackEvent_Type_TYPE_COUNTER && !counter_value(im, p, &h, &v))
        return true;
    if (h.type == PB_TrackEvent_Type_TYPE_STATE && !h.has_track_uuid) {
        stats_count(im->trace, STAT_track_event_state_missing_track_uuid);
        return true;
    }
    if (!extra_values(im, p, &h.extra_ints, PB_TrackEvent_extra_counter_values,
                      PB_TrackEvent_extra_counter_track_uuids, &v) ||
        !extra_values(im, p, &h.extra_reals, PB_TrackEvent_extra_double_counter_values,
                      PB_TrackEvent_extra_double_counter_track_uuids, &v))
        return true;
    push_record(im, ts, &v);
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
        stats_count(im->trace, STAT_track_event_range_of_interest_missing_start_us);
    return true;
}

const struct packet_module track_event_packets[] = {
    {PB_TracePacket_track_event, .tokenize = track_event_tokenize},
    {PB_TracePacket_track_event_range_of_interest, .tokenize = range_of_interest_tokenize},
    {0},
};
