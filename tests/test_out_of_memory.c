/* A statement that needs more memory than the system has fails; the session goes on. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "emulated.h"
#include "sanitized.h"
#include "sql_fixture.h"

/* Bytes that a statement may take besides the reserve, and where what operators collect fits, but
 * perhaps not what they make of it. */
enum { HEADROOM = 12 << 20, MORE_HEADROOM = 36 << 20 };

static int setup(void **state)
{
    fixture_open(state, NULL);
    expect_rows(session_of(state), "SELECT 1", "1\n"); /* fills the reserve */
    return 0;
}

static rlim_t address_space(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu", &pages), 1);
    fclose(f);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* What the statement gives with so much memory left; for sqlite3_free. */
static char *rows_with_memory(struct sql_session *s, const char *query, rlim_t headroom)
{
    struct rlimit old, small;
    getrlimit(RLIMIT_AS, &old);
    small = old;
    small.rlim_cur = address_space() + headroom;
    setrlimit(RLIMIT_AS, &small);
    char *got = sql_rows(s, query);
    setrlimit(RLIMIT_AS, &old);
    return got;
}

#define NUMBERS(n)                                                                                 \
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " #n ") "
#define TABLE(n)                                                                                   \
    "CREATE PERFETTO TABLE t AS " NUMBERS(n) "SELECT i, hash(i) AS h, i || '' AS s FROM n"

static void expect_failure(struct sql_session *s, const char *query)
{
    char *got = rows_with_memory(s, query, HEADROOM);
    if (!strstr(got, "out of memory"))
        print_message("query: %s\ngot: %s\n", query, got);
    assert_non_null(strstr(got, "error: "));
    assert_non_null(strstr(got, "out of memory"));
    sqlite3_free(got);
    expect_rows(s, NUMBERS(1000) "SELECT sum(i), median(i) FROM n", "500500|500.5\n");
}

static void test_values_of_sqlite_that_are_too_large_are_an_error(void **state)
{
    expect_failure(session_of(state), "SELECT length(hex(zeroblob(200000000)))");
    expect_failure(session_of(state),
                   NUMBERS(300000) "SELECT length(group_concat(printf('%01000d', i))) FROM n");
}

static void test_aggregates_that_collect_too_much_are_an_error(void **state)
{
    static const char *const queries[] = {
        NUMBERS(100000000) "SELECT median(i) FROM n",
        NUMBERS(100000000) "SELECT count(DISTINCT i) FROM n",
        NUMBERS(100000000) "SELECT group_concat(i ORDER BY -i) FROM n",
        NUMBERS(100000000) "SELECT __intrinsic_graph_agg(i, i + 1) IS NULL FROM n",
        NUMBERS(100000000) "SELECT __intrinsic_array_agg(i) IS NULL FROM n",
        NUMBERS(100000000) "SELECT __intrinsic_isi_plain_intervals_agg(i, i, 1) IS NULL FROM n",
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        expect_failure(session_of(state), queries[i]);
}

#define OPERATOR(call)                                                                             \
    NUMBERS(1200000)                                                                               \
    "SELECT count(*) FROM __intrinsic_table_ptr((SELECT " call " FROM n)) "                        \
    "WHERE __intrinsic_table_ptr_bind(c0, 'x')"

static void test_operators_that_take_large_blocks_are_an_error(void **state)
{
    static const char *const queries[] = {
        /* The first, as it would do with what others have freed. */
        OPERATOR("__intrinsic_dfs(__intrinsic_graph_agg(i, i + 1), (SELECT "
                 "__intrinsic_array_agg(1)))"),
        OPERATOR("__intrinsic_dominator_tree(i, i + 1, 1)"),
        OPERATOR("__intrinsic_interval_intersect("
                 "__intrinsic_interval_tree_intervals_agg(i, i, 2), "
                 "__intrinsic_interval_tree_intervals_agg(i, i, 2), '')"),
        OPERATOR("__intrinsic_tree_accumulate(__intrinsic_tree_from_table('id', i, 'parent_id', "
                 "nullif(i - 1, 0), 'a', 1, 'b', 2, 'c', 3), 'up')"),
        OPERATOR("__intrinsic_structural_tree_partition(i, nullif(i - 1, 0), i % 3)"),
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        expect_failure(session_of(state), queries[i]);
        sqlite3_free(rows_with_memory(session_of(state), queries[i], MORE_HEADROOM));
    }
}

static void test_tables_that_are_too_large_are_an_error(void **state)
{
    expect_failure(session_of(state), TABLE(100000000));
    expect_error(session_of(state), "SELECT * FROM t", "no such table");
}

static void test_sorting_what_is_too_large_is_an_error(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s, TABLE(2500000), ""); /* blocks too large for what was freed before */
    expect_failure(s, "SELECT h FROM t ORDER BY h, s LIMIT 1 OFFSET 2000000");
    expect_failure(
        s, "SELECT sum(i) FROM (SELECT i FROM t WHERE s > '' ORDER BY h DESC LIMIT 2400000)");
    expect_failure(s, "CREATE PERFETTO INDEX x ON t(h)");
}

static void test_what_sqlite_sorts_goes_to_the_disk_instead(void **state)
{
    char *got = rows_with_memory(
        session_of(state),
        NUMBERS(100000) "SELECT count(*) FROM (SELECT printf('%0300d', i * 7919 % 100003) AS k "
                        "FROM n ORDER BY k LIMIT -1)",
        HEADROOM);
    assert_string_equal(got, "100000\n");
    sqlite3_free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_values_of_sqlite_that_are_too_large_are_an_error),
        SQL_TEST(test_aggregates_that_collect_too_much_are_an_error),
        SQL_TEST(test_operators_that_take_large_blocks_are_an_error),
        SQL_TEST(test_tables_that_are_too_large_are_an_error),
        SQL_TEST(test_sorting_what_is_too_large_is_an_error),
        SQL_TEST(test_what_sqlite_sorts_goes_to_the_disk_instead),
    };
    return !IS_SANITIZED && !is_emulated() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
