#include "sql/engine/bounds.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sql/engine/session_state.h"

const struct sql_bounds sql_file_bounds = {.seconds = 60,
                                           .memory = UINT64_C(1) << 30,
                                           .rows = 10000000,
                                           .value = 16 << 20};

enum { LOOK_NS = 100000000 };

enum bound_met { BOUND_NONE, BOUND_TIME, BOUND_MEMORY };

struct watch {
    struct sql_session *session;
    const struct sql_bounds *bounds;
    struct sql_spent before; /* it began */
    int64_t start_ns;
    uint64_t start_memory;
    enum bound_met met;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool end;
};

/* What the process has in memory that is no file's; 0 where that cannot be told. */
static uint64_t own_memory(void)
{
    unsigned long long all = 0, resident = 0, shared = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f || fscanf(f, "%llu %llu %llu", &all, &resident, &shared) != 3)
        resident = shared = 0;
    if (f)
        fclose(f);
    return resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static struct sql_spent spent_now(const struct watch *w)
{
    uint64_t memory = own_memory();
    struct sql_spent now = w->before;
    now.seconds += (double)(clock_now_ns() - w->start_ns) / 1e9;
    now.memory += memory > w->start_memory ? memory - w->start_memory : 0;
    return now;
}

static void *look(void *self)
{
    struct watch *w = self;
    pthread_mutex_lock(&w->lock);
    while (!w->end && w->met == BOUND_NONE) {
        struct timespec at;
        clock_gettime(CLOCK_MONOTONIC, &at);
        at.tv_nsec += LOOK_NS;
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&w->wake, &w->lock, &at);
        struct sql_spent now = spent_now(w);
        if (w->end)
            break;
        if (now.seconds > w->bounds->seconds)
            w->met = BOUND_TIME;
        else if (now.memory > w->bounds->memory)
            w->met = BOUND_MEMORY;
        if (w->met != BOUND_NONE)
            session_interrupt(w->session);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static struct status say_bound(const struct watch *w, const char *source, struct status s)
{
    if (s.code != STATUS_CANCELLED || w->met == BOUND_NONE)
        return s;
    status_release(&s);
    if (w->met == BOUND_TIME)
        return status_error(STATUS_SQL, "%s: stopped after %.3g s: run it in the query pane",
                            source, w->bounds->seconds);
    return status_error(STATUS_SQL,
                        "%s: stopped beyond %.3g MB of memory: run it in the query pane", source,
                        (double)w->bounds->memory / 1e6);
}

static struct status run_watched(struct watch *w, struct status (*run)(void *self), void *self)
{
    sqlite3 *db = w->session->db;
    int length = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, w->bounds->value);
    struct status status = run(self);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, length);
    pthread_mutex_lock(&w->lock);
    w->end = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    return status;
}

struct status session_bound(struct sql_session *s, const char *source,
                            const struct sql_bounds *bounds, struct sql_spent *spent,
                            struct status (*run)(void *self), void *self)
{
    struct watch w = {.session = s,
                      .bounds = bounds,
                      .before = *spent,
                      .start_ns = clock_now_ns(),
                      .start_memory = own_memory()};
    pthread_condattr_t clock;
    pthread_t thread;
    pthread_mutex_init(&w.lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&w.wake, &clock);
    pthread_condattr_destroy(&clock);
    struct status status;
    if (pthread_create(&thread, NULL, look, &w) != 0) {
        status = status_error(STATUS_SQL, "%s: there is no thread to watch it", source);
    } else {
        status = run_watched(&w, run, self);
        pthread_join(thread, NULL);
        if (w.met != BOUND_NONE)
            session_resume(s);
    }
    *spent = spent_now(&w);
    pthread_cond_destroy(&w.wake);
    pthread_mutex_destroy(&w.lock);
    return say_bound(&w, source, status);
}
