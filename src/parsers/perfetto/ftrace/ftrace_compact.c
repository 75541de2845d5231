#include "parsers/perfetto/ftrace/ftrace_compact.h"

#include "base/hash.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum { COMMS_MAX = 4096 };

/* The arrays, and the bundle's names. */
struct compact_sched {
    struct pb_packed switch_ts, prev_state, next_pid, next_prio, next_comm;
    struct pb_packed waking_ts, waking_pid, target_cpu, waking_prio, waking_comm, waking_flags;
    string_id comms[COMMS_MAX];
    uint32_t comm_count;
};

/* Where the array of a field is kept, or NULL. */
static struct pb_packed *array_of(struct compact_sched *c, uint32_t field)
{
    switch (field) {
    case PB_FtraceEventBundle_CompactSched_switch_timestamp:
        return &c->switch_ts;
    case PB_FtraceEventBundle_CompactSched_switch_prev_state:
        return &c->prev_state;
    case PB_FtraceEventBundle_CompactSched_switch_next_pid:
        return &c->next_pid;
    case PB_FtraceEventBundle_CompactSched_switch_next_prio:
        return &c->next_prio;
    case PB_FtraceEventBundle_CompactSched_switch_next_comm_index:
        return &c->next_comm;
    case PB_FtraceEventBundle_CompactSched_waking_timestamp:
        return &c->waking_ts;
    case PB_FtraceEventBundle_CompactSched_waking_pid:
        return &c->waking_pid;
    case PB_FtraceEventBundle_CompactSched_waking_target_cpu:
        return &c->target_cpu;
    case PB_FtraceEventBundle_CompactSched_waking_prio:
        return &c->waking_prio;
    case PB_FtraceEventBundle_CompactSched_waking_comm_index:
        return &c->waking_comm;
    case PB_FtraceEventBundle_CompactSched_waking_common_flags:
        return &c->waking_flags;
    default:
        return NULL;
    }
}

static void compact_read(struct trace *t, struct compact_sched *c, struct bytes message)
{
    struct pb_reader r = pb_reader_from(message.p, message.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_FtraceEventBundle_CompactSched_intern_table) {
            if (c->comm_count < COMMS_MAX)
                c->comms[c->comm_count++] = trace_intern(t, pb_str(&f));
            continue;
        }
        struct pb_packed *array = array_of(c, f.number);
        if (array)
            *array = pb_packed_begin(&f, PB_WIRE_VARINT);
    }
}

static void push(struct bundle_context *b, int64_t ts, enum record_kind kind,
                 const struct compact_event *event)
{
    struct ftrace_import *f = b->f;
    bool inserted;
    uint64_t hash = hash_bytes(event, sizeof *event, hash_u64(kind));
    uint32_t *number = map_insert(&f->compact_numbers, hash, &inserted);
    if (inserted) {
        *number = (uint32_t)f->compact_events.count;
        *vec_push(&f->compact_events) = *event;
    }
    sorter_push(&f->im->sorter, b->queue, ts, kind, *number);
}

static void count_error(struct bundle_context *b)
{
    stats_count(b->f->im->trace, STAT_compact_sched_has_parse_errors);
}

static void push_switches(struct bundle_context *b, struct compact_sched *c)
{
    uint64_t delta, prev_state, pid, prio, comm, at = 0;
    int64_t ts;
    while (pb_packed_next(&c->switch_ts, &delta)) {
        if (!pb_packed_next(&c->prev_state, &prev_state) || !pb_packed_next(&c->next_pid, &pid) ||
            !pb_packed_next(&c->next_prio, &prio) || !pb_packed_next(&c->next_comm, &comm) ||
            comm >= c->comm_count) {
            count_error(b);
            return;
        }
        at += delta;
        if (!bundle_time(b, (int64_t)at, &ts))
            return;
        struct compact_event event = {.pid = (int32_t)pid,
                                      .prio = (int32_t)prio,
                                      .comm = c->comms[comm],
                                      .prev_state = (int32_t)prev_state};
        push(b, ts, RECORD_SCHED_SWITCH, &event);
    }
    /* all arrays must end together */
    if (pb_packed_has_more(&c->switch_ts) || pb_packed_has_more(&c->prev_state) ||
        pb_packed_has_more(&c->next_pid) || pb_packed_has_more(&c->next_prio) ||
        pb_packed_has_more(&c->next_comm))
        count_error(b);
}

static void push_wakings(struct bundle_context *b, struct compact_sched *c)
{
    uint64_t delta, pid, target, prio, comm, flags, at = 0;
    int64_t ts;
    while (pb_packed_next(&c->waking_ts, &delta)) {
        if (!pb_packed_next(&c->waking_pid, &pid) || !pb_packed_next(&c->target_cpu, &target) ||
            !pb_packed_next(&c->waking_prio, &prio) || !pb_packed_next(&c->waking_comm, &comm) ||
            comm >= c->comm_count) {
            count_error(b);
            return;
        }
        if (!pb_packed_next(&c->waking_flags, &flags)) /* not recorded by old versions */
            flags = 0;
        at += delta;
        if (!bundle_time(b, (int64_t)at, &ts))
            return;
        struct compact_event event = {.pid = (int32_t)pid,
                                      .prio = (uint16_t)prio,
                                      .comm = c->comms[comm],
                                      .target_cpu = (uint16_t)target,
                                      .common_flags = (uint16_t)flags};
        push(b, ts, RECORD_SCHED_WAKING, &event);
    }
    if (pb_packed_has_more(&c->waking_ts) || pb_packed_has_more(&c->waking_pid) ||
        pb_packed_has_more(&c->target_cpu) || pb_packed_has_more(&c->waking_prio) ||
        pb_packed_has_more(&c->waking_comm))
        count_error(b);
}

void ftrace_compact_tokenize(struct bundle_context *b, struct bytes compact_sched)
{
    struct compact_sched c;
    memset(&c, 0, offsetof(struct compact_sched, comms));
    c.comm_count = 0;
    compact_read(b->f->im->trace, &c, compact_sched);
    push_switches(b, &c);
    push_wakings(b, &c);
}
