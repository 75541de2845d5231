/* Gpu counters: descriptors become tracks and groups while reading, samples become values in time
 * order. A value usually says what happened since the sample before, and stands there. */
#define PB_READS_LITTLE
#include <stdio.h>

#include "base/hash.h"
#include "parsers/perfetto/gpu/gpu.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/counter.h"
#include "core/store/rows.h"

typedef GpuCounterDescriptor__GpuCounterSpec CounterSpec;
typedef GpuCounterDescriptor__GpuCounterGroupSpec CounterGroup;

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
static void append_units(char *text, const int32_t *units, size_t n, const char *first)
{
    const char *separator = first;
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(text), unit = (size_t)(uint32_t)units[i];
        if (unit == PB_GpuCounterDescriptor_MeasureUnit_NONE)
            continue;
        bool known = unit < sizeof unit_names / sizeof *unit_names && unit_names[unit];
        snprintf(text + length, UNIT_LENGTH - length, "%s%s", separator,
                 known ? unit_names[unit] : "Unknown");
        separator = ":";
    }
}

static string_id unit_of(struct import *im, const CounterSpec *s)
{
    char text[UNIT_LENGTH] = "";
    if (s->n_numerator_units == 0 && s->n_denominator_units == 0)
        return NULL_STRING;
    append_units(text, s->numerator_units, s->n_numerator_units, "");
    append_units(text, s->denominator_units, s->n_denominator_units, "/");
    return trace_intern_c(im->trace, text);
}

static uint32_t track_of(struct import *im, uint32_t machine, uint32_t gpu, const CounterSpec *s)
{
    struct arg_list args = {0};
    string_id name = trace_intern(im->trace, unpacked_str(s->name));
    arg_list_str(&args, trace_intern(im->trace, STR("description")),
                 intern_unpacked(im, UNPACKED_TEXT(s, description)));
    struct track_spec spec = gpu_track_spec(im, machine, gpu, "gpu_counter");
    gpu_add_dimension(&spec,
                      (struct track_dimension){.key = "name", .type = ARG_STRING, .s = name});
    spec.event_type = TRACK_COUNTER;
    spec.name = name;
    spec.unit = unit_of(im, s);
    spec.source_args = &args;
    uint32_t track = track_intern(im->trace, &spec);
    arg_list_release(&args);
    return track;
}

/* Name and description of a group are in the descriptor's list of groups; NULL where they are not.
 */
static const CounterGroup *find_group(const GpuCounterDescriptor *descriptor, int32_t id)
{
    for (size_t i = 0; i < descriptor->n_counter_groups; i++) {
        const CounterGroup *g = descriptor->counter_groups[i];
        if (g->has_group_id && (int32_t)g->group_id == id)
            return g;
    }
    return NULL;
}

static void add_group(struct import *im, uint32_t track, int32_t id, const CounterGroup *g)
{
    struct gpu_counter_group_row row = {.group_id = id, .track_id = track};
    if (g) {
        row.name = intern_unpacked(im, UNPACKED_TEXT(g, name));
        row.description = intern_unpacked(im, UNPACKED_TEXT(g, description));
    }
    gpu_counter_group_append(&im->trace->tables.gpu_counter_group, &row);
}

static void add_groups(struct import *im, uint32_t track, const GpuCounterDescriptor *descriptor,
                       const CounterSpec *s)
{
    for (size_t i = 0; i < s->n_groups; i++)
        add_group(im, track, s->groups[i], find_group(descriptor, s->groups[i]));
    if (s->n_groups == 0)
        add_group(im, track, PB_GpuCounterDescriptor_GpuCounterGroup_UNCLASSIFIED, NULL);
}

static uint64_t key_of(uint64_t source, uint32_t counter)
{
    return hash_mix(source, (uint64_t)counter + 1);
}

/* Groups may also list the counters that belong to them: those that the descriptor brought, from
 * index `first` on. */
static void add_listed_groups(struct import *im, struct gpu_counters *c,
                              const GpuCounterDescriptor *descriptor, uint64_t source, size_t first)
{
    for (size_t i = 0; i < descriptor->n_counter_groups; i++) {
        const CounterGroup *g = descriptor->counter_groups[i];
        for (size_t k = 0; g->has_group_id && k < g->n_counter_ids; k++) {
            const uint32_t *at = map_find(&c->known, key_of(source, g->counter_ids[k]));
            if (at && *at >= first)
                add_group(im, c->counters.items[*at].track, (int32_t)g->group_id, g);
        }
    }
}

static void log_spec(struct import *im, const struct packet *p, const CounterSpec *s)
{
    struct arg_list args = {0};
    if (s->has_counter_id && s->has_name) {
        arg_list_uint(&args, trace_intern(im->trace, STR("counter_id")), s->counter_id);
        arg_list_str(&args, trace_intern(im->trace, STR("counter_name")),
                     trace_intern(im->trace, unpacked_str(s->name)));
    }
    packet_log(im, p, STAT_gpu_counters_invalid_spec, &args);
    arg_list_release(&args);
}

/* Where a spec of the same id came before, only the first one counts. */
static void read_descriptor(struct import *im, struct gpu_counters *c, const struct packet *p,
                            const GpuCounterDescriptor *descriptor, uint32_t gpu, uint64_t source,
                            bool report)
{
    size_t first = c->counters.count;
    for (size_t i = 0; i < descriptor->n_specs; i++) {
        const CounterSpec *s = descriptor->specs[i];
        bool inserted = false;
        uint32_t *at = s->has_counter_id && s->has_name
                           ? map_insert(&c->known, key_of(source, s->counter_id), &inserted)
                           : NULL;
        if (!inserted) {
            if (report)
                log_spec(im, p, s);
            continue;
        }
        *at = (uint32_t)c->counters.count;
        uint32_t track = track_of(im, p->machine, gpu, s);
        *vec_push(&c->counters) = (struct gpu_counter){
            .track = track,
            .forward =
                s->value_direction ==
                PB_GpuCounterDescriptor_GpuCounterSpec_ValueDirection_VALUE_DIRECTION_FORWARDS_LOOKING,
        };
        add_groups(im, track, descriptor, s);
    }
    add_listed_groups(im, c, descriptor, source, first);
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
    const InternedGpuCounterDescriptor *d =
        unpack_bytes(im, &interned_gpu_counter_descriptor__descriptor, entry);
    if (!d->counter_descriptor) {
        map_remove(&c->descriptors, source);
        stats_count(im->trace, STAT_gpu_counters_invalid_spec);
        return;
    }
    read_descriptor(im, c, p, d->counter_descriptor, (uint32_t)d->gpu_id, source, false);
}

static bool gpu_counter_event_tokenize(struct import *im, struct packet *p)
{
    struct gpu_counters *c = import_state(im, &gpu_counters_kind);
    struct counter_event e = read_event(bytes_reader(p->field));
    if (e.has_iid)
        read_interned(im, c, p, &e);
    else if (e.descriptor.data)
        read_descriptor(im, c, p,
                        unpack_bytes(im, &gpu_counter_descriptor__descriptor,
                                     field_bytes(&e.descriptor)),
                        e.gpu, source_of(p, &e), true);
    if (e.has_counters && !p->has_timestamp) {
        packet_log(im, p, STAT_gpu_counters_missing_timestamp, NULL);
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
     .parse = gpu_counter_event_parse, .felt = PACKET_LAST, .looks_back = true,
     .describes = PB_GpuCounterEvent_counter_descriptor},
    {0},
};
