#include "sql_fixture.h"
#include "core/store/rows.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { SLICES = 100000, FIRST_MS = 60, ALLOWED_MS = 2000 };

/* All slices overlap, and each hands over to the next. */
static void fill(struct trace *t)
{
    for (uint32_t i = 0; i < SLICES; i++) {
        struct slice_row slice = slice_row_null();
        slice.ts = i;
        slice.dur = SLICES;
        slice.track_id = 0;
        slice_append(&t->tables.slice, &slice);
        struct flow_row flow = flow_row_null();
        flow.slice_out = i;
        flow.slice_in = i + 1 < SLICES ? i + 1 : 0;
        flow_append(&t->tables.flow, &flow);
    }
}

static int setup(void **state)
{
    return fixture_open(state, fill);
}

static void sleep_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* Of this thread: others may keep the machine busy. */
static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

struct interrupter {
    struct sql_session *session;
    atomic_bool running;
};

static void *interrupt_soon(void *p)
{
    struct interrupter *i = p;
    sleep_ms(FIRST_MS);
    while (atomic_load(&i->running)) {
        sql_session_interrupt(i->session);
        sleep_ms(5);
    }
    return NULL;
}

/* Each of these would run for minutes, or until memory ends. */
static void test_long_loops_end_when_interrupted(void **state)
{
    struct interrupter interrupter = {.session = session_of(state)};
    static const char *const queries[] = {
        "SELECT count(*) FROM _graph_scan!((SELECT 1 AS source_node_id, 1 AS dest_node_id),"
        " (SELECT 1 AS id, 0 AS d), (d), (SELECT id, d FROM $table))",
        "SELECT count(*) FROM _interval_intersect!((n, n), ())",
        "SELECT count(*) FROM graph_reachable_weight_bounded_dfs!((SELECT id AS source_node_id,"
        " id + 1 AS dest_node_id, 0 AS edge_weight FROM n), (SELECT id AS root_node_id,"
        " 1 AS root_target_weight FROM n), 1)",
        "SELECT count(*) FROM __intrinsic_table_ptr(__intrinsic_critical_path_walk("
        "(SELECT __intrinsic_wakeup_graph_agg(id, 0, id * 10, 5, id * 10, id - 1, id - 1) FROM n),"
        " (SELECT __intrinsic_array_agg(id) FROM n)))",
        "CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((SELECT id, iif(id > 0, id - 1, NULL)"
        " AS parent_id, 'f' || id AS name, 1 AS v FROM n));"
        "SELECT count(*) FROM fg(__intrinsic_flamegraph_config('value', 'v', 'view', 'BOTTOM_UP'))",
        "SELECT count(*) FROM experimental_slice_layout('0')",
        "SELECT count(*) FROM slice s JOIN following_flow(s.id)",
        "SELECT count(*) FROM slice s JOIN directly_connected_flow(s.id)",
        "CREATE VIRTUAL TABLE w USING __intrinsic_window(0, 1000000000000000, 1);"
        "SELECT count(*) FROM w",
        "CREATE VIRTUAL TABLE m USING __intrinsic_slice_mipmap((SELECT a.id, a.ts, 1, 0 FROM slice"
        " a, slice b)); SELECT 1",
    };
    expect_rows(interrupter.session,
                "INCLUDE PERFETTO MODULE graphs.*; INCLUDE PERFETTO MODULE intervals.intersect;"
                "CREATE PERFETTO TABLE n AS SELECT id, ts, dur FROM slice",
                "");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        pthread_t thread;
        atomic_store(&interrupter.running, true);
        int64_t start = now_ms();
        assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, &interrupter), 0);
        char *got = sql_rows(interrupter.session, queries[i]);
        int64_t took = now_ms() - start;
        atomic_store(&interrupter.running, false);
        pthread_join(thread, NULL);
        sql_session_resume(interrupter.session);
        if (strcmp(got, "error: interrupted\n") != 0 || took > FIRST_MS + ALLOWED_MS)
            print_message("%s\n%lld ms: %s\n", queries[i], (long long)took, got);
        assert_string_equal(got, "error: interrupted\n");
        assert_true(took <= FIRST_MS + ALLOWED_MS);
        sqlite3_free(got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_long_loops_end_when_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
