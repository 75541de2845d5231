/* Everything the timeline asks of a loaded trace, indexed once (by a worker, after the load) and
 * never changed: lanes of slices, states and CPUs, steps of counters, flows by slice, who ran how
 * long. The views are functions of this, a viewport and a cursor.
 *
 * Sums of what lasted before every 16th event of a lane say how busy any cell is, those of running
 * time before each state how long a thread ran. A frame of 200x50 takes a few milliseconds at 1.6
 * million slices. */
#ifndef TPTUI_TUI_INDEX_TIMELINE_H
#define TPTUI_TUI_INDEX_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "core/trace/trace.h"
#include "tui/index/lanes.h"
#include "tui/index/slice_names.h"
#include "tui/index/steps.h"

struct thread_facts {
    int64_t running; /* ns on a CPU in the whole trace */
    uint32_t slices; /* on all its tracks */
    uint32_t track;  /* its main slice track, NULL_U32 if none */
};

struct process_facts {
    int64_t running; /* ns, of all its threads */
    uint32_t slices, threads, counters;
    uint32_t main_thread; /* utid, NULL_U32 where unknown */
};

struct timeline {
    const struct trace *trace; /* borrowed */
    int64_t start, end;        /* of the trace; end > start */

    struct lanes slices;   /* lane: slice_base[track] + depth */
    uint32_t *slice_base;  /* tracks + 1 */
    int64_t *slice_dur;    /* by row; a slice that never ended lasts as long as its thread did */
    struct lanes states;   /* lane: utid */
    struct lanes sched;    /* lane: ucpu */
    struct steps counters; /* lane: track */
    int64_t *running; /* position of states -> ns its thread ran before, since its lane began */
    int64_t *busy;    /* position of sched -> ns its CPU was busy before */

    uint32_t *flows_out, *flows_in; /* rows of flow by slice_out, by slice_in */
    struct slice_names *names;
    struct stored_timeline *stored; /* NULL, or the file that the indexes lie in */

    struct thread_facts *threads;
    struct process_facts *processes;
    uint32_t *track_cpu; /* ucpu of a track, NULL_U32 if it is not about a CPU */
    uint32_t *cpus;      /* CPUs with sched rows, cpu_count of them */
    uint32_t cpu_count;

    string_id type_cpu_idle, type_actual_frames, type_expected_frames; /* of tracks */
    uint32_t vsync_app, vsync_sf; /* counters that change with each, NULL_U32 if there is none */
    string_id arg_jank_tag;
    string_id state_running, state_runnable, state_preempted, state_sleeping, state_idle;
};

struct stored_timeline;

/* `trace` is finished and outlives the timeline. */
void timeline_init(struct timeline *tl, const struct trace *trace);
/* What needs no index, for timeline_init and stored_timeline.h. */
void timeline_begin(struct timeline *tl, const struct trace *trace);
void timeline_release(struct timeline *tl);

/* Finds the CPUs of `sched`: the last step of making a timeline. */
void timeline_list_cpus(struct timeline *tl);

/* Tables may come from a file that is still being checked (core/trace/stored_columns.h), in which
 * an id may be any number: names, depths, steps, machines and threads of what is not there are
 * empty, 0 or none. Rows of slice and thread_state must be there. */

static inline uint32_t timeline_track_depths(const struct timeline *tl, uint32_t track)
{
    if (track >= tl->trace->tables.track.rows)
        return 0;
    return tl->slice_base[track + 1] - tl->slice_base[track];
}

static inline uint32_t timeline_track_steps(const struct timeline *tl, uint32_t track)
{
    if (track >= tl->counters.lane_count)
        return 0;
    return tl->counters.starts[track + 1] - tl->counters.starts[track];
}

/* Nanoseconds that a thread ran, or a CPU was busy, in [t0, t1). */
int64_t timeline_running(const struct timeline *tl, uint32_t utid, int64_t t0, int64_t t1);
int64_t timeline_busy(const struct timeline *tl, uint32_t ucpu, int64_t t0, int64_t t1);
static inline bool timeline_several_machines(const struct timeline *tl)
{
    return tl->trace->tables.machine.rows > 1;
}

/* What stands before names of a machine where a trace has several: its name or "m1", and a blank;
 * nothing before those of the host, where that has no name. */
enum { MACHINE_PREFIX_MAX = 16 };
void timeline_machine_prefix(const struct timeline *tl, uint32_t machine,
                             char out[MACHINE_PREFIX_MAX]);
/* The machines of a process and of a CPU; 0 where they are not there. */
uint32_t timeline_process_machine(const struct timeline *tl, uint32_t upid);
uint32_t timeline_cpu_machine(const struct timeline *tl, uint32_t ucpu);
/* "2", or "B 2" where a trace has several machines. */
enum { CPU_NAME_MAX = 40 };
void timeline_cpu_name(const struct timeline *tl, uint32_t ucpu, char out[CPU_NAME_MAX]);
/* CPUs of a machine (NULL_U32: of all) with sched rows, and the share of them that was busy: 0..1.
 */
uint32_t timeline_cpus(const struct timeline *tl, uint32_t machine);
double timeline_load(const struct timeline *tl, uint32_t machine, int64_t t0, int64_t t1);

/* What a state string stands for on the screen. */
enum thread_mode {
    MODE_RUNNING,
    MODE_RUNNABLE,
    MODE_SLEEPING,
    MODE_BLOCKED,
    MODE_ENDED,
    MODE_OTHER
};
enum thread_mode timeline_mode(const struct timeline *tl, uint32_t state_row);

/* The letters of a row of thread_state: "R+". */
struct str timeline_state(const struct timeline *tl, uint32_t state_row);

/* How high a counter's value stands: the value, but for a CPU's idle state, where 4294967295 means
 * that it is awake: 0, and 1 + the state else. */
double timeline_level(const struct timeline *tl, uint32_t track, double value);
bool timeline_is_idle_counter(const struct timeline *tl, uint32_t track);

/* Rows of a table, in an order that the timeline keeps. */
struct row_list {
    const uint32_t *rows;
    uint32_t count;
};

/* Flows that leave, or reach, a slice: rows of flow. */
struct row_list timeline_flows_out(const struct timeline *tl, uint32_t slice);
struct row_list timeline_flows_in(const struct timeline *tl, uint32_t slice);

/* All slices that have a name, by its family (text/name_family.h), then longest first: rows of
 * slice. */
struct row_list timeline_named(const struct timeline *tl);
/* The slices whose names are of the family of this one, longest first: rows of slice. */
struct row_list timeline_same_name(const struct timeline *tl, string_id name);
/* Whether the family has other names than this one. */
bool timeline_name_is_one_of_many(const struct timeline *tl, string_id name);

/* The thread a slice happened on, NULL_U32 where its track is not a thread's. */
uint32_t timeline_slice_thread(const struct timeline *tl, uint32_t slice);

static inline struct str timeline_str(const struct timeline *tl, string_id id)
{
    bool known = id < __atomic_load_n(&tl->trace->strings.count, __ATOMIC_ACQUIRE);
    return string_pool_get(&tl->trace->strings, known ? id : NULL_STRING);
}

/* The innermost slice of a thread at a time, on its main track; NULL_U32 if none. */
uint32_t timeline_innermost(const struct timeline *tl, uint32_t utid, int64_t t);

/* What the innermost frame of a callsite is called: as in the source where that is known. */
struct str timeline_callsite_name(const struct timeline *tl, uint32_t callsite);

/* Rows by name; tables are t->trace->tables. */
static inline int64_t slice_ts(const struct timeline *tl, uint32_t row)
{
    return table_i64(&tl->trace->tables.slice, slice_col_ts)[row];
}

static inline int64_t slice_end_ts(const struct timeline *tl, uint32_t row)
{
    int64_t end;
    return __builtin_add_overflow(slice_ts(tl, row), tl->slice_dur[row], &end) ? INT64_MAX : end;
}

static inline bool slice_is_open(const struct timeline *tl, uint32_t row)
{
    return table_i64(&tl->trace->tables.slice, slice_col_dur)[row] < 0;
}

static inline uint32_t slice_u32(const struct timeline *tl, uint32_t row, uint32_t column)
{
    return table_u32(&tl->trace->tables.slice, column)[row];
}

static inline struct str slice_name(const struct timeline *tl, uint32_t row)
{
    return timeline_str(tl, slice_u32(tl, row, slice_col_name));
}

/* The slice's parent: the slice one level up, NULL_U32 at the top. */
static inline uint32_t slice_parent(const struct timeline *tl, uint32_t row)
{
    return slice_u32(tl, row, slice_col_parent_id);
}

/* Names for people: "binder:1858_B", or "thread 2970" where it has none; a process without one has
 * its main thread's, and the machine in front where there are several. Written to `out`. */
void timeline_thread_name(const struct timeline *tl, uint32_t utid, char *out, size_t size);
void timeline_process_name(const struct timeline *tl, uint32_t upid, char *out, size_t size);
/* The thread that a track is of, else the track's name or type, with its process where it is of
 * one: "Display_0 of surfaceflinger". Written to `out`, cut at `size`. */
void timeline_track_name(const struct timeline *tl, uint32_t track, char *out, size_t size);

static inline int64_t timeline_tid(const struct timeline *tl, uint32_t utid)
{
    const struct table *t = &tl->trace->tables.thread;
    return utid < t->rows ? table_i64(t, thread_col_tid)[utid] : -1;
}

static inline int64_t timeline_pid(const struct timeline *tl, uint32_t upid)
{
    const struct table *t = &tl->trace->tables.process;
    return upid < t->rows ? table_i64(t, process_col_pid)[upid] : -1;
}

static inline uint32_t timeline_upid(const struct timeline *tl, uint32_t utid)
{
    const struct table *t = &tl->trace->tables.thread;
    return utid < t->rows ? table_u32(t, thread_col_upid)[utid] : NULL_U32;
}

#endif
