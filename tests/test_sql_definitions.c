/* What a session tells of itself, and definitions as older scripts spell them. */
#include "sql_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int setup(void **state)
{
    return fixture_open(state, NULL);
}

#define EXPECT_CASES(state, cases) EXPECT_EXPRESSIONS(session_of(state), cases)

static void test_older_definitions(void **state)
{
    static const struct query_case cases[] = {
        {"create_function('plus(x INT, y INT)', 'INT', 'SELECT $x + $y'); SELECT plus(2, 3)",
         "5\n"},
        {"create_function('plus(x INT, y INT)', 'INT', 'SELECT $x + $y'); SELECT plus(2, 4)",
         "6\n"},
        {"create_view_function('pairs(x INT)', 'a INT, b STRING', 'SELECT $x, \"t\" || $x;'); "
         "SELECT * FROM pairs(7)",
         "7|t7\n"},
        {"import('time.conversion'); SELECT time_from_ms(3)", "3000000\n"},
        {"create_function('plus(x INT, y INT)', 'INT', 'SELECT 1')",
         "error: query:1:1: create_function: create_function:1:26: function plus already exists: "
         "CREATE OR REPLACE PERFETTO FUNCTION would replace it\n"},
        {"create_function('f(x INT)', 'INT', 'SELECT y')",
         "error: query:1:1: create_function: create_function:1:57: no such column: y\n"},
        {"create_function(NULL, 'INT', 'SELECT 1')",
         "error: query:1:1: create_function takes 'name(argument TYPE, ...)', 'TYPE', 'SELECT "
         "...'\n"},
        {"create_view_function('f()', 1, 'SELECT 1')",
         "error: query:1:1: create_view_function takes 'name(argument TYPE, ...)', 'column TYPE, "
         "...', 'SELECT ...'\n"},
        {"import('no.such')", "error: query:1:1: import: import:1:25: no such module: no.such\n"},
        {"import(1)", "error: query:1:1: import takes a module's name\n"},
    };
    EXPECT_CASES(state, cases);
}

static void test_memoized_functions_recurse_to_any_depth(void **state)
{
    static const struct query_case cases[] = {
        {"create_function('two(x INT)', 'INT', "
         "'SELECT iif($x = 0, 1, two($x - 1) + two($x - 1))');"
         "SELECT experimental_memoize('TWO'); SELECT two(50), two(3)",
         "1125899906842624|8\n"},
        {"create_function('down(x INT)', 'STRING', "
         "'SELECT iif($x = 0, \"a\", substr(down($x - 1), 1, 1) || \"b\")');"
         "SELECT experimental_memoize('down'); SELECT down(20000)",
         "ab\n"},
        {"create_function('ring(x INT)', 'INT', 'SELECT ring(1 - $x)');"
         "SELECT experimental_memoize('ring')",
         ""},
        {"ring(0)", "error: query:1:1: function ring: its value for 0 needs itself\n"},
        {"experimental_memoize('nothing')", "error: query:1:1: experimental_memoize: there is no "
                                            "SQL function nothing of one LONG\n"},
        {"experimental_memoize(1)",
         "error: query:1:1: experimental_memoize takes a function's name\n"},
    };
    EXPECT_CASES(state, cases);
}

static void test_metrics_are_templates(void **state)
{
    struct sql_session *s = session_of(state);
    char folder[] = "/tmp/tptui-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/sizes.sql", folder);
    FILE *f = fopen(path, "w");
    fputs("CREATE OR REPLACE PERFETTO TABLE {{name}} AS SELECT {{ size }} AS size;", f);
    fclose(f);
    struct status status = sql_session_add_package(s, folder, "mine");
    assert_true(status_ok(status));
    unlink(path);
    rmdir(folder);
    static const struct query_case cases[] = {
        {"run_metric('sizes.sql', 'name', 't', 'size', '5'); SELECT * FROM t", "5\n"},
        {"run_metric('mine/sizes.sql', 'name', 'u', 'size', '6'); SELECT * FROM u", "6\n"},
        {"run_metric('sizes.sql', 'name', 't')",
         "error: query:1:1: run_metric: sizes.sql needs a value for 'size'\n"},
        {"run_metric('none.sql')", "error: query:1:1: run_metric: none.sql is not part of tptui: "
                                   "--add-sql-package DIR loads the files below a folder\n"},
        {"run_metric('sizes.sql', 'name')",
         "error: query:1:1: run_metric takes a file, 'a/b.sql', and pairs of 'key', 'value'\n"},
        {"run_metric()",
         "error: query:1:1: run_metric takes a file, 'a/b.sql', and pairs of 'key', 'value'\n"},
        {"run_metric(NULL)",
         "error: query:1:1: run_metric takes a file, 'a/b.sql', and pairs of 'key', 'value'\n"},
    };
    EXPECT_CASES(state, cases);
}

static void test_tables_are_described(void **state)
{
    static const struct query_case cases[] = {
        {"count(*) > 100, sum(name = '__intrinsic_slice'), sum(name = 'made') FROM perfetto_tables",
         "1|1|0\n"},
        {"1; CREATE PERFETTO TABLE made AS SELECT column1 AS a, column2 AS b, column3 AS c FROM "
         "(VALUES (5, 'x', 0), (3, NULL, 1), (9, 'y', 2));"
         "SELECT * FROM perfetto_table_info('made')",
         "1\n0|a|uint32|0|3\n1|b|string|1|3\n2|c|id|0|0\n3|_auto_id|id|0|0\n"},
        {"name FROM perfetto_tables WHERE name = 'made'", "made\n"},
        {"* FROM perfetto_table_info('__intrinsic_counter')",
         "0|id|id|0|0\n1|ts|int64|0|2\n2|track_id|uint32|0|3\n3|value|double|0|3\n"
         "4|arg_set_id|uint32|1|3\n"},
        {"name, sorted FROM perfetto_table_info('__intrinsic_args') LIMIT 2",
         "id|0\narg_set_id|1\n"},
        {"* FROM perfetto_table_info('slice')",
         "error: query:1:1: perfetto_table_info: slice is no Perfetto table: its columns are in "
         "pragma_table_info('slice')\n"},
        {"* FROM perfetto_table_info('nothing')",
         "error: query:1:1: perfetto_table_info: no such table: nothing\n"},
        {"* FROM perfetto_table_info(1)",
         "error: query:1:1: perfetto_table_info: table_name must be a text\n"},
        {"* FROM __intrinsic_dataframe_query_plan_decoder('a' || char(10) || 'b')", "0|a\n1|b\n"},
        {"count(*) FROM __intrinsic_dataframe_query_plan_decoder(NULL)", "0\n"},
        {"* FROM __intrinsic_dataframe_query_plan_decoder(1)",
         "error: query:1:1: __intrinsic_dataframe_query_plan_decoder: the argument is a plan's "
         "text\n"},
        {"* FROM perfetto_table_info",
         "error: query:1:1: perfetto_table_info takes 1 argument: table_name\n"},
    };
    EXPECT_CASES(state, cases);
}

static void test_queries_are_logged(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s, "SELECT 1 UNION SELECT 2; -- twice\n SELECT 1 WHERE 0;", "1\n2\n");
    expect_rows(s, "CREATE PERFETTO TABLE t AS SELECT 1 AS a", "");
    expect_rows(s,
                "SELECT query, rows, started > 0, first_next >= started, ended >= started "
                "FROM sqlstats LIMIT 3",
                "SELECT 1 UNION SELECT 2|2|1|1|1\n"
                "SELECT 1 WHERE 0|0|1|0|1\n"
                "CREATE PERFETTO TABLE t AS SELECT 1 AS a|0|1|0|1\n");
    for (int i = 0; i < 120; i++)
        expect_rows(s, "SELECT 3", "3\n");
    expect_rows(s, "SELECT count(*), sum(ended = 0) FROM sqlstats", "100|1\n");
}

static void test_modules_are_described(void **state)
{
    static const struct query_case cases[] = {
        {"DISTINCT object_type FROM __intrinsic_stdlib_objects ORDER BY 1",
         "FUNCTION\nMACRO\nMODULE\nTABLE\nTABLE_FUNCTION\nVIEW\n"},
        {"name, exposed, package, qualified_name FROM __intrinsic_stdlib_objects "
         "WHERE object_type = 'MODULE' AND module = 'time.conversion'",
         "time.conversion|1|time|time.conversion\n"},
        {"object_type, return_type, args, cols FROM __intrinsic_stdlib_objects "
         "WHERE qualified_name = 'time.conversion.time_from_ns'",
         "FUNCTION|TIMESTAMP|[{\"name\":\"nanos\",\"type\":\"LONG\","
         "\"description\":\"Nanoseconds.\"}]|[]\n"},
        {"object_type, cols FROM __intrinsic_stdlib_objects "
         "WHERE qualified_name = 'prelude.tables.process_memory_snapshot'",
         "VIEW|[{\"name\":\"id\",\"type\":\"ID\",\"description\":\"Number of the row, from 0.\"},"
         "{\"name\":\"snapshot_id\",\"type\":\"JOINID(memory_snapshot.id)\",\"description\":"
         "\"Snapshot.\"},"
         "{\"name\":\"upid\",\"type\":\"JOINID(process.id)\",\"description\":\"Process.\"}]\n"},
        {"count(*) > 3, min(summary GLOB 'Package: *Kind: internal *') "
         "FROM __intrinsic_stdlib_objects WHERE name GLOB '_*' AND NOT exposed",
         "1|1\n"},
        {"count(*) > 3, min(package = 'slices') FROM __intrinsic_stdlib_modules() "
         "WHERE module GLOB 'slices.*'",
         "1|1\n"},
        {"name, type, exposed FROM __intrinsic_stdlib_tables('slices.flat_slices')",
         "_slice_flattened|TABLE|0\n"},
        {"t.name, c.value ->> 'name', c.value ->> 'type' FROM __intrinsic_stdlib_tables AS t, "
         "json_each(t.cols) AS c WHERE t.module = 'slices.with_context' LIMIT 2",
         "thread_slice|id|ID(slice.id)\nthread_slice|ts|TIMESTAMP\n"},
        {"is_table_function, return_type, exposed, args ->> '$[0].name', cols "
         "FROM __intrinsic_stdlib_functions('time.conversion') WHERE name = 'time_from_ns'",
         "0|TIMESTAMP|1|nanos|[]\n"},
        {"is_table_function, return_type, exposed "
         "FROM __intrinsic_stdlib_functions('slices.hierarchy') "
         "WHERE name = '_slice_ancestor_and_self'",
         "1|TABLE|0\n"},
        {"exposed, return_type, args ->> '$[0].type' "
         "FROM __intrinsic_stdlib_macros('intervals.intersect') "
         "WHERE name = 'interval_self_intersect'",
         "1|TableOrSubquery|TableOrSubquery\n"},
        {"(SELECT count(*) FROM __intrinsic_stdlib_tables(NULL))"
         " + (SELECT count(*) FROM __intrinsic_stdlib_functions(NULL))"
         " + (SELECT count(*) FROM __intrinsic_stdlib_macros(NULL))",
         "0\n"},
    };
    EXPECT_CASES(state, cases);
    expect_error(session_of(state), "SELECT * FROM __intrinsic_stdlib_macros('slices.flat_slice')",
                 "did you mean slices.flat_slices?");
    expect_error(session_of(state), "SELECT * FROM __intrinsic_stdlib_tables(3)",
                 "the module is a text");
}

static void test_comments_of_modules_are_documentation(void **state)
{
    static const char text[] = "-- The license, say.\n"
                               "\n"
                               "-- All widgets\n"
                               "-- there are.\n"
                               "--\n"
                               "-- And more.\n"
                               "CREATE PERFETTO TABLE widgets(\n"
                               "  -- Id of\n"
                               "  -- the widget.\n"
                               "  id JOINID(slice.id),\n"
                               "  name STRING\n"
                               ") AS SELECT 1 AS id, 'a' AS name;\n"
                               "-- Adds.\n"
                               "CREATE PERFETTO FUNCTION plus(\n"
                               "  -- First.\n"
                               "  a LONG, b LONG)\n"
                               "-- The sum.\n"
                               "RETURNS LONG AS SELECT $a + $b;\n"
                               "CREATE PERFETTO FUNCTION _rows(x ANY...) RETURNS TABLE(y LONG) AS "
                               "SELECT 1 AS y;";
    struct sql_session *s = session_of(state);
    char folder[] = "/tmp/tptui-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/doc.sql", folder);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    struct status status = sql_session_add_package(s, folder, "mine");
    assert_true(status_ok(status));
    unlink(path);
    rmdir(folder);
    expect_rows(s,
                "SELECT name, object_type, exposed, description, return_type, return_description, "
                "args, cols FROM __intrinsic_stdlib_objects WHERE module = 'mine.doc' ORDER BY id",
                "mine.doc|MODULE|1||||[]|[]\n"
                "widgets|TABLE|1|All widgets there are.\nAnd more.|||[]|[{\"name\":\"id\","
                "\"type\":\"JOINID(slice.id)\",\"description\":\"Id of the widget.\"},"
                "{\"name\":\"name\",\"type\":\"STRING\",\"description\":\"\"}]\n"
                "plus|FUNCTION|1|Adds.|LONG|The sum.|[{\"name\":\"a\",\"type\":\"LONG\","
                "\"description\":\"First.\"},{\"name\":\"b\",\"type\":\"LONG\","
                "\"description\":\"\"}]|[]\n"
                "_rows|TABLE_FUNCTION|0||TABLE||[{\"name\":\"x\",\"type\":\"ANY...\","
                "\"description\":\"\"}]|[{\"name\":\"y\",\"type\":\"LONG\","
                "\"description\":\"\"}]\n");
    expect_rows(s,
                "SELECT summary FROM __intrinsic_stdlib_objects "
                "WHERE qualified_name = 'mine.doc.plus'",
                "Package: mine\nModule: mine.doc\nName: plus\nQualified name: mine.doc.plus\n"
                "Search aliases: mine mine doc plus\nKind: public FUNCTION\nDescription: Adds.\n"
                "Arguments:\n- a (LONG): First.\n- b (LONG)\nReturns: LONG: The sum.\n");
}

static void test_tables_that_nothing_fills_are_there(void **state)
{
    static const struct query_case cases[] = {
        {"count(*) FROM __intrinsic_wattson_curves_cpu_1d WHERE device = 'x' AND static + idle1 > "
         "0",
         "0\n"},
        {"count(*) FROM __intrinsic_wattson_curves_cpu_2d WHERE interconnect = dep_freq", "0\n"},
        {"count(*) FROM __intrinsic_wattson_curves_gpu WHERE idle2 = active", "0\n"},
        {"count(*) FROM __intrinsic_wattson_curves_l3 WHERE l3_hit = l3_miss", "0\n"},
        {"count(*) FROM __intrinsic_wattson_curves_tpu WHERE cluster = requests", "0\n"},
        {"count(*) FROM __intrinsic_etm_v4_chunk AS c, __intrinsic_etm_decode_chunk(c.id) AS d "
         "JOIN __intrinsic_etm_iterate_instruction_range AS i USING (instruction_range)",
         "0\n"},
    };
    EXPECT_CASES(state, cases);
}

/* Its views are stored as they are written: made by a script, each is the same. */
static void test_the_prelude_is_plain_sql(void **state)
{
    struct sql_session *s = session_of(state);
    char *again = sql_rows(s, "SELECT 'CREATE PERFETTO VIEW _again_' || name || "
                              "substr(sql, instr(sql, ' AS ')) || ';' "
                              "FROM sqlite_master WHERE type = 'view'");
    expect_rows(s, again, "");
    expect_rows(s,
                "SELECT a.name FROM sqlite_master AS a "
                "JOIN sqlite_master AS b ON b.name = '_again_' || a.name "
                "WHERE trim(substr(a.sql, instr(a.sql, ' AS '))) != "
                "trim(substr(b.sql, instr(b.sql, ' AS ')))",
                "");
    expect_rows(s, "SELECT count(*) > 30 FROM sqlite_master WHERE name GLOB '[_]again_*'", "1\n");
    sqlite3_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_the_prelude_is_plain_sql),
        SQL_TEST(test_older_definitions),
        SQL_TEST(test_memoized_functions_recurse_to_any_depth),
        SQL_TEST(test_metrics_are_templates),
        SQL_TEST(test_tables_are_described),
        SQL_TEST(test_queries_are_logged),
        SQL_TEST(test_modules_are_described),
        SQL_TEST(test_comments_of_modules_are_documentation),
        SQL_TEST(test_tables_that_nothing_fills_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
