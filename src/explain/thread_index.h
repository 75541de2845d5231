/* Rows of a trace by what they belong to, in the order of time: states and slices by thread; what
 * ran, interrupts and frequencies by CPU. */
#ifndef TPTUI_EXPLAIN_THREAD_INDEX_H
#define TPTUI_EXPLAIN_THREAD_INDEX_H

#include "core/trace/trace.h"

/* The rows of group g are rows[starts[g]] up to rows[starts[g + 1]]. */
struct row_groups {
    uint32_t count, *starts, *rows;
};

struct row_range {
    const uint32_t *rows;
    uint32_t count;
};

/* Where each of some groups was looked at last, for row_range_near. */
struct last_places {
    uint32_t *of, count;
};

struct thread_index {
    const struct trace *trace;
    struct row_groups states, slices;         /* by utid */
    struct row_groups ran, irqs, frequencies; /* by ucpu */
    const int64_t *tids;                      /* of all threads */
    uint32_t threads;
    double *fastest; /* by ucpu: the highest frequency seen */
    /* By utid, utid and ucpu: who walks goes back and forth between threads, in steps. */
    struct last_places states_near, slices_near, ran_near;
    string_id running, runnable, preempted;
    uint32_t
        *alike; /* by utid: the first thread of its process whose name differs in digits only */
};

/* The trace must outlive `x`. */
void thread_index_init(struct thread_index *x, const struct trace *t);
void thread_index_release(struct thread_index *x);

/* None where there is no such group. */
static inline struct row_range row_groups_at(const struct row_groups *g, uint32_t group)
{
    if (group >= g->count)
        return (struct row_range){NULL, 0};
    return (struct row_range){g->rows + g->starts[group], g->starts[group + 1] - g->starts[group]};
}

static inline uint32_t *last_place(struct last_places near, uint32_t group)
{
    return &near.of[group < near.count ? group : near.count];
}

/* The first position of a range whose row begins at or after `ts`. */
uint32_t row_range_from(struct row_range r, const struct table *t, uint32_t ts_column, int64_t ts);
/* The same, found soon where it is close to `near`, which becomes it. NULL_U32: not known. */
uint32_t row_range_near(struct row_range r, const struct table *t, uint32_t ts_column, int64_t ts,
                        uint32_t *near);

/* Begin and end of a row of slice, thread_state or sched_slice; what has not ended lasts to the
 * end of the trace. */
int64_t thread_index_slice_end(const struct thread_index *x, uint32_t row);
int64_t thread_index_state_end(const struct thread_index *x, uint32_t row);
int64_t thread_index_ran_end(const struct thread_index *x, uint32_t row);

/* The state, or the innermost slice, of a thread at a time; NULL_U32: none. */
uint32_t thread_index_state_at(const struct thread_index *x, uint32_t utid, int64_t t);
uint32_t thread_index_slice_at(const struct thread_index *x, uint32_t utid, int64_t t);
/* The same, and until when it stays so: until a slice ends or begins. */
uint32_t thread_index_slice_until(const struct thread_index *x, uint32_t utid, int64_t t,
                                  int64_t *until);
/* The same at *until, where a call of either led; *until is then until when that stays so. */
uint32_t thread_index_slice_next(const struct thread_index *x, uint32_t utid, int64_t *until);

struct str thread_index_text(const struct thread_index *x, string_id id);
struct str thread_index_slice_name(const struct thread_index *x, uint32_t row);
/* The names of a thread and of its process; empty where they are not known. */
struct str thread_index_thread(const struct thread_index *x, uint32_t utid);
struct str thread_index_process(const struct thread_index *x, uint32_t utid);
int64_t thread_index_tid(const struct thread_index *x, uint32_t utid);
/* Whether it is what CPUs run that have nothing to do. */
static inline bool thread_index_is_idle(const struct thread_index *x, uint32_t utid)
{
    return utid < x->threads && x->tids[utid] == 0;
}

#endif
