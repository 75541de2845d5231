/* Atoms of statsd: instants on one track, called by what they are. */
#define PB_READS_LITTLE
#include <stdlib.h>

#include "base/base64.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/system/message_args.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

struct atom_record {
    struct record_call call;
    struct bytes message;
    uint32_t atom;
};

enum { NAME_MAX_BYTES = 128, FIRST_VENDOR_ATOM = 100000 };

/* ATOM_SCREEN_STATE_CHANGED is screen_state_changed. */
static string_id atom_name(struct import *im, uint32_t atom)
{
    struct descriptors *d = import_descriptors(im);
    uint32_t type = descriptors_find(d, STR("perfetto.protos.AtomId"));
    struct str name = {NULL, 0};
    char text[NAME_MAX_BYTES];
    if (type != DESCRIPTOR_NONE && atom != 0)
        name = descriptors_enum_name(d, type, (int32_t)atom);
    if (!name.p || !str_starts(name, STR("ATOM_"))) {
        snprintf(text, sizeof text, "atom_%u", atom);
        return trace_intern_c(im->trace, text);
    }
    name = str_skip(name, strlen("ATOM_"));
    size_t n = name.n < NAME_MAX_BYTES ? name.n : NAME_MAX_BYTES;
    for (size_t i = 0; i < n; i++)
        text[i] = lower_case(name.p[i]);
    return trace_intern(im->trace, (struct str){text, n});
}

static bool is_described(struct import *im, uint32_t atom)
{
    struct descriptors *d = import_descriptors(im);
    uint32_t type = descriptors_find(d, STR("perfetto.protos.Atom"));
    return type != DESCRIPTOR_NONE && descriptors_field(d, type, atom);
}

static struct arg field_arg(struct import *im, const struct pb_field *f)
{
    static const char *const guesses[] = {
        [PB_WIRE_VARINT] = "",
        [PB_WIRE_I64] = "_assuming_double",
        [PB_WIRE_LEN] = "",
        [PB_WIRE_I32] = "_assuming_float",
    };
    char name[48];
    int n = snprintf(name, sizeof name, "field_%u%s", f->number, guesses[f->wire_type]);
    string_id key = trace_intern(im->trace, (struct str){name, (size_t)n});
    struct arg arg = {.flat_key = key, .key = key, .type = ARG_INT, .i = pb_i64(f)};
    if (f->wire_type == PB_WIRE_LEN) {
        struct str text = base64_encode(f->data, (size_t)f->value);
        arg.type = ARG_STRING;
        arg.s = trace_intern(im->trace, text);
        free((void *)text.p);
    } else if (f->wire_type != PB_WIRE_VARINT) {
        arg.type = ARG_REAL;
        arg.d = pb_real(f);
    }
    return arg;
}

/* The fields of an atom without a descriptor, by number. */
static uint32_t numbered_args(struct import *im, struct bytes atom)
{
    struct pb_reader r = bytes_reader(atom);
    struct pb_field f;
    struct arg_list args = {0};
    struct pb_reader fields = pb_next(&r, &f) ? pb_message(&f) : r;
    while (pb_next(&fields, &f))
        arg_list_add(&args, field_arg(im, &f));
    uint32_t set = args_intern(&im->trace->args, &args);
    arg_list_release(&args);
    return set;
}

static void apply_atom(struct import *im, int64_t ts, const struct record_call *call)
{
    const struct atom_record *record = (const struct atom_record *)call;
    struct track_spec spec = {.type = "statsd_atoms",
                              .machine = record->call.machine,
                              .name = trace_intern(im->trace, STR("Statsd Atoms"))};
    uint32_t slice = slice_complete(im->trace, ts, 0, track_intern(im->trace, &spec), NULL_STRING,
                                    atom_name(im, record->atom));
    if (slice == NULL_U32)
        return;
    bool described = is_described(im, record->atom);
    if (!described && record->atom < FIRST_VENDOR_ATOM)
        stats_count(im->trace, STAT_atom_unknown);
    uint32_t set = described ? message_args(im, "perfetto.protos.Atom", record->message)
                             : numbered_args(im, record->message);
    if (set != NULL_U32)
        table_set_u32(&im->trace->tables.slice, slice_col_arg_set_id, slice, set);
}

/* The number of the one field that an Atom has; 0: it has none. */
static uint32_t atom_number(struct pb_reader r)
{
    struct pb_field f;
    return pb_next(&r, &f) ? f.number : 0;
}

static bool statsd_atom_tokenize(struct import *im, struct packet *p)
{
    VEC(struct bytes) atoms = {0};
    VEC(uint64_t) times = {0};
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t v;
    while (pb_next(&r, &f)) {
        if (f.number == PB_StatsdAtom_atom)
            *vec_push(&atoms) = field_bytes(&f);
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (f.number == PB_StatsdAtom_timestamp_nanos && pb_packed_next(&it, &v))
            *vec_push(&times) = v;
    }
    for (size_t i = 0; i < atoms.count; i++) {
        uint32_t number = atom_number(bytes_reader(atoms.items[i]));
        struct atom_record *record = arena_alloc(&im->arena, sizeof *record);
        *record = (struct atom_record){.call = {apply_atom, p->machine},
                                       .message = atoms.items[i],
                                       .atom = number};
        if (i >= times.count)
            stats_count(im->trace, STAT_atom_timestamp_missing);
        sorter_push(&im->sorter, 0, i < times.count ? (int64_t)times.items[i] : p->ts, RECORD_CALL,
                    (uintptr_t)record);
    }
    vec_release(&atoms);
    vec_release(&times);
    return true;
}

static bool statsd_atom_span(struct import *im, const struct packet *p, struct packet_span *out)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t v, atoms = 0, times = 0;
    (void)im;
    *out = (struct packet_span){INT64_MAX, INT64_MIN};
    while (pb_next(&r, &f)) {
        atoms += f.number == PB_StatsdAtom_atom;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        for (; f.number == PB_StatsdAtom_timestamp_nanos && pb_packed_next(&it, &v); times++)
            packet_span_add(out, (int64_t)v);
    }
    if (atoms > times && p->has_timestamp)
        packet_span_add(out, p->ts);
    return out->first <= out->last;
}

const struct packet_module statsd_packets[] = {
    {PB_TracePacket_statsd_atom, .tokenize = statsd_atom_tokenize, .felt = PACKET_SPAN,
     .span = statsd_atom_span},
    {0},
};
