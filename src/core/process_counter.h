/* Counters of a process that are reported by one of its threads, often before it is known which
 * process that is: memory, oom score. At the end of the load they land on the process's track;
 * where the process never becomes known, on a track of the thread. */
#ifndef TPTUI_CORE_PROCESS_COUNTER_H
#define TPTUI_CORE_PROCESS_COUNTER_H

#include <stdint.h>

#include "base/vec.h"
#include "core/track.h"

struct trace;

/* Strings of `type` and `thread_type` must outlive the trace. The track has the dimension upid (or
 * utid) and, after it, those named here. */
struct process_counter {
    const char *type, *thread_type;
    string_id name;
    uint32_t dimension_count; /* at most 2 */
    struct track_dimension dimensions[2];
};

struct pending_counter {
    uint32_t row, utid, kind; /* kind: index of `kinds` */
    uint32_t scope;           /* the file that it is from */
};

struct process_counters {
    VEC(struct process_counter) kinds;
    struct map kind_numbers; /* hash of a kind -> its index */
    VEC(struct pending_counter) pending;
    VEC(uint32_t) thread_args; /* by utid: the arg set that names it, NULL_U32 where not made yet */
};

void process_counters_release(struct process_counters *pc);

/* A value of the counter, whose row has no track until the end. Its arg `utid` names the thread. */
void process_counter_push(struct trace *t, int64_t ts, double value, uint32_t utid,
                          const struct process_counter *counter);
/* The arg set of such a counter. */
uint32_t process_counter_args(struct trace *t, uint32_t utid);
/* The track of a counter that names the process itself. */
uint32_t process_counter_track(struct trace *t, uint32_t upid,
                               const struct process_counter *counter);
/* Gives the counters that threads reported their tracks. Once, by trace_finish. */
void process_counters_finish(struct trace *t);

#endif
