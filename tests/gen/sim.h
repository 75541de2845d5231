/* A simulated machine: eight CPUs, processes and threads that run, block, wake and call each other,
 * in simulated time. What happens is recorded as a real machine would record it.
 *
 * A thread does what stands in its list of operations; when the list is empty it asks `next` for
 * more, or, where there is no `next`, takes the next message out of its mailbox and sleeps where
 * there is none. All functions named thread_* that queue an operation only append to that list. */
#ifndef TPTUI_GEN_SIM_H
#define TPTUI_GEN_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "ftrace.h"
#include "out.h"
#include "rng.h"

#define US     INT64_C(1000)
#define MS     INT64_C(1000000)
#define SECOND INT64_C(1000000000)

struct sim;
struct sim_thread;
struct sim_process;
struct binder_method; /* binder.h */
struct event_site;    /* track_event.h */

/* Called in simulated time; pushes operations to `thread`. */
typedef void sim_fn(struct sim *sim, struct sim_thread *thread, int64_t arg);
typedef void sim_event_fn(struct sim *sim, void *subject, int64_t arg);
/* What an interrupt does on `cpu`; `flags` tell in which context. */
typedef void sim_irq_fn(struct sim *sim, int cpu, uint32_t flags, void *subject);
/* Pushes what the thread does next; false where there is nothing to do until somebody wakes it. */
typedef bool sim_next_fn(struct sim *sim, struct sim_thread *thread, int64_t step);

enum op_kind {
    OP_RUN,   /* n: ns of work on the fastest CPU at full speed */
    OP_BEGIN, /* text, n: number to append unless NO_NUMBER */
    OP_END,
    OP_ASYNC_BEGIN, /* text, n: cookie, appended to the text where there is a label */
    OP_ASYNC_END,
    OP_TRACK_BEGIN, /* text: track, label: slice, n: cookie */
    OP_TRACK_END,
    OP_INSTANT,       /* text; with a label n and that behind it */
    OP_TRACK_INSTANT, /* text: track, label: slice */
    OP_COUNTER,       /* text, n: value */
    OP_SLEEP,         /* n: ns */
    OP_IO,            /* n: ns, text: kernel function, m: io_wait */
    OP_FAULT,         /* n: RSS member, m: bytes */
    OP_LOCK,          /* to: sim_lock, text: method that takes it */
    OP_UNLOCK,
    OP_CALL, /* to: sim_process, method, n: argument; waits for the reply */
    OP_ONEWAY,
    OP_RECEIVE, /* the reply to the call before */
    OP_REPLY,
    OP_POST,        /* to: sim_thread, fn, n: argument */
    OP_SIGNAL,      /* to: sim_thread */
    OP_WAIT,        /* for a signal */
    OP_LOG,         /* text: message, label: tag, n: priority */
    OP_SYS_ENTER,   /* n: number, m: first argument */
    OP_SYS_EXIT,    /* n: number, m: result */
    OP_EVENT_BEGIN, /* site, n: track uuid or 0, m: annotation value, flows: a track event */
    OP_EVENT_END,
    OP_EVENT_INSTANT,
    OP_EVENT_COUNTER, /* n: track uuid, m: value */
    OP_WORK_BEGIN,    /* text: kernel function of a work item, n: its address */
    OP_WORK_END,
    OP_BLOCK_IO, /* n: ns, m: bytes, text: "R", "W" ...: a request to the disk, waited for */
    OP_THEN,     /* fn, n: called when reached; what it pushes comes before the rest */
    OP_EXIT,
};

/* Flow ids first, first + 1, ...: those that lead on from a track event and those that end at it.
 */
struct flows {
    int64_t first, end_first;
    uint32_t count, end_count;
};

struct sim_op {
    uint8_t kind;
    struct flows flows;
    const struct event_site *site;
    const char *text, *label;
    void *to;
    const struct binder_method *method;
    sim_fn *fn;
    int64_t n, m;
};

#define NO_NUMBER INT64_MIN

enum cpu_preference { PREFER_ANY, PREFER_LITTLE, PREFER_BIG };
enum { SOFTIRQ_NONE = -1, SOFTIRQ_TIMER = 1, SOFTIRQ_NET_TX, SOFTIRQ_NET_RX, SOFTIRQ_BLOCK };
enum { SOFTIRQ_SCHED = 7, SOFTIRQ_RCU = 9 };
enum thread_state { THREAD_RUNNING, THREAD_RUNNABLE, THREAD_BLOCKED, THREAD_GONE };

struct sim_message {
    sim_fn *fn;
    int64_t arg;
};

struct binder_call {
    struct sim_thread *caller; /* NULL for one-way */
    const struct binder_method *method;
    int64_t arg;
    int debug_id;
};

struct event_stream; /* track_event.h */

/* On its way through the block layer. */
struct disk_request {
    const char *kind;
    int64_t sector, bytes;
};

struct sim_thread {
    int tid, prio;
    const char *name;
    uint32_t comm;
    struct sim_process *process;
    enum thread_state state;
    enum cpu_preference prefer;
    uint32_t affinity; /* a bit a CPU */
    int cpu;           /* where it runs, waits or ran last */
    int64_t work;      /* left of what it is doing */
    int64_t vruntime, cpu_time, last_stamp;
    int idle_state; /* how it sleeps when it has nothing to do */
    VEC(struct sim_op) ops;
    size_t op; /* the next one */
    VEC(struct sim_message) mailbox;
    size_t message;
    sim_next_fn *next;
    int64_t step; /* how often `next` was called */
    bool idle;    /* sleeps for want of a message or call */
    int signals;
    bool waits_for_signal;
    bool was_on_disk; /* wakes from uninterruptible sleep: why, is recorded with the wake-up */
    bool io_wait;
    struct disk_request request; /* the one it waits for */
    const char *blocked_in;
    bool contended; /* a contention slice is open */
    int reply_id;   /* debug id of the reply that has come */
    struct binder_call serving;
    struct event_stream *events;
};

struct sim_process {
    int pid, ppid, uid, oom_score_adj;
    const char *name;
    bool kernel;
    VEC(struct sim_thread *) threads;
    VEC(struct sim_thread *) binder_idle;
    VEC(struct binder_call) binder_queue;
    size_t binder_next;
    int64_t rss_anon, rss_file;
    uint32_t mm_id;
    uint64_t uuid; /* of its track */
    bool described, gone;
};

struct sim_lock {
    struct sim_thread *owner;
    const char *method; /* what the owner holds it for */
    VEC(struct sim_thread *) waiters;
};

struct sim_cpu {
    int index, cluster;
    int64_t capacity; /* of 1024 */
    uint32_t khz, max_khz;
    struct sim_thread *current; /* NULL: idle */
    bool leaving_idle;
    uint32_t token; /* changes whenever what was planned for it no longer holds */
    int64_t run_start, run_need;
    int64_t clock; /* of its newest event */
    int64_t busy_since, busy;
    int64_t min_vruntime; /* where the virtual time of its threads is; never goes back */
    struct sim_thread *swapper;
    VEC(struct sim_thread *) queue;
};

struct sim_event {
    int64_t ts;
    uint64_t order;
    sim_event_fn *fn;
    void *subject;
    int64_t arg;
};

struct sim {
    struct out out;
    struct ftrace ftrace;
    struct rng rng;
    int64_t start, now;
    struct sim_cpu cpus[CPU_COUNT];
    VEC(struct sim_event) events; /* a heap */
    uint64_t event_order;
    VEC(struct sim_process *) processes;
    size_t processes_known, threads_known; /* written to the process tree */
    VEC(struct sim_thread *) threads;
    VEC(char *) texts;
    int next_pid, next_debug_id;
    uint32_t next_sequence;
    struct proto log; /* AndroidLogPacket.events that were not written yet */
    const char *timer_name;
    int timer_irq, disk_irq;
    const char *disk_name;
    bool frequency_events;
    bool bounded;  /* the profile ends by itself: no size was asked for */
    void *profile; /* of the profile that runs */
};

/* `file` stays the caller's. The machine starts with nothing but idle threads. */
void sim_init(struct sim *sim, FILE *file, bool compress, uint64_t seed);
void sim_release(struct sim *sim);

void sim_at(struct sim *sim, int64_t ts, sim_event_fn *fn, void *subject, int64_t arg);
/* Runs until `end` (simulated time), or until the next event when that is later. */
void sim_run_until(struct sim *sim, int64_t end);

/* Names are kept, not copied. Pid 0 means the next free one. */
struct sim_process *sim_add_process(struct sim *sim, int pid, int ppid, int uid, const char *name);
/* A thread that starts asleep. The first thread of a process has its pid. */
struct sim_thread *sim_add_thread(struct sim *sim, struct sim_process *process, const char *name);
/* As sim_add_thread, recorded as a clone() by `parent`, which runs. Runs at once. */
struct sim_thread *sim_clone_thread(struct sim *sim, struct sim_thread *parent,
                                    struct sim_process *process, const char *name);
void sim_rename_thread(struct sim *sim, struct sim_thread *thread, const char *name);
void sim_set_oom_score(struct sim *sim, struct sim_thread *by, struct sim_process *process,
                       int score);
/* Every thread of the process exits as soon as it can. */
void sim_kill_process(struct sim *sim, int cpu, struct sim_process *process);
/* Text that lives as long as the simulation. */
__attribute__((format(printf, 2, 3))) const char *sim_text(struct sim *sim, const char *format,
                                                           ...);

/* Puts a message in the mailbox, from the thread that runs on `cpu` or from an interrupt there. */
void sim_post(struct sim *sim, int cpu, uint32_t flags, struct sim_thread *to, sim_fn *fn,
              int64_t arg);
/* Makes a blocked thread runnable. */
void sim_wake(struct sim *sim, int cpu, uint32_t flags, struct sim_thread *thread);
/* An interrupt on `cpu`: `body` is called in it, or in the softirq that it raises. */
void sim_interrupt(struct sim *sim, int cpu, int irq, const char *name, int softirq,
                   sim_irq_fn *body, void *subject);
void sim_irq_wake(struct sim *sim, int cpu, uint32_t flags, void *thread); /* as `body` */
/* Begins the first wake-up of a thread that has `next`. */
void sim_start(struct sim *sim, struct sim_thread *thread, int64_t delay);

/* The time of a new event on the CPU: now, or a little after its newest one. */
int64_t sim_stamp(struct sim *sim, struct sim_cpu *cpu, struct sim_thread *thread);
struct sim_cpu *sim_cpu_of(struct sim *sim, const struct sim_thread *thread);
/* An event of whatever runs on the CPU. */
struct proto *sim_cpu_event_begin(struct sim *sim, struct sim_cpu *cpu, uint32_t event);
void sim_cpu_event_end(struct sim *sim, struct sim_cpu *cpu);
/* An event of a thread that runs. */
struct proto *sim_event_begin(struct sim *sim, struct sim_thread *thread, uint32_t event);
void sim_event_end(struct sim *sim, struct sim_thread *thread);

/* Does one operation of the thread that runs. An operation that takes time sets `work`. */
enum op_result { OP_NEXT, OP_BLOCKED };
enum op_result op_execute(struct sim *sim, struct sim_thread *thread, const struct sim_op *op);
/* Records with the wake-up why the thread was in uninterruptible sleep. */
void op_record_wakeup(struct sim *sim, int cpu, struct sim_thread *thread);

#endif
