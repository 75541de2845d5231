/* What traced_probes makes of the kernel's ring buffers: per CPU a bundle of events in time order,
 * with sched_switch and sched_waking apart in the compact form and kernel symbols interned. */
#ifndef TPTUI_GEN_FTRACE_H
#define TPTUI_GEN_FTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "out.h"
#include "proto.h"

enum { CPU_COUNT = 8, COMM_SIZE = 16 };

/* task_struct.state as sched_switch reports it since Linux 4.14. */
enum {
    STATE_RUNNABLE = 0,
    STATE_SLEEPING = 1,
    STATE_DISK = 2,
    STATE_DEAD = 16,
    STATE_ZOMBIE = 32,
    STATE_IDLE_WORKER = 128,
    STATE_PREEMPTED = 256,
};

/* common_flags of an event: what the CPU was doing. */
enum { FLAG_HARDIRQ = 8, FLAG_SOFTIRQ = 16 };

struct comm {
    char name[COMM_SIZE];
    uint32_t index[CPU_COUNT]; /* one more than the place in the CPU's current intern table */
};

struct compact_sched {
    struct proto switch_ts, switch_state, switch_pid, switch_prio, switch_comm;
    struct proto waking_ts, waking_pid, waking_cpu, waking_prio, waking_comm, waking_flags;
    struct proto names;
    int64_t last_switch, last_waking;
    uint32_t name_count;
};

struct ftrace_cpu {
    struct proto events; /* FtraceEventBundle.event fields */
    struct compact_sched sched;
    int64_t last_ts; /* of the newest event */
    int64_t read_ts; /* of the newest event of the bundle before */
};

struct ftrace {
    struct out *out;
    struct ftrace_cpu cpus[CPU_COUNT];
    VEC(struct comm) comms;
    VEC(const char *) symbols;
    size_t symbols_written;
    uint64_t events; /* recorded so far, switches and wakings included */
    bool started;
};

/* Nothing will be recorded before `start`. */
void ftrace_init(struct ftrace *f, struct out *out, int64_t start);
void ftrace_release(struct ftrace *f);

/* The number of a thread name, cut to what the kernel keeps. */
uint32_t ftrace_comm(struct ftrace *f, const char *name);
/* The interning id of a kernel function; `name` must live as long as `f`. */
uint64_t ftrace_symbol(struct ftrace *f, const char *name);

void ftrace_switch(struct ftrace *f, int cpu, int64_t ts, int prev_state, int next_pid,
                   int next_prio, uint32_t next_comm);
void ftrace_waking(struct ftrace *f, int cpu, int64_t ts, int pid, int target_cpu, int prio,
                   uint32_t comm, uint32_t flags);

/* An event whose message is FtraceEvent field `event`; its content goes into what this returns. */
struct proto *ftrace_begin(struct ftrace *f, int cpu, int64_t ts, int pid, uint32_t event);
void ftrace_end(struct ftrace *f, int cpu);

/* Writes every CPU's bundle, as the daemon does each time it drains the buffers. */
void ftrace_flush(struct ftrace *f);

#endif
