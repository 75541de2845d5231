/* A statement that is told to stop returns soon, whatever it does: each runs on a thread of its own
 * until it is interrupted. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "sql/engine/session_state.h"
#include "sql_fixture.h"
#include "core/store/rows.h"

enum {
    SLICES = 30000,
    STEPS_BEFORE = 30,      /* of 10 ms, before the interrupt */
    LATE_MILLISECONDS = 500 /* of the thread's time; 100 are meant, sanitizers take more */
};

static void add_rows(struct trace *t)
{
    for (uint32_t i = 0; i < SLICES; i++) {
        char name[32];
        snprintf(name, sizeof name, "slice_%u", i % 977);
        struct slice_row slice = slice_row_null();
        slice.ts = (int64_t)i * 100;
        slice.dur = 50 + i % 40;
        slice.track_id = i % 7;
        slice.name = trace_intern_c(t, name);
        slice_append(&t->tables.slice, &slice);
        if (i == 0)
            continue;
        struct flow_row flow = flow_row_null();
        flow.slice_out = i - 1;
        flow.slice_in = i;
        flow_append(&t->tables.flow, &flow);
    }
}

static int setup(void **state)
{
    return fixture_open(state, add_rows);
}

struct run {
    struct sql_session *session;
    const char *sql;
    struct status status;
    double end; /* of the thread's time */
    atomic_bool done;
};

static double milliseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void *run_statement(void *p)
{
    struct run *r = p;
    r->status = sql_session_run(r->session, "query", str_from(r->sql), NULL);
    r->end = milliseconds(CLOCK_THREAD_CPUTIME_ID);
    atomic_store(&r->done, true);
    return NULL;
}

static void pause_milliseconds(long n)
{
    struct timespec t = {0, n * 1000000};
    nanosleep(&t, NULL);
}

/* Statements that would run for minutes. */
static void expect_stop(struct fixture *f, const char *sql)
{
    struct run r = {.session = f->session, .sql = sql};
    pthread_t thread;
    clockid_t clock;
    assert_int_equal(pthread_create(&thread, NULL, run_statement, &r), 0);
    assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
    for (int i = 0; i < STEPS_BEFORE && !atomic_load(&r.done); i++)
        pause_milliseconds(10);
    double begin = milliseconds(clock);
    sql_session_interrupt(f->session);
    pthread_join(thread, NULL);
    double late = r.end - begin;
    if (r.status.code != STATUS_CANCELLED || late > LATE_MILLISECONDS)
        print_message("%.0f ms, %s: %s\n", late, r.status.message ? r.status.message : "ended",
                      sql);
    assert_int_equal(r.status.code, STATUS_CANCELLED);
    assert_true(late <= LATE_MILLISECONDS);
    status_release(&r.status);
    expect_rows(f->session, "SELECT 1", "1\n"); /* the session goes on */
}

#define MANY "slice a, slice b"
#define NUMBERS(n)                                                                                 \
    "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT " n ") SELECT i FROM "  \
    "n)"

static void test_plain_statements(void **state)
{
    expect_stop(*state, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                        " SELECT count(*) FROM n");
    expect_stop(*state, "SELECT count(*) FROM " MANY ", slice c WHERE a.ts + b.ts > c.ts");
    expect_stop(*state, "SELECT a.name FROM " MANY " ORDER BY a.name || b.name");
    expect_stop(*state, "SELECT sum(r) FROM (SELECT rank() OVER (ORDER BY a.dur + b.dur) AS r"
                        " FROM " MANY ")");
    expect_stop(*state, "SELECT a.ts + b.ts, count(*) FROM " MANY " GROUP BY 1 ORDER BY 2");
    expect_stop(*state, "CREATE TABLE x AS SELECT a.ts + b.ts AS y FROM " MANY ";"
                        "CREATE INDEX i ON x(y)");
    expect_stop(*state, "SELECT count(*) FROM " MANY " WHERE (a.name || b.name || a.name || b.name)"
                        " GLOB '*s*l*i*c*e*_*_*_*_*z'");
    expect_stop(*state, "SELECT sum(regexp('(s|sl|l|i|ic|c|e|_|[0-9])+$', a.name || b.name || 'x'))"
                        " FROM " MANY);
    expect_stop(*state, "SELECT sum(length(printf('%1000000d', a.id))) FROM " MANY);
}

static void test_long_texts(void **state)
{
    expect_stop(*state, "SELECT regexp('0(?=0*1)', hex(zeroblob(5000000)))");
    expect_stop(*state, "SELECT regexp_replace_simple(hex(zeroblob(5000000)), '0(?=0*$)', '1')");
    expect_stop(*state, "SELECT sum(instr(z, '1')) FROM (SELECT hex(zeroblob(1000000)) AS z), " MANY
                        ", slice");
}

static void test_transactions_of_a_script_end_with_it(void **state)
{
    expect_stop(*state, "CREATE TABLE x AS SELECT 1 AS y; BEGIN; UPDATE x SET y = 2;"
                        " SELECT count(*) FROM " MANY ", slice c");
    expect_rows(session_of(state), "SELECT y FROM x; BEGIN; ROLLBACK", "1\n");
    expect_rows(session_of(state), "BEGIN; UPDATE x SET y = 3", "");
    expect_stop(*state, "SELECT count(*) FROM " MANY ", slice c"); /* which did not begin it */
    expect_rows(session_of(state), "COMMIT; SELECT y FROM x", "3\n");
    expect_rows(session_of(state),
                "BEGIN; CREATE PERFETTO TABLE t AS SELECT 1 AS x; ROLLBACK;"
                "CREATE PERFETTO TABLE t AS SELECT 2 AS x; SELECT x FROM t",
                "2\n");
}

static void test_nothing_half_made_stays(void **state)
{
    expect_stop(*state, "CREATE PERFETTO TABLE t AS SELECT a.ts + b.ts AS x, a.name FROM " MANY);
    expect_rows(session_of(state), "CREATE PERFETTO TABLE t AS SELECT 1 AS x; SELECT x FROM t",
                "1\n");
}

static void test_interruption_holds_for_the_next_run(void **state)
{
    struct sql_session *s = session_of(state);
    sql_session_interrupt(s);
    expect_rows(s, "SELECT 1", "error: interrupted\n");
    expect_rows(s, "SELECT 1", "1\n");
    sql_session_interrupt(s);
    sql_session_resume(s);
    expect_rows(s, "SELECT 1", "1\n");
}

static void test_tables_and_functions(void **state)
{
    expect_stop(*state, "CREATE PERFETTO TABLE t AS SELECT a.ts + b.ts AS x, a.name FROM " MANY);
    expect_stop(*state, "CREATE PERFETTO FUNCTION f(x LONG) RETURNS LONG AS SELECT count(*) FROM"
                        " slice WHERE dur > $x; SELECT sum(f(a.id)) FROM " MANY);
    expect_stop(*state,
                "CREATE PERFETTO FUNCTION g(x LONG) RETURNS TABLE(n LONG) AS SELECT dur AS n"
                " FROM slice WHERE dur > $x; SELECT sum(n) FROM slice a, g(a.id % 9)");
    expect_stop(*state, "SELECT count(DISTINCT a.ts + b.ts) FROM " MANY);
    expect_stop(*state, "SELECT group_concat(a.name ORDER BY b.ts) FROM " MANY);
}

static void test_operators(void **state)
{
    expect_stop(
        *state,
        "CREATE PERFETTO TABLE l AS SELECT i * 2 AS ts, 1 AS dur, i % 3 AS p FROM" NUMBERS(
            "300000") ";"
                      "CREATE VIEW r AS SELECT l.ts, l.dur, l.p FROM l, slice LIMIT 100000000;"
                      "CREATE VIRTUAL TABLE j USING span_join(l PARTITIONED p, r PARTITIONED p);"
                      "SELECT count(*) FROM j");
    expect_stop(*state, "INCLUDE PERFETTO MODULE graphs.search; SELECT count(*) FROM"
                        " graph_reachable_bfs!((SELECT a.id AS source_node_id, b.id AS dest_node_id"
                        " FROM " MANY "), (SELECT 1 AS node_id))");
    expect_stop(*state, "SELECT count(*) FROM slice s, following_flow(s.id)");
    expect_stop(*state, "INCLUDE PERFETTO MODULE intervals.overlap; SELECT count(*) FROM"
                        " intervals_overlap_count!((SELECT a.ts + b.id AS ts, a.dur AS dur FROM"
                        " " MANY "), ts, dur)");
}

static void stop(sqlite3_context *ctx, int n, sqlite3_value **args)
{
    (void)n, (void)args;
    struct sql_session *s = sqlite3_user_data(ctx);
    atomic_store(&s->cancel, true);
    sqlite3_result_int(ctx, 1);
}

/* SQLite forgets an interruption that comes where nothing runs. What it is asked to compile then is
 * refused, which is no error of the statement. */
static void test_interrupted_between_statements(void **state)
{
    struct sql_session *s = session_of(state);
    sqlite3_create_function(s->db, "stop", 0, SQLITE_UTF8, s, stop, NULL, NULL);
    const char *const wholes[] = {
        "CREATE PERFETTO TABLE t AS SELECT stop() AS x",
        "SELECT stop() AS x; SELECT 1",
    };
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        expect_rows(s, wholes[i], i == 1 ? "1\nerror: interrupted\n" : "error: interrupted\n");
        expect_rows(s, "SELECT 1", "1\n");
    }
    sqlite3_create_function(s->db, "stop", 0, SQLITE_UTF8, NULL, NULL, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_plain_statements),
        SQL_TEST(test_long_texts),
        SQL_TEST(test_transactions_of_a_script_end_with_it),
        SQL_TEST(test_nothing_half_made_stays),
        SQL_TEST(test_interruption_holds_for_the_next_run),
        SQL_TEST(test_tables_and_functions),
        SQL_TEST(test_operators),
        SQL_TEST(test_interrupted_between_statements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
