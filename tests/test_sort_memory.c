/* What SQLite sorts is kept in memory up to a limit, then in files without names, and where those
 * have no room the statement fails. */
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sql_fixture.h"

/* Sorts 12 MB of text, and adds up what would be wrong in another order. */
#define NUMBERS "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) "
#define SORTED                                                                                     \
    NUMBERS "SELECT count(*), sum(k <= before) FROM (SELECT k, lag(k, 1, '') OVER (ORDER BY k) "   \
            "AS before FROM (SELECT printf('%0300d', i * 7919 % 40009) AS k FROM n))"

static int setup(void **state)
{
    return fixture_open(state, NULL);
}

/* Files that this process has open and that no folder has any more. */
static int unnamed_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    int count = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char target[PATH_MAX];
        ssize_t n = readlinkat(dirfd(d), e->d_name, target, sizeof target - 1);
        target[n > 0 ? n : 0] = 0;
        count += strstr(target, " (deleted)") != NULL;
    }
    closedir(d);
    return count;
}

static bool note_files(void *self, int columns, const struct sql_value *values)
{
    (void)columns, (void)values;
    int *most = self, now = unnamed_files();
    *most = now > *most ? now : *most;
    return true;
}

/* How many such files there were while the rows of a sorted result came out. */
static int files_used(struct sql_session *s)
{
    int most = 0;
    struct sql_sink sink = {.begin = rows_begin, .row = note_files, .end = rows_end, .self = &most};
    const char *query = NUMBERS "SELECT k FROM (SELECT printf('%0300d', i * 7919 % 40009) AS k "
                                "FROM n) ORDER BY k";
    struct status status = sql_session_run(s, "query", str_from(query), &sink);
    assert_true(status_ok(status));
    return most;
}

static void test_rows_are_sorted_the_same_within_and_beyond_the_limit(void **state)
{
    static const uint64_t limits[] = {1, 1 << 20, 20 << 20, UINT64_MAX};
    struct sql_session *s = session_of(state);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        sql_session_limit_sort_memory(s, limits[i]);
        expect_rows(s, SORTED, "40000|0\n");
    }
}

static void test_files_are_used_beyond_the_limit_only(void **state)
{
    struct sql_session *s = session_of(state);
    int before = unnamed_files();
    sql_session_limit_sort_memory(s, 1 << 20);
    assert_true(files_used(s) > before);
    assert_int_equal(unnamed_files(), before);
    sql_session_limit_sort_memory(s, UINT64_MAX);
    assert_int_equal(files_used(s), before);
}

static void test_a_folder_that_is_not_there_is_passed_over(void **state)
{
    struct sql_session *s = session_of(state);
    setenv("SQLITE_TMPDIR", "/nonexistent/folder", 1);
    sql_session_limit_sort_memory(s, 1);
    expect_rows(s, SORTED, "40000|0\n");
    unsetenv("SQLITE_TMPDIR");
}

static void test_a_full_disk_is_an_error_of_the_statement(void **state)
{
    struct sql_session *s = session_of(state);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 1 << 20;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    sql_session_limit_sort_memory(s, 1);
    char *got = sql_rows(s, SORTED);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_non_null(strstr(got, "database or disk is full"));
    assert_non_null(strstr(got, "--sort-memory"));
    sqlite3_free(got);
    expect_rows(s, SORTED, "40000|0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_rows_are_sorted_the_same_within_and_beyond_the_limit),
        SQL_TEST(test_files_are_used_beyond_the_limit_only),
        SQL_TEST(test_a_folder_that_is_not_there_is_passed_over),
        SQL_TEST(test_a_full_disk_is_an_error_of_the_statement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
