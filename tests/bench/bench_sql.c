/* Times SQL on a loaded trace: bench_sql TRACE FILE.sql ... prints a line a file. Each file runs in
 * a session of its own, as often as given by BENCH_RUNS (5); the fastest run counts. With
 * BENCH_BOTH each run over columns is followed by one over rows (as with --no-vector), whose time
 * and how many times longer it took stand behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/trace_builder.h"
#include "base/alloc.h"
#include "parsers/load.h"
#include "sql/session.h"

struct counted {
    uint64_t rows;
    char first[80];
};

static bool on_row(void *self, int columns, const struct sql_value *values)
{
    struct counted *c = self;
    size_t n = 0;
    if (c->rows++ == 0)
        for (int i = 0; i < columns && n < sizeof c->first - 30; i++) {
            if (values[i].type == SQL_INT)
                n += (size_t)snprintf(c->first + n, sizeof c->first - n, "%lld ",
                                      (long long)values[i].i);
            else if (values[i].type == SQL_TEXT)
                n += (size_t)snprintf(c->first + n, sizeof c->first - n, "%.*s ",
                                      values[i].s.n > 20 ? 20 : (int)values[i].s.n, values[i].s.p);
        }
    return true;
}

static double milliseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return NULL;
    }
    char *text = alloc_array(1 << 20, 1);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

/* A file's statements, and what is known of their runs. */
struct timing {
    const char *path;
    char *text;
    double columns, rows; /* the fastest; -1: none yet */
    struct counted counted;
    bool failed;
};

static void time_once(struct trace *trace, struct timing *t, bool by_rows)
{
    struct status status;
    struct sql_session *session = sql_session_new(trace, &status);
    double *best = by_rows ? &t->rows : &t->columns;
    struct sql_sink sink = {.row = on_row, .self = &t->counted};
    t->counted = (struct counted){0};
    if (by_rows)
        sql_session_batch_from(session, UINT32_MAX);
    double start = milliseconds(CLOCK_THREAD_CPUTIME_ID);
    status = sql_session_run(session, t->path, str_from(t->text), &sink);
    double took = milliseconds(CLOCK_THREAD_CPUTIME_ID) - start;
    *best = *best < 0 || took < *best ? took : *best;
    if (!status_ok(status))
        fprintf(stderr, "%s\n", status.message);
    t->failed |= !status_ok(status);
    status_release(&status);
    sql_session_free(session);
}

/* Prints the fastest times of the file's statements, without setting up the session. */
static void time_file(struct trace *trace, const char *path, int runs, bool both)
{
    struct timing t = {.path = path, .text = read_file(path), .columns = -1, .rows = -1};
    const char *slash = strrchr(path, '/');
    for (int i = 0; t.text && !t.failed && i < runs; i++) {
        time_once(trace, &t, false);
        if (both)
            time_once(trace, &t, true);
    }
    free(t.text);
    printf("%9.3f ms", t.failed ? -1 : t.columns);
    if (both)
        printf(" %9.3f ms %6.2f", t.failed ? -1 : t.rows, t.rows / t.columns);
    printf(" %8llu rows  %-36s %s\n", (unsigned long long)t.counted.rows, slash ? slash + 1 : path,
           t.counted.first);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *wanted = getenv("BENCH_RUNS");
    int runs = wanted ? (int)strtol(wanted, NULL, 10) : 5;
    if (argc < 3) {
        fprintf(stderr, "usage: bench_sql TRACE FILE.sql ...\n");
        return 2;
    }
    struct trace *trace = alloc_array(1, sizeof *trace);
    trace_init(trace);
    struct status status = trace_load_file(trace, argv[1], NULL);
    if (!status_ok(status)) {
        fprintf(stderr, "%s\n", status.message);
        return 3;
    }
    for (int i = 2; i < argc; i++)
        time_file(trace, argv[i], runs, getenv("BENCH_BOTH") != NULL);
    trace_release(trace);
    free(trace);
    return 0;
}
