#include "core/process_counter.h"

#include "core/trace_builder.h"

void process_counters_release(struct process_counters *pc)
{
    vec_release(&pc->pending);
    vec_release(&pc->thread_args);
}

uint32_t process_counter_args(struct trace *t, uint32_t utid)
{
    struct process_counters *pc = &t->builder->process_counters;
    while (pc->thread_args.count <= utid)
        *vec_push(&pc->thread_args) = NULL_U32;
    uint32_t *set = &pc->thread_args.items[utid];
    if (*set == NULL_U32) {
        struct arg_list args = {0};
        arg_list_uint(&args, trace_intern(t, STR("utid")), utid);
        *set = args_intern(&t->args, &args);
        arg_list_release(&args);
    }
    return *set;
}

static uint32_t track_of(struct trace *t, const char *type, const char *key, uint32_t id,
                         uint32_t machine, const struct process_counter *counter)
{
    struct track_spec spec = {
        .type = type,
        .event_type = TRACK_COUNTER,
        .machine = machine,
        .dimension_count = 1 + counter->dimension_count,
        .dimensions = {{.key = key, .type = ARG_INT, .i = id},
                       counter->dimensions[0],
                       counter->dimensions[1]},
        .name = counter->name,
    };
    return track_intern(t, &spec);
}

uint32_t process_counter_track(struct trace *t, uint32_t upid,
                               const struct process_counter *counter)
{
    uint32_t machine = table_u32(&t->tables.process, process_col_machine_id)[upid];
    return track_of(t, counter->type, "upid", upid, machine, counter);
}

void process_counter_push(struct trace *t, int64_t ts, double value, uint32_t utid,
                          const struct process_counter *counter)
{
    uint32_t upid = table_u32(&t->tables.thread, thread_col_upid)[utid];
    if (upid != NULL_U32) {
        counter_push_args(t, ts, process_counter_track(t, upid, counter), value,
                          process_counter_args(t, utid));
        return;
    }
    uint32_t row = counter_push_args(t, ts, 0, value, process_counter_args(t, utid));
    *vec_push(&t->builder->process_counters.pending) =
        (struct pending_counter){.row = row, .utid = utid, .counter = *counter};
}

void process_counters_finish(struct trace *t)
{
    for (size_t i = 0; i < t->builder->process_counters.pending.count; i++) {
        const struct pending_counter *p = &t->builder->process_counters.pending.items[i];
        uint32_t upid = table_u32(&t->tables.thread, thread_col_upid)[p->utid], track;
        if (upid != NULL_U32) {
            track = process_counter_track(t, upid, &p->counter);
        } else {
            uint32_t machine = table_u32(&t->tables.thread, thread_col_machine_id)[p->utid];
            track = track_of(t, p->counter.thread_type, "utid", p->utid, machine, &p->counter);
        }
        table_set_u32(&t->tables.counter, counter_col_track_id, p->row, track);
    }
    vec_release(&t->builder->process_counters.pending);
}
