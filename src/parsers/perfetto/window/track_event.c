#include "parsers/perfetto/window/track_event.h"

#include "base/hash.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_phases.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

struct uuids {
    uint64_t items[TRACK_EVENT_EXTRA_COUNTERS];
    int32_t count;
};

static void add_uuids(const struct pb_field *f, struct uuids *out)
{
    struct pb_packed it = pb_packed_begin(f, PB_WIRE_VARINT);
    uint64_t uuid;
    while (out->count < TRACK_EVENT_EXTRA_COUNTERS && pb_packed_next(&it, &uuid))
        out->items[out->count++] = uuid;
}

/* Of which tracks the extra values are. */
struct extra {
    struct uuids own, usual;
    int32_t used;
};

static const struct uuids *uuids_of(const struct extra *e)
{
    return e->own.count ? &e->own : &e->usual;
}

static void add_extra(struct cut_event *out, struct extra *e, const struct pb_field *f, bool real)
{
    struct pb_packed it = pb_packed_begin(f, real ? PB_WIRE_I64 : PB_WIRE_VARINT);
    const struct uuids *uuids = uuids_of(e);
    uint64_t bits;
    while (pb_packed_next(&it, &bits)) {
        int32_t extras = out->counter_count - out->has_own_counter;
        out->has_more |= extras == TRACK_EVENT_EXTRA_COUNTERS || e->used == uuids->count;
        if (out->has_more)
            return;
        struct counter_change *c = &out->counters[out->counter_count++];
        *c = (struct counter_change){.uuid = uuids->items[e->used++], .is_real = real};
        if (real)
            memcpy(&c->real, &bits, sizeof bits);
        else
            c->whole = (int64_t)bits;
    }
}

static void read_defaults(const struct packet *p, struct cut_event *out, struct extra *whole,
                          struct extra *real)
{
    struct pb_reader r = track_event_defaults(p->generation);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TrackEventDefaults_track_uuid) {
            out->track_uuid = pb_u64(&f);
            out->has_track = true;
        } else if (f.number == PB_TrackEventDefaults_extra_counter_track_uuids) {
            add_uuids(&f, &whole->usual);
        } else if (f.number == PB_TrackEventDefaults_extra_double_counter_track_uuids) {
            add_uuids(&f, &real->usual);
        }
    }
}

static void read_legacy(struct cut_event *out)
{
    struct pb_reader r = bytes_reader(out->legacy);
    struct pb_field f;
    uint64_t name_iid = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TrackEvent_LegacyEvent_phase)
            out->phase = pb_i32(&f);
        else if (f.number == PB_TrackEvent_LegacyEvent_duration_us)
            out->duration_us = pb_i64(&f);
        else if (f.number == PB_TrackEvent_LegacyEvent_name_iid)
            name_iid = pb_u64(&f);
    }
    if (!out->name_iid)
        out->name_iid = name_iid;
}

static void add_own_counter(struct cut_event *out, const struct pb_field *f, bool real)
{
    out->has_own_counter = true;
    out->counter_count = 1;
    out->counters[0] = (struct counter_change){.is_real = real};
    if (real)
        out->counters[0].real = pb_real(f);
    else
        out->counters[0].whole = pb_i64(f);
}

static void read_fields(const struct packet *p, struct cut_event *out, struct extra *whole,
                        struct extra *real)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_TrackEvent_type:
            out->type = pb_i32(&f);
            break;
        case PB_TrackEvent_track_uuid:
            out->track_uuid = pb_u64(&f);
            out->has_track = true;
            break;
        case PB_TrackEvent_legacy_event:
            out->legacy = field_bytes(&f);
            break;
        case PB_TrackEvent_name_iid:
            out->name_iid = pb_u64(&f);
            break;
        case PB_TrackEvent_name:
            out->name = f.data ? pb_str(&f) : (struct str){0};
            break;
        case PB_TrackEvent_thread_time_delta_us:
        case PB_TrackEvent_thread_time_absolute_us:
            out->has_thread_time = true;
            break;
        case PB_TrackEvent_thread_instruction_count_delta:
        case PB_TrackEvent_thread_instruction_count_absolute:
            out->has_instructions = true;
            break;
        case PB_TrackEvent_counter_value:
        case PB_TrackEvent_double_counter_value:
            add_own_counter(out, &f, f.number == PB_TrackEvent_double_counter_value);
            break;
        case PB_TrackEvent_extra_counter_track_uuids:
            add_uuids(&f, &whole->own);
            break;
        case PB_TrackEvent_extra_double_counter_track_uuids:
            add_uuids(&f, &real->own);
            break;
        default:
            break;
        }
    }
}

/* Of one kind after the other, as they are imported: of too many, those before count. */
static void add_extras(const struct packet *p, struct cut_event *out, struct extra *e,
                       uint32_t number)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == number)
            add_extra(out, e, &f, number == PB_TrackEvent_extra_double_counter_values);
}

void cut_event_read(const struct packet *p, struct cut_event *out)
{
    struct extra whole, real;
    whole = real = (struct extra){.used = 0};
    *out = (struct cut_event){.type = 0};
    read_defaults(p, out, &whole, &real);
    read_fields(p, out, &whole, &real);
    if (out->legacy.n)
        read_legacy(out);
    if (out->type != PB_TrackEvent_Type_TYPE_COUNTER) {
        out->has_own_counter = false;
        out->counter_count = 0;
    } else if (out->has_own_counter) {
        out->counters[0].uuid = out->track_uuid;
    }
    add_extras(p, out, &whole, PB_TrackEvent_extra_counter_values);
    add_extras(p, out, &real, PB_TrackEvent_extra_double_counter_values);
}

bool cut_event_is_always(const struct packet *p)
{
    struct pb_field legacy = pb_last(bytes_reader(p->field), PB_TrackEvent_legacy_event);
    struct pb_field f = pb_last(pb_message(&legacy), PB_TrackEvent_LegacyEvent_phase);
    return f.value && phase_of_letter(pb_i32(&f))->span == SPAN_ALWAYS;
}

const uint32_t cut_names_interned[] = {PB_InternedData_event_categories,
                                       PB_InternedData_event_names, 0};

/* Texts one behind the other, which may be empty: a name that is "" fits nothing else. */
static uint64_t add_text(uint64_t hash, struct str text)
{
    return text.p ? hash_bytes(text.p, text.n, hash ? hash : 1) | 1 : hash;
}

/* What is not known is no name. */
static uint64_t add_interned(uint64_t hash, const struct packet *p, uint32_t field, uint64_t iid)
{
    return add_text(hash, interned_text(interned_find(p->generation, field, iid)));
}

/* Those that are interned come first, as where they are joined. */
static uint32_t category_of(const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t hash = 0, iid;
    while (pb_next(&r, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (f.number == PB_TrackEvent_category_iids && pb_packed_next(&it, &iid))
            hash = add_interned(hash, p, PB_InternedData_event_categories, iid);
    }
    r = bytes_reader(p->field);
    while (pb_next(&r, &f))
        if (f.number == PB_TrackEvent_categories)
            hash = add_text(hash, pb_str(&f));
    return (uint32_t)hash;
}

struct cut_names cut_event_names(const struct packet *p, const struct cut_event *e)
{
    struct cut_names names = {.category = category_of(p)};
    if (e->name_iid)
        names.name = add_interned(0, p, PB_InternedData_event_names, e->name_iid);
    else
        names.name = add_text(0, e->name);
    return names;
}

uint64_t cut_flow_key(uint64_t id)
{
    return hash_mix(id, PART_FLOWS);
}

void cut_event_flows(const struct packet *p, const struct cut_event *e, track_flow_each each,
                     void *self)
{
    bool is_slice = e->phase ? !phase_of_letter(e->phase)->without_flows
                             : e->type == PB_TrackEvent_Type_TYPE_SLICE_BEGIN ||
                                   e->type == PB_TrackEvent_Type_TYPE_SLICE_END ||
                                   e->type == PB_TrackEvent_Type_TYPE_INSTANT;
    struct pb_reader r = bytes_reader(e->legacy);
    struct pb_field f;
    uint64_t bind_id = 0;
    uint32_t direction = 0;
    bool binds = false;
    if (!is_slice)
        return;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TrackEvent_LegacyEvent_bind_id) {
            bind_id = pb_u64(&f);
            binds = true;
        } else if (f.number == PB_TrackEvent_LegacyEvent_flow_direction) {
            direction = pb_u32(&f);
        }
    }
    if (binds)
        each(self, track_flow_of_direction(direction), bind_id);
    track_event_flows(bytes_reader(p->field), each, self);
}
