/* Scheduling at the begin of a window: what each cpu runs, and what the threads do that do not run.
 * Told again by events that come right before the window: on the cpu that a thread left last, it
 * runs for a nanosecond and leaves as it did; then each cpu gets what it runs. */
#ifndef TPTUI_PARSERS_INPUT_SCHED_STATE_H
#define TPTUI_PARSERS_INPUT_SCHED_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"

enum { SCHED_COMM_MAX = 63 };

struct sched_comm {
    char text[SCHED_COMM_MAX]; /* cut where it is longer: a kernel's has 15 */
    uint8_t n;
};

struct sched_task {
    int64_t pid;
    int32_t prio;
    struct sched_comm comm;
};

/* Which stream of events: a cpu of a machine as a packet sequence writes it. */
struct sched_place {
    uint64_t raw_machine;
    uint32_t machine, cpu, sequence;
    bool has_sequence, has_machine;
};

struct sched_cpu_state {
    struct sched_place place;
    struct sched_task running;
    int32_t idle_prio; /* as the trace tells it */
    int64_t since;
    bool known, has_left; /* has_left: the last of some thread was here */
    bool only_noted;      /* the only switch did not say who ran before: it gets no row */
};

struct sched_thread_state {
    struct sched_task task;
    int64_t seen_at;                    /* first */
    int64_t left_at, came_at, woken_at; /* INT64_MIN: never */
    bool named;                         /* its name matters before what is told of it otherwise */
    int64_t prev_state;
    /* Indexes in `cpus`: where it was seen first, which it left, where it came last and was woken.
     */
    uint32_t seen_cpu, cpu, came_cpu, waking_cpu;
    int64_t waker;
    int32_t target_cpu;
    uint32_t waking_flags;
    int32_t waking_prio;
};

struct sched_states {
    struct map cpu_by_number, thread_by_pid;
    VEC(struct sched_cpu_state) cpus;
    VEC(struct sched_thread_state) threads;
};

/* A thread's name, cut where it is longer than the kernel's. */
struct sched_comm sched_comm_from(struct str s);

/* The cpu's index. */
uint32_t sched_states_cpu(struct sched_states *s, const struct sched_place *place);
/* Events of one cpu come in order of time. `prev` is NULL where the event does not name it. */
void sched_states_switch(struct sched_states *s, uint32_t cpu, int64_t ts,
                         const struct sched_task *prev, int64_t prev_state,
                         const struct sched_task *next);
struct sched_states_waking {
    struct sched_task task;
    int64_t waker; /* -1: who runs there */
    int32_t target_cpu;
    uint32_t flags;
};
void sched_states_wake(struct sched_states *s, uint32_t cpu, int64_t ts,
                       const struct sched_states_waking *waking);

/* One step of what tells it again. */
enum sched_step_kind { SCHED_STEP_NAME, SCHED_STEP_LEAVE, SCHED_STEP_WAKE, SCHED_STEP_RUN };
struct sched_step {
    int64_t ts; /* when it happened */
    enum sched_step_kind kind;
    uint32_t index; /* of the thread; of the cpu */
};
struct sched_steps {
    VEC(struct sched_step) v; /* in no order */
};
void sched_states_steps(struct sched_states *s, struct sched_steps *out);

/* What a step is about. */
struct sched_step_subject {
    const struct sched_thread_state *thread; /* NULL where a cpu gets what it runs */
    const struct sched_cpu_state *cpu;
    uint32_t cpu_index;
    struct sched_task idle; /* the cpu's idle task */
};
struct sched_step_subject sched_step_subject(const struct sched_states *s,
                                             const struct sched_step *step);
/* How many ns of the time right before the window a step takes: who leaves has to run first. */
static inline int64_t sched_step_length(enum sched_step_kind kind)
{
    return kind == SCHED_STEP_LEAVE ? 2 : 1;
}

void sched_states_release(struct sched_states *s);

#endif
