/* Energy: battery, power rails, energy estimates, states of entities, cpu time of uids. */
#define PB_READS_LITTLE
#include <math.h>

#include "base/hash.h"
#include "parsers/perfetto/packets/clock.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/counter.h"

enum { NAME_MAX_BYTES = 256 };
#define NS_PER_MS INT64_C(1000000)

static string_id intern_format(struct import *im, const char *format, struct str a, struct str b)
{
    char text[2 * NAME_MAX_BYTES];
    snprintf(text, sizeof text, format, (int)(a.n & 0xffff), a.p, (int)(b.n & 0xffff), b.p);
    return trace_intern_c(im->trace, text);
}

/* `battery` is none of several where it has no text. */
static uint32_t battery_track(struct import *im, const struct packet *p, struct str battery,
                              const char *counter)
{
    struct trace *t = im->trace;
    struct track_spec spec = {
        .type = "battery_counter",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 2,
        .dimensions =
            {{.key = "battery_name", .type = ARG_STRING, .s = intern_unpacked(im, battery)},
             {.key = "counter_name", .type = ARG_STRING, .s = trace_intern_c(t, counter)}},
        .name = battery.n ? intern_format(im, "batt.%.*s.%.*s", battery, str_from(counter))
                          : intern_format(im, "batt.%.*s%.*s", STR(""), str_from(counter)),
    };
    return track_intern(t, &spec);
}

static void push_battery(struct import *im, const struct packet *p, struct str battery,
                         const char *counter, double value)
{
    counter_push(im->trace, p->ts, battery_track(im, p, battery, counter), value);
}

/* Batteries that tell their energy and not their charge: it follows from the voltage. */
static bool tells_charge(const BatteryCounters *b)
{
    return b->has_charge_counter_uah || (b->has_energy_counter_uwh && b->has_voltage_uv);
}

/* Without a voltage there is the track, and no value. */
static void push_charge(struct import *im, const struct packet *p, const BatteryCounters *b)
{
    const double uv_per_volt = 1e6;
    uint32_t track = battery_track(im, p, UNPACKED_TEXT(b, name), "charge_uah");
    if (b->has_charge_counter_uah)
        counter_push(im->trace, p->ts, track, (double)b->charge_counter_uah);
    else if (b->voltage_uv > 0)
        counter_push(im->trace, p->ts, track,
                     trunc((double)b->energy_counter_uwh * uv_per_volt / (double)b->voltage_uv));
}

static void battery_parse(struct import *im, const struct packet *p)
{
    const BatteryCounters *b = unpack_packet(im, &battery_counters__descriptor, p);
    const struct {
        const char *counter;
        bool present;
        double value;
    } values[] = {
        {"capacity_pct", b->has_capacity_percent, (double)b->capacity_percent},
        {"current_ua", b->has_current_ua, (double)b->current_ua},
        {"current.avg_ua", b->has_current_avg_ua, (double)b->current_avg_ua},
        {"voltage_uv", b->has_voltage_uv, (double)b->voltage_uv},
    };
    const struct str battery = UNPACKED_TEXT(b, name);
    if (tells_charge(b))
        push_charge(im, p, b);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (values[i].present)
            push_battery(im, p, battery, values[i].counter, values[i].value);
    const double pw_per_mw = 1e9; /* µA times µV are pW */
    if (b->has_current_ua && b->has_voltage_uv)
        push_battery(im, p, battery, "power_mw",
                     trunc(fabs((double)b->current_ua) * (double)b->voltage_uv / pw_per_mw));
}

struct rail {
    uint64_t session;
    uint32_t machine, index, track;
};

struct rail_state {
    VEC(struct rail) rails;
};

static void rail_state_release(void *state)
{
    struct rail_state *s = state;
    vec_release(&s->rails);
}

static const struct import_state_kind rail_kind = {.size = sizeof(struct rail_state),
                                                   .release = rail_state_release};

/* What people call the rails of devices that are widely used. */
static const struct {
    const char *rail, *name;
} rail_names[] = {
    {"S4M_VDD_CPUCL0", "cpu.little"},  {"S3M_VDD_CPUCL1", "cpu.mid"},
    {"S2M_VDD_CPUCL2", "cpu.big"},     {"S5M_VDD_INT", "system.fabric"},
    {"S10M_VDD_TPU", "tpu"},           {"S2S_VDD_G3D", "gpu"},
    {"S8S_VDD_G3D_L2", "gpu.l2"},      {"S1M_VDD_MIF", "memory.interface"},
    {"S5S_VDDQ_MEM", "ddr.a"},         {"S10S_VDD2L", "ddr.b"},
    {"S4S_VDD2H_MEM", "ddr.c"},        {"S9S_VDD_AOC", "aoc.logic"},
    {"L2S_VDD_AOC_RET", "aoc.memory"}, {"VSYS_PWR_DISPLAY", "display"},
    {"L9S_GNSS_CORE", "gps"},          {"S6M_LLDO1", "ldo.main.a"},
    {"S8M_LLDO2", "ldo.main.b"},       {"VSYS_PWR_MODEM", "modem"},
    {"S1S_VDD_CAM", "multimedia"},     {"VSYS_PWR_RFFE", "radio.frontend"},
    {"L2S_PLL_MIPI_UFS", "ufs"},       {"VSYS_PWR_WLAN_BT", "wifi.bt"},
};

static string_id rail_name(struct import *im, struct str rail)
{
    for (size_t i = 0; i < sizeof rail_names / sizeof rail_names[0]; i++)
        if (str_eq(str_from(rail_names[i].rail), rail))
            return intern_format(im, "power.rails.%.*s%.*s", str_from(rail_names[i].name), STR(""));
    return intern_format(im, "power.%.*s_uws%.*s", rail, STR(""));
}

static struct rail *find_rail(struct rail_state *s, uint32_t machine, uint64_t session,
                              uint32_t index)
{
    for (size_t i = 0; i < s->rails.count; i++) {
        struct rail *r = &s->rails.items[i];
        if (r->index == index && r->session == session && r->machine == machine)
            return r;
    }
    return NULL;
}

static void add_rail(struct import *im, const struct packet *p, uint64_t session,
                     struct bytes message)
{
    struct trace *t = im->trace;
    const PowerRails__RailDescriptor *descriptor =
        unpack_bytes(im, &power_rails__rail_descriptor__descriptor, message);
    uint32_t index = descriptor->index;
    struct str name = UNPACKED_TEXT(descriptor, rail_name);
    struct str subsystem = UNPACKED_TEXT(descriptor, subsys_name);
    struct arg_list source = {0};
    arg_list_str(&source, trace_intern(t, STR("raw_name")), intern_unpacked(im, name));
    arg_list_str(&source, trace_intern(t, STR("subsystem_name")), intern_unpacked(im, subsystem));
    struct track_spec spec = {
        .type = "power_rails",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "name", .type = ARG_STRING, .s = intern_unpacked(im, name)},
                       {.key = "session_uuid", .type = ARG_INT, .i = (int64_t)session}},
        .name = rail_name(im, name),
        .source_args = &source,
    };
    uint32_t track = track_intern(t, &spec);
    arg_list_release(&source);
    struct rail_state *state = import_state(im, &rail_kind);
    struct rail *rail = find_rail(state, p->machine, session, index);
    if (!rail)
        rail = vec_push(&state->rails);
    *rail = (struct rail){session, p->machine, index, track};
}

/* One reading; they come in packets of many, each with its own time. */
struct rail_record {
    struct record_call call;
    uint64_t session, energy;
    int64_t packet_ts;
    uint32_t index;
};

static void apply_rail(struct import *im, int64_t ts, const struct record_call *call)
{
    const struct rail_record *record = (const struct rail_record *)call;
    const struct rail *rail = find_rail(import_state(im, &rail_kind), record->call.machine,
                                        record->session, record->index);
    if (!rail) {
        stats_count(im->trace, STAT_power_rail_unknown_index);
        return;
    }
    struct arg_list args = {0};
    arg_list_uint(&args, trace_intern(im->trace, STR("packet_ts")), (uint64_t)record->packet_ts);
    counter_push_args(im->trace, ts, rail->track, (double)(int64_t)record->energy,
                      args_intern(&im->trace->args, &args));
    arg_list_release(&args);
}

struct reading {
    int64_t ts;
    uint64_t energy;
    uint32_t index;
};

/* Readings come by the hundred in a packet: as structs they took twice as long. */
static struct reading read_reading(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct reading reading = {.ts = p->ts};
    struct pb_field f;
    int64_t ns;
    while (pb_next(&r, &f)) {
        if (f.number == PB_PowerRails_EnergyData_index)
            reading.index = pb_u32(&f);
        else if (f.number == PB_PowerRails_EnergyData_energy)
            reading.energy = pb_u64(&f);
        else if (f.number == PB_PowerRails_EnergyData_timestamp_ms &&
                 (__builtin_mul_overflow(pb_i64(&f), NS_PER_MS, &ns) ||
                  !clock_to_trace_time(im, p->sequence, p->machine,
                                       PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME, ns, &reading.ts)))
            reading.ts = p->ts;
    }
    return reading;
}

static void push_reading(struct import *im, const struct packet *p, uint64_t session,
                         struct pb_reader r)
{
    struct reading reading = read_reading(im, p, r);
    struct rail_record *record = arena_alloc(&im->arena, sizeof *record);
    *record = (struct rail_record){.call = {apply_rail, p->machine},
                                   .session = session,
                                   .packet_ts = p->ts,
                                   .energy = reading.energy,
                                   .index = reading.index};
    sorter_push(&im->sorter, 0, reading.ts, RECORD_CALL, (uintptr_t)record);
}

/* As in Trace Processor on the first machine, whichever the packet is of. */
static void log_empty(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    struct stat_scope scope = *stats_scope(t);
    stats_enter(t, 0, scope.file);
    packet_log_time(im, p, STAT_power_rail_empty_packet, NULL);
    stats_enter(t, scope.machine, scope.file);
}

static bool power_rails_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field), rails = r, readings = r;
    struct pb_field f;
    uint64_t session = 0;
    bool empty = true;
    while (pb_next(&r, &f))
        if (f.number == PB_PowerRails_session_uuid)
            session = pb_u64(&f);
    while (pb_next(&rails, &f))
        if (f.number == PB_PowerRails_rail_descriptor)
            add_rail(im, p, session, field_bytes(&f));
    while (pb_next(&readings, &f)) {
        if (f.number != PB_PowerRails_energy_data)
            continue;
        push_reading(im, p, session, pb_message(&f));
        empty = false;
    }
    if (empty)
        log_empty(im, p);
    return true;
}

/* Things that have names by number: energy consumers, states of entities. */
struct energy_name {
    uint64_t key;
    string_id name, state, type;
    int32_t ordinal;
};

struct named_state {
    struct map by_key; /* -> index of items */
    VEC(struct energy_name) items;
};

static void named_state_release(void *state)
{
    struct named_state *s = state;
    map_release(&s->by_key);
    vec_release(&s->items);
}

static const struct import_state_kind consumer_kind = {.size = sizeof(struct named_state),
                                                       .release = named_state_release};
static const struct import_state_kind entity_kind = {.size = sizeof(struct named_state),
                                                     .release = named_state_release};

static const struct energy_name *find_named(const struct named_state *s, uint64_t key)
{
    const uint32_t *at = map_find(&s->by_key, key);
    return at ? &s->items.items[*at] : NULL;
}

static void set_named(struct named_state *s, struct energy_name n)
{
    bool inserted;
    uint32_t *at = map_insert(&s->by_key, n.key, &inserted);
    if (inserted) {
        *at = (uint32_t)s->items.count;
        vec_push(&s->items);
    }
    s->items.items[*at] = n;
}

static void add_consumer(struct import *im, const AndroidEnergyConsumer *consumer)
{
    struct energy_name n = {.key = (uint64_t)consumer->energy_consumer_id,
                            .name = intern_unpacked(im, UNPACKED_TEXT(consumer, name)),
                            .type = intern_unpacked(im, UNPACKED_TEXT(consumer, type)),
                            .ordinal = consumer->ordinal};
    if (consumer->has_energy_consumer_id)
        set_named(import_state(im, &consumer_kind), n);
    else
        stats_count(im->trace, STAT_energy_descriptor_invalid);
}

static void push_energy(struct import *im, const struct packet *p,
                        const struct energy_name *consumer, const int64_t *uid, int64_t energy)
{
    struct arg_list source = {0};
    if (!uid) {
        arg_list_str(&source, trace_intern(im->trace, STR("consumer_type")), consumer->type);
        arg_list_int(&source, trace_intern(im->trace, STR("ordinal")), consumer->ordinal);
    }
    struct track_spec spec = {
        .type = uid ? "android_energy_estimation_breakdown_per_uid"
                    : "android_energy_estimation_breakdown",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = uid ? 2 : 1,
        .dimensions = {{.key = "energy_consumer_id", .type = ARG_INT, .i = (int64_t)consumer->key},
                       {.key = "uid", .type = ARG_INT, .i = uid ? *uid : 0}},
        .name = consumer->name,
        .source_args = uid ? NULL : &source,
    };
    counter_push(im->trace, p->ts, track_intern(im->trace, &spec), (double)energy);
    arg_list_release(&source);
}

static void push_uid_energy(struct import *im, const struct packet *p,
                            const struct energy_name *consumer,
                            const AndroidEnergyEstimationBreakdown__EnergyUidBreakdown *part)
{
    int64_t uid = part->uid;
    if (part->has_uid && part->has_energy_uws)
        push_energy(im, p, consumer, &uid, part->energy_uws);
    else
        stats_count(im->trace, STAT_energy_uid_breakdown_missing_values);
}

/* A packet that names consumers tells nothing else. */
static bool energy_breakdown_tokenize(struct import *im, struct packet *p)
{
    const AndroidEnergyEstimationBreakdown *b =
        unpack_packet(im, &android_energy_estimation_breakdown__descriptor, p);
    const AndroidEnergyConsumerDescriptor *descriptor = b->energy_consumer_descriptor;
    for (size_t i = 0; descriptor && i < descriptor->n_energy_consumers; i++)
        add_consumer(im, descriptor->energy_consumers[i]);
    return descriptor != NULL;
}

static void energy_breakdown_parse(struct import *im, const struct packet *p)
{
    const AndroidEnergyEstimationBreakdown *b =
        unpack_packet(im, &android_energy_estimation_breakdown__descriptor, p);
    const struct energy_name *known =
        b->has_energy_consumer_id && b->has_energy_uws
            ? find_named(import_state(im, &consumer_kind), (uint64_t)b->energy_consumer_id)
            : NULL;
    if (!known) {
        stats_count(im->trace, STAT_energy_breakdown_missing_values);
        return;
    }
    push_energy(im, p, known, NULL, b->energy_uws);
    for (size_t i = 0; i < b->n_per_uid_breakdown; i++)
        push_uid_energy(im, p, known, b->per_uid_breakdown[i]);
}

static uint64_t entity_key(int32_t entity, int32_t state)
{
    return (uint64_t)(uint32_t)entity << 32 | (uint32_t)state;
}

static void add_entity_state(struct import *im, struct bytes message)
{
    const EntityStateResidency__PowerEntityState *state =
        unpack_bytes(im, &entity_state_residency__power_entity_state__descriptor, message);
    if (!state->has_entity_index || !state->has_state_index) {
        stats_count(im->trace, STAT_energy_descriptor_invalid);
        return;
    }
    struct energy_name n = {.key = entity_key(state->entity_index, state->state_index),
                            .name = intern_unpacked(im, UNPACKED_TEXT(state, entity_name)),
                            .state = intern_unpacked(im, UNPACKED_TEXT(state, state_name))};
    set_named(import_state(im, &entity_kind), n);
}

/* As with the rails' readings; false where nobody named the state. */
static bool push_residency(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct trace *t = im->trace;
    struct pb_field f;
    int32_t entity = 0, state = 0;
    int64_t ms = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_EntityStateResidency_StateResidency_entity_index)
            entity = pb_i32(&f);
        else if (f.number == PB_EntityStateResidency_StateResidency_state_index)
            state = pb_i32(&f);
        else if (f.number == PB_EntityStateResidency_StateResidency_total_time_in_state_ms)
            ms = pb_i64(&f);
    }
    const struct energy_name *n =
        find_named(import_state(im, &entity_kind), entity_key(entity, state));
    if (!n) {
        stats_count(t, STAT_entity_state_residency_lookup_failed);
        return false;
    }
    struct track_spec spec = {
        .type = "entity_state",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "entity_name", .type = ARG_STRING, .s = n->name},
                       {.key = "state_name", .type = ARG_STRING, .s = n->state}},
        .name = intern_format(im, "Entity residency: %.*s is %.*s",
                              string_pool_get(&t->strings, n->name),
                              string_pool_get(&t->strings, n->state)),
    };
    counter_push(t, p->ts, track_intern(t, &spec), (double)ms);
    return true;
}

/* Names count for the whole trace, in the order of the file. */
static bool entity_state_residency_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_EntityStateResidency_power_entity_state)
            add_entity_state(im, field_bytes(&f));
    return false;
}

/* As Trace Processor has it, what is behind a state without a name does not count. */
static void entity_state_residency_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    bool empty = true, known = true;
    while (known && pb_next(&r, &f)) {
        if (f.number != PB_EntityStateResidency_residency)
            continue;
        known = push_residency(im, p, pb_message(&f));
        empty = false;
    }
    if (empty)
        stats_count(im->trace, STAT_entity_state_residency_invalid);
}

static bool power_rails_span(struct import *im, const struct packet *p, struct packet_span *out)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    *out = (struct packet_span){INT64_MAX, INT64_MIN};
    while (pb_next(&r, &f))
        if (f.number == PB_PowerRails_energy_data)
            packet_span_add(out, read_reading(im, p, pb_message(&f)).ts);
    return out->first <= out->last;
}

/* What each rail has used, and what rails there are. */
static void power_rails_say(struct import *im, const struct packet *p, struct packet_felt_sink *out)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field session = pb_last(r, PB_PowerRails_session_uuid), f;
    uint64_t key = hash_mix(hash_mix(pb_u64(&session), p->machine), PB_TracePacket_power_rails);
    while (pb_next(&r, &f)) {
        if (f.number == PB_PowerRails_energy_data) {
            struct reading reading = read_reading(im, p, pb_message(&f));
            packet_felt_last(out, reading.ts, hash_mix(key, reading.index));
        } else if (f.number == PB_PowerRails_rail_descriptor) {
            packet_felt_last(out, p->ts, hash_mix(key, ~p->number));
        }
    }
}

const struct packet_module power_packets[] = {
    {PB_TracePacket_battery, .parse = battery_parse, .felt = PACKET_LAST,
     .whose = {PB_BatteryCounters_name}},
    {PB_TracePacket_power_rails, .tokenize = power_rails_tokenize, .felt = PACKET_SPAN,
     .span = power_rails_span, .say = power_rails_say},
    {PB_TracePacket_android_energy_estimation_breakdown, .tokenize = energy_breakdown_tokenize,
     .parse = energy_breakdown_parse, .felt = PACKET_EACH},
    {PB_TracePacket_entity_state_residency, .tokenize = entity_state_residency_tokenize,
     .parse = entity_state_residency_parse, .felt = PACKET_EACH},
    {0},
};
