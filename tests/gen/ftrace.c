#include "ftrace.h"

#include <string.h>

#include "pb_fields.h"

enum { PROBES_UID = 9999, PROBES_PID = 911 };

void ftrace_init(struct ftrace *f, struct out *out, int64_t start)
{
    *f = (struct ftrace){.out = out};
    for (int cpu = 0; cpu < CPU_COUNT; cpu++)
        f->cpus[cpu].read_ts = start;
}

static void compact_sched_release(struct compact_sched *s)
{
    struct proto *all[] = {&s->switch_ts,   &s->switch_state, &s->switch_pid,   &s->switch_prio,
                           &s->switch_comm, &s->waking_ts,    &s->waking_pid,   &s->waking_cpu,
                           &s->waking_prio, &s->waking_comm,  &s->waking_flags, &s->names};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        proto_release(all[i]);
}

void ftrace_release(struct ftrace *f)
{
    for (int cpu = 0; cpu < CPU_COUNT; cpu++) {
        proto_release(&f->cpus[cpu].events);
        compact_sched_release(&f->cpus[cpu].sched);
    }
    vec_release(&f->comms);
    vec_release(&f->symbols);
}

uint32_t ftrace_comm(struct ftrace *f, const char *name)
{
    struct comm c = {0};
    for (size_t i = 0; i < COMM_SIZE - 1 && name[i]; i++)
        c.name[i] = name[i];
    for (size_t i = 0; i < f->comms.count; i++) {
        if (memcmp(f->comms.items[i].name, c.name, COMM_SIZE) == 0)
            return (uint32_t)i;
    }
    *vec_push(&f->comms) = c;
    return (uint32_t)(f->comms.count - 1);
}

uint64_t ftrace_symbol(struct ftrace *f, const char *name)
{
    for (size_t i = 0; i < f->symbols.count; i++) {
        if (strcmp(f->symbols.items[i], name) == 0)
            return i + 1;
    }
    *vec_push(&f->symbols) = name;
    return f->symbols.count;
}

static uint32_t comm_index(struct ftrace *f, int cpu, uint32_t comm)
{
    struct comm *c = &f->comms.items[comm];
    struct compact_sched *s = &f->cpus[cpu].sched;
    if (c->index[cpu] == 0) {
        proto_string(&s->names, PB_FtraceEventBundle_CompactSched_intern_table, c->name);
        c->index[cpu] = ++s->name_count;
    }
    return c->index[cpu] - 1;
}

static uint64_t advance(int64_t *last, int64_t ts)
{
    int64_t delta = ts - *last;
    *last = ts;
    return (uint64_t)delta;
}

void ftrace_switch(struct ftrace *f, int cpu, int64_t ts, int prev_state, int next_pid,
                   int next_prio, uint32_t next_comm)
{
    struct compact_sched *s = &f->cpus[cpu].sched;
    proto_varint(&s->switch_ts, advance(&s->last_switch, ts));
    proto_varint(&s->switch_state, (uint64_t)prev_state);
    proto_varint(&s->switch_pid, (uint64_t)next_pid);
    proto_varint(&s->switch_prio, (uint64_t)next_prio);
    proto_varint(&s->switch_comm, comm_index(f, cpu, next_comm));
    f->cpus[cpu].last_ts = ts;
    f->events++;
}

void ftrace_waking(struct ftrace *f, int cpu, int64_t ts, int pid, int target_cpu, int prio,
                   uint32_t comm, uint32_t flags)
{
    struct compact_sched *s = &f->cpus[cpu].sched;
    proto_varint(&s->waking_ts, advance(&s->last_waking, ts));
    proto_varint(&s->waking_pid, (uint64_t)pid);
    proto_varint(&s->waking_cpu, (uint64_t)target_cpu);
    proto_varint(&s->waking_prio, (uint64_t)prio);
    proto_varint(&s->waking_comm, comm_index(f, cpu, comm));
    proto_varint(&s->waking_flags, flags);
    f->cpus[cpu].last_ts = ts;
    f->events++;
}

struct proto *ftrace_begin(struct ftrace *f, int cpu, int64_t ts, int pid, uint32_t event)
{
    struct proto *w = &f->cpus[cpu].events;
    proto_begin(w, PB_FtraceEventBundle_event);
    proto_i64(w, PB_FtraceEvent_timestamp, ts);
    proto_i64(w, PB_FtraceEvent_pid, pid);
    proto_begin(w, event);
    f->cpus[cpu].last_ts = ts;
    f->events++;
    return w;
}

void ftrace_end(struct ftrace *f, int cpu)
{
    proto_end(&f->cpus[cpu].events);
    proto_end(&f->cpus[cpu].events);
}

static void packed_write(struct proto *w, uint32_t field, struct proto *values)
{
    if (values->size > 0)
        proto_bytes(w, field, values->data, values->size);
    proto_clear(values);
}

static void compact_sched_write(struct proto *w, struct compact_sched *s)
{
    if (s->switch_ts.size + s->waking_ts.size == 0)
        return;
    proto_begin(w, PB_FtraceEventBundle_compact_sched);
    proto_raw(w, s->names.data, s->names.size);
    packed_write(w, PB_FtraceEventBundle_CompactSched_switch_timestamp, &s->switch_ts);
    packed_write(w, PB_FtraceEventBundle_CompactSched_switch_prev_state, &s->switch_state);
    packed_write(w, PB_FtraceEventBundle_CompactSched_switch_next_pid, &s->switch_pid);
    packed_write(w, PB_FtraceEventBundle_CompactSched_switch_next_prio, &s->switch_prio);
    packed_write(w, PB_FtraceEventBundle_CompactSched_switch_next_comm_index, &s->switch_comm);
    packed_write(w, PB_FtraceEventBundle_CompactSched_waking_timestamp, &s->waking_ts);
    packed_write(w, PB_FtraceEventBundle_CompactSched_waking_pid, &s->waking_pid);
    packed_write(w, PB_FtraceEventBundle_CompactSched_waking_target_cpu, &s->waking_cpu);
    packed_write(w, PB_FtraceEventBundle_CompactSched_waking_prio, &s->waking_prio);
    packed_write(w, PB_FtraceEventBundle_CompactSched_waking_comm_index, &s->waking_comm);
    packed_write(w, PB_FtraceEventBundle_CompactSched_waking_common_flags, &s->waking_flags);
    proto_end(w);
    proto_clear(&s->names);
    s->name_count = 0;
    s->last_switch = s->last_waking = 0;
}

static void symbols_write(struct ftrace *f, struct proto *w)
{
    if (f->symbols_written == f->symbols.count)
        return;
    proto_begin(w, PB_TracePacket_interned_data);
    for (; f->symbols_written < f->symbols.count; f->symbols_written++) {
        proto_begin(w, PB_InternedData_kernel_symbols);
        proto_u64(w, PB_InternedString_iid, f->symbols_written + 1);
        proto_string(w, PB_InternedString_str, f->symbols.items[f->symbols_written]);
        proto_end(w);
    }
    proto_end(w);
}

void ftrace_flush(struct ftrace *f)
{
    for (int cpu = 0; cpu < CPU_COUNT; cpu++) {
        struct ftrace_cpu *c = &f->cpus[cpu];
        if (c->events.size + c->sched.switch_ts.size + c->sched.waking_ts.size == 0)
            continue;
        struct proto *w = out_begin(f->out);
        proto_begin(w, PB_TracePacket_ftrace_events);
        proto_i64(w, PB_FtraceEventBundle_cpu, cpu);
        proto_raw(w, c->events.data, c->events.size);
        compact_sched_write(w, &c->sched);
        proto_i64(w, PB_FtraceEventBundle_last_read_event_timestamp, c->read_ts);
        c->read_ts = c->last_ts;
        proto_end(w);
        symbols_write(f, w);
        proto_u64(w, PB_TracePacket_sequence_flags,
                  f->started ? PB_TracePacket_SequenceFlags_SEQ_NEEDS_INCREMENTAL_STATE
                             : PB_TracePacket_SequenceFlags_SEQ_INCREMENTAL_STATE_CLEARED);
        out_end(f->out, SEQUENCE_FTRACE, PROBES_UID, PROBES_PID);
        f->started = true;
        proto_clear(&c->events);
        for (size_t i = 0; i < f->comms.count; i++)
            f->comms.items[i].index[cpu] = 0;
    }
}
