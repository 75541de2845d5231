#include "parsers/perf/attrs.h"

#include "pb_fields.h"
#include "core/counter.h"
#include "core/store/rows.h"

enum { FIELD_BYTES = 8, NO_CPU = -1 };

/* Offsets in struct perf_event_attr. */
enum {
    ATTR_TYPE = 0,
    ATTR_CONFIG = 8,
    ATTR_SAMPLE_PERIOD = 16,
    ATTR_SAMPLE_TYPE = 24,
    ATTR_READ_FORMAT = 32,
    ATTR_FLAGS = 40,
    ATTR_CLOCKID = 92,
    ATTR_KNOWN_BYTES = 96,
};

/* Bits of its flags, counted from the first that the struct declares. */
enum { FLAG_FREQ = 10, FLAG_SAMPLE_ID_ALL = 18, FLAG_USE_CLOCKID = 25 };

/* What PERF_TYPE_HARDWARE and PERF_TYPE_SOFTWARE count, by `config`. */
struct perf_event_kind {
    const char *name, *unit;
};

static const struct perf_event_kind hardware_events[] = {
    {"cycles", "cycles"},
    {"instructions", "instructions"},
    {"cache-references", "count"},
    {"cache-misses", "count"},
    {"branches", "count"},
    {"branch-misses", "count"},
    {"bus-cycles", "cycles"},
    {"stalled-cycles-frontend", "count"},
    {"stalled-cycles-backend", "count"},
    {"ref-cycles", "cycles"},
};

static const struct perf_event_kind software_events[] = {
    {"cpu-clock", "ns"},           {"task-clock", "ns"},
    {"page-faults", "count"},      {"context-switches", "count"},
    {"cpu-migrations", "count"},   {"minor-faults", "count"},
    {"major-faults", "count"},     {"alignment-faults", "count"},
    {"emulation-faults", "count"}, {"dummy", "count"},
    {"bpf-output", "count"},       {"cgroup-switches", "count"},
};

static struct perf_event_kind event_kind(const struct perf_attr *a)
{
    const size_t hardware = sizeof hardware_events / sizeof hardware_events[0];
    const size_t software = sizeof software_events / sizeof software_events[0];
    switch (a->type) {
    case PERF_TYPE_HARDWARE:
        return a->config < hardware ? hardware_events[a->config]
                                    : (struct perf_event_kind){"", "count"};
    case PERF_TYPE_SOFTWARE:
        return a->config < software ? software_events[a->config]
                                    : (struct perf_event_kind){"", "count"};
    case PERF_TYPE_TRACEPOINT:
    case PERF_TYPE_HW_CACHE:
    case PERF_TYPE_BREAKPOINT:
        return (struct perf_event_kind){"", "count"};
    default:
        return (struct perf_event_kind){"", NULL};
    }
}

const char *perf_attr_default_name(const struct perf_attr *attr)
{
    return event_kind(attr).name;
}

void perf_attrs_release(struct perf_attrs *attrs)
{
    for (size_t i = 0; i < attrs->items.count; i++) {
        map_release(&attrs->items.items[i].track_of_cpu);
        map_release(&attrs->items.items[i].total_of_cpu);
    }
    vec_release(&attrs->items);
    vec_release(&attrs->totals);
    map_release(&attrs->by_id);
    map_release(&attrs->last_of_id);
}

/* Linux's numbers of clocks. */
static uint32_t builtin_clock(uint32_t clockid)
{
    switch (clockid) {
    case 0:
        return PB_BuiltinClock_BUILTIN_CLOCK_REALTIME;
    case 1:
        return PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC;
    case 4:
        return PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_RAW;
    case 5:
        return PB_BuiltinClock_BUILTIN_CLOCK_REALTIME_COARSE;
    case 6:
        return PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_COARSE;
    case 7:
        return PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME;
    default:
        return PB_BuiltinClock_BUILTIN_CLOCK_UNKNOWN;
    }
}

/* Bit fields start at the most significant bit where bytes do. */
static bool flag(const uint8_t *attr, int bit, bool big)
{
    uint64_t flags = perf_load64(attr + ATTR_FLAGS, big);
    return flags >> (big ? 63 - bit : bit) & 1;
}

static struct perf_attr read_attr(struct bytes attr, bool big)
{
    uint8_t p[ATTR_KNOWN_BYTES] = {0}; /* older kernels' are shorter */
    memcpy(p, attr.p, attr.n < sizeof p ? attr.n : sizeof p);
    bool use_clockid = flag(p, FLAG_USE_CLOCKID, big);
    return (struct perf_attr){
        .type = perf_load32(p + ATTR_TYPE, big),
        .config = perf_load64(p + ATTR_CONFIG, big),
        .sample_period = perf_load64(p + ATTR_SAMPLE_PERIOD, big),
        .sample_type = perf_load64(p + ATTR_SAMPLE_TYPE, big),
        .read_format = perf_load64(p + ATTR_READ_FORMAT, big),
        .has_period = !flag(p, FLAG_FREQ, big),
        .sample_id_all = flag(p, FLAG_SAMPLE_ID_ALL, big),
        .clock = use_clockid ? builtin_clock(perf_load32(p + ATTR_CLOCKID, big))
                             : (uint32_t)PB_BuiltinClock_BUILTIN_CLOCK_PERF,
    };
}

uint32_t perf_attrs_add(struct perf_attrs *attrs, struct trace *t, struct bytes attr, bool big)
{
    struct perf_attr a = read_attr(attr, big);
    struct profiler_session_row session = profiler_session_row_null();
    const char *unit = event_kind(&a).unit;
    session.source = trace_intern(t, STR("linux.perf"));
    session.timebase_unit = unit ? trace_intern_c(t, unit) : NULL_STRING;
    a.session = profiler_session_append(&t->tables.profiler_session, &session);
    *vec_push(&attrs->items) = a;
    return (uint32_t)attrs->items.count - 1;
}

void perf_attrs_add_id(struct perf_attrs *attrs, uint64_t id, uint32_t attr)
{
    map_set(&attrs->by_id, id, attr);
}

struct perf_attr *perf_attr_of_id(struct perf_attrs *attrs, uint64_t id)
{
    const uint32_t *index = map_find(&attrs->by_id, id);
    return index ? &attrs->items.items[*index] : NULL;
}

static size_t bytes_of(uint64_t fields)
{
    return (size_t)__builtin_popcountll(fields) * FIELD_BYTES;
}

/* Where the id stands in a sample; false where it has none. */
static bool id_in_sample(uint64_t type, size_t *offset)
{
    *offset = type & PERF_SAMPLE_IDENTIFIER
                  ? 0
                  : bytes_of(type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                     PERF_SAMPLE_ADDR));
    return type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID);
}

/* Where it stands from the end of another record. */
static bool id_from_end(uint64_t type, size_t *offset)
{
    *offset = type & PERF_SAMPLE_IDENTIFIER
                  ? FIELD_BYTES
                  : bytes_of(type & (PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
    return type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID);
}

struct perf_attr *perf_attr_of_record(struct perf_attrs *attrs, const struct perf_record *record,
                                      bool big)
{
    if (attrs->items.count == 0)
        return NULL;
    struct perf_attr *first = &attrs->items.items[0];
    bool sample = record->type == PERF_RECORD_SAMPLE;
    if (attrs->items.count == 1 || (!sample && !first->sample_id_all))
        return first;
    size_t n = record->body.n, offset;
    if (!(sample ? id_in_sample(first->sample_type, &offset)
                 : id_from_end(first->sample_type, &offset)))
        return first;
    if (sample ? n < FIELD_BYTES || offset > n - FIELD_BYTES : offset > n)
        return NULL;
    uint64_t id = perf_load64(record->body.p + (sample ? offset : n - offset), big);
    return id ? perf_attr_of_id(attrs, id) : first;
}

bool perf_attr_time(const struct perf_attr *attr, const struct perf_record *record, bool big,
                    uint64_t *time)
{
    size_t n = record->body.n, offset;
    *time = 0;
    if (!(attr->sample_type & PERF_SAMPLE_TIME))
        return true;
    if (record->type == PERF_RECORD_SAMPLE) {
        offset = bytes_of(attr->sample_type &
                          (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID));
        if (n < FIELD_BYTES || offset > n - FIELD_BYTES)
            return false;
    } else if (attr->sample_id_all) {
        size_t behind = bytes_of(attr->sample_type &
                                 (PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
                                  PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
        if (behind > n)
            return false;
        offset = n - behind;
    } else {
        return true;
    }
    *time = perf_load64(record->body.p + offset, big);
    return true;
}

struct perf_sample_id perf_attr_sample_id(const struct perf_attr *attr,
                                          const struct perf_record *record, bool big)
{
    struct perf_sample_id id = {0};
    uint64_t type = attr->sample_id_all ? attr->sample_type : 0;
    size_t from_cpu = bytes_of(type & (PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
    size_t all = from_cpu + bytes_of(type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                             PERF_SAMPLE_STREAM_ID));
    if (all > record->body.n)
        return id;
    const uint8_t *end = record->body.p + record->body.n;
    if (type & PERF_SAMPLE_TID) {
        id.pid = perf_load32(end - all, big);
        id.tid = perf_load32(end - all + 4, big);
        id.has_tid = true;
    }
    if (type & PERF_SAMPLE_CPU) {
        id.cpu = perf_load32(end - from_cpu, big);
        id.has_cpu = true;
    }
    return id;
}

static uint32_t counter_track(const struct perf_attrs *attrs, struct perf_attr *attr,
                              struct trace *t, uint32_t cpu)
{
    bool inserted, everywhere = cpu == (uint32_t)NO_CPU;
    uint32_t *known = map_insert(&attr->track_of_cpu, cpu, &inserted);
    if (!inserted)
        return *known;
    struct arg_list source = {0};
    /* simpleperf gives events that are only read along a period that is never reached. */
    arg_list_bool(&source, trace_intern(t, STR("is_timebase")),
                  attr->sample_period < UINT64_C(1) << 62);
    struct track_dimension session = {.key = "perf_session_id",
                                      .type = ARG_INT,
                                      .i = attr->session};
    struct track_dimension name = {.key = "name", .type = ARG_STRING, .s = attr->name};
    struct track_spec spec = {
        .type = everywhere ? "perf_global_counter" : "perf_cpu_counter",
        .event_type = TRACK_COUNTER,
        .machine = attrs->machine,
        .name = attr->name,
        .source_args = &source,
        .dimension_count = everywhere ? 2 : 3,
        .dimensions = {{.key = "cpu", .type = ARG_INT, .i = cpu}, session, name},
    };
    if (everywhere) {
        spec.dimensions[0] = session;
        spec.dimensions[1] = name;
    }
    *known = track_intern(t, &spec);
    arg_list_release(&source);
    return *known;
}

/* A sum that is kept under a key of `m`. */
static double *total_of(struct perf_attrs *attrs, struct map *m, uint64_t key)
{
    bool inserted;
    uint32_t *index = map_insert(m, key, &inserted);
    if (inserted) {
        *index = (uint32_t)attrs->totals.count;
        *vec_push(&attrs->totals) = 0;
    }
    return &attrs->totals.items[*index];
}

uint32_t perf_attr_count(struct perf_attrs *attrs, struct perf_attr *attr, struct trace *t,
                         int64_t ts, uint32_t cpu, double more)
{
    double *total = total_of(attrs, &attr->total_of_cpu, cpu);
    *total += more;
    return counter_push(t, ts, counter_track(attrs, attr, t, cpu), *total);
}

uint32_t perf_attr_count_to(struct perf_attrs *attrs, struct perf_attr *attr, struct trace *t,
                            int64_t ts, uint32_t cpu, uint64_t id, double total)
{
    double *last = total_of(attrs, &attrs->last_of_id, id);
    double more = total > *last ? total - *last : 0;
    *last += more;
    return perf_attr_count(attrs, attr, t, ts, cpu, more);
}
