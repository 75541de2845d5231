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
    struct sql_spent spent = {0};
    struct status status =
        sql_session_run_bounded(s, "track", str_from(sql), &bounds, &spent, &sink);
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
    struct sql_spent spent = {0};
    struct sql_sink sink = {.row = count_row, .self = &rows};
    struct status status = sql_session_run_bounded(session_of(state), "track",
                                                   STR("SELECT 1 UNION ALL SELECT 2; SELECT 3"),
                                                   &sql_file_bounds, &spent, &sink);
    assert_true(status_ok(status));
    assert_int_equal(rows, 3);
    sql_session_interrupt(session_of(state));
    status = sql_session_run_bounded(session_of(state), "track", str_from(endless),
                                     &sql_file_bounds, &spent, &sink);
    assert_int_equal(status.code, STATUS_CANCELLED);
    status_release(&status);
}

static struct status run_again(struct sql_session *s, const char *sql, struct sql_bounds bounds,
                               struct sql_spent *spent)
{
    struct sql_sink sink = {.row = count_row, .self = &(int){0}};
    return sql_session_run_bounded(s, "track", str_from(sql), &bounds, spent, &sink);
}

static void expect_ends_with(struct status status, const char *part)
{
    assert_false(status_ok(status));
    if (!strstr(status.message, part))
        fail_msg("%s", status.message);
    status_release(&status);
}

static void test_what_one_took_the_next_lacks(void **state)
{
    struct sql_session *s = session_of(state);
    struct sql_spent spent = {0};
    struct sql_bounds bounds = {600, WIDE, 5, 1 << 20};
    assert_true(status_ok(run_again(s, "SELECT 1 UNION SELECT 2 UNION SELECT 3", bounds, &spent)));
    assert_int_equal(spent.rows, 3);
    expect_ends_with(run_again(s, "SELECT 1 UNION SELECT 2 UNION SELECT 3", bounds, &spent),
                     "stopped beyond 5 rows");
    spent = (struct sql_spent){.seconds = 600};
    expect_ends_with(run_again(s, endless, bounds, &spent), "stopped after 600 s");
    spent = (struct sql_spent){.memory = 1 << 20};
    bounds.memory = 1 << 19;
    expect_ends_with(run_again(s, endless, bounds, &spent), "stopped beyond 0.524 MB of memory");
}

/* Each names the one before twice. */
static char *doubling(int count)
{
    sqlite3_str *with = sqlite3_str_new(NULL);
    sqlite3_str_appendall(with, "WITH a0 AS (SELECT 1 AS x)");
    for (int i = 1; i < count; i++)
        sqlite3_str_appendf(with, ", a%d AS (SELECT p.x FROM a%d p JOIN a%d q USING (x))", i, i - 1,
                            i - 1);
    sqlite3_str_appendf(with, " SELECT x FROM a%d", count - 1);
    return sqlite3_str_finish(with);
}

/* SQLite took all memory, and nothing could stop it. */
static void test_what_grows_while_it_is_compiled_is_bounded(void **state)
{
    struct sql_session *s = session_of(state);
    char *small = doubling(6); /* newer SQLites join the tables of all of them: 64 at most */
    char *large = doubling(24);
    expect_rows(s, small, "1\n");
    expect_error(s, large, "too large once its views and WITHs are written out");
    char *inside = sqlite3_mprintf("CREATE PERFETTO VIEW doubled AS %s", large);
    expect_error(s, inside, "too large once");
    /* A function's statement is compiled anew, and a pragma compiles a view, while another runs. */
    char *again =
        sqlite3_mprintf("CREATE VIEW v AS SELECT 1 AS x;"
                        "CREATE PERFETTO FUNCTION f() RETURNS LONG AS SELECT max(x) FROM v;"
                        "SELECT f(); DROP VIEW v; CREATE VIEW v AS SELECT x FROM (%s);"
                        "SELECT f()",
                        large);
    expect_error(s, again, "out of memory");
    expect_error(s, "SELECT count(*) FROM pragma_table_info('v')", "out of memory");
    expect_error(s, "CREATE TABLE t(a); ALTER TABLE t RENAME TO t2", "too large once");
    expect_rows(s, "DROP VIEW v; ALTER TABLE t RENAME TO t3; SELECT count(*) FROM t3", "0\n");
    sqlite3_free(again);
    sqlite3_free(small);
    sqlite3_free(large);
    sqlite3_free(inside);
}

/* A view of a view, as many deep. */
static char *view_chain(const char *create, int count)
{
    sqlite3_str *script = sqlite3_str_new(NULL);
    sqlite3_str_appendf(script, "%s v0 AS SELECT 1 AS x;", create);
    for (int i = 1; i < count; i++)
        sqlite3_str_appendf(script, "%s v%d AS SELECT x FROM v%d;", create, i, i - 1);
    return sqlite3_str_finish(script);
}

/* SQLite takes seconds to compile a statement of views that are nested so deep. */
static void test_compiling_is_bounded(void **state)
{
    struct sql_session *s = session_of(state);
    struct sql_bounds bounds = {0.01, WIDE, WIDE, 1 << 20};
    char *chain = view_chain("CREATE VIEW", 1900);
    expect_rows(s, chain, "");
    expect_bound(s, "SELECT x FROM v1899", bounds, "track: stopped after 0.01 s");
    sqlite3_free(chain);
}

/* Each of them is compiled when it is made, with all that it is made of. */
static void test_making_views_is_bounded(void **state)
{
    struct sql_bounds bounds = {0.05, WIDE, WIDE, 1 << 20};
    char *chain = view_chain("CREATE PERFETTO VIEW", 900);
    expect_bound(session_of(state), chain, bounds, "track: stopped after 0.05 s");
    sqlite3_free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_time_is_bounded),
        SQL_TEST(test_memory_is_bounded),
        SQL_TEST(test_rows_are_bounded),
        SQL_TEST(test_values_are_bounded),
        SQL_TEST(test_what_one_took_the_next_lacks),
        SQL_TEST(test_what_stays_within_its_bounds_is_as_ever),
        SQL_TEST(test_what_grows_while_it_is_compiled_is_bounded),
        SQL_TEST(test_compiling_is_bounded),
        SQL_TEST(test_making_views_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
