#include "core/trace_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/loss.h"
#include "core/trace/settled_args.h"
#include "core/state_tracker.h"
#include "core/store/rows.h"
#include "core/trace/stored_columns.h"
#include "core/trace_bounds.h"

void trace_init(struct trace *t)
{
    *t = (struct trace){0};
    string_pool_init(&t->strings);
    tables_init(&t->tables);
    args_init(&t->args);
    ftrace_notes_init(&t->ftrace);
    arena_init(&t->payload_bytes);
    t->builder = alloc_array(1, sizeof *t->builder);
    t->builder->range_of_interest_us = INT64_MIN;
    atomic_store(&t->builder->unpacking.left, SIZE_MAX);
    stats_init(t);
    clock_tracker_init(t);
}

/* How many rows there were when a file began. */
struct file_start {
    uint32_t tracks, states;
};

static void release_nothing(void *state)
{
    (void)state;
}

/* Only of threads and tracks that the file before told of, as there may be many files. */
static void forget_threads(struct trace *t)
{
    static const struct trace_state_kind kind = {.size = sizeof(struct file_start),
                                                 .release = release_nothing};
    struct file_start *start = trace_state(t, &kind);
    struct track_tracker *tracks = &t->builder->tracks;
    struct sched_tracker *sched = &t->builder->sched;
    const struct table *track = &t->tables.track, *state = &t->tables.thread_state;
    for (uint32_t i = start->tracks; i < track->rows; i++) {
        uint32_t utid = table_u32(track, track_col_utid)[i];
        if (utid < tracks->by_thread.count)
            tracks->by_thread.items[utid] = NULL_U32;
    }
    for (uint32_t i = start->states; i < state->rows; i++) {
        uint32_t utid = table_u32(state, thread_state_col_utid)[i];
        if (utid < sched->threads.count)
            sched->threads.items[utid] = (struct thread_rows){NULL_U32, NULL_U32};
    }
    slice_next_file(t, start->tracks);
    *start = (struct file_start){track->rows, state->rows};
}

void trace_begin_file(struct trace *t)
{
    struct trace_builder *b = t->builder;
    forget_threads(t);
    state_next_file(t);
    clock_next_file(t);
    metadata_next_file(t);
    flow_tracker_release(&b->flows);
    b->flows = (struct flow_tracker){0};
    binder_tracker_release(&b->binder);
    b->binder = (struct binder_tracker){0};
}

void *trace_state(struct trace *t, const struct trace_state_kind *kind)
{
    struct trace_builder *b = t->builder;
    for (size_t i = 0; i < b->states.count; i++)
        if (b->states.items[i].kind == kind)
            return b->states.items[i].state;
    void *state = alloc_array(1, kind->size);
    *vec_push(&b->states) = (struct trace_state_entry){kind, state};
    return state;
}

static void finish_states(struct trace *t)
{
    for (size_t i = 0; i < t->builder->states.count; i++) {
        struct trace_state_entry e = t->builder->states.items[i];
        if (e.kind->finish)
            e.kind->finish(t, e.state);
    }
}

static void release_states(struct trace_builder *b)
{
    for (size_t i = 0; i < b->states.count; i++) {
        b->states.items[i].kind->release(b->states.items[i].state);
        free(b->states.items[i].state);
    }
    vec_release(&b->states);
}

static uint64_t alias_key(const struct trace *t, int64_t raw_id)
{
    return hash_mix((uint64_t)raw_id, stats_scope(t)->file + UINT64_C(1));
}

uint32_t trace_machine(struct trace *t, int64_t raw_id)
{
    struct map *machines = &t->builder->machines;
    const uint32_t *alias = map_find(machines, alias_key(t, raw_id));
    if (alias)
        return *alias;
    t->builder->foreign_machine = raw_id;
    bool is_new;
    uint32_t *machine = map_insert(machines, hash_mix((uint64_t)raw_id, 0), &is_new);
    if (!is_new)
        return *machine;
    struct machine_row row = machine_row_null();
    row.raw_id = raw_id;
    *machine = machine_append(&t->tables.machine, &row);
    process_tracker_add_machine(t, *machine);
    return *machine;
}

void trace_set_machine_alias(struct trace *t, int64_t raw_id, uint32_t machine)
{
    map_set(&t->builder->machines, alias_key(t, raw_id), machine);
}

static void builder_free(struct trace *t)
{
    struct trace_builder *b = t->builder;
    if (!b)
        return;
    process_tracker_release(t);
    slice_tracker_release(&b->slices);
    stack_profile_release(&b->stacks);
    flow_tracker_release(&b->flows);
    track_tracker_release(&b->tracks);
    track_sets_release(&b->track_sets);
    sched_tracker_release(&b->sched);
    binder_tracker_release(&b->binder);
    atrace_tracker_release(&b->atrace);
    process_counters_release(&b->process_counters);
    clock_tracker_release(t);
    release_states(b);
    map_release(&b->machines);
    map_release(&b->metadata_rows);
    map_release(&b->metadata_rows_of_file);
    android_logs_release(&b->logs);
    stats_release(t);
    free(b);
    t->builder = NULL;
}

void trace_release(struct trace *t)
{
    settled_args_join(t);
    builder_free(t);
    stored_columns_release(t);
    args_release(&t->args);
    ftrace_notes_release(&t->ftrace);
    vec_release(&t->heap_root_distances);
    vec_release(&t->video_payloads);
    vec_release(&t->heap_arrays);
    arena_release(&t->payload_bytes);
    tables_release(&t->tables);
    string_pool_release(&t->strings);
}

void trace_finish(struct trace *t)
{
    finish_states(t);
    process_counters_finish(t);
    slice_tracker_finish(t);
    track_sets_number(t);
    clock_tracker_finish(t);
    stats_finish(t);
    loss_finish(t);
    trace_bounds_find(t);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        table_shrink(&tables_array(&t->tables)[i]);
    args_end_lookups(&t->args);
    trace_finish_stored(t);
}

void trace_finish_stored(struct trace *t)
{
    t->strings.shared = true;
    builder_free(t);
}
