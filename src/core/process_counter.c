#include "core/process_counter.h"

#include "base/hash.h"
#include "core/counter.h"
#include "core/trace_builder.h"

void process_counters_release(struct process_counters *pc)
{
    vec_release(&pc->kinds);
    map_release(&pc->kind_numbers);
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

/* The index of the kind. Types and keys are literals: the same place is the same text. */
static uint32_t kind_of(struct process_counters *pc, const struct process_counter *counter)
{
    uint64_t h = hash_mix((uintptr_t)counter->type, counter->name);
    for (uint32_t i = 0; i < counter->dimension_count; i++) {
        const struct track_dimension *d = &counter->dimensions[i];
        h = hash_mix(h, d->type == ARG_STRING ? d->s : (uint64_t)d->i);
        h = hash_mix(h, (uintptr_t)d->key);
    }
    bool inserted;
    uint32_t *number = map_insert(&pc->kind_numbers, h, &inserted);
    if (inserted) {
        *number = (uint32_t)pc->kinds.count;
        *vec_push(&pc->kinds) = *counter;
    }
    return *number;
}

void process_counter_push(struct trace *t, int64_t ts, double value, uint32_t utid,
                          const struct process_counter *counter)
{
    struct process_counters *pc = &t->builder->process_counters;
    uint32_t row = counter_push_args(t, ts, 0, value, process_counter_args(t, utid));
    *vec_push(&pc->pending) =
        (struct pending_counter){row, utid, kind_of(pc, counter), t->builder->stats.scope};
}

static uint32_t make_track(struct trace *t, const struct process_counter *counter, uint32_t upid,
                           uint32_t utid)
{
    if (upid != NULL_U32)
        return process_counter_track(t, upid, counter);
    uint32_t machine = table_u32(&t->tables.thread, thread_col_machine_id)[utid];
    return track_of(t, counter->thread_type, "utid", utid, machine, counter);
}

void process_counters_finish(struct trace *t)
{
    struct process_counters *pc = &t->builder->process_counters;
    struct map tracks = {0}; /* of kind, thread and file */
    for (size_t i = 0; i < pc->pending.count; i++) {
        const struct pending_counter *p = &pc->pending.items[i];
        bool inserted;
        uint64_t key = hash_mix((uint64_t)p->kind << 32 | p->utid, p->scope);
        uint32_t *track = map_insert(&tracks, key, &inserted);
        t->builder->stats.scope = p->scope;
        if (inserted)
            *track = make_track(t, &pc->kinds.items[p->kind],
                                table_u32(&t->tables.thread, thread_col_upid)[p->utid], p->utid);
        table_set_u32(&t->tables.counter, counter_col_track_id, p->row, *track);
    }
    map_release(&tracks);
    process_counters_release(pc);
}
