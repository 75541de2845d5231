#include "parsers/perfetto/track_event/track_event_head.h"

#include <stddef.h>
#include <string.h>

#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "pb_fields.h"

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

void event_head_read(struct pb_reader r, struct event_head *h)
{
    struct pb_field f;
    clear_head(h);
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
            h->int_value = pb_i64(&f);
            h->has_int_value = true;
            break;
        case PB_TrackEvent_double_counter_value:
            h->double_value = pb_real(&f);
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

uint32_t event_head_track(struct import *im, const struct packet *p,
                          const struct event_generation *g, struct event_head *h)
{
    if (!h->has_track_uuid && g->default_track != NULL_U32) {
        h->has_track_uuid = true;
        return g->default_track;
    }
    return descriptor_track_find(im, p->machine, h->track_uuid);
}

bool event_head_has_state(struct import *im, const struct packet *p, const struct event_head *h)
{
    if (p->sequence->track_event->timestamps_valid)
        return true;
    if (h->has_thread_time_delta)
        packet_log_sequence(im, p, STAT_track_event_skipped_thread_time_delta_without_valid_state);
    else if (h->has_instructions_delta)
        packet_log_sequence(im, p,
                            STAT_track_event_skipped_thread_instruction_delta_without_valid_state);
    return !h->has_thread_time_delta && !h->has_instructions_delta;
}

bool event_head_has_value(struct import *im, const struct packet *p, const struct event_head *h,
                          uint32_t track)
{
    bool is_counter = h->type == PB_TrackEvent_Type_TYPE_COUNTER;
    if (h->type == PB_TrackEvent_Type_TYPE_STATE && !h->has_track_uuid)
        packet_log(im, p, STAT_track_event_state_missing_track_uuid, NULL);
    else if (is_counter && !h->has_track_uuid)
        packet_log(im, p, STAT_track_event_counter_missing_track_uuid, NULL);
    else if (is_counter && !h->has_int_value && !h->has_double_value)
        packet_log_track(im, p, STAT_track_event_counter_missing_value, h->track_uuid);
    else if (is_counter && !descriptor_track_is_counter(im, track))
        packet_log_track(im, p, STAT_track_event_counter_invalid_track_uuid, h->track_uuid);
    else
        return true;
    return false;
}

/* The tracks that the event names for its extra counters, or else its sequence's defaults do. */
static const struct extra_tracks *extra_tracks_of(struct import *im, const struct packet *p,
                                                  const struct extra_head *h, bool real,
                                                  const struct event_generation *g,
                                                  struct extra_tracks *own)
{
    own->count = 0;
    if (h->has_uuids)
        track_event_add_extra_tracks(im, p->machine, bytes_reader(p->field),
                                     real ? PB_TrackEvent_extra_double_counter_track_uuids
                                          : PB_TrackEvent_extra_counter_track_uuids,
                                     own);
    if (own->count > 0)
        return own;
    return real ? &g->extra_reals : &g->extra_ints;
}

/* Whether there may be one more value, of which `total` are there before. */
static bool may_have_more(struct import *im, const struct packet *p, const struct extra_value *v,
                          uint32_t total)
{
    if (v->tracks->count == 0)
        packet_log_sequence(im, p, STAT_track_event_extra_counter_missing_track_uuids);
    else if (total >= TRACK_EVENT_EXTRA_COUNTERS)
        packet_log_sequence(im, p, STAT_track_event_extra_counter_exceeds_max);
    else if (v->at >= v->tracks->count)
        packet_log_sequence(im, p, STAT_track_event_extra_counter_track_uuid_mismatch);
    else if (!descriptor_track_is_counter(im, v->tracks->items[v->at]))
        packet_log_track(im, p, STAT_track_event_extra_counter_invalid_track,
                         track_event_track(im, v->tracks->items[v->at])->uuid);
    else
        return true;
    return false;
}

/* Those of one kind. */
static bool each_extra(struct import *im, const struct packet *p, const struct extra_head *h,
                       struct extra_value *v, uint32_t *total, extra_value_each each, void *self)
{
    struct pb_field f = h->first;
    struct pb_reader r = h->rest;
    for (uint32_t left = h->fields; left > 0;) {
        struct pb_packed it = pb_packed_begin(&f, v->is_real ? PB_WIRE_I64 : PB_WIRE_VARINT);
        for (; pb_packed_next(&it, &v->bits); v->at++, ++*total) {
            if (!may_have_more(im, p, v, *total))
                return false;
            each(self, v);
        }
        if (--left == 0)
            break;
        while (pb_next(&r, &f) && f.number != h->first.number) {
        }
    }
    return true;
}

bool event_head_extras(struct import *im, const struct packet *p, const struct event_generation *g,
                       const struct event_head *h, extra_value_each each, void *self)
{
    uint32_t total = 0;
    for (int real = 0; real < 2; real++) {
        const struct extra_head *head = real ? &h->extra_reals : &h->extra_ints;
        struct extra_tracks own;
        struct extra_value v = {.is_real = real};
        if (head->fields == 0)
            continue;
        v.tracks = extra_tracks_of(im, p, head, real, g, &own);
        if (!each_extra(im, p, head, &v, &total, each, self))
            return false;
    }
    return true;
}
