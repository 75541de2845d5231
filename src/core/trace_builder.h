/* What fills a trace while it is loaded: the trackers, which turn events into rows, and the counts
 * of what went wrong. */
#ifndef TPTUI_CORE_TRACE_BUILDER_H
#define TPTUI_CORE_TRACE_BUILDER_H

#include "core/atrace_tracker.h"
#include "core/binder_tracker.h"
#include "core/flow_tracker.h"
#include "core/process_counter.h"
#include "core/process_tracker.h"
#include "core/sched_tracker.h"
#include "core/slice_tracker.h"
#include "core/stack_profile.h"
#include "core/stats.h"
#include "core/time.h"
#include "core/trace.h"
#include "core/track.h"
#include "core/track_set.h"

/* Whom counts are about: a machine of a file. */
struct stat_scope {
    uint32_t machine, file;
    bool entered; /* false for the first one until somebody does */
    int64_t single[STAT_COUNT];
};

struct indexed_stat {
    enum stat_key key;
    uint32_t scope; /* in stats.scopes; of global stats 0 */
    int64_t index, value;
};

struct stats {
    VEC(struct stat_scope *) scopes; /* in the order in which they were entered; at least one */
    uint32_t scope;                  /* the current one */
    struct map rows;                 /* hash of key, index and scope -> position in `indexed` */
    VEC(struct indexed_stat) indexed;
};

struct trace_builder {
    struct track_tracker tracks;
    struct track_sets track_sets;
    struct process_tracker processes;
    struct slice_tracker slices;
    struct stack_profile stacks;
    struct flow_tracker flows;
    struct sched_tracker sched;
    struct binder_tracker binder;
    struct atrace_tracker atrace;
    struct process_counters process_counters;
    struct stats stats;
};

/* An empty trace with its builder. */
void trace_init(struct trace *t);
/* Loading is over: trackers flush, stats are written, bounds computed, the builder is freed.
 * Nothing is appended afterwards. */
void trace_finish(struct trace *t);
void trace_release(struct trace *t);

/* What is counted from here on is about another machine of the same file. */
static inline void stats_enter_machine(struct trace *t, uint32_t machine)
{
    const struct stat_scope *now = t->builder->stats.scopes.items[t->builder->stats.scope];
    if (now->machine != machine || !now->entered)
        stats_enter(t, machine, now->file);
}

#endif
