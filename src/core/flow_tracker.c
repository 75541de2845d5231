#include "core/flow_tracker.h"

#include "base/hash.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"

void flow_tracker_release(struct flow_tracker *ft)
{
    map_release(&ft->last);
    map_release(&ft->pending_heads);
    map_release(&ft->named_ids);
    vec_release(&ft->pending);
    vec_release(&ft->names);
}

static uint32_t name_args(struct trace *t, const struct flow_name *name)
{
    struct arg_list list = {0};
    arg_list_str(&list, trace_intern_c(t, "name"), name->name);
    arg_list_str(&list, trace_intern_c(t, "cat"), name->category);
    uint32_t id = args_intern(&t->args, &list);
    arg_list_release(&list);
    return id;
}

void flow_insert(struct trace *t, uint32_t slice_out, uint32_t slice_in, int64_t trace_id)
{
    struct flow_row row = flow_row_null();
    row.slice_out = slice_out;
    row.slice_in = slice_in;
    row.trace_id = trace_id;
    if ((uint64_t)trace_id < t->builder->flows.names.count)
        row.arg_set_id = name_args(t, &t->builder->flows.names.items[trace_id]);
    flow_append(&t->tables.flow, &row);
}

static uint64_t key_of(const struct trace *t, uint64_t id)
{
    return hash_mix(id, stats_scope(t)->machine);
}

bool flow_known(struct trace *t, uint64_t id)
{
    return map_find(&t->builder->flows.last, key_of(t, id)) != NULL;
}

void flow_begin(struct trace *t, uint32_t slice, uint64_t id)
{
    bool inserted;
    uint32_t *last = map_insert(&t->builder->flows.last, key_of(t, id), &inserted);
    if (!inserted) {
        stats_count(t, STAT_flow_duplicate_id);
        return;
    }
    *last = slice;
}

static void connect(struct trace *t, uint32_t known, uint32_t slice, int64_t trace_id)
{
    const struct table *slices = &t->tables.slice;
    const int64_t *ts = table_i64(slices, slice_col_ts);
    if (known >= slices->rows || slice >= slices->rows || ts[known] <= ts[slice])
        flow_insert(t, known, slice, trace_id);
    else
        flow_insert(t, slice, known, trace_id);
}

void flow_step(struct trace *t, uint32_t slice, uint64_t id, int64_t trace_id)
{
    uint32_t *last = map_find(&t->builder->flows.last, key_of(t, id));
    if (!last) {
        stats_count(t, STAT_flow_step_without_start);
        return;
    }
    connect(t, *last, slice, trace_id);
    *last = slice;
}

void flow_end(struct trace *t, uint32_t slice, uint64_t id, bool close, int64_t trace_id)
{
    const uint32_t *last = map_find(&t->builder->flows.last, key_of(t, id));
    if (!last) {
        stats_count(t, STAT_flow_end_without_start);
        return;
    }
    connect(t, *last, slice, trace_id);
    if (close)
        map_remove(&t->builder->flows.last, key_of(t, id));
}

void flow_end_at_next_slice(struct trace *t, uint32_t track, uint64_t id)
{
    struct flow_tracker *ft = &t->builder->flows;
    bool inserted;
    uint32_t *head_plus_one = map_insert(&ft->pending_heads, track, &inserted);
    *vec_push(&ft->pending) = (struct pending_flow){.id = id, .next_plus_one = *head_plus_one};
    *head_plus_one = (uint32_t)ft->pending.count;
}

void flow_slice_begun(struct trace *t, uint32_t track, uint32_t slice)
{
    struct flow_tracker *ft = &t->builder->flows;
    if (ft->pending_heads.count == 0)
        return;
    const uint32_t *head_plus_one = map_find(&ft->pending_heads, track);
    if (!head_plus_one)
        return;
    for (uint32_t next = *head_plus_one; next;) {
        const struct pending_flow *p = &ft->pending.items[next - 1];
        const uint32_t *last = map_find(&ft->last, key_of(t, p->id));
        if (last)
            flow_insert(t, *last, slice, (int64_t)p->id);
        next = p->next_plus_one;
    }
    map_remove(&ft->pending_heads, track);
    if (ft->pending_heads.count == 0)
        ft->pending.count = 0;
}

uint64_t flow_named_id(struct trace *t, uint64_t id, string_id category, string_id name)
{
    struct flow_tracker *ft = &t->builder->flows;
    bool inserted;
    uint64_t key = hash_mix(hash_u64(id), (uint64_t)category << 32 | name);
    uint32_t *flow = map_insert(&ft->named_ids, key, &inserted);
    if (inserted) {
        *flow = (uint32_t)ft->names.count;
        *vec_push(&ft->names) = (struct flow_name){category, name};
    }
    return *flow;
}
