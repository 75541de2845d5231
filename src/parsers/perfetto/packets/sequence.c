#include "parsers/perfetto/packets/sequence.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

struct interned_entry {
    uint64_t iid;
    uint32_t field;
    string_id string; /* once asked for */
    struct bytes bytes;
};

struct interned_entries {
    struct trace *trace;
    struct map by_id;
    VEC(struct interned_entry) items;
    uint32_t users; /* generations */
};

static uint64_t entry_key(uint32_t field, uint64_t iid)
{
    return hash_mix(iid, field);
}

static struct interned_generation *generation_new(struct import *im,
                                                  struct interned_entries *entries)
{
    if (!entries)
        entries = alloc_array(1, sizeof *entries);
    entries->trace = im->trace;
    entries->users++;
    struct interned_generation *g = arena_alloc(&im->arena, sizeof *g);
    *vec_push(&im->generations) = g;
    *g =
        (struct interned_generation){.number = (uint32_t)im->generations.count, .entries = entries};
    return g;
}

struct packet_sequence *sequence_intern(struct import *im, uint32_t machine, uint32_t id)
{
    struct packet_sequence *seq = im->last_sequence;
    if (seq && seq->id == id && seq->machine == machine)
        return seq;
    bool inserted;
    uint32_t *at = map_insert(&im->sequences, (uint64_t)machine << 32 | id, &inserted);
    if (inserted) {
        *at = (uint32_t)im->sequence_list.count;
        seq = arena_alloc(&im->arena, sizeof *seq);
        *seq = (struct packet_sequence){.id = id, .machine = machine};
        seq->current = generation_new(im, NULL);
        *vec_push(&im->sequence_list) = seq;
    }
    im->last_sequence = im->sequence_list.items[*at];
    return im->last_sequence;
}

bool sequence_has_first_packet(const struct import *im, uint32_t machine, uint32_t id)
{
    const uint32_t *at = map_find(&im->sequences, (uint64_t)machine << 32 | id);
    return at && im->sequence_list.items[*at]->has_first_packet;
}

void sequence_clear(struct import *im, struct packet_sequence *seq)
{
    seq->state_valid = true;
    seq->default_clock = 0;
    seq->current = generation_new(im, NULL);
    im->handlers->sequence_cleared(seq);
}

void sequence_lose(struct packet_sequence *seq)
{
    seq->state_valid = false;
}

void sequence_set_defaults(struct import *im, struct packet_sequence *seq, struct bytes defaults)
{
    struct pb_reader r = pb_reader_from(defaults.p, defaults.n);
    struct pb_field f;
    seq->default_clock = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_TracePacketDefaults_timestamp_clock_id)
            seq->default_clock = pb_u32(&f);
    seq->current = generation_new(im, seq->current->entries);
    seq->current->defaults = defaults;
}

static bool read_iid(struct bytes entry, uint64_t *iid)
{
    struct pb_reader r = pb_reader_from(entry.p, entry.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number != 1 || f.wire_type != PB_WIRE_VARINT)
            continue;
        *iid = f.value;
        return true;
    }
    return false;
}

struct bytes bytes_copy(struct arena *arena, struct bytes b)
{
    uint8_t *copy = arena_alloc_bytes(arena, b.n);
    if (b.n)
        memcpy(copy, b.p, b.n);
    return (struct bytes){copy, b.n};
}

/* NULL where the id has a meaning, which it keeps until the state is cleared. */
static struct interned_entry *entry_add(struct interned_entries *entries, uint32_t field,
                                        uint64_t iid)
{
    bool inserted;
    uint32_t *at = map_insert(&entries->by_id, entry_key(field, iid), &inserted);
    if (!inserted)
        return NULL;
    *at = (uint32_t)entries->items.count;
    struct interned_entry *e = vec_push(&entries->items);
    *e = (struct interned_entry){.iid = iid, .field = field};
    return e;
}

void sequence_intern_data(struct import *im, struct packet_sequence *seq, struct bytes data)
{
    struct pb_reader r = pb_reader_from(data.p, data.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        struct bytes bytes = {f.data, (size_t)f.value};
        uint64_t iid;
        if (!f.data || !read_iid(bytes, &iid)) {
            stats_count(im->trace, STAT_interned_data_tokenizer_errors);
            continue;
        }
        struct interned_entry *e = entry_add(seq->current->entries, f.number, iid);
        if (e)
            e->bytes = bytes;
    }
    if (r.error)
        stats_count(im->trace, STAT_interned_data_tokenizer_errors);
}

void sequence_intern_some(struct import *im, struct packet_sequence *seq, struct bytes data,
                          const uint32_t *fields)
{
    struct pb_reader r = pb_reader_from(data.p, data.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        struct bytes bytes = {f.data, (size_t)f.value};
        size_t i = 0;
        uint64_t iid;
        while (fields[i] && fields[i] != f.number)
            i++;
        struct interned_entry *e = fields[i] && f.data && read_iid(bytes, &iid)
                                       ? entry_add(seq->current->entries, f.number, iid)
                                       : NULL;
        if (e)
            e->bytes = bytes_copy(&im->arena, bytes);
    }
}

static struct interned_entry *entry_find(const struct interned_generation *g, uint32_t field,
                                         uint64_t iid)
{
    struct interned_entries *entries = g->entries;
    const uint32_t *at = map_find(&entries->by_id, entry_key(field, iid));
    struct interned_entry *e = at ? &entries->items.items[*at] : NULL;
    if (e && e->iid == iid && e->field == field)
        return e;
    if (entries->trace->builder) /* args may be read after the load */
        stats_count(entries->trace, STAT_interned_data_tokenizer_errors);
    return NULL;
}

struct bytes interned_find(const struct interned_generation *g, uint32_t field, uint64_t iid)
{
    const struct interned_entry *e = entry_find(g, field, iid);
    return e ? e->bytes : (struct bytes){NULL, 0};
}

struct str interned_text(struct bytes entry)
{
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    struct str text = {entry.p ? "" : NULL, 0};
    while (pb_next(&r, &f))
        if (f.number == 2 && f.data)
            text = pb_str(&f);
    return text;
}

string_id interned_string(struct import *im, const struct interned_generation *g, uint32_t field,
                          uint64_t iid)
{
    struct interned_entry *e = entry_find(g, field, iid);
    if (!e)
        return NULL_STRING;
    if (!e->string)
        e->string = trace_intern(im->trace, interned_text(e->bytes));
    return e->string;
}

void sequences_release(struct import *im)
{
    for (size_t i = 0; i < im->generations.count; i++) {
        struct interned_entries *entries = im->generations.items[i]->entries;
        if (--entries->users > 0)
            continue;
        map_release(&entries->by_id);
        vec_release(&entries->items);
        free(entries);
    }
    vec_release(&im->sequence_list);
    im->last_sequence = NULL;
    vec_release(&im->generations);
    map_release(&im->sequences);
}
