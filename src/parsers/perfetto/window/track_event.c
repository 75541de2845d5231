#include "parsers/perfetto/window/track_event.h"

#include "base/hash.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/track_event_phases.h"
#include "parsers/perfetto/track_event/track_event_place.h"
#include "parsers/perfetto/window/scan.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

static struct counter_change *push_counter(struct cut_event *e, uint32_t track, bool is_real)
{
    struct counter_change *c = &e->counters[e->counter_count++];
    *c = (struct counter_change){.track = track, .is_real = is_real};
    return c;
}

static void add_extra(void *self, const struct extra_value *extra)
{
    struct cut_event *e = self;
    struct counter_change *c = push_counter(e, extra->tracks->items[extra->at], extra->is_real);
    if (extra->is_real)
        memcpy(&c->real, &extra->bits, sizeof c->real);
    else
        c->whole = (int64_t)extra->bits;
}

static void add_own_counter(struct cut_event *e)
{
    const struct event_head *h = &e->head;
    struct counter_change *c = push_counter(e, e->record.track, !h->has_int_value);
    e->has_own_counter = true;
    if (c->is_real)
        c->real = h->double_value;
    else
        c->whole = h->int_value;
}

/* False where there is no event. */
static bool read_counters(struct import *im, const struct packet *p, struct cut_event *out)
{
    const struct event_head *h = &out->head;
    if (!event_head_has_state(im, p, h) || !event_head_has_value(im, p, h, out->record.track))
        return false;
    if (h->type == PB_TrackEvent_Type_TYPE_COUNTER)
        add_own_counter(out);
    return event_head_extras(im, p, out->event.generation, h, add_extra, out);
}

static struct track_owner owner_of(struct import *im, const struct cut_event *e)
{
    const struct descriptor_track *d = track_event_track(im, e->record.track);
    struct event_thread of;
    if (!d->uuid && track_event_thread_of(&e->event, &of))
        return (struct track_owner){
            .of_thread = true, .of_process = true, .is_thread = true, .pid = of.pid, .tid = of.tid};
    return track_owner_of(&scan_of(im)->tracks, d);
}

/* Whether there is a place for the event; the importer drops it otherwise. */
static bool has_place(const struct cut_event *e)
{
    struct track_owner owner = e->owner;
    const struct track_event *event = &e->event;
    if (owner.is_broken)
        return false;
    if (owner.of_thread && (owner.pid == 0 || owner.tid == 0))
        return false;
    if (legacy_phase(event)->place != PLACE_SCOPE)
        return true;
    if (!track_event_leaves_thread(event))
        return owner.of_thread;
    return owner.of_process ||
           event->legacy.instant_scope != PB_TrackEvent_LegacyEvent_InstantEventScope_SCOPE_PROCESS;
}

void cut_event_read(struct import *im, const struct packet *p, struct cut_event *out)
{
    struct event_generation *g = track_event_generation_of(im, p);
    memset(out, 0, sizeof *out);
    event_head_read(bytes_reader(p->field), &out->head);
    track_event_read_fields(&out->event, bytes_reader(p->field));
    out->event.generation = g;
    out->event.record = &out->record;
    out->record.track = event_head_track(im, p, g, &out->head);
    out->owner = owner_of(im, out);
    out->is_dropped =
        !read_counters(im, p, out) || !event_has_meaning(&out->event) || !has_place(out);
    out->phase = phase_of_event(&out->event, out->owner.of_thread);
    if (out->phase->of_thread && !out->owner.of_thread)
        out->phase = phase_of_letter(0);
}

enum phase_span cut_event_span(const struct cut_event *e)
{
    const struct event_type *type = type_of_event(e->event.type);
    return type->apply ? type->span : e->phase->span;
}

uint64_t cut_counter_uuid(struct import *im, const struct counter_change *c)
{
    return track_event_track(im, c->track)->uuid;
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
    const struct pb_field *spelt = &e->event.spelt_name;
    struct cut_names names = {.category = category_of(p)};
    if (e->event.name_iid)
        names.name = add_interned(0, p, PB_InternedData_event_names, e->event.name_iid);
    else if (spelt->data)
        names.name = add_text(0, pb_str(spelt));
    return names;
}

uint64_t cut_flow_key(uint64_t id)
{
    return hash_mix(id, PART_FLOWS);
}

void cut_event_flows(const struct cut_event *e, track_flow_each each, void *self)
{
    const struct legacy_event *l = &e->event.legacy;
    if (type_of_event(e->event.type)->apply || !e->phase->has_flows)
        return;
    if (l->has_bind_id)
        each(self, track_flow_of_direction(l->flow_direction), l->bind_id);
    track_event_flows(e->event.bytes, each, self);
}
