#include "rpc/worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "rpc/engine.h"

enum { ANSWER_KEPT = 4 << 20 }; /* bytes of an answer that wait; then the query waits */

struct rpc_job {
    struct rpc_worker *worker;
    struct rpc_job *next;
    struct rpc_channel *channel, *to_free;
    uint32_t method; /* without a channel */
    struct rpc_bytes request, answer;
    enum rpc_job_state state;
    bool left; /* by its owner */
};

struct rpc_worker {
    struct rpc_engine *engine;
    void (*wake)(void *self);
    void *self;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct rpc_job *first, *current;
    struct rpc_job **end;
    bool stops;
};

static void free_job(struct rpc_job *job)
{
    if (job->to_free)
        rpc_channel_free(job->to_free);
    rpc_bytes_release(&job->request);
    rpc_bytes_release(&job->answer);
    free(job);
}

static struct timespec stall_end(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += RPC_STALL_SECONDS;
    return t;
}

/* Waits until the owner has taken what is there. False: it does not. Under the lock. */
static bool wait_for_room(struct rpc_job *job)
{
    struct rpc_worker *w = job->worker;
    struct timespec end = stall_end();
    while (!job->left && !w->stops && rpc_bytes_count(&job->answer) > ANSWER_KEPT)
        if (pthread_cond_timedwait(&w->changed, &w->lock, &end) != 0)
            return false;
    return !job->left && !w->stops;
}

static bool write_answer(void *self, const void *p, size_t n)
{
    struct rpc_job *job = self;
    struct rpc_worker *w = job->worker;
    pthread_mutex_lock(&w->lock);
    bool wanted = wait_for_room(job);
    if (wanted)
        rpc_bytes_append(&job->answer, p, n);
    pthread_mutex_unlock(&w->lock);
    w->wake(w->self);
    return wanted;
}

static bool run_job(struct rpc_job *job)
{
    struct rpc_output out = {.write = write_answer, .self = job};
    struct str request = rpc_bytes_text(&job->request);
    if (job->channel)
        return rpc_channel_receive(job->channel, request, &out);
    return rpc_engine_call(job->worker->engine, job->method, request, &out);
}

/* The next job, or NULL: the worker shall end. Under the lock. */
static struct rpc_job *next_job(struct rpc_worker *w)
{
    while (!w->first && !w->stops)
        pthread_cond_wait(&w->changed, &w->lock);
    struct rpc_job *job = w->stops ? NULL : w->first;
    if (job) {
        w->first = job->next;
        if (!w->first)
            w->end = &w->first;
    }
    w->current = job;
    rpc_engine_resume(w->engine);
    return job;
}

static void *work(void *self)
{
    struct rpc_worker *w = self;
    pthread_mutex_lock(&w->lock);
    for (struct rpc_job *job; (job = next_job(w));) {
        bool left = job->left;
        pthread_mutex_unlock(&w->lock);
        bool done = !left && run_job(job);
        pthread_mutex_lock(&w->lock);
        w->current = NULL;
        job->state = done ? RPC_JOB_DONE : RPC_JOB_FAILED;
        if (job->left)
            free_job(job);
        pthread_mutex_unlock(&w->lock);
        w->wake(w->self);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct rpc_worker *rpc_worker_new(struct rpc_engine *e, void (*wake)(void *self), void *self)
{
    struct rpc_worker *w = alloc_array(1, sizeof *w);
    pthread_condattr_t monotonic;
    *w = (struct rpc_worker){.engine = e, .wake = wake, .self = self};
    w->end = &w->first;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&w->thread, NULL, work, w) != 0)
        alloc_fail_thread();
    return w;
}

void rpc_worker_free(struct rpc_worker *w)
{
    pthread_mutex_lock(&w->lock);
    w->stops = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    rpc_engine_cancel(w->engine);
    pthread_join(w->thread, NULL);
    while (w->first) {
        struct rpc_job *job = w->first;
        w->first = job->next;
        free_job(job);
    }
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

struct rpc_job *rpc_worker_add(struct rpc_worker *w, struct rpc_channel *channel, uint32_t method,
                               struct rpc_bytes *bytes)
{
    struct rpc_job *job = alloc_array(1, sizeof *job);
    struct rpc_memory *memory = rpc_engine_memory(w->engine);
    *job = (struct rpc_job){.worker = w,
                            .channel = channel,
                            .method = method,
                            .request = rpc_bytes_take(bytes),
                            .answer.memory = memory};
    pthread_mutex_lock(&w->lock);
    *w->end = job;
    w->end = &job->next;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return job;
}

enum rpc_job_state rpc_job_take(struct rpc_job *job, struct rpc_bytes *out)
{
    struct rpc_worker *w = job->worker;
    pthread_mutex_lock(&w->lock);
    enum rpc_job_state state = job->state;
    if (rpc_bytes_count(out) == 0) {
        struct rpc_bytes empty = *out;
        *out = job->answer;
        job->answer = empty;
    } else {
        struct str more = rpc_bytes_text(&job->answer);
        rpc_bytes_append(out, more.p, more.n);
        rpc_bytes_clear(&job->answer);
    }
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return state;
}

void rpc_job_leave(struct rpc_job *job, struct rpc_channel *channel)
{
    struct rpc_worker *w = job->worker;
    pthread_mutex_lock(&w->lock);
    job->left = true;
    job->to_free = channel;
    bool runs = w->current == job, ended = job->state != RPC_JOB_RUNS;
    if (runs)
        rpc_engine_cancel(w->engine);
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    if (ended)
        free_job(job);
}
