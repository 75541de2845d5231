#include "parsers/perfetto/track_event/track_event.h"

#include "text/time.h"
#include "parsers/perfetto/packets/content.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/v8_samples.h"
#include "pb_fields.h"

/* An event's extra counters of one kind, integers or doubles. */
struct extra_head {
    uint32_t fields; /* that have values */
    bool has_uuids;
    struct pb_field first; /* of these fields, where there is one ... */
    struct pb_reader rest; /* ... and what stands behind it */
};

/* A TrackEvent as far as it matters before its turn. */
struct event_head {
    bool has_timestamp_delta, has_thread_time_delta, has_thread_time, has_instructions_delta;
    bool has_instructions, has_track_uuid, has_int_value, has_double_value, has_type;
    bool has_more;       /* than what is here */
    uint32_t categories; /* fields of theirs */
    int32_t type;
    uint64_t name_iid, category_iid, track_uuid;
    int64_t timestamp_absolute_us;
    struct bytes legacy;
    struct extra_head extra_ints, extra_reals;
    /* From here on a value is only there where something above says so. */
    int64_t timestamp_delta_us, thread_time_delta_us, thread_time_absolute_us;
    int64_t instructions_delta, instructions_absolute;
    double counter_value;
};

/* What says which other members are there is zero. */
static void clear_head(struct event_head *h)
{
    memset(h, 0, offsetof(struct event_head, extra_ints));
    h->extra_ints.fields = h->extra_reals.fields = 0;
    h->extra_ints.has_uuids = h->extra_reals.has_uuids = false;
}

static void extra_found(struct extra_head *h, const struct pb_field *f,
                        const struct pb_reader *rest)
{
    if (h->fields++ != 0)
        return;
    h->first = *f;
    h->rest = *rest;
}

/* Reads the fields that most events consist of, as they are mostly written, up to any other. */
static const uint8_t *read_usual(const uint8_t *p, const uint8_t *end, struct event_head *h)
{
    uint64_t value;
    while (end - p >= 2) {
        uint8_t tag = *p;
        const uint8_t *next = pb_varint(p + 1, end, &value);
        if (!next)
            return p;
        switch (tag) {
        case PB_TrackEvent_type << 3 | PB_WIRE_VARINT:
            h->type = (int32_t)(uint32_t)value;
            h->has_type = true;
            break;
        case PB_TrackEvent_category_iids << 3 | PB_WIRE_VARINT:
            h->category_iid = value;
            h->categories++;
            break;
        case PB_TrackEvent_name_iid << 3 | PB_WIRE_VARINT:
            h->name_iid = value;
            break;
        case PB_TrackEvent_track_uuid << 3 | PB_WIRE_VARINT:
            h->track_uuid = value;
            h->has_track_uuid = true;
            break;
        case PB_TrackEvent_extra_counter_values << 3 | PB_WIRE_VARINT: {
            struct pb_field f = {PB_TrackEvent_extra_counter_values, PB_WIRE_VARINT, value, NULL};
            struct pb_reader rest = {next, end, false};
            extra_found(&h->extra_ints, &f, &rest);
            break;
        }
        default:
            return p;
        }
        p = next;
    }
    return p;
}

static void read_head(struct pb_reader r, struct event_head *h)
{
    struct pb_field f;
    for (;;) {
        r.p = read_usual(r.p, r.end, h);
        if (r.p == r.end || !pb_next(&r, &f))
            return;
        switch (f.number) {
        case PB_TrackEvent_type:
            h->type = pb_i32(&f);
            h->has_type = true;
            break;
        case PB_TrackEvent_category_iids:
            h->category_iid = pb_u64(&f);
            h->categories++;
            h->has_more |= f.wire_type != PB_WIRE_VARINT;
            break;
        case PB_TrackEvent_name_iid:
            h->name_iid = pb_u64(&f);
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
            extra_found(&h->extra_ints, &f, &r);
            break;
        case PB_TrackEvent_extra_double_counter_values:
            extra_found(&h->extra_reals, &f, &r);
            break;
        case PB_TrackEvent_extra_counter_track_uuids:
            h->extra_ints.has_uuids = true;
            break;
        case PB_TrackEvent_extra_double_counter_track_uuids:
            h->extra_reals.has_uuids = true;
            break;
        case PB_TrackEvent_legacy_event:
            h->legacy = field_bytes(&f);
            h->has_more = true;
            break;
        default:
            h->has_more = true;
        }
    }
}

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
        *out = p->ts;
        return true;
    } else {
        packet_log(im, p, STAT_track_event_missing_timestamp, NULL);
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
    struct event_head h;
    clear_head(&h);
    track_event_generation_of(im, p);
    read_head(bytes_reader(p->field), &h);
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

static bool thread_counts(struct import *im, const struct packet *p, const struct event_head *h,
                          struct record_values *v)
{
    struct track_event_sequence *s = p->sequence->track_event;
    if (h->has_thread_time_delta) {
        if (!s->timestamps_valid) {
            packet_log_sequence(im, p,
                                STAT_track_event_skipped_thread_time_delta_without_valid_state);
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
            packet_log_sequence(
                im, p, STAT_track_event_skipped_thread_instruction_delta_without_valid_state);
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
        packet_log(im, p, STAT_track_event_counter_missing_track_uuid, NULL);
        return false;
    }
    if (!h->has_int_value && !h->has_double_value) {
        packet_log_track(im, p, STAT_track_event_counter_missing_value, h->track_uuid);
        return false;
    }
    if (!descriptor_track_counter_value(im, p->sequence->track_event, v->record.track,
                                        h->counter_value, &v->counter)) {
        packet_log_track(im, p, STAT_track_event_counter_invalid_track_uuid, h->track_uuid);
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
    packet_log_track(im, p, STAT_track_event_extra_counter_invalid_track,
                     track_event_track(im, track)->uuid);
    return false;
}

/* The tracks of one kind's values, and how many values were added. */
struct extra_state {
    const struct extra_tracks *tracks; /* NULL before the first */
    struct extra_tracks own;
    uint32_t used;
};

/* Adds a value, whose bits are as they stand on the wire. */
static bool add_extra(struct import *im, const struct packet *p, const struct extra_head *h,
                      bool real, uint64_t bits, struct extra_state *s, struct record_values *v)
{
    uint32_t uuid_field = real ? PB_TrackEvent_extra_double_counter_track_uuids
                               : PB_TrackEvent_extra_counter_track_uuids;
    if (!s->tracks) {
        s->tracks = extra_tracks_of(im, p, h, uuid_field, v->generation, &s->own);
        if (s->tracks != &v->generation->extra_ints)
            v->record.flags &= (uint16_t)~RECORD_USUAL_EXTRAS;
    }
    if (s->tracks->count == 0) {
        packet_log_sequence(im, p, STAT_track_event_extra_counter_missing_track_uuids);
        return false;
    }
    if (v->record.extra_counters >= TRACK_EVENT_EXTRA_COUNTERS) {
        packet_log_sequence(im, p, STAT_track_event_extra_counter_exceeds_max);
        return false;
    }
    if (s->used >= s->tracks->count) {
        packet_log_sequence(im, p, STAT_track_event_extra_counter_track_uuid_mismatch);
        return false;
    }
    double value = (double)(int64_t)bits;
    if (real)
        memcpy(&value, &bits, sizeof value);
    return extra_value(im, p, s->tracks->items[s->used++], value, v);
}

/* Adds the values of one of the two kinds. */
static bool extra_values(struct import *im, const struct packet *p, const struct extra_head *h,
                         bool real, struct record_values *v)
{
    struct extra_state s;
    s.tracks = NULL;
    s.used = 0;
    struct pb_field f = h->first;
    struct pb_reader r = h->rest;
    uint64_t bits;
    for (uint32_t left = h->fields; left > 0;) {
        struct pb_packed it = pb_packed_begin(&f, real ? PB_WIRE_I64 : PB_WIRE_VARINT);
        while (pb_packed_next(&it, &bits))
            if (!add_extra(im, p, h, real, bits, &s, v))
                return false;
        if (--left == 0)
            break;
        while (pb_next(&r, &f) && f.number != h->first.number) {
        }
    }
    return true;
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
        packet_log(im, p, STAT_track_event_missing_sequence_id, NULL);
        return true;
    }
    if (p->field.n > UINT32_MAX)
        return true;
    struct event_head h;
    struct record_values v; /* of the arrays only what is used is set */
    int64_t ts;
    v.generation = track_event_generation_of(im, p);
    clear_head(&h);
    read_head(bytes_reader(p->field), &h);
    begin_record(&v, p, &h);
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
        packet_log(im, p, STAT_track_event_state_missing_track_uuid, NULL);
        return true;
    }
    if ((h.extra_ints.fields && !extra_values(im, p, &h.extra_ints, false, &v)) ||
        (h.extra_reals.fields && !extra_values(im, p, &h.extra_reals, true, &v)))
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
