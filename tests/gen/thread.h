/* What threads can be told to do. Each function appends to the thread's list of operations. */
#ifndef TPTUI_GEN_THREAD_H
#define TPTUI_GEN_THREAD_H

#include "sim.h"

void thread_run(struct sim_thread *t, int64_t ns); /* on the fastest CPU at full speed */
void thread_sleep(struct sim_thread *t, int64_t ns);
/* Uninterruptible sleep in a kernel function; ends by the disk's interrupt where `io_wait`. */
void thread_io(struct sim_thread *t, int64_t ns, const char *function, bool io_wait);
/* A request to the disk with its block layer events; `kind` as the kernel's rwbs: "R", "WS". */
void thread_block_io(struct sim_thread *t, const char *kind, int64_t bytes, int64_t ns);
/* Memory comes (or goes, when negative): member 0 file, 1 anonymous. */
void thread_fault(struct sim_thread *t, int member, int64_t bytes);
void thread_exit(struct sim_thread *t);

/* atrace: slices, async slices (matched by name and cookie), named tracks, instants, counters. */
void thread_begin(struct sim_thread *t, const char *name);
void thread_begin_number(struct sim_thread *t, const char *name, int64_t number);
void thread_end(struct sim_thread *t);
void thread_slice(struct sim_thread *t, const char *name, int64_t ns); /* begin, run, end */
void thread_async_begin(struct sim_thread *t, const char *name, int64_t cookie);
void thread_async_end(struct sim_thread *t, const char *name, int64_t cookie);
void thread_track_begin(struct sim_thread *t, const char *track, const char *name, int64_t cookie);
void thread_track_end(struct sim_thread *t, const char *track, int64_t cookie);
void thread_track_instant(struct sim_thread *t, const char *track, const char *name);
void thread_instant(struct sim_thread *t, const char *name);
/* The number is part of the name, and the cookie. */
void thread_async_number(struct sim_thread *t, bool begin, const char *name, int64_t number);
void thread_instant_number(struct sim_thread *t, const char *name, int64_t number,
                           const char *rest);
void thread_counter(struct sim_thread *t, const char *name, int64_t value);

/* A Java monitor; waiting for it is a slice that names the owner and what it does. */
void thread_lock(struct sim_thread *t, struct sim_lock *lock, const char *method);
void thread_unlock(struct sim_thread *t, struct sim_lock *lock);

/* Messages to another thread's mailbox; signals, which `thread_wait` waits for. */
void thread_post(struct sim_thread *t, struct sim_thread *to, sim_fn *fn, int64_t arg);
void thread_signal(struct sim_thread *t, struct sim_thread *to);
void thread_wait(struct sim_thread *t);

/* `priority` is the letter logcat shows. */
void thread_log(struct sim_thread *t, char priority, const char *tag, const char *message);

void thread_syscall_begin(struct sim_thread *t, int number, int64_t arg);
void thread_syscall_end(struct sim_thread *t, int number, int64_t result);
void thread_syscall(struct sim_thread *t, int number, int64_t arg, int64_t ns, int64_t result);
void thread_work_item(struct sim_thread *t, const char *function, int64_t ns);

/* `fn` is called when this is reached; what it appends comes before what is in the list already. */
void thread_then(struct sim_thread *t, sim_fn *fn, int64_t arg);

/* Track events; see track_event.h. `track` is a uuid, 0 for the thread's own track. */
void thread_event_begin(struct sim_thread *t, const struct event_site *site, int64_t value,
                        struct flows flows);
void thread_event_end(struct sim_thread *t, const struct event_site *site);
void thread_event_instant(struct sim_thread *t, const struct event_site *site, int64_t value,
                          struct flows flows);
void thread_span_begin(struct sim_thread *t, const struct event_site *site, uint64_t track,
                       int64_t value);
void thread_span_end(struct sim_thread *t, const struct event_site *site, uint64_t track);
void thread_event_counter(struct sim_thread *t, uint64_t track, int64_t value);

void thread_op(struct sim_thread *t, struct sim_op op);

#endif
