#include "parsers/perfetto/gpu/gpu_counters.h"

#include <stdio.h>

#include "base/hash.h"
#include "parsers/perfetto/gpu/gpu.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

struct gpu_counter {
    uint32_t track;
    bool forward; /* the value holds from its sample on */
};

struct gpu_counters {
    struct map known;       /* hash of where the descriptor is from and counter id -> counters */
    struct map descriptors; /* hash of sequence state and iid: read already */
    struct map last_rows;   /* track -> row of `counter` */
    VEC(struct gpu_counter) counters;
};

static void gpu_counters_release(void *state)
{
    struct gpu_counters *c = state;
    map_release(&c->known);
    map_release(&c->descriptors);
    map_release(&c->last_rows);
    vec_release(&c->counters);
}

static const struct import_state_kind gpu_counters_kind = {
    .size = sizeof(struct gpu_counters),
    .release = gpu_counters_release,
};

static const char *const unit_names[] = {
    [PB_GpuCounterDescriptor_MeasureUnit_NONE] = "",
    [PB_GpuCounterDescriptor_MeasureUnit_BIT] = "bit",
    [PB_GpuCounterDescriptor_MeasureUnit_KILOBIT] = "Kb",
    [PB_GpuCounterDescriptor_MeasureUnit_MEGABIT] = "Mb",
    [PB_GpuCounterDescriptor_MeasureUnit_GIGABIT] = "Gb",
    [PB_GpuCounterDescriptor_MeasureUnit_TERABIT] = "Tb",
    [PB_GpuCounterDescriptor_MeasureUnit_PETABIT] = "Pb",
    [PB_GpuCounterDescriptor_MeasureUnit_BYTE] = "B",
    [PB_GpuCounterDescriptor_MeasureUnit_KILOBYTE] = "KB",
    [PB_GpuCounterDescriptor_MeasureUnit_MEGABYTE] = "MB",
    [PB_GpuCounterDescriptor_MeasureUnit_GIGABYTE] = "GB",
    [PB_GpuCounterDescriptor_MeasureUnit_TERABYTE] = "TB",
    [PB_GpuCounterDescriptor_MeasureUnit_PETABYTE] = "PB",
    [PB_GpuCounterDescriptor_MeasureUnit_HERTZ] = "Hz",
    [PB_GpuCounterDescriptor_MeasureUnit_KILOHERTZ] = "KHz",
    [PB_GpuCounterDescriptor_MeasureUnit_MEGAHERTZ] = "MHz",
    [PB_GpuCounterDescriptor_MeasureUnit_GIGAHERTZ] = "GHz",
    [PB_GpuCounterDescriptor_MeasureUnit_TERAHERTZ] = "THz",
    [PB_GpuCounterDescriptor_MeasureUnit_PETAHERTZ] = "PHz",
    [PB_GpuCounterDescriptor_MeasureUnit_NANOSECOND] = "ns",
    [PB_GpuCounterDescriptor_MeasureUnit_MICROSECOND] = "us",
    [PB_GpuCounterDescriptor_MeasureUnit_MILLISECOND] = "ms",
    [PB_GpuCounterDescriptor_MeasureUnit_SECOND] = "s",
    [PB_GpuCounterDescriptor_MeasureUnit_MINUTE] = "min",
    [PB_GpuCounterDescriptor_MeasureUnit_HOUR] = "h",
    [PB_GpuCounterDescriptor_MeasureUnit_VERTEX] = "Vertex",
    [PB_GpuCounterDescriptor_MeasureUnit_PIXEL] = "Pixel",
    [PB_GpuCounterDescriptor_MeasureUnit_TRIANGLE] = "Triangle",
    [PB_GpuCounterDescriptor_MeasureUnit_PRIMITIVE] = "Primitive",
    [PB_GpuCounterDescriptor_MeasureUnit_FRAGMENT] = "Fragment",
    [PB_GpuCounterDescriptor_MeasureUnit_MILLIWATT] = "mW",
    [PB_GpuCounterDescriptor_MeasureUnit_WATT] = "W",
    [PB_GpuCounterDescriptor_MeasureUnit_KILOWATT] = "kW",
    [PB_GpuCounterDescriptor_MeasureUnit_JOULE] = "J",
    [PB_GpuCounterDescriptor_MeasureUnit_VOLT] = "V",
    [PB_GpuCounterDescriptor_MeasureUnit_AMPERE] = "A",
    [PB_GpuCounterDescriptor_MeasureUnit_CELSIUS] = "C",
    [PB_GpuCounterDescriptor_MeasureUnit_FAHRENHEIT] = "F",
    [PB_GpuCounterDescriptor_MeasureUnit_KELVIN] = "K",
    [PB_GpuCounterDescriptor_MeasureUnit_PERCENT] = "%",
    [PB_GpuCounterDescriptor_MeasureUnit_INSTRUCTION] = "Instruction",
};

enum { UNIT_LENGTH = 256 };

/* "Triangle/ms:ms": units of one list are joined by colons. */
static void append_units(char *text, struct pb_reader spec, uint32_t field, const char *first)
{
    const char *separator = first;
    struct pb_field f;
    uint64_t unit;
    while (pb_next(&spec, &f)) {
        if (f.number != field)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (pb_packed_next(&it, &unit)) {
            size_t length = strlen(text);
            if (unit == PB_GpuCounterDescriptor_MeasureUnit_NONE)
                continue;
            bool known = unit < sizeof unit_names / sizeof *unit_names && unit_names[unit];
            snprintf(text + length, UNIT_LENGTH - length, "%s%s", separator,
                     known ? unit_names[unit] : "Unknown");
            separator = ":";
        }
    }
}

static string_id unit_of(struct import *im, struct pb_reader spec)
{
    char text[UNIT_LENGTH] = "";
    append_units(text, spec, PB_GpuCounterDescriptor_GpuCounterSpec_numerator_units, "");
    append_units(text, spec, PB_GpuCounterDescriptor_GpuCounterSpec_denominator_units, "/");
    return trace_intern_c(im->trace, text);
}

struct counter_spec {
    struct pb_reader message;
    uint32_t id;
    string_id name, description;
    bool has_id, has_name, has_unit, forward, has_groups;
};

static struct counter_spec read_spec(struct import *im, struct pb_reader r)
{
    struct counter_spec s = {.message = r};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_GpuCounterDescriptor_GpuCounterSpec_counter_id:
            s.id = pb_u32(&f);
            s.has_id = true;
            break;
        case PB_GpuCounterDescriptor_GpuCounterSpec_name:
            s.name = trace_intern(im->trace, pb_str(&f));
            s.has_name = true;
            break;
        case PB_GpuCounterDescriptor_GpuCounterSpec_description:
            s.description = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_GpuCounterDescriptor_GpuCounterSpec_value_direction:
            s.forward =
                pb_u64(&f) ==
                PB_GpuCounterDescriptor_GpuCounterSpec_ValueDirection_VALUE_DIRECTION_FORWARDS_LOOKING;
            break;
        case PB_GpuCounterDescriptor_GpuCounterSpec_groups:
            s.has_groups = true;
            break;
        case PB_GpuCounterDescriptor_GpuCounterSpec_numerator_units:
        case PB_GpuCounterDescriptor_GpuCounterSpec_denominator_units:
            s.has_unit = true;
            break;
        default:
            break;
        }
    }
    return s;
}

static uint32_t track_of(struct import *im, uint32_t machine, uint32_t gpu,
                         const struct counter_spec *s)
{
    struct arg_list args = {0};
    arg_list_str(&args, trace_intern(im->trace, STR("description")), s->description);
    struct track_spec spec = gpu_track_spec(im, machine, gpu, "gpu_counter");
    gpu_add_dimension(&spec,
                      (struct track_dimension){.key = "name", .type = ARG_STRING, .s = s->name});
    spec.event_type = TRACK_COUNTER;
    spec.name = s->name;
    spec.unit = s->has_unit ? unit_of(im, s->message) : NULL_STRING;
    spec.source_args = &args;
    uint32_t track = track_intern(im->trace, &spec);
    arg_list_release(&args);
    return track;
}

/* Name and description of a group, from the descriptor's list of groups. */
struct counter_group {
    int32_t id;
    string_id name, description;
    bool has_id;
};

static struct counter_group read_group(struct import *im, struct pb_reader r)
{
    struct counter_group g = {0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_GpuCounterDescriptor_GpuCounterGroupSpec_group_id) {
            g.id = pb_i32(&f);
            g.has_id = true;
        } else if (f.number == PB_GpuCounterDescriptor_GpuCounterGroupSpec_name)
            g.name = trace_intern(im->trace, pb_str(&f));
        else if (f.number == PB_GpuCounterDescriptor_GpuCounterGroupSpec_description)
            g.description = trace_intern(im->trace, pb_str(&f));
    }
    return g;
}

static void add_group(struct import *im, uint32_t track, const struct counter_group *g)
{
    struct gpu_counter_group_row row = {.group_id = g->id,
                                        .track_id = track,
                                        .name = g->name,
                                        .description = g->description};
    gpu_counter_group_append(&im->trace->tables.gpu_counter_group, &row);
}

static struct counter_group find_group(struct import *im, struct pb_reader descriptor, int32_t id)
{
    struct pb_field f;
    while (pb_next(&descriptor, &f)) {
        if (f.number != PB_GpuCounterDescriptor_counter_groups)
            continue;
        struct counter_group g = read_group(im, pb_message(&f));
        if (g.has_id && g.id == id)
            return g;
    }
    return (struct counter_group){.id = id};
}

static void add_groups(struct import *im, uint32_t track, struct pb_reader descriptor,
                       const struct counter_spec *s)
{
    struct pb_reader r = s->message;
    struct pb_field f;
    uint64_t id;
    while (pb_next(&r, &f)) {
        if (f.number != PB_GpuCounterDescriptor_GpuCounterSpec_groups)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (pb_packed_next(&it, &id)) {
            struct counter_group g = find_group(im, descriptor, (int32_t)id);
            add_group(im, track, &g);
        }
    }
    if (s->has_groups)
        return;
    struct counter_group g = {.id = PB_GpuCounterDescriptor_GpuCounterGroup_UNCLASSIFIED};
    add_group(im, track, &g);
}

static uint64_t key_of(uint64_t source, uint32_t counter)
{
    return hash_mix(source, (uint64_t)counter + 1);
}

/* Groups may also list the counters that belong to them. */
static void add_listed_groups(struct import *im, struct gpu_counters *c,
                              struct pb_reader descriptor, uint64_t source)
{
    struct pb_field f, g;
    uint64_t id;
    while (pb_next(&descriptor, &f)) {
        if (f.number != PB_GpuCounterDescriptor_counter_groups)
            continue;
        struct counter_group group = read_group(im, pb_message(&f));
        if (!group.has_id)
            continue;
        struct pb_reader r = pb_message(&f);
        while (pb_next(&r, &g)) {
            if (g.number != PB_GpuCounterDescriptor_GpuCounterGroupSpec_counter_ids)
                continue;
            struct pb_packed it = pb_packed_begin(&g, PB_WIRE_VARINT);
            while (pb_packed_next(&it, &id)) {
                const uint32_t *at = map_find(&c->known, key_of(source, (uint32_t)id));
                if (at)
                    add_group(im, c->counters.items[*at].track, &group);
            }
        }
    }
}

/* Where a spec of the same id came before, only the first one counts. */
static void read_descriptor(struct import *im, struct gpu_counters *c, const struct packet *p,
                            struct pb_reader descriptor, uint32_t gpu, uint64_t source, bool report)
{
    struct pb_reader r = descriptor;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number != PB_GpuCounterDescriptor_specs)
            continue;
        struct counter_spec s = read_spec(im, pb_message(&f));
        bool inserted = false;
        uint32_t *at =
            s.has_id && s.has_name ? map_insert(&c->known, key_of(source, s.id), &inserted) : NULL;
        if (!inserted) {
            if (report)
                stats_count(im->trace, STAT_gpu_counters_invalid_spec);
            continue;
        }
        *at = (uint32_t)c->counters.count;
        uint32_t track = track_of(im, p->machine, gpu, &s);
        *vec_push(&c->counters) = (struct gpu_counter){.track = track, .forward = s.forward};
        add_groups(im, track, descriptor, &s);
    }
    add_listed_groups(im, c, descriptor, source);
}

struct counter_event {
    struct pb_field descriptor;
    uint64_t iid;
    uint32_t gpu;
    bool has_iid, has_counters;
};

static struct counter_event read_event(struct pb_reader r)
{
    struct counter_event e = {.gpu = 0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_GpuCounterEvent_counter_descriptor:
            e.descriptor = f;
            break;
        case PB_GpuCounterEvent_counter_descriptor_iid:
            e.iid = pb_u64(&f);
            e.has_iid = true;
            break;
        case PB_GpuCounterEvent_counters:
            e.has_counters = true;
            break;
        case PB_GpuCounterEvent_gpu_id:
            e.gpu = pb_u32(&f);
            break;
        default:
            break;
        }
    }
    return e;
}

/* Counter ids count for the whole machine, or, with an interned descriptor, within it. */
static uint64_t source_of(const struct packet *p, const struct counter_event *e)
{
    if (!e->has_iid)
        return p->machine;
    return hash_mix(hash_u64((uintptr_t)p->generation->entries), e->iid);
}

static void read_interned(struct import *im, struct gpu_counters *c, const struct packet *p,
                          const struct counter_event *e)
{
    uint64_t source = source_of(p, e);
    bool inserted;
    map_insert(&c->descriptors, source, &inserted);
    if (!inserted)
        return;
    struct bytes entry =
        interned_find(p->generation, PB_InternedData_gpu_counter_descriptors, e->iid);
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f, descriptor = {0};
    uint32_t gpu = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_InternedGpuCounterDescriptor_counter_descriptor)
            descriptor = f;
        else if (f.number == PB_InternedGpuCounterDescriptor_gpu_id)
            gpu = pb_u32(&f);
    }
    if (!descriptor.data) {
        map_remove(&c->descriptors, source);
        stats_count(im->trace, STAT_gpu_counters_invalid_spec);
        return;
    }
    read_descriptor(im, c, p, pb_message(&descriptor), gpu, source, false);
}

static bool gpu_counter_event_tokenize(struct import *im, struct packet *p)
{
    struct gpu_counters *c = import_state(im, &gpu_counters_kind);
    struct counter_event e = read_event(bytes_reader(p->field));
    if (e.has_iid)
        read_interned(im, c, p, &e);
    else if (e.descriptor.data)
        read_descriptor(im, c, p, pb_message(&e.descriptor), e.gpu, source_of(p, &e), true);
    if (e.has_counters && !p->has_timestamp) {
        stats_count(im->trace, STAT_gpu_counters_missing_timestamp);
        return true;
    }
    return !e.has_counters;
}

/* A value that looks back belongs to the sample before; this sample's own comes with the next. */
static void push_value(struct import *im, struct gpu_counters *c, int64_t ts,
                       const struct gpu_counter *counter, double value)
{
    struct trace *t = im->trace;
    if (counter->forward) {
        counter_push(t, ts, counter->track, value);
        return;
    }
    bool inserted;
    uint32_t *last = map_insert(&c->last_rows, counter->track, &inserted);
    if (!inserted)
        table_set_f64(&t->tables.counter, counter_col_value, *last, value);
    *last = counter_push(t, ts, counter->track, 0);
}

static void gpu_counter_event_parse(struct import *im, const struct packet *p)
{
    struct gpu_counters *c = import_state(im, &gpu_counters_kind);
    struct counter_event e = read_event(bytes_reader(p->field));
    uint64_t source = source_of(p, &e);
    if (e.has_iid && !map_find(&c->descriptors, source))
        return; /* counted while reading */
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f, v;
    while (pb_next(&r, &f)) {
        if (f.number != PB_GpuCounterEvent_counters)
            continue;
        struct pb_reader sample = pb_message(&f);
        uint32_t id = 0;
        double value = 0;
        bool has_id = false, has_value = false;
        while (pb_next(&sample, &v)) {
            if (v.number == PB_GpuCounterEvent_GpuCounter_counter_id) {
                id = pb_u32(&v);
                has_id = true;
            } else if (v.number == PB_GpuCounterEvent_GpuCounter_int_value ||
                       v.number == PB_GpuCounterEvent_GpuCounter_double_value) {
                value = pb_real(&v);
                has_value = true;
            }
        }
        const uint32_t *at = has_id && has_value ? map_find(&c->known, key_of(source, id)) : NULL;
        if (at)
            push_value(im, c, p->ts, &c->counters.items[*at], value);
        else if (e.has_iid && has_id && has_value)
            stats_count(im->trace, STAT_gpu_counters_invalid_spec);
    }
}

const struct packet_module gpu_counters_packets[] = {
    {PB_TracePacket_gpu_counter_event, .tokenize = gpu_counter_event_tokenize,
     .parse = gpu_counter_event_parse},
    {0},
};
