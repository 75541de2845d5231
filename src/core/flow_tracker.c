#include "core/flow_tracker.h"

#include "core/trace.h"

void flow_tracker_release(struct flow_tracker *ft)
{
    map_release(&ft->last);
}

void flow_insert(struct trace *t, uint32_t slice_out, uint32_t slice_in, int64_t trace_id)
{
    struct flow_row row = flow_row_null();
    row.slice_out = slice_out;
    row.slice_in = slice_in;
    row.trace_id = trace_id;
    flow_append(&t->tables.flow, &row);
}

bool flow_known(struct trace *t, uint64_t id)
{
    return map_find(&t->flows.last, id) != NULL;
}

void flow_begin(struct trace *t, uint32_t slice, uint64_t id)
{
    bool inserted;
    uint32_t *last = map_insert(&t->flows.last, id, &inserted);
    if (!inserted) {
        stats_count(t, STAT_flow_duplicate_id);
        return;
    }
    *last = slice;
}

void flow_step(struct trace *t, uint32_t slice, uint64_t id, int64_t trace_id)
{
    uint32_t *last = map_find(&t->flows.last, id);
    if (!last) {
        stats_count(t, STAT_flow_step_without_start);
        return;
    }
    flow_insert(t, *last, slice, trace_id);
    *last = slice;
}

void flow_end(struct trace *t, uint32_t slice, uint64_t id, bool close, int64_t trace_id)
{
    const uint32_t *last = map_find(&t->flows.last, id);
    if (!last) {
        stats_count(t, STAT_flow_end_without_start);
        return;
    }
    flow_insert(t, *last, slice, trace_id);
    if (close)
        map_remove(&t->flows.last, id);
}
