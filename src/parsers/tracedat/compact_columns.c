#include "parsers/tracedat/compact_columns.h"

#include "parsers/perf/wire.h"
#include "pb_fields.h"

enum { TYPE_AT = 0, FLAGS_AT = 2, PID_AT = 4, COMMON_BYTES = 8 };

/* Where the field is, if it is as large as expected; 0: it is not. */
static uint16_t place_of(const struct event_format *format, struct str name, uint32_t size)
{
    for (size_t i = 0; i < format->fields.count; i++) {
        const struct event_field *f = &format->fields.items[i];
        if (str_eq(f->name, name) && f->size == size && f->place == FIELD_HERE &&
            f->offset < UINT16_MAX - size)
            return (uint16_t)f->offset;
    }
    return 0;
}

/* How many bytes an event has that has all fields; 0 where it lacks one. */
static uint16_t bytes_for(const uint16_t *places, const uint16_t *sizes, size_t n)
{
    uint16_t end = 0;
    for (size_t i = 0; i < n; i++) {
        if (places[i] == 0)
            return 0;
        uint16_t behind = (uint16_t)(places[i] + sizes[i]);
        end = behind > end ? behind : end;
    }
    return end;
}

static void add_switch(struct compact_formats *f, const struct event_format *format)
{
    uint16_t state = place_of(format, STR("prev_state"), 8);
    f->to.long_state = state != 0;
    f->to.prev_state = state ? state : place_of(format, STR("prev_state"), 4);
    f->to.prev_pid = place_of(format, STR("prev_pid"), 4);
    f->to.next_comm = place_of(format, STR("next_comm"), COMPACT_COMM_BYTES);
    f->to.next_pid = place_of(format, STR("next_pid"), 4);
    f->to.next_prio = place_of(format, STR("next_prio"), 4);
    const uint16_t places[] = {f->to.prev_state, f->to.prev_pid, f->to.next_comm, f->to.next_pid,
                               f->to.next_prio};
    const uint16_t sizes[] = {f->to.long_state ? 8 : 4, 4, COMPACT_COMM_BYTES, 4, 4};
    f->to.bytes = bytes_for(places, sizes, sizeof sizes / sizeof *sizes);
    f->switch_id = f->to.bytes ? (uint16_t)format->id : 0;
}

static void add_waking(struct compact_formats *f, const struct event_format *format)
{
    f->waking.comm = place_of(format, STR("comm"), COMPACT_COMM_BYTES);
    f->waking.pid = place_of(format, STR("pid"), 4);
    f->waking.prio = place_of(format, STR("prio"), 4);
    f->waking.target_cpu = place_of(format, STR("target_cpu"), 4);
    const uint16_t places[] = {f->waking.comm, f->waking.pid, f->waking.prio, f->waking.target_cpu};
    const uint16_t sizes[] = {COMPACT_COMM_BYTES, 4, 4, 4};
    f->waking.bytes = bytes_for(places, sizes, sizeof sizes / sizeof *sizes);
    f->waking_id = f->waking.bytes ? (uint16_t)format->id : 0;
}

void compact_formats_add(struct compact_formats *f, const struct event_format *format)
{
    if (str_eq(format->name, STR("sched_switch")))
        add_switch(f, format);
    else if (str_eq(format->name, STR("sched_waking")))
        add_waking(f, format);
}

/* The place of the name in the bundle's table. A name that another has displaced is told again. */
static uint32_t name_index(struct compact_columns *c, const uint8_t *comm)
{
    uint64_t name[2];
    memcpy(name, comm, sizeof name);
    uint64_t hash =
        (name[0] ^ name[1] * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
    struct compact_comm *known = &c->comms[hash >> 56];
    if (known->generation == c->generation + 1 && known->name[0] == name[0] &&
        known->name[1] == name[1])
        return known->index;
    *known = (struct compact_comm){{name[0], name[1]}, c->generation + 1, c->name_count++};
    pb_put_str(&c->names, PB_FtraceEventBundle_CompactSched_intern_table,
               perf_text((struct bytes){comm, COMPACT_COMM_BYTES}));
    return known->index;
}

static uint32_t load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static void put_int(struct pb_bytes *column, int32_t v)
{
    pb_put_varint(column, (uint64_t)(int64_t)v);
}

static bool take_switch(struct compact_columns *c, struct compact_cpu *cpu, uint64_t ts,
                        const uint8_t *p)
{
    const struct compact_formats *f = &c->formats;
    bool follows = cpu->running == (int32_t)load32(p + f->to.prev_pid);
    cpu->running = (int32_t)load32(p + f->to.next_pid);
    if (!follows)
        return false;
    int64_t state = (int32_t)load32(p + f->to.prev_state);
    if (f->to.long_state)
        memcpy(&state, p + f->to.prev_state, sizeof state);
    pb_put_varint(&c->switch_ts, ts - c->last_switch);
    c->last_switch = ts;
    pb_put_varint(&c->switch_state, (uint64_t)state);
    put_int(&c->switch_pid, cpu->running);
    put_int(&c->switch_prio, (int32_t)load32(p + f->to.next_prio));
    pb_put_varint(&c->switch_comm, name_index(c, p + f->to.next_comm));
    return true;
}

static void take_waking(struct compact_columns *c, uint64_t ts, const uint8_t *p)
{
    const struct compact_formats *f = &c->formats;
    pb_put_varint(&c->waking_ts, ts - c->last_waking);
    c->last_waking = ts;
    put_int(&c->waking_pid, (int32_t)load32(p + f->waking.pid));
    put_int(&c->waking_cpu, (int32_t)load32(p + f->waking.target_cpu));
    put_int(&c->waking_prio, (int32_t)load32(p + f->waking.prio));
    pb_put_varint(&c->waking_comm, name_index(c, p + f->waking.comm));
    pb_put_varint(&c->waking_flags, p[FLAGS_AT]);
}

bool compact_columns_take(struct compact_columns *c, struct compact_cpu *cpu, uint64_t ts,
                          struct bytes event)
{
    if (event.n < COMMON_BYTES)
        return false;
    uint16_t type;
    memcpy(&type, event.p + TYPE_AT, sizeof type);
    const struct compact_formats *f = &c->formats;
    if (f->switch_id && type == f->switch_id)
        return event.n >= f->to.bytes && take_switch(c, cpu, ts, event.p);
    if (!f->waking_id || type != f->waking_id || event.n < f->waking.bytes ||
        cpu->running != (int32_t)load32(event.p + PID_AT))
        return false;
    take_waking(c, ts, event.p);
    return true;
}

static void put_column(struct compact_columns *c, uint32_t field, struct pb_bytes *column)
{
    pb_put_message(&c->message, field, column);
    column->v.count = 0;
}

void compact_columns_put(struct compact_columns *c, struct pb_bytes *bundle)
{
    bool switches = c->switch_ts.v.count > 0, wakings = c->waking_ts.v.count > 0;
    if (!switches && !wakings)
        return;
    c->message.v.count = 0;
    pb_put_raw(&c->message, c->names.v.items, c->names.v.count);
    if (switches) {
        put_column(c, PB_FtraceEventBundle_CompactSched_switch_timestamp, &c->switch_ts);
        put_column(c, PB_FtraceEventBundle_CompactSched_switch_prev_state, &c->switch_state);
        put_column(c, PB_FtraceEventBundle_CompactSched_switch_next_pid, &c->switch_pid);
        put_column(c, PB_FtraceEventBundle_CompactSched_switch_next_prio, &c->switch_prio);
        put_column(c, PB_FtraceEventBundle_CompactSched_switch_next_comm_index, &c->switch_comm);
    }
    if (wakings) {
        put_column(c, PB_FtraceEventBundle_CompactSched_waking_timestamp, &c->waking_ts);
        put_column(c, PB_FtraceEventBundle_CompactSched_waking_pid, &c->waking_pid);
        put_column(c, PB_FtraceEventBundle_CompactSched_waking_target_cpu, &c->waking_cpu);
        put_column(c, PB_FtraceEventBundle_CompactSched_waking_prio, &c->waking_prio);
        put_column(c, PB_FtraceEventBundle_CompactSched_waking_comm_index, &c->waking_comm);
        put_column(c, PB_FtraceEventBundle_CompactSched_waking_common_flags, &c->waking_flags);
    }
    pb_put_message(bundle, PB_FtraceEventBundle_compact_sched, &c->message);
    c->names.v.count = 0;
    c->name_count = 0;
    c->generation++;
    c->last_switch = c->last_waking = 0;
}

void compact_columns_release(struct compact_columns *c)
{
    struct pb_bytes *all[] = {&c->switch_ts,   &c->switch_state, &c->switch_pid,   &c->switch_prio,
                              &c->switch_comm, &c->waking_ts,    &c->waking_pid,   &c->waking_cpu,
                              &c->waking_prio, &c->waking_comm,  &c->waking_flags, &c->names,
                              &c->message};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        pb_bytes_release(all[i]);
}
