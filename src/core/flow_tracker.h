/* Flows: arrows between slices, by the ids that events carry. */
#ifndef TPTUI_CORE_FLOW_TRACKER_H
#define TPTUI_CORE_FLOW_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

struct trace;

struct flow_tracker {
    struct map last; /* flow id -> slice it was last seen on */
};

void flow_tracker_release(struct flow_tracker *ft);

/* A row of `flow` from one slice to another. trace_id NULL_I64 is none. */
void flow_insert(struct trace *t, uint32_t slice_out, uint32_t slice_in, int64_t trace_id);

/* The flow `id` starts on this slice, goes through it, ends on it. A step or end of an unknown flow
 * is counted in stats. */
void flow_begin(struct trace *t, uint32_t slice, uint64_t id);
void flow_step(struct trace *t, uint32_t slice, uint64_t id, int64_t trace_id);
void flow_end(struct trace *t, uint32_t slice, uint64_t id, bool close, int64_t trace_id);
bool flow_known(struct trace *t, uint64_t id);

#endif
