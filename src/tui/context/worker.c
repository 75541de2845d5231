#include "tui/context/worker.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "explain/alerts.h"
#include "sql/engine/bounds.h"
#include "sql/session.h"
#include "tui/context/pair.h"
#include "tui/term/term.h"

struct worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change, end;
    struct job *waiting, *finished; /* oldest first */
    struct job *running;
    struct sql_session *session;
    atomic_bool cancel;
    bool quit, ended;
    int wake_fd;
    uint64_t sort_memory;
    bool no_vector;
    const struct alerts *alerts;
    VEC(char) complaints; /* a line each */
};

static void append(struct job **list, struct job *job)
{
    job->next = NULL;
    while (*list)
        list = &(*list)->next;
    *list = job;
}

static void wake(int fd)
{
    uint64_t one = 1;
    ssize_t n = write(fd, &one, sizeof one);
    (void)n; /* an eventfd is full only when the reader has plenty to wake for */
}

static void *worker_main(void *ctx)
{
    struct worker *w = ctx;
    term_block_signals();
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (!w->waiting && !w->quit)
            pthread_cond_wait(&w->change, &w->lock);
        if (w->quit)
            break;
        struct job *job = w->waiting;
        w->waiting = job->next;
        w->running = job;
        atomic_store(&w->cancel, false);
        if (w->session)
            sql_session_resume(w->session);
        pthread_mutex_unlock(&w->lock);
        job->run(job, w);
        pthread_mutex_lock(&w->lock);
        w->running = NULL;
        append(&w->finished, job);
        wake(w->wake_fd);
    }
    w->ended = true;
    pthread_cond_signal(&w->end);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct worker *worker_new(int wake_fd, uint64_t sort_memory, bool no_vector,
                          const struct alerts *alerts)
{
    struct worker *w = alloc_array(1, sizeof *w);
    w->wake_fd = wake_fd;
    w->sort_memory = sort_memory;
    w->no_vector = no_vector;
    w->alerts = alerts;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->change, NULL);
    pthread_cond_init(&w->end, NULL);
    if (pthread_create(&w->thread, NULL, worker_main, w) != 0)
        alloc_fail_thread();
    return w;
}

static void drop(struct job *list)
{
    while (list) {
        struct job *next = list->next;
        list->done(list, NULL);
        list = next;
    }
}

bool worker_end(struct worker *w, int ms)
{
    struct timespec until;
    worker_cancel(w);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ms * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&w->lock);
    w->quit = true;
    pthread_cond_signal(&w->change);
    int error = 0;
    while (!w->ended && error == 0)
        error = pthread_cond_timedwait(&w->end, &w->lock, &until);
    bool ended = w->ended;
    pthread_mutex_unlock(&w->lock);
    return ended;
}

void worker_free(struct worker *w)
{
    worker_end(w, 0);
    pthread_join(w->thread, NULL);
    drop(w->waiting);
    drop(w->finished);
    if (w->session)
        sql_session_free(w->session);
    vec_release(&w->complaints);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->change);
    pthread_cond_destroy(&w->end);
    free(w);
}

void worker_push(struct worker *w, struct job *job)
{
    pthread_mutex_lock(&w->lock);
    append(&w->waiting, job);
    pthread_cond_signal(&w->change);
    pthread_mutex_unlock(&w->lock);
}

struct job *worker_take(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    struct job *job = w->finished;
    if (job)
        w->finished = job->next;
    pthread_mutex_unlock(&w->lock);
    return job;
}

bool worker_busy(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    bool busy = w->waiting || w->running || w->finished;
    pthread_mutex_unlock(&w->lock);
    return busy;
}

void worker_cancel(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    atomic_store(&w->cancel, true);
    if (w->running && w->session)
        sql_session_interrupt(w->session);
    pthread_mutex_unlock(&w->lock);
}

bool worker_cancelled(struct worker *w)
{
    return atomic_load(&w->cancel);
}

const atomic_bool *worker_cancel_flag(const struct worker *w)
{
    return &w->cancel;
}

static void keep_complaint(void *self, const char *message)
{
    struct worker *w = self;
    vec_append(&w->complaints, message, strcspn(message, "\n"));
    *vec_push(&w->complaints) = '\n';
}

char *worker_complaints(struct worker *w)
{
    size_t n = w->complaints.count;
    return n ? alloc_copy(w->complaints.items, n) : NULL;
}

struct sql_session *worker_session(struct worker *w, const struct trace *trace,
                                   struct status *error)
{
    *error = status_ok_value();
    if (w->session)
        return w->session;
    struct sql_session *s = sql_session_new(trace, error);
    if (w->sort_memory > 0)
        sql_session_limit_sort_memory(s, w->sort_memory);
    if (w->no_vector)
        sql_session_batch_from(s, UINT32_MAX);
    if (trace->tables.machine.rows > 1)
        pair_register(s);
    if (w->alerts)
        alerts_register(w->alerts, s);
    sql_session_bound_parts(s, &sql_file_bounds);
    sql_session_on_complaint(s, keep_complaint, w);
    pthread_mutex_lock(&w->lock);
    w->session = s;
    pthread_mutex_unlock(&w->lock);
    return s;
}
