/* Runs requests on a thread of its own, one after the other, and keeps their answers until they are
 * taken: so that a server can go on watching its clients meanwhile.
 *
 * An answer of which too much waits to be read stops the query; after RPC_STALL_SECONDS, or when
 * the client has closed, the query is ended. */
#ifndef TPTUI_RPC_WORKER_H
#define TPTUI_RPC_WORKER_H

#include <stdbool.h>

#include "rpc/memory.h"

struct rpc_channel;
struct rpc_engine;
struct rpc_job;
struct rpc_worker;

/* How long a client may leave its answer unread, where more of it waits than is kept. */
enum { RPC_STALL_SECONDS = 30 };

/* `wake` is called on the worker's thread when a job has something to take. The engine is the
 * worker's until it is freed. */
struct rpc_worker *rpc_worker_new(struct rpc_engine *e, void (*wake)(void *self), void *self);
/* Stops what runs; all jobs must have been ended or left. */
void rpc_worker_free(struct rpc_worker *w);

/* Queues bytes for a channel, or (`channel` NULL) the arguments of a method, by its number. `bytes`
 * is taken over. The job is the caller's until rpc_job_leave. */
struct rpc_job *rpc_worker_add(struct rpc_worker *w, struct rpc_channel *channel, uint32_t method,
                               struct rpc_bytes *bytes);

enum rpc_job_state {
    RPC_JOB_RUNS,
    RPC_JOB_DONE,
    RPC_JOB_FAILED /* the client broke the protocol, or reads too slowly: it is to be disconnected
                    */
};

/* Appends what has been answered so far to `out`, and says whether more will come. While `out`
 * holds as much as the caller wants to keep, it need not call: the job waits until it does. */
enum rpc_job_state rpc_job_take(struct rpc_job *job, struct rpc_bytes *out);
/* Ends the caller's interest: what runs is stopped. `channel`, if not NULL, is freed once it is not
 * in use any more. */
void rpc_job_leave(struct rpc_job *job, struct rpc_channel *channel);

#endif
