#include "sql/bounded_run.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sql/engine/session_state.h"
#include "sql/session.h"

const struct sql_bounds sql_file_bounds = {.seconds = 60,
                                           .memory = UINT64_C(1) << 30,
                                           .rows = 10000000,
                                           .value = 16 << 20};

enum { LOOK_NS = 100000000 };

enum bound_met { BOUND_NONE, BOUND_TIME, BOUND_MEMORY, BOUND_ROWS };

struct bounded_run {
    struct sql_session *session;
    const struct sql_bounds *bounds;
    const struct sql_sink *sink;
    uint64_t rows;
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

static void *watch(void *self)
{
    struct bounded_run *r = self;
    pthread_mutex_lock(&r->lock);
    while (!r->end && r->met == BOUND_NONE) {
        struct timespec at;
        clock_gettime(CLOCK_MONOTONIC, &at);
        at.tv_nsec += LOOK_NS;
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&r->wake, &r->lock, &at);
        double seconds = (double)(clock_now_ns() - r->start_ns) / 1e9;
        if (r->end)
            break;
        if (seconds > r->bounds->seconds)
            r->met = BOUND_TIME;
        else if (own_memory() > r->start_memory + r->bounds->memory)
            r->met = BOUND_MEMORY;
        if (r->met != BOUND_NONE)
            sql_session_interrupt(r->session);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static bool pass_begin(void *self, int columns, const char *const *names)
{
    return sink_begin(((struct bounded_run *)self)->sink, columns, names);
}

static bool pass_row(void *self, int columns, const struct sql_value *values)
{
    struct bounded_run *r = self;
    if (r->rows++ < r->bounds->rows)
        return r->sink->row(r->sink->self, columns, values);
    r->met = BOUND_ROWS;
    return false;
}

static bool pass_end(void *self)
{
    return sink_end(((struct bounded_run *)self)->sink);
}

static struct status run(struct bounded_run *r, const char *source, struct str script)
{
    struct sql_sink sink = {.begin = pass_begin, .row = pass_row, .end = pass_end, .self = r};
    sqlite3 *db = r->session->db;
    int length = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, r->bounds->value);
    struct status s = sql_session_run(r->session, source, script, &sink);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, length);
    return s;
}

static struct status say_bound(const struct bounded_run *r, const char *source, struct status s)
{
    if (s.code != STATUS_CANCELLED || r->met == BOUND_NONE)
        return s;
    status_release(&s);
    const struct sql_bounds *b = r->bounds;
    if (r->met == BOUND_TIME)
        return status_error(STATUS_SQL, "%s: stopped after %.3g s: run it in the query pane",
                            source, b->seconds);
    if (r->met == BOUND_MEMORY)
        return status_error(STATUS_SQL,
                            "%s: stopped beyond %.3g MB of memory: run it in the query pane",
                            source, (double)b->memory / 1e6);
    return status_error(STATUS_SQL, "%s: stopped beyond %llu rows: run it in the query pane",
                        source, (unsigned long long)b->rows);
}

struct status sql_session_run_bounded(struct sql_session *s, const char *source, struct str script,
                                      const struct sql_bounds *bounds, const struct sql_sink *sink)
{
    struct bounded_run r = {.session = s,
                            .bounds = bounds,
                            .sink = sink,
                            .start_ns = clock_now_ns(),
                            .start_memory = own_memory()};
    pthread_condattr_t clock;
    pthread_t thread;
    pthread_mutex_init(&r.lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&r.wake, &clock);
    pthread_condattr_destroy(&clock);
    struct status status;
    if (pthread_create(&thread, NULL, watch, &r) != 0) {
        status = status_error(STATUS_SQL, "%s: there is no thread to watch it", source);
    } else {
        status = run(&r, source, script);
        pthread_mutex_lock(&r.lock);
        r.end = true;
        pthread_cond_signal(&r.wake);
        pthread_mutex_unlock(&r.lock);
        pthread_join(thread, NULL);
        if (status.code != STATUS_CANCELLED && r.met != BOUND_NONE)
            sql_session_resume(s); /* it came too late */
    }
    pthread_cond_destroy(&r.wake);
    pthread_mutex_destroy(&r.lock);
    return say_bound(&r, source, status);
}
