/* What fills a trace while it is loaded: the trackers, which turn events into rows, and the counts
 * of what went wrong. */
#ifndef TPTUI_CORE_TRACE_BUILDER_H
#define TPTUI_CORE_TRACE_BUILDER_H

#include <string.h>

#include "base/budget.h"
#include "core/android_log.h"
#include "core/atrace_tracker.h"
#include "core/binder_tracker.h"
#include "core/clock_tracker.h"
#include "core/flow_tracker.h"
#include "core/import_log.h"
#include "core/metadata.h"
#include "core/process_counter.h"
#include "core/process_tracker.h"
#include "core/sched_tracker.h"
#include "core/slice_tracker.h"
#include "core/stack_profile.h"
#include "core/stats.h"
#include "text/time.h"
#include "text/time_text.h"
#include "core/trace/trace.h"
#include "core/track.h"
#include "core/track_set.h"

/* Whom counts are about: a machine of a file. Without a machine (NULL_U32) they are about the file,
 * as nothing of it has been read yet. */
struct stat_scope {
    uint32_t machine, file;
    int64_t *single; /* STAT_COUNT of them; NULL: in stats.indexed, by STAT_SINGLE */
};

struct indexed_stat {
    enum stat_key key;
    uint32_t scope; /* in stats.scopes; of global stats 0 */
    int64_t index, value;
};

struct stats {
    VEC(struct stat_scope) scopes; /* in the order in which they were entered; at least one */
    uint32_t scope;                /* the current one */
    struct map scope_of;           /* machine and file -> scope */
    struct map rows;               /* hash of key, index and scope -> position in `indexed` */
    VEC(struct indexed_stat) indexed;
};

/* What the user wants to be left out, or in; all zero: what is usual. Set between trace_init and
 * loading. */
struct import_options {
    bool no_typed_ftrace;      /* rows of ftrace_event for events that the schema knows */
    bool crop_track_events;    /* track events before the trace's range of interest */
    bool measure_content;      /* in: what each kind of packet takes, of Perfetto's traces */
    struct time_window window; /* what is outside of it */
    bool growing;              /* the rest is still to be written: that it comes is no fault */
    uint64_t head; /* in: of a file's bytes, or what they unpack to, about so many; 0: all */
};

/* The head of a large file that is shown or asked before all is read, at most. */
enum { IMPORT_HEAD = 32 << 20 };

/* Whether nothing is asked for. A new option is one of those by itself. */
static inline bool import_options_are_usual(const struct import_options *o)
{
    static const struct import_options usual;
    return memcmp(o, &usual, sizeof usual) == 0;
}

/* What an importer remembers of all files of a trace. */
struct trace_state_kind {
    size_t size;
    void (*finish)(struct trace *t, void *state); /* once all are read; NULL: nothing to do */
    void (*release)(void *state);
};

struct trace_state_entry {
    const struct trace_state_kind *kind;
    void *state;
};

struct trace_builder {
    struct import_options options;
    struct budget unpacking;        /* bytes that what is packed in the file may still become */
    bool has_window;                /* the trace is a window of another: */
    int64_t window_from, window_to; /* INT64_MIN, INT64_MAX: there is no such end */
    int64_t whole_from, whole_to;   /* the events of the other */
    int64_t range_of_interest_us;   /* its start; INT64_MIN: the trace names none */
    int64_t harmless[STAT_COUNT];   /* of what is counted as in Trace Processor, what is no loss */
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
    struct android_logs logs;
    struct clock_tracker clocks;
    VEC(struct trace_state_entry) states;
    struct map metadata_rows; /* hash of name, machine and file -> row; those about no file */
    struct map metadata_rows_of_file; /* and about the file that is being read */
    uint64_t text_rows;               /* of ftrace_event: trace_bounds_add_text */
    struct map machines; /* hash of a raw id, and of a file where it has its own -> row of it */
    /* Number of a machine, not the host, that some file had without an alias for it; 0: none. */
    int64_t foreign_machine;
};

/* An empty trace with its builder. */
void trace_init(struct trace *t);
/* Loading is over: trackers flush, stats are written, bounds computed, the builder is freed.
 * Nothing is appended afterwards. */
void trace_finish(struct trace *t);
/* The same for a trace whose tables are complete as they come (core/trace/stored_columns.h). */
void trace_finish_stored(struct trace *t);
void trace_release(struct trace *t);

/* Another file of an archive begins. What was open in those before it stays so: flows, binder
 * transactions, states of threads and open slices belong to a file. Threads and processes do not.
 */
void trace_begin_file(struct trace *t);

/* The state of that kind, made zeroed at the first call. */
void *trace_state(struct trace *t, const struct trace_state_kind *kind);

enum { HOST_RAW_ID = 0 };

/* The row of `machine` for the number that a recording gave it, made where there is none yet:
 * machines of which no event was recorded have none. */
uint32_t trace_machine(struct trace *t, int64_t raw_id);
/* In the file that is being read, the number means this machine. */
void trace_set_machine_alias(struct trace *t, int64_t raw_id, uint32_t machine);

/* What is being read. */
static inline const struct stat_scope *stats_scope(const struct trace *t)
{
    return &t->builder->stats.scopes.items[t->builder->stats.scope];
}

/* What is counted from here on is about another machine of the same file. */
static inline void stats_enter_machine(struct trace *t, uint32_t machine)
{
    if (stats_scope(t)->machine != machine)
        stats_enter(t, machine, stats_scope(t)->file);
}

#endif
