#include "sql_fixture.h"

#include <stdlib.h>
#include <unistd.h>

#include "sql/tables/sql_table.h"
#include "core/store/rows.h"

static void fill(struct trace *t)
{
    for (uint32_t i = 0; i < 5; i++) {
        struct slice_row row = slice_row_null();
        row.ts = (int64_t)i * 100;
        row.dur = 10 + i;
        row.track_id = i % 2;
        row.name = trace_intern_c(t, i % 2 ? "odd" : "even");
        slice_append(&t->tables.slice, &row);
    }
}

static int setup(void **state)
{
    return fixture_open(state, fill);
}

static void test_perfetto_table_keeps_types_and_nulls(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE PERFETTO TABLE t AS SELECT column1 AS a, column2 AS b, column3 AS c,"
                " column4 AS d FROM (VALUES (1, 1, NULL, 'x'), (NULL, 2.5, NULL, NULL),"
                " (-3, 7, NULL, ''));"
                "SELECT a, b, c, d, typeof(b) FROM t",
                "1|1.0|NULL|x|real\nNULL|2.5|NULL|NULL|real\n-3|7.0|NULL||real\n");
    expect_rows(s, "SELECT * FROM t WHERE b > 2 ORDER BY a DESC",
                "-3|7.0|NULL|\nNULL|2.5|NULL|NULL\n");
    expect_rows(s, "SELECT type FROM sqlite_master WHERE name = 't'", "table\n");
    expect_rows(s, "DROP TABLE t; CREATE PERFETTO TABLE t AS SELECT 1 AS x; SELECT * FROM t",
                "1\n");
}

static void test_perfetto_table_replaces_itself_from_its_own_rows(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE PERFETTO TABLE t AS SELECT 1 AS x;"
                "CREATE OR REPLACE PERFETTO TABLE t AS SELECT x + 1 AS x FROM t; SELECT x FROM t",
                "2\n");
    expect_error(s, "CREATE PERFETTO TABLE t AS SELECT 1 AS x", "OR REPLACE");
}

static void test_perfetto_table_schema_is_checked(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE PERFETTO TABLE t(x LONG, y STRING) AS SELECT 1 AS x, 'a' AS y;"
                "SELECT y, x FROM t",
                "a|1\n");
    expect_error(s, "CREATE PERFETTO TABLE u(x LONG) AS SELECT 1 AS x, 2 AS y", "y");
    expect_error(s, "CREATE PERFETTO TABLE u(x LONG, z LONG) AS SELECT 1 AS x", "z");
    expect_error(s, "CREATE PERFETTO TABLE u(x LONG) AS SELECT 'text' AS x", "STRING");
    expect_error(s, "CREATE PERFETTO TABLE u(x WHAT) AS SELECT 1 AS x", "a type");
    expect_error(s, "CREATE PERFETTO TABLE u AS SELECT 1 AS x, 2 AS x", "two columns");
    expect_error(s, "CREATE PERFETTO TABLE u AS SELECT 1 AS x UNION ALL SELECT 'a'", "cast");
}

static void test_views_with_schema(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE PERFETTO VIEW v(n STRING, total LONG) AS"
                " SELECT name AS n, sum(dur) AS total FROM slice GROUP BY name;"
                "SELECT * FROM v ORDER BY n",
                "even|36\nodd|24\n");
    expect_rows(s, "CREATE OR REPLACE PERFETTO VIEW v AS SELECT 1 AS a; SELECT * FROM v", "1\n");
    expect_error(s, "CREATE PERFETTO VIEW v AS SELECT 2 AS a", "OR REPLACE");
    expect_rows(s, "CREATE PERFETTO VIEW w AS\nSELECT nam FROM slice",
                "error: query:2:8: no such column: nam\n  SELECT nam FROM slice\n         ^\n"
                "did you mean name?\n");
    expect_error(s, "CREATE PERFETTO VIEW w(x LONG) AS SELECT 1 AS y", "y that the schema");
}

static void test_scalar_functions(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE PERFETTO FUNCTION ms(ns LONG) RETURNS DOUBLE AS SELECT $ns / 1e6;"
                "SELECT sum(ms(dur)) FROM slice",
                "6.0e-05\n");
    expect_rows(s,
                "CREATE PERFETTO FUNCTION fact(n LONG) RETURNS LONG AS"
                " SELECT CASE WHEN $n <= 1 THEN 1 ELSE $n * fact($n - 1) END; SELECT fact(10)",
                "3628800\n");
    expect_rows(s,
                "CREATE PERFETTO FUNCTION over(a LONG) RETURNS LONG AS SELECT 1;"
                "CREATE PERFETTO FUNCTION over(a LONG, b LONG) RETURNS LONG AS SELECT 2;"
                "SELECT over(0), over(0, 0)",
                "1|2\n");
    expect_rows(s,
                "CREATE PERFETTO FUNCTION none() RETURNS LONG AS SELECT 1 WHERE 0;"
                "SELECT none()",
                "NULL\n");
    expect_rows(s,
                "CREATE PERFETTO FUNCTION longest(args ANY...) RETURNS LONG DELEGATES TO max;"
                "SELECT longest(3, 9, 4), longest(1, 2)",
                "9|2\n");
    expect_error(s, "SELECT ms('x')", "parameter ns is LONG, not STRING");
    expect_error(s, "CREATE PERFETTO FUNCTION ms(ns LONG) RETURNS LONG AS SELECT 1", "OR REPLACE");
    expect_error(s, "CREATE PERFETTO FUNCTION bad(x LONG) RETURNS LONG AS SELECT nothere",
                 "nothere");
    expect_error(s,
                 "CREATE PERFETTO FUNCTION many() RETURNS LONG AS SELECT id FROM slice;"
                 "SELECT many()",
                 "more than one row");
    expect_error(s,
                 "CREATE PERFETTO FUNCTION loop(x LONG) RETURNS LONG AS SELECT loop($x);"
                 "SELECT loop(1)",
                 "function loop: it calls itself");
    expect_error(s,
                 "CREATE PERFETTO FUNCTION ping(x LONG) RETURNS LONG AS SELECT 1;"
                 "CREATE PERFETTO FUNCTION pong(x LONG) RETURNS LONG AS SELECT ping($x);"
                 "CREATE OR REPLACE PERFETTO FUNCTION ping(x LONG) RETURNS LONG AS SELECT pong($x);"
                 "SELECT ping(1)",
                 ": it calls itself");
}

static void test_table_functions(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE PERFETTO FUNCTION named(n STRING) RETURNS TABLE(id LONG, dur LONG) AS"
                " SELECT id, dur FROM slice WHERE name = $n ORDER BY id;"
                "SELECT * FROM named('odd')",
                "1|11\n3|13\n");
    expect_rows(s,
                "SELECT n.column1, x.dur FROM (VALUES ('even'), ('odd')) n, named(n.column1) x"
                " ORDER BY x.dur",
                "even|10\nodd|11\neven|12\nodd|13\neven|14\n");
    expect_error(s, "SELECT * FROM named()", "takes 1 argument");
    expect_error(s, "SELECT * FROM named(1)", "parameter n is STRING, not LONG");
    expect_error(s,
                 "CREATE PERFETTO FUNCTION loop_rows(a LONG) RETURNS TABLE(x LONG) AS SELECT 1;"
                 "CREATE OR REPLACE PERFETTO FUNCTION loop_rows(a LONG) RETURNS TABLE(x LONG) AS"
                 " SELECT x FROM loop_rows($a); SELECT * FROM loop_rows(1)",
                 "function loop_rows: it calls itself");
    /* What functions pass on may be a pointer, which outlives the statement that it is made by. */
    expect_rows(s,
                "CREATE PERFETTO FUNCTION reached() RETURNS ANY AS"
                " SELECT __intrinsic_dominator_tree(id, id + 1, 0) FROM slice;"
                "CREATE PERFETTO FUNCTION same(p ANY) RETURNS ANY AS SELECT $p;"
                "SELECT count(*) > 0 FROM __intrinsic_table_ptr(same(reached()))"
                " WHERE __intrinsic_table_ptr_bind(c0, 'node_id');"
                "SELECT count(*) > 0 FROM __intrinsic_table_ptr((SELECT"
                " __intrinsic_dominator_tree(id, id + 1, 0 ORDER BY id) FROM slice))"
                " WHERE __intrinsic_table_ptr_bind(c0, 'node_id')",
                "1\n1\n");
}

static void test_macros(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE PERFETTO MACRO twice(x Expr) RETURNS Expr AS (2 * $x);"
                "SELECT twice!(dur), twice!(twice!(1 + 1)) FROM slice WHERE id = 0",
                "20|6\n");
    expect_rows(
        s,
        "CREATE PERFETTO MACRO only(t TableOrSubquery, c ColumnName) RETURNS TableOrSubquery"
        " AS (SELECT $c FROM $t -- a comment, with a comma and )\n);"
        "SELECT * FROM only!((SELECT 1 AS a, 2 AS b), b)",
        "2\n");
    expect_rows(s,
                "CREATE PERFETTO MACRO eq(a Expr, b Expr) RETURNS Expr AS $a = $b;"
                "CREATE PERFETTO MACRO all_eq(l Expr, r Expr) RETURNS Expr AS"
                " __intrinsic_token_apply_and!(eq, $l, $r);"
                "SELECT all_eq!((1, 2), (1, 2)), all_eq!((1, 2), (1, 3))",
                "1|0\n");
    expect_rows(s, "SELECT __intrinsic_stringify!(a 'b' , c)", "a 'b', c\n");
    expect_error(s, "SELECT nomacro!(1)", "no such macro: nomacro");
    expect_error(s, "SELECT twice!(1, 2)", "takes 1 argument, not 2");
    expect_error(s, "CREATE PERFETTO MACRO r(x Expr) RETURNS Expr AS r!($x); SELECT r!(1)",
                 "more than 64 deep");
    expect_error(s, "SELECT twice!(nocolumn) FROM slice", "nocolumn");
}

/* `first`, then `stage` so many times, then `last`. For sqlite3_free. */
static char *repeated(const char *first, const char *stage, int times, const char *last)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, first);
    for (int i = 0; i < times; i++)
        sqlite3_str_appendall(text, stage);
    sqlite3_str_appendall(text, last);
    return sqlite3_str_finish(text);
}

/* Their time must be linear: they would take minutes else. */
static void test_pipelines_of_many_stages(void **state)
{
    struct sql_session *s = session_of(state);
    static const struct {
        const char *first, *stage;
        int times;
        const char *last, *rows;
    } cases[] = {
        {"FROM slice ", "|> WHERE dur > 10 ", 900, "|> SELECT id |> WHERE id > 2", "3\n4\n"},
        {"FROM slice ", "|> RENAME dur AS d |> RENAME d AS dur ", 20000,
         "|> WHERE id = 4 |> SELECT dur", "14\n"},
        {"FROM slice ", "|> ORDER BY dur DESC, id ", 20000, "|> WHERE id > 2 |> SELECT id",
         "4\n3\n"},
        {"FROM slice ", "|> AGGREGATE sum(dur) AS dur GROUP BY id |> WHERE id > 3 ", 90,
         "|> SELECT id", "4\n"},
        {"FROM slice ", "|> EXTEND id AS x |> AS t ", 20000, "", "a row has up to 2000 columns"},
        {"FROM slice ", "|> WHERE id > 0 |> AGGREGATE count(*) AS id ", 20000, "",
         "up to 200 stages may make other rows"},
        {"SELECT 1", ", (FROM slice |> AGGREGATE max(id) AS m) AS x", 1000, "", "1|4"},
        {"EXPLAIN QUERY PLAN FROM slice ", "|> WHERE id > 2 ", 1, "", "SCAN"},
        {"SELECT ", "(FROM slice |> WHERE ", 5000, "1", "pipelines make this statement too long"},
        {"FROM slice ", "|> WHERE dur>1\n", 700000, "", "1:1: pipelines make this statement too"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *query = repeated(cases[i].first, cases[i].stage, cases[i].times, cases[i].last);
        char *rows = sql_rows(s, query);
        if (!strstr(rows, cases[i].rows))
            print_message("%s: %s\n", cases[i].stage, rows);
        assert_non_null(strstr(rows, cases[i].rows));
        sqlite3_free(rows);
        sqlite3_free(query);
    }
}

static void test_errors_point_at_their_origin(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s, "SELEC 1",
                "error: query:1:1: near \"SELEC\": syntax error\n  SELEC 1\n  ^\n"
                "did you mean SELECT?\n");
    expect_rows(s, "SELECT 1;\n  SELECT 1 +* 2",
                "1\nerror: query:2:13: near \"*\": syntax error\n    SELECT 1 +* 2\n              "
                "^\n");
    expect_rows(s,
                "CREATE PERFETTO MACRO broken(x Expr) RETURNS Expr AS $x +;\nSELECT broken!(1) * 2",
                "error: query:2:19: near \"*\": syntax error\n  SELECT broken!(1) * 2\n  "
                "                  ^\nexpanded to: SELECT 1 + * 2\n");
}

static void test_near_names_are_suggested(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s, "SELECT 1,\n  name FROM slcie",
                "error: query:2:13: no such table: slcie\n    name FROM slcie\n              ^\n"
                "did you mean slice?\n");
    expect_error(s, "SELECT nam FROM slice", "did you mean name?");
    expect_error(s, "SELECT s.durr FROM slice s", "did you mean dur?");
    expect_error(s, "SELECT extract_args(1, 'a')", "did you mean extract_arg?");
    expect_error(s, "CREATE PERFETTO MACRO half(x Expr) RETURNS Expr AS $x / 2; SELECT halv!(1)",
                 "did you mean half?");
    expect_error(s, "SELECT utterly_different_name FROM slice", "no such column");
}

static void test_mistakes_are_told_by_where_they_stand(void **state)
{
    struct sql_session *s = session_of(state);
    expect_error(s, "SELECT name FROM slice WHERE sum(dur) > 1", "HAVING, behind GROUP BY");
    expect_error(s, "SELECT sum(count(*)) FROM slice WHERE dur > 1", "aggregates do not nest");
    expect_error(s, "SELECT 1 WHERE (SELECT sum(sum(id)) FROM slice) > 1",
                 "aggregates do not nest");
    expect_error(s, "FROM slice |> WHERE sum(dur) > 2", "WHERE sees single rows");
    expect_error(s, "SELECT name FROM slice WHERE dur > 10 ms", "nanoseconds: write 10000000");
    expect_error(s, "SELECT name FROM slice WHERE dur > 1.5 ms", "times are nanoseconds");
    expect_error(s, "SELECT left(name, 1) FROM slice", "use substr(text, 1, count)");
    expect_error(s, "SELECT name FROM slice WHRE dur > 1", "did you mean WHERE?");
    expect_error(s, "SELECT * FROM THREAD_SLICE", "THREAD_SLICE is in slices.with_context");
    expect_error(s, "SELECT launches FROM slice", "slice has id"); /* there was such a table */
    static const char *const without[] = {
        "SELECT form, dur FROM slice,, thread", /* what stands before a comma is a name */
        "SELECT f!(1)",                         /* comments of modules define nothing */
    };
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        char *text = sql_rows(s, without[i]);
        assert_null(strstr(text, "did you mean"));
        sqlite3_free(text);
    }
}

static void expect_error_of_many(struct sql_session *s, const char *begin, const char *each,
                                 const char *end, const char *message)
{
    enum { MANY = 100000 };
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, begin);
    for (int i = 0; i < MANY; i++)
        sqlite3_str_appendall(text, each);
    sqlite3_str_appendall(text, end);
    char *sql = sqlite3_str_finish(text);
    expect_error(s, sql, message);
    sqlite3_free(sql);
}

/* Statements are as long as programs make them: what is amiss is told in no time all the same. */
static void test_long_statements_are_explained(void **state)
{
    struct sql_session *s = session_of(state);
    expect_error_of_many(s, "SELECT zz FROM slice WHERE dur IN (id", ", dur", ")", "slice has id");
    expect_error_of_many(s, "SELECT tid FROM slice WHERE dur IN (id", ", id", ")", "slice has tid");
    expect_error_of_many(s, "SELECT name FROM slice JOIN thread WHERE dur IN (1", ", dur", ")",
                         "slice and thread have it");
    expect_error_of_many(s, "SELECT name zzzz x, 1", ", name zzzz x", "", "syntax error");
    expect_error_of_many(s, "SELECT 1 FROM slice WHERE id IN ((", "(", "", "");
}

static void test_every_module_can_be_included(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s, "INCLUDE PERFETTO MODULE *; INCLUDE PERFETTO MODULE slices.with_context", "");
    char *names = sql_rows(s, "SELECT name FROM sqlite_master WHERE name NOT GLOB 'sqlite_*'");
    for (char *at = names, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        *end = 0;
        char *query = sqlite3_mprintf("SELECT * FROM \"%w\" LIMIT 0", at);
        expect_rows(s, query, "");
        sqlite3_free(query);
    }
    sqlite3_free(names);
    expect_error(s, "INCLUDE PERFETTO MODULE slices.nothing", "no such module: slices.nothing");
}

static void test_definitions_of_modules_wait_until_they_are_named(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "INCLUDE PERFETTO MODULE slices.self_dur; SELECT count(*) FROM pragma_table_list"
                " WHERE name GLOB 'slice_self*'",
                "0\n");
    expect_error(s, "SELECT * FROM slice_self_dir", "did you mean slice_self_dur?");
    expect_rows(s, "SELECT name FROM pragma_table_info('Slice_Self_Dur')", "id\nself_dur\n");
    expect_rows(s,
                "CREATE OR REPLACE PERFETTO TABLE slice_self_dur AS SELECT 1 AS one;"
                "SELECT * FROM slice_self_dur; DROP TABLE slice_self_dur",
                "1\n");
    expect_error(s,
                 "CREATE PERFETTO VIEW thread_slice AS SELECT 1 AS one;"
                 "INCLUDE PERFETTO MODULE slices.with_context",
                 "view thread_slice already exists");
    expect_rows(s,
                "INCLUDE PERFETTO MODULE sched.runnable; SELECT count(*) FROM sqlite_master"
                " WHERE name = 'sched_previous_runnable_' || 'on_thread'",
                "1\n");
}

static void test_names_of_modules_not_included_are_explained(void **state)
{
    struct sql_session *s = session_of(state);
    expect_error(s, "SELECT * FROM thread_slice", "INCLUDE PERFETTO MODULE slices.with_context");
    expect_error(s, "SELECT time_to_ms(1)", "INCLUDE PERFETTO MODULE time.conversion");
    expect_error(s, "SELECT * FROM counter_leading_intervals!(counter)",
                 "INCLUDE PERFETTO MODULE counters.intervals");
}

static void test_interval_modules(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "INCLUDE PERFETTO MODULE intervals.overlap;"
                "CREATE TABLE i(ts, dur); INSERT INTO i VALUES (0, 10), (5, 10), (20, 5), (24, -1);"
                "SELECT * FROM intervals_overlap_count!(i, ts, dur)",
                "0|1\n5|2\n10|1\n15|0\n20|1\n24|2\n25|1\n");
    expect_rows(s,
                "SELECT * FROM interval_merge_overlapping!((SELECT * FROM i WHERE dur > 0), 0);"
                "SELECT * FROM interval_merge_overlapping!((SELECT * FROM i WHERE dur > 0), 5)",
                "0|15\n20|5\n0|25\n");
    expect_rows(s,
                "INCLUDE PERFETTO MODULE counters.intervals;"
                "SELECT * FROM counter_leading_intervals!((SELECT column1 AS id, column2 AS ts,"
                " 7 AS track_id, column3 AS value FROM (VALUES (0, 10, 1.0), (1, 20, 1.0),"
                " (2, 30, 4.0), (3, 35, 2.0))))",
                "0|10|10|7|1.0|1.0|NULL\n1|20|10|7|1.0|4.0|0.0\n"
                "2|30|5|7|4.0|2.0|3.0\n3|35|379|7|2.0|NULL|-2.0\n");
    expect_rows(s,
                "INCLUDE PERFETTO MODULE slices.self_dur;"
                "SELECT sum(self_dur) = (SELECT sum(dur) FROM slice) FROM slice_self_dur;"
                "SELECT cast_int!('12' || '3') + 1",
                "1\n124\n");
    expect_rows(
        s,
        "CREATE TABLE p(ts, dur, k, l); INSERT INTO p VALUES (1, 10, 'a', 1), (5, 12, 'a', 1),"
        " (17, 5, 'a', 1), (5, 2, 'a', 2), (25, 1, 'a', 1);"
        "SELECT * FROM interval_merge_overlapping_partitioned!(p, (k, l));"
        "SELECT * FROM interval_merge_overlapping_partitioned!(p, (k)) WHERE ts > 1",
        "1|21|a|1\n25|1|a|1\n5|2|a|2\n25|1|a\n");
}

static void test_intersection_modules(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(
        s,
        "INCLUDE PERFETTO MODULE intervals.intersect;"
        "CREATE TABLE a(id, ts, dur, k); INSERT INTO a VALUES (0, 10, 20, 1), (1, 25, 10, 1),"
        " (2, 40, 5, 2);"
        "SELECT * FROM interval_self_intersect!((SELECT * FROM a WHERE k = 1))"
        " ORDER BY ts, id",
        "10|15|1|0|0\n25|5|2|0|0\n25|5|2|1|0\n30|5|3|0|1\n30|5|3|1|0\n35|0|4|1|1\n");
    expect_rows(s,
                "CREATE TABLE b(id, ts, dur, k); INSERT INTO b VALUES (7, 0, 28, 1), (8, 42, 9, 2),"
                " (9, 0, 99, 3);"
                "SELECT * FROM _interval_intersect!((a, b), (k)) ORDER BY ts;"
                "SELECT * FROM _interval_intersect!((a, b, (SELECT * FROM b WHERE id = 9)), ())"
                " WHERE ts < 25;"
                "SELECT * FROM _interval_intersect!((a, (SELECT * FROM b WHERE id > 9)), (k));"
                "SELECT * FROM _interval_intersect_single!(26, 15, a)",
                "10|18|0|7|1\n25|3|1|7|1\n42|3|2|8|2\n10|18|0|7|9\n10|20|0|9|9\n"
                "0|26|4\n1|26|9\n2|40|1\n");
    expect_error(s,
                 "SELECT __intrinsic_interval_intersect((SELECT"
                 " __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'k', k) FROM a),"
                 " (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM b"
                 " WHERE id = 9), '(k)')",
                 "each set must be partitioned by the columns that are named");
}

/* Else a join on parent_id reads the whole table for each row where few slices have a parent. */
static void test_rows_without_a_value_are_no_matches_of_an_equality(void **state)
{
    struct fixture *f = *state;
    const atomic_bool cancel = false;
    struct sql_table *t = sql_table_new(&f->trace.tables.slice, &f->trace.strings, &cancel);
    assert_int_equal(sql_table_distinct(t, (uint32_t)sql_table_find(t, "track_id")), 2);
    assert_int_equal(sql_table_distinct(t, (uint32_t)sql_table_find(t, "parent_id")), 5);
    sql_table_unref(t);
}

static void test_a_module_that_failed_can_be_included_again(void **state)
{
    struct sql_session *s = session_of(state);
    char folder[] = "/tmp/tptui-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/again.sql", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("CREATE PERFETTO TABLE a AS SELECT 1 AS ts, 2 AS dur; CREATE VIEW b AS SELECT * FROM a;"
          "CREATE VIRTUAL TABLE c USING SPAN_JOIN(a, b);"
          "CREATE PERFETTO FUNCTION d() RETURNS LONG AS SELECT ts FROM c;"
          "CREATE PERFETTO MACRO e(x Expr) RETURNS Expr AS $x;"
          "CREATE PERFETTO VIEW g AS SELECT x FROM later;",
          f);
    fclose(f);
    assert_true(status_ok(sql_session_add_package(s, folder, "mine")));
    unlink(path);
    rmdir(folder);
    expect_error(s, "INCLUDE PERFETTO MODULE mine.again", "no such table: later");
    expect_rows(s,
                "CREATE TABLE later AS SELECT 5 AS x; INCLUDE PERFETTO MODULE mine.again;"
                "SELECT x, d(), e!(7) FROM g",
                "5|1|7\n");
}

static void test_index_statements(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE PERFETTO TABLE t AS SELECT * FROM slice;"
                "CREATE PERFETTO INDEX i ON t(track_id, ts);"
                "SELECT count(*) FROM t WHERE track_id = 1; DROP PERFETTO INDEX i ON t",
                "2\n");
    expect_error(s, "DROP PERFETTO INDEX i ON t", "no such index");
    expect_error(s, "CREATE PERFETTO INDEX i ON t(nope)", "nope");
}

static void test_plain_sqlite_still_works(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE TABLE p(a); CREATE TRIGGER tr AFTER INSERT ON p BEGIN"
                " UPDATE p SET a = a + 1; SELECT 1; END; INSERT INTO p VALUES (1); SELECT a FROM p",
                "2\n");
    expect_rows(s, "/* ; */ SELECT ';' -- ;\n; ; SELECT 1 != 2", ";\n1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_perfetto_table_keeps_types_and_nulls),
        SQL_TEST(test_perfetto_table_replaces_itself_from_its_own_rows),
        SQL_TEST(test_perfetto_table_schema_is_checked),
        SQL_TEST(test_views_with_schema),
        SQL_TEST(test_scalar_functions),
        SQL_TEST(test_table_functions),
        SQL_TEST(test_macros),
        SQL_TEST(test_pipelines_of_many_stages),
        SQL_TEST(test_errors_point_at_their_origin),
        SQL_TEST(test_near_names_are_suggested),
        SQL_TEST(test_mistakes_are_told_by_where_they_stand),
        SQL_TEST(test_long_statements_are_explained),
        SQL_TEST(test_every_module_can_be_included),
        SQL_TEST(test_definitions_of_modules_wait_until_they_are_named),
        SQL_TEST(test_names_of_modules_not_included_are_explained),
        SQL_TEST(test_interval_modules),
        SQL_TEST(test_intersection_modules),
        SQL_TEST(test_rows_without_a_value_are_no_matches_of_an_equality),
        SQL_TEST(test_a_module_that_failed_can_be_included_again),
        SQL_TEST(test_index_statements),
        SQL_TEST(test_plain_sqlite_still_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
