/* How long statements go on after they were told to stop: bench_cancel TRACE FILE.sql [WORD].
 * The file holds statements behind lines "-- NAME"; the one called "setup" runs first and to its
 * end. Each of the others (those whose name contains WORD) runs once, for some seconds at most, and
 * then again, interrupted at several parts of that time. A line a statement: the most that passed
 * between an interruption and the return, in CPU time of the statement's thread, which other
 * programs do not disturb, and by the clock. Afterwards the session must be usable. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/trace_builder.h"
#include "base/alloc.h"
#include "parsers/load.h"
#include "sql/session.h"

static const double most_ms = 1500;
static const double parts[] = {0.05, 0.3, 0.55, 0.75, 0.92};

struct statement {
    struct sql_session *session;
    const char *name, *text;
    struct status status;
    double end_cpu, end_clock;
    atomic_bool done;
};

static double milliseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool on_row(void *self, int columns, const struct sql_value *values)
{
    (void)self, (void)columns, (void)values;
    return true;
}

static struct status run_text(struct sql_session *session, const char *name, const char *text)
{
    struct sql_sink sink = {.row = on_row};
    return sql_session_run(session, name, str_from(text), &sink);
}

static void *run_thread(void *p)
{
    struct statement *s = p;
    s->status = run_text(s->session, s->name, s->text);
    s->end_cpu = milliseconds(CLOCK_THREAD_CPUTIME_ID);
    s->end_clock = milliseconds(CLOCK_MONOTONIC);
    atomic_store(&s->done, true);
    return NULL;
}

struct stopped {
    double cpu, clock; /* from the interruption to the end */
    double before;     /* CPU time until then, or until the end where that came first */
    bool failed;       /* by itself */
    struct status status;
};

/* Interrupts after `ms` of the statement's own CPU time. */
static struct stopped stop_after(struct sql_session *session, const char *name, const char *text,
                                 double ms)
{
    struct statement s = {.session = session, .name = name, .text = text};
    pthread_t thread;
    clockid_t clock;
    double cpu = 0, from = milliseconds(CLOCK_MONOTONIC);
    if (pthread_create(&thread, NULL, run_thread, &s) != 0)
        abort();
    pthread_getcpuclockid(thread, &clock);
    while (!atomic_load(&s.done) && (cpu = milliseconds(clock)) < ms) {
        struct timespec wait = {.tv_nsec = 1000000};
        nanosleep(&wait, NULL);
    }
    struct stopped result = {.before = cpu};
    from = milliseconds(CLOCK_MONOTONIC);
    sql_session_interrupt(session);
    pthread_join(thread, NULL);
    sql_session_resume(session);
    result.cpu = s.end_cpu > cpu ? s.end_cpu - cpu : 0;
    result.clock = s.end_clock > from ? s.end_clock - from : 0;
    result.failed = !status_ok(s.status) && s.status.code != STATUS_CANCELLED;
    result.status = s.status;
    return result;
}

/* Nothing half-made is left, no transaction is open, and it is not interrupted still. */
static bool is_usable(struct sql_session *session)
{
    struct status s = run_text(session, "after",
                               "CREATE PERFETTO TABLE made AS SELECT 1 AS x; DROP TABLE made;"
                               "BEGIN; CREATE TABLE after_all(x); ROLLBACK");
    bool usable = status_ok(s);
    if (!usable)
        printf("not usable: %s\n", s.message);
    status_release(&s);
    return usable;
}

static void measure(struct sql_session *session, const char *name, const char *text)
{
    struct stopped whole = stop_after(session, name, text, most_ms), most = whole;
    double worst_at = whole.before;
    bool usable = is_usable(session);
    if (whole.failed)
        printf("%s: %s\n", name, whole.status.message);
    status_release(&whole.status);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !whole.failed; i++) {
        if (whole.before >= most_ms && i % 2 == 0)
            continue;
        struct stopped once = stop_after(session, name, text, whole.before * parts[i]);
        status_release(&once.status);
        usable = is_usable(session) && usable;
        if (once.cpu > most.cpu || whole.before < most_ms) {
            worst_at = once.cpu > most.cpu || i == 0 ? once.before : worst_at;
            most = once.cpu > most.cpu || i == 0 ? once : most;
        }
    }
    printf("%-32s %8.0f ms %8.1f ms CPU %8.1f ms at %6.0f%s%s\n", name, whole.before, most.cpu,
           most.clock, worst_at, most.cpu > 100 ? "  LATE" : "", usable ? "" : "  NOT USABLE");
    fflush(stdout);
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(2);
    }
    char *text = alloc_array(1 << 20, 1);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

/* The next "-- NAME" line's text, cut off where the following begins; NULL at the end. */
static char *next_statement(char **rest, char **name)
{
    char *at = *rest;
    if (strncmp(at, "-- ", 3) != 0)
        return NULL;
    *name = at + 3;
    char *text = strchr(at, '\n');
    if (!text)
        return NULL;
    *text++ = 0;
    char *end = strstr(text, "\n-- ");
    *rest = end ? end + 1 : text + strlen(text);
    if (end)
        *end = 0;
    return text;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_cancel TRACE FILE.sql [WORD]\n");
        return 2;
    }
    struct trace *trace = alloc_array(1, sizeof *trace);
    trace_init(trace);
    struct status status = trace_load_file(trace, argv[1], NULL);
    struct sql_session *session = NULL;
    if (status_ok(status))
        session = sql_session_new(trace, &status);
    char *whole = read_file(argv[2]), *rest = whole, *name, *text;
    while (status_ok(status) && (text = next_statement(&rest, &name)))
        if (strcmp(name, "setup") == 0)
            status = run_text(session, name, text);
        else if (argc < 4 || strstr(name, argv[3]))
            measure(session, name, text);
    if (!status_ok(status))
        fprintf(stderr, "%s\n", status.message);
    int exit_status = status_ok(status) ? 0 : 3;
    status_release(&status);
    sql_session_free(session);
    trace_release(trace);
    free(trace);
    free(whole);
    return exit_status;
}
