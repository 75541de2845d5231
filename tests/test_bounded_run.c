#include "sql_fixture.h"

#include <string.h>

#include "sql/bounded_run.h"

static int setup(void **state)
{
    return fixture_open(state, NULL);
}

static bool count_row(void *self, int columns, const struct sql_value *values)
{
    (void)columns, (void)values;
    ++*(int *)self;
    return true;
}

static void expect_bound(struct sql_session *s, const char *sql, struct sql_bounds bounds,
                         const char *part)
{
    int rows = 0;
    struct sql_sink sink = {.row = count_row, .self = &rows};
    struct status status = sql_session_run_bounded(s, "track", str_from(sql), &bounds, &sink);
    assert_false(status_ok(status));
    if (!strstr(status.message, part))
        fail_msg("%s: %s", sql, status.message);
    status_release(&status);
    /* The session goes on, with its own bounds. */
    expect_rows(s, "SELECT length(zeroblob(2000000))", "2000000\n");
}

#define WIDE UINT64_C(1) << 40

static const char endless[] =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n";

static void test_time_is_bounded(void **state)
{
    expect_bound(session_of(state), endless, (struct sql_bounds){0.01, WIDE, WIDE, 1 << 20},
                 "track: stopped after 0.01 s");
}

static void test_memory_is_bounded(void **state)
{
    expect_bound(session_of(state),
                 "CREATE TABLE t AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
                 " SELECT randomblob(1000) FROM n",
                 (struct sql_bounds){600, 64 << 20, WIDE, 1 << 20},
                 "track: stopped beyond 67.1 MB of memory");
    expect_rows(session_of(state), "SELECT count(*) FROM sqlite_master WHERE name = 't'", "0\n");
}

static void test_rows_are_bounded(void **state)
{
    expect_bound(session_of(state),
                 "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
                 (struct sql_bounds){600, WIDE, 1000, 1 << 20}, "track: stopped beyond 1000 rows");
}

static void test_values_are_bounded(void **state)
{
    expect_bound(session_of(state), "SELECT zeroblob(1100000)",
                 (struct sql_bounds){600, WIDE, WIDE, 1 << 20}, "too big");
}

static void test_what_stays_within_its_bounds_is_as_ever(void **state)
{
    int rows = 0;
    struct sql_sink sink = {.row = count_row, .self = &rows};
    struct status status = sql_session_run_bounded(session_of(state), "track",
                                                   STR("SELECT 1 UNION ALL SELECT 2; SELECT 3"),
                                                   &sql_file_bounds, &sink);
    assert_true(status_ok(status));
    assert_int_equal(rows, 3);
    sql_session_interrupt(session_of(state));
    status = sql_session_run_bounded(session_of(state), "track", str_from(endless),
                                     &sql_file_bounds, &sink);
    assert_int_equal(status.code, STATUS_CANCELLED);
    status_release(&status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_time_is_bounded),
        SQL_TEST(test_memory_is_bounded),
        SQL_TEST(test_rows_are_bounded),
        SQL_TEST(test_values_are_bounded),
        SQL_TEST(test_what_stays_within_its_bounds_is_as_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
