/* Flows: arrows between slices, by the ids that events carry. */
#ifndef TPTUI_CORE_FLOW_TRACKER_H
#define TPTUI_CORE_FLOW_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "core/store/string_pool.h"

struct trace;

/* A flow that ends at the next slice of a track. */
struct pending_flow {
    uint64_t id;
    uint32_t next_plus_one; /* of the same track; 0 is none */
};

struct flow_name {
    string_id category, name;
};

struct flow_tracker {
    struct map last;          /* hash of machine and flow id -> slice it was last seen on */
    struct map pending_heads; /* track -> position in `pending` of its last one */
    VEC(struct pending_flow) pending;
    struct map named_ids;        /* hash of id, category, name -> flow id */
    VEC(struct flow_name) names; /* by flow id */
};

void flow_tracker_release(struct flow_tracker *ft);

/* A row of `flow` from one slice to another. trace_id NULL_I64 is none. */
void flow_insert(struct trace *t, uint32_t slice_out, uint32_t slice_in, int64_t trace_id);

/* The flow `id` starts on this slice, goes through it, ends on it. A step or end of an unknown flow
 * is counted in stats. With `close` the id is free for another flow; else its flow may go on. The
 * arrow goes from the slice that started first. */
void flow_begin(struct trace *t, uint32_t slice, uint64_t id);
void flow_step(struct trace *t, uint32_t slice, uint64_t id, int64_t trace_id);
void flow_end(struct trace *t, uint32_t slice, uint64_t id, bool close, int64_t trace_id);
bool flow_known(struct trace *t, uint64_t id);

/* The flow ends on the slice that is begun next on this track. */
void flow_end_at_next_slice(struct trace *t, uint32_t track, uint64_t id);
/* A slice has begun on the track: called by the slice tracker. */
void flow_slice_begun(struct trace *t, uint32_t track, uint32_t slice);

/* The flow id for events that identify a flow by a number within a category and a name; their rows
 * of `flow` have the args `name` and `cat`. */
uint64_t flow_named_id(struct trace *t, uint64_t id, string_id category, string_id name);

#endif
