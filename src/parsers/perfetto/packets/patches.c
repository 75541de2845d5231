#define PB_READS_LITTLE
#include "parsers/perfetto/packets/patches.h"

#include "core/stats.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/proto/protovm.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* What all of a trace's patches may cost, in bytes read, moved or written: states are much larger
 * than patches, and a trace of a few bytes could ask for any number of them. */
enum { WORK_MIN = 64 << 20, WORK_PER_BYTE = 128, LINK_WORK = 16, VM_WORK = 1024 };

/* A program and what it made so far. */
struct patch_vm {
    struct protovm vm;
    struct bytes saved; /* the state without the patch that runs; lives as long as the import */
};

struct links {
    VEC(uint32_t) to;
};

struct patches {
    VEC(struct patch_vm *) vms;
    VEC(struct links) links;
    struct map producers; /* machine << 32 | producer -> links to its sequences */
    struct map sequences; /* machine << 32 | sequence -> links to its programs */
    struct pb_bytes out;
    uint64_t work;
};

static struct patches *patches_of(struct import *im)
{
    if (im->patches)
        return im->patches;
    im->patches = alloc_array(1, sizeof *im->patches);
    im->patches->work = (uint64_t)im->input.n * WORK_PER_BYTE + WORK_MIN;
    return im->patches;
}

void patches_release(struct import *im)
{
    struct patches *s = im->patches;
    if (!s)
        return;
    for (size_t i = 0; i < s->vms.count; i++) {
        protovm_release(&s->vms.items[i]->vm);
        free(s->vms.items[i]);
    }
    for (size_t i = 0; i < s->links.count; i++)
        vec_release(&s->links.items[i].to);
    vec_release(&s->vms);
    vec_release(&s->links);
    map_release(&s->producers);
    map_release(&s->sequences);
    pb_bytes_release(&s->out);
    free(s);
}

static uint64_t key_of(uint32_t machine, uint32_t id)
{
    return (uint64_t)machine << 32 | id;
}

static bool spend(struct patches *s, uint64_t work)
{
    if (work > s->work) {
        s->work = 0;
        return false;
    }
    s->work -= work;
    return true;
}

static void link_add(struct patches *s, struct map *from, uint64_t key, uint32_t to)
{
    if (!spend(s, LINK_WORK))
        return;
    bool is_new;
    uint32_t *at = map_insert(from, key, &is_new);
    if (is_new) {
        *at = (uint32_t)s->links.count;
        *vec_push(&s->links) = (struct links){0};
    }
    *vec_push(&s->links.items[*at].to) = to;
}

/* Which sequences a producer writes. */
static bool trace_provenance_tokenize(struct import *im, struct packet *p)
{
    struct patches *s = patches_of(im);
    struct pb_reader provenance = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&provenance, &f)) {
        if (f.number != PB_TraceProvenance_buffers)
            continue;
        struct pb_reader buffer = pb_message(&f);
        while (pb_next(&buffer, &f)) {
            if (f.number != PB_TraceProvenance_Buffer_sequences)
                continue;
            struct pb_reader sequence = pb_message(&f);
            uint32_t id = 0, producer = 0;
            while (pb_next(&sequence, &f)) {
                if (f.number == PB_TraceProvenance_Sequence_id)
                    id = pb_u32(&f);
                else if (f.number == PB_TraceProvenance_Sequence_producer_id)
                    producer = pb_u32(&f);
            }
            link_add(s, &s->producers, key_of(p->machine, producer), id);
        }
    }
    return true;
}

static void add_producer(struct import *im, const struct packet *p, uint32_t producer, uint32_t vm)
{
    struct patches *s = im->patches;
    const uint32_t *at = map_find(&s->producers, key_of(p->machine, producer));
    if (!at) {
        packet_log(im, p, STAT_protovm_registration_error, NULL);
        return;
    }
    for (size_t i = 0; i < s->links.items[*at].to.count; i++)
        link_add(s, &s->sequences, key_of(p->machine, s->links.items[*at].to.items[i]), vm);
}

static void add_instance(struct import *im, const struct packet *p, struct pb_reader instance)
{
    struct patches *s = im->patches;
    struct pb_reader again = instance;
    struct pb_field f, program = {0}, state = {0};
    uint32_t limit_kb = 0;
    while (pb_next(&instance, &f)) {
        if (f.number == PB_TracePacket_ProtoVms_Instance_program)
            program = f;
        else if (f.number == PB_TracePacket_ProtoVms_Instance_state)
            state = f;
        else if (f.number == PB_TracePacket_ProtoVms_Instance_memory_limit_kb)
            limit_kb = pb_u32(&f);
    }
    if (!spend(s, VM_WORK))
        return;
    struct patch_vm *v = alloc_array(1, sizeof *v);
    protovm_init(&v->vm, &program, (size_t)limit_kb << 10);
    v->vm.state.work = &s->work;
    if (message_tree_set(&v->vm.state, state.data, field_bytes(&state).n))
        v->saved = field_bytes(&state);
    *vec_push(&s->vms) = v;
    while (pb_next(&again, &f)) {
        uint64_t producer;
        struct pb_packed producers = pb_packed_begin(&f, PB_WIRE_VARINT);
        if (f.number == PB_TracePacket_ProtoVms_Instance_producer_id)
            while (pb_packed_next(&producers, &producer))
                add_producer(im, p, (uint32_t)producer, (uint32_t)s->vms.count - 1);
    }
}

static bool protovms_tokenize(struct import *im, struct packet *p)
{
    patches_of(im);
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_TracePacket_ProtoVms_instance)
            add_instance(im, p, pb_message(&f));
    return true;
}

static void put_trusted_fields(struct pb_bytes *out, struct bytes patch)
{
    struct pb_reader r = bytes_reader(patch);
    struct pb_field f;
    for (const uint8_t *from = r.p; pb_next(&r, &f); from = r.p)
        if (f.number == PB_TracePacket_trusted_uid || f.number == PB_TracePacket_trusted_pid ||
            f.number == PB_TracePacket_trusted_packet_sequence_id ||
            f.number == PB_TracePacket_machine_id)
            pb_put_raw(out, from, (size_t)(r.p - from));
}

/* The state as it is now, with what the recording service says of the patch: a packet. Without
 * bytes if it would cost too much. */
static struct bytes save(struct import *im, struct patch_vm *v, struct bytes patch)
{
    struct patches *s = im->patches;
    s->out.v.count = 0;
    message_tree_write(&v->vm.state, &s->out);
    size_t state = s->out.v.count;
    put_trusted_fields(&s->out, patch);
    if (!spend(s, s->out.v.count))
        return (struct bytes){0};
    uint8_t *copy = arena_alloc_bytes(&im->arena, s->out.v.count);
    if (s->out.v.count > 0)
        memcpy(copy, s->out.v.items, s->out.v.count);
    v->saved = (struct bytes){copy, state};
    return (struct bytes){copy, s->out.v.count};
}

/* The packet that the patch makes; without bytes where it is none for this program. */
static struct bytes apply(struct import *im, struct patch_vm *v, struct bytes patch)
{
    struct pb_field whole = {.wire_type = PB_WIRE_LEN, .value = patch.n, .data = patch.p};
    struct bytes packet = {0};
    v->vm.state.changed = false;
    enum tree_status status = protovm_apply(&v->vm, &whole);
    if (status == TREE_ERROR && !v->vm.state.changed)
        return packet;
    if (status != TREE_ABORT)
        packet = save(im, v, patch);
    if (!packet.p) {
        stats_count(im->trace, STAT_protovm_abort);
        message_tree_set(&v->vm.state, v->saved.p, v->saved.n);
    }
    return status == TREE_OK ? packet : (struct bytes){0};
}

bool patches_apply(struct import *im, uint32_t machine, uint32_t sequence, struct bytes *packet)
{
    struct patches *s = im->patches;
    const uint32_t *at = map_find(&s->sequences, key_of(machine, sequence));
    if (!at)
        return false;
    const struct links *vms = &s->links.items[*at];
    if (s->work == 0)
        stats_count(im->trace, STAT_protovm_abort);
    for (size_t i = 0; i < vms->to.count && s->work > 0; i++) {
        struct bytes state = apply(im, s->vms.items[vms->to.items[i]], *packet);
        if (!state.p)
            continue;
        *packet = state;
        return true;
    }
    return false;
}

const struct packet_module patches_packets[] = {
    {PB_TracePacket_trace_provenance, .tokenize = trace_provenance_tokenize, .felt = PACKET_ALWAYS,
     .tells = TELLS_MEANING},
    {PB_TracePacket_protovms, .tokenize = protovms_tokenize, .felt = PACKET_DONE,
     .tells = TELLS_MEANING},
    {0},
};
