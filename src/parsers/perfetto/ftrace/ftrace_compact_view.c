#include "parsers/perfetto/ftrace/ftrace_compact_view.h"

#include "pb_fields.h"

enum {
    SWITCH_TIME = PB_FtraceEventBundle_CompactSched_switch_timestamp,
    SWITCH_STATE = PB_FtraceEventBundle_CompactSched_switch_prev_state,
    SWITCH_PID = PB_FtraceEventBundle_CompactSched_switch_next_pid,
    SWITCH_PRIO = PB_FtraceEventBundle_CompactSched_switch_next_prio,
    SWITCH_COMM = PB_FtraceEventBundle_CompactSched_switch_next_comm_index,
    WAKING_TIME = PB_FtraceEventBundle_CompactSched_waking_timestamp,
    WAKING_PID = PB_FtraceEventBundle_CompactSched_waking_pid,
    WAKING_CPU = PB_FtraceEventBundle_CompactSched_waking_target_cpu,
    WAKING_PRIO = PB_FtraceEventBundle_CompactSched_waking_prio,
    WAKING_COMM = PB_FtraceEventBundle_CompactSched_waking_comm_index,
    WAKING_FLAGS = PB_FtraceEventBundle_CompactSched_waking_common_flags,
    INTERN_TABLE = PB_FtraceEventBundle_CompactSched_intern_table,
    COLUMNS = 16
};

struct columns {
    struct pb_packed by_field[COLUMNS];
};

static bool next(struct columns *c, uint32_t field, uint64_t *out)
{
    return pb_packed_next(&c->by_field[field], out);
}

/* All columns of a list must end together. */
static bool any_goes_on(const struct columns *c, uint32_t first, uint32_t last)
{
    bool goes_on = false;
    for (uint32_t field = first; field <= last; field++)
        goes_on |= pb_packed_has_more(&c->by_field[field]);
    return goes_on;
}

static void read_switches(struct columns *c, struct compact_sched_view *out)
{
    uint64_t delta, state, pid, prio, comm, at = 0;
    while (next(c, SWITCH_TIME, &delta)) {
        if (!next(c, SWITCH_STATE, &state) || !next(c, SWITCH_PID, &pid) ||
            !next(c, SWITCH_PRIO, &prio) || !next(c, SWITCH_COMM, &comm) ||
            comm >= out->comms.count) {
            out->broken++;
            return;
        }
        at += delta;
        *vec_push(&out->switches) =
            (struct compact_switch){(int64_t)at, (int64_t)state, (int32_t)pid, (int32_t)prio,
                                    (uint32_t)comm};
    }
    out->broken += any_goes_on(c, SWITCH_TIME, SWITCH_COMM);
}

static void read_wakings(struct columns *c, struct compact_sched_view *out)
{
    uint64_t delta, pid, cpu, prio, comm, flags, at = 0;
    while (next(c, WAKING_TIME, &delta)) {
        if (!next(c, WAKING_PID, &pid) || !next(c, WAKING_CPU, &cpu) ||
            !next(c, WAKING_PRIO, &prio) || !next(c, WAKING_COMM, &comm) ||
            comm >= out->comms.count) {
            out->broken++;
            return;
        }
        if (!next(c, WAKING_FLAGS, &flags)) /* not recorded by old versions */
            flags = 0;
        at += delta;
        *vec_push(&out->wakings) =
            (struct compact_waking){(int64_t)at,   (int32_t)pid,   (int32_t)cpu,
                                    (int32_t)prio, (uint32_t)comm, (uint32_t)flags};
    }
    out->broken += any_goes_on(c, WAKING_TIME, WAKING_COMM);
}

void compact_sched_read(struct bytes message, struct compact_sched_view *out)
{
    struct columns c = {0};
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    *out = (struct compact_sched_view){0};
    while (pb_next(&r, &f)) {
        if (f.number == INTERN_TABLE)
            *vec_push(&out->comms) = pb_str(&f);
        else if (f.number < COLUMNS)
            c.by_field[f.number] = pb_packed_begin(&f, PB_WIRE_VARINT);
    }
    read_switches(&c, out);
    read_wakings(&c, out);
}

void compact_sched_release(struct compact_sched_view *c)
{
    vec_release(&c->comms);
    vec_release(&c->switches);
    vec_release(&c->wakings);
}

struct packed_columns {
    struct pb_bytes by_field[COLUMNS];
    int64_t last_switch, last_waking;
};

static void put(struct packed_columns *p, uint32_t field, int64_t value)
{
    pb_put_varint(&p->by_field[field], (uint64_t)value);
}

static void put_switch(struct packed_columns *p, const struct compact_switch *s)
{
    put(p, SWITCH_TIME, (int64_t)((uint64_t)s->ts - (uint64_t)p->last_switch));
    p->last_switch = s->ts;
    put(p, SWITCH_STATE, s->prev_state);
    put(p, SWITCH_PID, s->pid);
    put(p, SWITCH_PRIO, s->prio);
    put(p, SWITCH_COMM, s->comm);
}

static void put_waking(struct packed_columns *p, const struct compact_waking *k)
{
    put(p, WAKING_TIME, (int64_t)((uint64_t)k->ts - (uint64_t)p->last_waking));
    p->last_waking = k->ts;
    put(p, WAKING_PID, k->pid);
    put(p, WAKING_CPU, k->target_cpu);
    put(p, WAKING_PRIO, k->prio);
    put(p, WAKING_COMM, k->comm);
    put(p, WAKING_FLAGS, k->flags);
}

bool compact_sched_write(const struct compact_sched_view *c, struct pb_bytes *out)
{
    struct packed_columns p = {0};
    bool any = false;
    for (size_t i = 0; i < c->switches.count; i++)
        put_switch(&p, &c->switches.items[i]);
    for (size_t i = 0; i < c->wakings.count; i++)
        put_waking(&p, &c->wakings.items[i]);
    any = p.by_field[SWITCH_TIME].v.count || p.by_field[WAKING_TIME].v.count;
    for (size_t i = 0; any && i < c->comms.count; i++)
        pb_put_str(out, INTERN_TABLE, c->comms.items[i]);
    for (uint32_t field = 0; field < COLUMNS; field++) {
        if (p.by_field[field].v.count)
            pb_put_message(out, field, &p.by_field[field]);
        pb_bytes_release(&p.by_field[field]);
    }
    return any;
}
