/* A loaded trace: its strings, tables, args and the trackers that fill them. Everything that SQL
 * and the timeline show comes from here. */
#ifndef TPTUI_CORE_TRACE_H
#define TPTUI_CORE_TRACE_H

#include "core/args.h"
#include "core/atrace_tracker.h"
#include "core/binder_tracker.h"
#include "core/flow_tracker.h"
#include "core/process_counter.h"
#include "core/process_tracker.h"
#include "core/sched_tracker.h"
#include "core/slice_tracker.h"
#include "core/stack_profile.h"
#include "core/stats.h"
#include "core/string_pool.h"
#include "core/tables.h"
#include "core/time.h"
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

/* Rows of `cpu` come in blocks of this size, one for each machine in the order in which they name a
 * cpu: as published. Rows of numbers that nobody has named are null. */
enum { CPUS_PER_MACHINE = 4096, CPU_MACHINES_MAX = 64 };

struct trace {
    struct string_pool strings;
    struct tables tables;
    struct args args;
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
    uint32_t cpu_blocks[CPU_MACHINES_MAX]; /* by machine, from 1; 0: none yet */
    uint32_t cpu_block_count;
    struct arena payload_bytes;
    VEC(struct str) video_payloads; /* of each row of video_frames */
    int64_t start_ts, end_ts;       /* trace_bounds; 0, 0 where nothing has a time */
};

void trace_init(struct trace *t);
/* Loading is over: trackers flush, stats are written, bounds computed. Nothing is appended
 * afterwards. */
void trace_finish(struct trace *t);
void trace_release(struct trace *t);

/* The row of `cpu` for a machine's cpu number. Numbers that only a damaged trace has (beyond the
 * two limits) share the last one. */
uint32_t trace_ucpu(struct trace *t, uint32_t machine, uint32_t cpu);

/* The bytes, which are copied, of the row of video_frames that was added last. */
void trace_add_video_payload(struct trace *t, struct str payload);

/* What is counted from here on is about another machine of the same file. */
static inline void stats_enter_machine(struct trace *t, uint32_t machine)
{
    const struct stat_scope *now = t->stats.scopes.items[t->stats.scope];
    if (now->machine != machine || !now->entered)
        stats_enter(t, machine, now->file);
}

/* A row of `counter`. */
static inline uint32_t counter_push(struct trace *t, int64_t ts, uint32_t track, double value)
{
    struct counter_row row = {.ts = ts, .track_id = track, .value = value, .arg_set_id = NULL_U32};
    return counter_append(&t->tables.counter, &row);
}

/* Rows of the table metadata, whose key_type says whether a name has one value ("single") or
 * several
 * ("multi"). The first two are about a machine, the others about machine 0. A str without bytes (p
 * is NULL) is null. `set` replaces the value of a single name, `append` adds one to a multi name.
 */
void metadata_set_machine_int(struct trace *t, uint32_t machine, const char *name, int64_t value);
void metadata_set_machine_str(struct trace *t, uint32_t machine, const char *name,
                              struct str value);
void metadata_set_int(struct trace *t, const char *name, int64_t value);
void metadata_set_str(struct trace *t, const char *name, struct str value);
void metadata_append_str(struct trace *t, const char *name, struct str value);
void metadata_append_int(struct trace *t, const char *name, int64_t value);
/* Adds a value to a single name, next to those it has: each different value has a row, as Trace
 * Processor gives them. */
void metadata_add_int(struct trace *t, const char *name, int64_t value);

static inline string_id trace_intern(struct trace *t, struct str s)
{
    return string_pool_intern(&t->strings, s);
}

static inline string_id trace_intern_c(struct trace *t, const char *s)
{
    return string_pool_intern(&t->strings, str_from(s));
}

#endif
