/* Values of counters, appended. */
#ifndef TPTUI_CORE_COUNTER_H
#define TPTUI_CORE_COUNTER_H

#include "core/store/rows.h"
#include "core/trace/trace.h"

/* A row of `counter`; `args` is an arg set or NULL_U32. */
static inline uint32_t counter_push_args(struct trace *t, int64_t ts, uint32_t track, double value,
                                         uint32_t args)
{
    struct counter_row row = {.ts = ts, .track_id = track, .value = value, .arg_set_id = args};
    return counter_append(&t->tables.counter, &row);
}

static inline uint32_t counter_push(struct trace *t, int64_t ts, uint32_t track, double value)
{
    return counter_push_args(t, ts, track, value, NULL_U32);
}

#endif
