/* Scheduling: which thread ran on which cpu (sched_slice), and what each thread was doing in
 * between (thread_state). Fed in time order by every format that has scheduler events. */
#ifndef TPTUI_CORE_SCHED_TRACKER_H
#define TPTUI_CORE_SCHED_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/store/string_pool.h"
#include "text/task_state.h"

struct trace;

/* What a cpu does at the moment. Owned by the parser that reads its events. */
struct sched_cpu {
    uint32_t machine, ucpu;
    uint32_t utid; /* running thread, NULL_U32 while not known */
    uint32_t row;  /* its open row of sched_slice, NULL_U32 for none */
    int64_t pid;
    int64_t prio;
};

/* The newest rows of a thread; NULL_U32 for none. */
struct thread_rows {
    uint32_t last, last_blocked;
};

struct sched_tracker {
    VEC(struct thread_rows) threads; /* by utid */
    string_id running, runnable;
    int64_t known_states[2]; /* a prev_state and its string: the last two that were asked for */
    string_id known_strings[2];
    kernel_version known_version;
};

void sched_tracker_release(struct sched_tracker *st);

struct sched_cpu sched_cpu_make(uint32_t machine, uint32_t ucpu);

/* The string of a raw prev_state, NULL_STRING where it is not a state of that kernel (counted in
 * stats). */
string_id sched_state_string(struct trace *t, int64_t prev_state, kernel_version version);

struct sched_switch {
    int64_t ts;
    int64_t prev_pid, next_pid;
    string_id prev_comm, next_comm;
    string_id prev_state;
    int64_t next_prio;
};

/* A switch that names both threads. Returns the utid of the one that left. */
uint32_t sched_switch(struct trace *t, struct sched_cpu *cpu, const struct sched_switch *s);

/* A switch that only names the next thread: the previous one (prev_pid and prev_comm of `s` are not
 * read) is what the last switch of this cpu started. With `only_note` no row is made. Returns the
 * utid of the thread that left; NULL_U32 where this is the cpu's first, which only tells who runs
 * from now on. */
uint32_t sched_switch_next(struct trace *t, struct sched_cpu *cpu, const struct sched_switch *s,
                           bool only_note);

/* `irq_context` is 0, 1, or NULL_U32 where the event does not tell. */
void sched_waking(struct trace *t, int64_t ts, uint32_t utid, uint32_t waker_utid,
                  uint32_t irq_context);
/* Whether an event's common_flags say that it happened in an interrupt. */
bool sched_flags_irq(uint32_t common_flags);
/* The thread can run from now on: its first state. */
void sched_new_task(struct trace *t, int64_t ts, uint32_t utid, uint32_t creator_utid);
/* Why the thread's last sleep began; `function` may be NULL_STRING. */
void sched_blocked_reason(struct trace *t, uint32_t utid, bool io_wait, string_id function);

/* Opens a state of the thread; the one before stays as it is. Returns its row, NULL_U32 for idle
 * tasks, which have no states. */
uint32_t thread_state_open(struct trace *t, int64_t ts, uint32_t utid, string_id state,
                           uint32_t ucpu, uint32_t waker_utid, uint32_t irq_context);
/* The thread's newest state, if there is one, lasts until `ts`. */
void thread_state_close(struct trace *t, int64_t ts, uint32_t utid);

#endif
