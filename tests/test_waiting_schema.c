/* A session whose schema waits (sql/script/prelude.h) answers as one that has it, and has it once a
 * statement needs it. */
#include "sql_fixture.h"

#include "core/store/tables.h"
#include "sql/engine/session_state.h"
#include "sql/session.h"

static int setup(void **state)
{
    return fixture_open(state, NULL);
}

static bool take_names(void *self, int columns, const char *const *names)
{
    sqlite3_str *text = self;
    for (int i = 0; i < columns; i++)
        sqlite3_str_appendf(text, "%s|", names[i]);
    sqlite3_str_appendall(text, "\n");
    return true;
}

static bool take_row(void *self, int columns, const struct sql_value *values)
{
    sqlite3_str *text = self;
    for (int i = 0; i < columns; i++)
        if (values[i].type == SQL_INT)
            sqlite3_str_appendf(text, "%lld|", (long long)values[i].i);
        else if (values[i].type == SQL_TEXT)
            sqlite3_str_appendf(text, "%.*s|", (int)values[i].s.n, values[i].s.p);
        else
            sqlite3_str_appendf(text, "type %d|", (int)values[i].type);
    sqlite3_str_appendall(text, "\n");
    return true;
}

/* Names, rows and what failed; for sqlite3_free. */
static char *answer(struct sql_session *s, const char *sql)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    struct sql_sink sink = {.begin = take_names, .row = take_row, .self = text};
    struct status status = sql_session_run(s, "test", str_from(sql), &sink);
    if (!status_ok(status))
        sqlite3_str_appendall(text, status.message);
    status_release(&status);
    return sqlite3_str_finish(text);
}

/* Whether the schema waits behind the statement, too; the answer must be that of `whole`. */
static bool waits_after(struct sql_session *whole, const char *sql)
{
    struct status status;
    struct sql_session *waiting = sql_session_new_waiting(whole->trace, &status);
    assert_true(status_ok(status));
    char *got = answer(waiting, sql), *want = answer(whole, sql);
    if (strcmp(got, want) != 0)
        fail_msg("%s:\n%s\nwith the schema:\n%s", sql, got, want);
    sqlite3_free(got);
    sqlite3_free(want);
    bool waits = waiting->schema_waits;
    sql_session_free(waiting);
    return waits;
}

static void expect_found(struct sql_session *whole, const char *name)
{
    char *sql = sqlite3_mprintf("SELECT * FROM %s", name);
    if (!waits_after(whole, sql))
        fail_msg("%s needs the schema", sql);
    sqlite3_free(sql);
}

static void test_tables_are_found_by_their_names(void **state)
{
    struct sql_session *whole = session_of(state);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        expect_found(whole, table_defs[i].name);
    for (size_t i = 0; i < VIEW_COUNT; i++)
        if (view_defs[i].columns)
            expect_found(whole, view_defs[i].name);
}

static void test_usual_selects_let_it_wait(void **state)
{
    struct sql_session *whole = session_of(state);
    static const char *const statements[] = {
        "SELECT 1 AS one, 'a' AS text",
        "SELECT t.utid, p.name FROM thread AS t LEFT JOIN process AS p USING(upid)",
        "WITH n AS (SELECT count() AS c FROM SLICE) SELECT c FROM n",
        "SELECT name FROM slice WHERE extract_arg(arg_set_id, 'a') = 1 ORDER BY ts",
        "SELECT 1; SELECT count() FROM main.thread",
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (!waits_after(whole, statements[i]))
            fail_msg("%s needs the schema", statements[i]);
}

static void test_what_needs_the_schema_has_it(void **state)
{
    struct sql_session *whole = session_of(state);
    static const char *const statements[] = {
        "SELECT count() FROM sqlite_master",
        "SELECT count() FROM \"sqlite_schema\"",
        "SELECT name FROM pragma_table_info('slice')",
        "PRAGMA table_info(slice)",
        "SELECT count() FROM __intrinsic_schema_tables",
        "SELECT count() FROM sched",
        "SELECT count() FROM nothing_of_that_name",
        "SELECT nothing FROM slice",
        "SELECT slice.nme FROM slice",
        "CREATE TABLE slice(a)",
        "INCLUDE PERFETTO MODULE slices.with_context; SELECT count() FROM thread_slice",
        "SELECT create_function('f()', 'LONG', 'SELECT count() FROM sched'); SELECT f()",
        "SELECT id FROM thread; SELECT count() FROM sched; SELECT id FROM thread",
        "SELECT count() FROM thread; SELECT count() FROM nosuchdb.thread",
        "SELECT count() FROM thread; SELECT count() FROM temp . \"thread\"",
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (waits_after(whole, statements[i]))
            fail_msg("%s lets the schema wait", statements[i]);
}

static void test_rows_before_an_error_come_once(void **state)
{
    static const char sql[] =
        "SELECT 5 AS x UNION ALL SELECT abs(-9223372036854775807 - column1) FROM (VALUES (1))";
    waits_after(session_of(state), sql);
}

static void test_schema_that_was_interrupted_is_made_later(void **state)
{
    struct status status;
    struct sql_session *s = sql_session_new_waiting(session_of(state)->trace, &status);
    assert_true(status_ok(status));
    sql_session_interrupt(s);
    char *first = answer(s, "SELECT count() FROM sched");
    char *again = answer(s, "SELECT count() AS n FROM sched");
    assert_string_equal(first, "interrupted");
    assert_string_equal(again, "n|\n0|\n");
    sqlite3_free(first);
    sqlite3_free(again);
    sql_session_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_tables_are_found_by_their_names),
        SQL_TEST(test_usual_selects_let_it_wait),
        SQL_TEST(test_what_needs_the_schema_has_it),
        SQL_TEST(test_rows_before_an_error_come_once),
        SQL_TEST(test_schema_that_was_interrupted_is_made_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
