/* A thread that does one job after the other, so that the screen never waits. */
#ifndef TPTUI_TUI_CONTEXT_WORKER_H
#define TPTUI_TUI_CONTEXT_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/trace/trace.h"
#include "sql/session.h"
#include "tui/context/effects.h"

struct alerts;
struct app;
struct worker;

/* A job is embedded in a struct of its own and belongs to the worker until `done` runs. */
struct job {
    /* On the worker's thread. Long loops look at worker_cancelled. */
    void (*run)(struct job *job, struct worker *w);
    /* On the screen's thread, afterwards, also of a cancelled job; frees the job. `app` is NULL
     * when the program ends: then it only frees. Returns what is left to be done. */
    effects (*done)(struct job *job, struct app *app);
    struct job *next;
};

/* `wake_fd` is an eventfd that is written when a job is done. `sort_memory` limits what the
 * connection's queries sort in memory, in bytes; 0: the connection's default; `no_vector`
 * leaves them to SQLite, row by row. `alerts`, NULL for none, are known to the connection and
 * outlive the worker. */
struct worker *worker_new(int wake_fd, uint64_t sort_memory, bool no_vector,
                          const struct alerts *alerts);
/* Cancels what runs and starts no job any more; true where the thread ended within `ms`. */
bool worker_end(struct worker *w, int ms);
/* The same, waits for as long as it takes, and frees what is left. */
void worker_free(struct worker *w);

/* Takes the job over, which runs behind those that wait. */
void worker_push(struct worker *w, struct job *job);
/* The next finished job, NULL if none; the caller calls its `done`. */
struct job *worker_take(struct worker *w);
/* A job runs, waits or has not been taken yet. */
bool worker_busy(struct worker *w);
/* Asks the job that runs to stop, and drops none that waits. */
void worker_cancel(struct worker *w);
bool worker_cancelled(struct worker *w);
/* What worker_cancelled looks at, for loops elsewhere. */
const atomic_bool *worker_cancel_flag(const struct worker *w);

/* For jobs: the worker's own connection, opened at first use and freed with the worker; never NULL.
 * `*error` is the caller's; it says why a connection that was opened now cannot be used. The trace
 * must outlive the worker. */
struct sql_session *worker_session(struct worker *w, const struct trace *trace,
                                   struct status *error);
/* The same: what is wrong with parts of modules that the connection has run, a line each, for
 * free(); NULL for nothing. */
char *worker_complaints(struct worker *w);

#endif
