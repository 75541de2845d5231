/* Threads and processes: which utid a tid means at this moment, who belongs to whom, names,
 * lifetimes.
 *
 * Pids and tids are reused; a utid or upid never is. Each machine has an idle task (tid 0, pid 0),
 * even where no event names it.
 *
 * A tid or pid names the newest utid or upid that is alive: ends, replaced pids and task_newtask
 * start new ones. */
#ifndef TPTUI_CORE_PROCESS_TRACKER_H
#define TPTUI_CORE_PROCESS_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "core/store/string_pool.h"
#include "core/store/table.h"

struct trace;

/* Who says so decides whether a later name may replace an earlier one: higher wins, equal replaces.
 */
enum thread_name_priority {
    THREAD_NAME_OTHER,
    THREAD_NAME_KERNEL,       /* in its events, Linux's and others' */
    THREAD_NAME_PROCESS_TREE, /* or a record of nothing but names */
    THREAD_NAME_TRACK_DESCRIPTOR_THREAD_TYPE,
    THREAD_NAME_TRACK_DESCRIPTOR,
    THREAD_NAME_FIXED, /* the idle tasks: one thread, named by the cpu in every event */
};

enum process_name_priority {
    PROCESS_NAME_OTHER,
    PROCESS_NAME_CHROME_TYPE, /* what Chrome calls processes of the kind */
    PROCESS_NAME_TRACK_DESCRIPTOR,
    PROCESS_NAME_CHROME_RENDERER, /* ... where the kind says more than the program's name */
    PROCESS_NAME_SYSTEM,
};

/* Two utids of one process, a utid whose process is the parent of a upid, or the idle task's utid
 * and upid. */
struct process_link {
    uint32_t utid, other;
};

enum { RECENT_THREADS = 256 };

struct recent_thread {
    uint64_t key; /* 0: empty */
    uint32_t utid;
};

struct process_tracker {
    /* Answers of process_tracker_find_thread that still hold; emptied by whatever changes who
     * lives. */
    struct recent_thread recent[RECENT_THREADS];
    bool recent_used;
    struct map upids;                    /* machine << 32 | pid -> the newest upid */
    struct map utids;                    /* machine << 32 | tid -> the newest utid */
    VEC(struct process_link) idle_tasks; /* by machine */
    VEC(uint32_t) older; /* by utid: the utid that had the tid before, NULL_U32 for none */
    VEC(uint8_t) thread_name_priorities;      /* by utid */
    VEC(uint8_t) process_name_priorities;     /* by upid */
    VEC(struct process_link) pending_threads; /* utid, utid: one process, not known which */
    VEC(struct process_link) pending_parents; /* utid, upid: the parent's thread, the child */
};

void process_tracker_release(struct trace *t);

/* A new machine: adds its idle task, which nothing names until the machine's format is known. */
void process_tracker_add_machine(struct trace *t, uint32_t machine);
/* Tid 0 of the machine is its idle task, as in what a kernel records. Other formats number their
 * threads as they like: their tid 0 is a thread as any other. */
void process_tracker_name_idle_task(struct trace *t, uint32_t machine);

/* A new thread has begun with this tid (a new utid even if the tid is known). */
uint32_t process_tracker_start_thread(struct trace *t, uint32_t machine, int64_t ts, int64_t tid);
/* The utid alive for a tid, made where there is none. */
uint32_t process_tracker_thread(struct trace *t, uint32_t machine, int64_t tid);
/* The same, NULL_U32 where there is none. */
uint32_t process_tracker_find_thread(struct trace *t, uint32_t machine, int64_t tid);
/* The thread `tid` of process `pid`: the existing one that belongs to it or whose process is not
 * known yet, else a new one. Also makes the process. */
uint32_t process_tracker_update_thread(struct trace *t, uint32_t machine, int64_t tid, int64_t pid);
/* The thread died. Where it was the main thread, the process ended. */
void process_tracker_end_thread(struct trace *t, uint32_t machine, int64_t ts, int64_t tid);

void process_tracker_set_thread_name(struct trace *t, uint32_t utid, string_id name,
                                     enum thread_name_priority priority);
/* The thread's process takes the name where it is its main thread. */
void process_tracker_set_process_name_if_main(struct trace *t, uint32_t utid, string_id name,
                                              enum process_name_priority priority);
void process_tracker_set_process_name(struct trace *t, uint32_t upid, string_id name,
                                      enum process_name_priority priority);

/* A new process has begun: task_newtask without CLONE_THREAD. Makes its main thread.
 * `parent_utid` is NULL_U32 where not known. Returns the upid. */
uint32_t process_tracker_start_process(struct trace *t, uint32_t machine, int64_t ts,
                                       uint32_t parent_utid, int64_t pid, string_id main_name,
                                       enum thread_name_priority priority);
/* The upid alive for a pid, made where there is none, with its main thread. */
uint32_t process_tracker_process(struct trace *t, uint32_t machine, int64_t pid);
/* The same, without a main thread where it is made. */
uint32_t process_tracker_process_alone(struct trace *t, uint32_t machine, int64_t pid);
/* The same, NULL_U32 where there is none. */
uint32_t process_tracker_find_process(struct trace *t, uint32_t machine, int64_t pid);
/* What a process tree says of a process, which is made where there is none: name, command line.
 * Returns the upid. */
uint32_t process_tracker_set_process(struct trace *t, uint32_t machine, int64_t pid, string_id name,
                                     string_id cmdline);
/* A process keeps its first parent when that ends and another one adopts it, which is logged: at
 * `ts` (ns), NULL where that is not known. Only a known end says that a pid is reused. */
void process_tracker_set_parent(struct trace *t, uint32_t upid, uint32_t parent, const int64_t *ts);
/* Android's app and user follow from it. */
void process_tracker_set_uid(struct trace *t, uint32_t upid, uint32_t uid);
/* The first known start wins. */
void process_tracker_set_start(struct trace *t, uint32_t upid, int64_t ts);

/* Both threads are of one process, whichever that turns out to be. */
void process_tracker_link_threads(struct trace *t, uint32_t utid_a, uint32_t utid_b);
void process_tracker_set_thread_process(struct trace *t, uint32_t utid, uint32_t upid);

#endif
