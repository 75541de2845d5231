#include "sql_fixture.h"
#include "sql_random.h"

#include <stdlib.h>

static int setup(void **state)
{
    return fixture_open(state, NULL);
}

static void run_formatted(struct sql_session *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    expect_rows(s, sql, "");
    sqlite3_free(sql);
}

/* Table NAME(ts, dur, p, NAME_id): spans that do not overlap within a partition. */
static void make_spans(struct sql_session *s, const char *table, uint32_t partitions, bool text)
{
    int id = 0;
    run_formatted(s, "DROP TABLE IF EXISTS %s; CREATE TABLE %s(ts, dur, p, %s_id)", table, table,
                  table);
    for (uint32_t p = 0; p < partitions; p++) {
        uint32_t ts = next_random(10);
        for (uint32_t i = 0, n = 1 + next_random(10); i < n; i++) {
            uint32_t dur = 1 + next_random(8);
            run_formatted(s, "INSERT INTO %s VALUES(%u, %u, %s%u%s, %d)", table, ts, dur,
                          text ? "'p" : "", p, text ? "'" : "", id++);
            ts += dur + (next_random(2) ? next_random(6) : 0);
        }
    }
}

struct sides {
    bool left, right, text; /* which sides are partitioned; by names */
};

/* Every unit of time of every partition, and what covers it: table units(n, p, l_id, r_id). */
static void make_units(struct sql_session *s, struct sides sides)
{
    const char *of = sides.left && sides.right ? "SELECT p FROM l UNION SELECT p FROM r"
                     : sides.left              ? "SELECT DISTINCT p FROM l"
                     : sides.right             ? "SELECT DISTINCT p FROM r"
                                               : "SELECT 0 AS p";
    run_formatted(s,
                  "DROP TABLE IF EXISTS units; CREATE TABLE units AS"
                  " WITH RECURSIVE t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t LIMIT 160)"
                  " SELECT n, a.p, l_id, r_id FROM t, (%s) a"
                  " LEFT JOIN l ON %s AND n >= l.ts AND n < l.ts + l.dur"
                  " LEFT JOIN r ON %s AND n >= r.ts AND n < r.ts + r.dur",
                  of, sides.left ? "l.p = a.p" : "1", sides.right ? "r.p = a.p" : "1");
}

static void expect_join(struct sql_session *s, struct sides sides, const char *kind,
                        const char *condition)
{
    const char *p = sides.left || sides.right ? "p" : "0";
    run_formatted(s, "DROP TABLE IF EXISTS j; CREATE VIRTUAL TABLE j USING %s(lv%s, rv%s)", kind,
                  sides.left ? " PARTITIONED p" : "", sides.right ? " PARTITIONED p" : "");
    char *ours = sqlite3_mprintf("SELECT %s, l_id, r_id, min(ts), sum(dur) FROM j GROUP BY 1, 2, 3"
                                 " ORDER BY 1, 4, 2, 3",
                                 p);
    char *theirs = sqlite3_mprintf("SELECT p, l_id, r_id, min(n), count(*) FROM units WHERE %s"
                                   " GROUP BY 1, 2, 3 ORDER BY 1, 4, 2, 3",
                                   condition);
    expect_same(s, ours, theirs);
    sqlite3_free(ours);
    sqlite3_free(theirs);
    if (sides.left || sides.right)
        expect_same(s,
                    sides.text ? "SELECT * FROM j WHERE p = 'p2'" : "SELECT * FROM j WHERE p = 2",
                    sides.text ? "SELECT * FROM (SELECT * FROM j LIMIT -1) WHERE +p = 'p2'"
                               : "SELECT * FROM (SELECT * FROM j LIMIT -1) WHERE +p = 2");
    expect_same(s, "SELECT * FROM j WHERE l_id > 3",
                "SELECT * FROM (SELECT * FROM j LIMIT -1) WHERE +l_id > 3");
    expect_same(s, "SELECT r_id, l_id, ts, dur FROM j ORDER BY r_id DESC, l_id, ts",
                "SELECT r_id, l_id, ts, dur FROM (SELECT * FROM j LIMIT -1)"
                " ORDER BY +r_id DESC, +l_id, +ts");
    expect_same(s, "SELECT ts FROM j ORDER BY ts",
                "SELECT ts FROM (SELECT * FROM j LIMIT -1) ORDER BY +ts");
    if (sides.left || sides.right)
        expect_same(s, "SELECT p, ts, dur FROM j ORDER BY p, ts",
                    "SELECT p, ts, dur FROM (SELECT * FROM j LIMIT -1) ORDER BY +p, +ts");
}

static void test_span_joins_agree_with_units_of_time(void **state)
{
    struct sql_session *s = session_of(state);
    static const struct sides cases[] = {
        {true, true, false},  {true, true, true},  {true, false, false},  {true, false, true},
        {false, true, false}, {false, true, true}, {false, false, false},
    };
    random_state = 11;
    for (int round = 0; round < 35; round++) {
        struct sides sides = cases[round % 7];
        make_spans(s, "l", sides.left ? 4 : 1, sides.text);
        make_spans(s, "r", sides.right ? 5 : 1, sides.text);
        run_formatted(s,
                      "DROP VIEW IF EXISTS lv; DROP VIEW IF EXISTS rv;"
                      "CREATE VIEW lv AS SELECT ts, dur, %s l_id FROM l;"
                      "CREATE VIEW rv AS SELECT ts, dur, %s r_id FROM r",
                      sides.left ? "p," : "", sides.right ? "p," : "");
        make_units(s, sides);
        expect_join(s, sides, "SPAN_JOIN", "l_id IS NOT NULL AND r_id IS NOT NULL");
        expect_join(s, sides, "SPAN_LEFT_JOIN", "l_id IS NOT NULL");
        expect_join(s, sides, "SPAN_OUTER_JOIN", "l_id IS NOT NULL OR r_id IS NOT NULL");
        run_formatted(s, "DROP TABLE j");
    }
}

static void test_span_join_with_one_partition(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE TABLE a(ts, dur, cpu, x); INSERT INTO a VALUES (0, 10, 'big', 1),"
                " (5, 10, 'little', 2);"
                "CREATE TABLE b(ts, dur, y); INSERT INTO b VALUES (2, 2, 'u'), (8, 100, 'v');"
                "CREATE VIRTUAL TABLE ab USING SPAN_JOIN(a PARTITIONED cpu, b);"
                "SELECT * FROM ab",
                "2|2|big|1|u\n8|2|big|1|v\n8|7|little|2|v\n");
    expect_rows(s,
                "CREATE VIRTUAL TABLE ba USING SPAN_LEFT_JOIN(b, a PARTITIONED cpu);"
                "SELECT ts, dur, cpu, y, x FROM ba",
                "2|2|big|u|1\n8|2|big|v|1\n10|98|big|v|NULL\n"
                "2|2|little|u|NULL\n8|7|little|v|2\n15|93|little|v|NULL\n");
    expect_rows(s,
                "SELECT count(*) FROM ab WHERE cpu = 'little';"
                "SELECT count(*) FROM ab WHERE cpu = 'LITTLE' COLLATE NOCASE",
                "1\n1\n");
}

static void test_span_join_sorts_values_of_any_type(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(
        s,
        "CREATE TABLE a(ts, dur, x); CREATE TABLE b(ts, dur, y);"
        "INSERT INTO b VALUES (0, 1000, 'y');"
        "INSERT INTO a SELECT row_number() OVER () * 10, 5, column1 FROM (VALUES (1), (NULL),"
        " (9007199254740993), (9007199254740992.0), ('b'), (9007199254740992), (x'62'),"
        " ('a'), (x''), (1.5), (''), (1e300), (-1e300), (9223372036854775807),"
        " (-9223372036854775808), (0.0), (-3), ('a'), (NULL), (9.3e18), (1.0), (x'61'))",
        "");
    expect_rows(s, "CREATE VIRTUAL TABLE ab USING SPAN_JOIN(a, b); SELECT count(*) FROM ab",
                "22\n");
    static const char *const orders[] = {"x", "x DESC", "y, x", "x, ts DESC", "dur, x DESC, ts"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        char *ours = sqlite3_mprintf("SELECT typeof(x), x, ts FROM ab ORDER BY %s", orders[i]);
        char *theirs = sqlite3_mprintf(
            "SELECT typeof(x), x, ts FROM (SELECT 0, * FROM ab LIMIT -1) ORDER BY %s", orders[i]);
        expect_same(s, ours, theirs);
        sqlite3_free(ours);
        sqlite3_free(theirs);
    }
    expect_same(s, "SELECT typeof(x), count(*), sum(ts) FROM ab GROUP BY x",
                "SELECT typeof(x), count(*), sum(ts) FROM (SELECT * FROM ab LIMIT -1) GROUP BY +x");
}

static void test_instants_join_with_the_span_around_them(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE TABLE a(ts, dur, x); INSERT INTO a VALUES (5, 0, 1), (9, 0, 2), (30, 0, 3);"
                "CREATE TABLE b(ts, dur, y); INSERT INTO b VALUES (5, 4, 'u'), (9, 9, 'v');"
                "CREATE VIRTUAL TABLE ab USING SPAN_LEFT_JOIN(a, b); SELECT * FROM ab",
                "5|0|1|u\n9|0|2|v\n30|0|3|NULL\n");
    expect_rows(s,
                "CREATE TABLE c(ts, dur, x); INSERT INTO c VALUES (20, 0, 1);"
                "CREATE TABLE d(ts, dur, y); INSERT INTO d VALUES (10, 10, 'u'), (20, 1, 'v');"
                "CREATE VIRTUAL TABLE cd USING SPAN_OUTER_JOIN(c, d); SELECT * FROM cd;"
                "CREATE VIRTUAL TABLE dc USING SPAN_OUTER_JOIN(d, c); SELECT * FROM dc",
                "10|10|NULL|u\n20|0|1|v\n20|1|NULL|v\n10|10|u|NULL\n20|1|v|NULL\n");
}

/* A thread's last state, and one that only ends with the next. */
static void test_unfinished_spans_join_as_instants(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE TABLE a(ts, dur, p, x); INSERT INTO a VALUES (0, 4, 1, 1), (5, -1, 1, 2), "
                "(7, 10, 1, 3), (20, -1, 1, 4), (6, -1, 2, 5);"
                "CREATE TABLE b(ts, dur, p, y); INSERT INTO b VALUES (1, 8, 1, 'u'), "
                "(15, -1, 1, 'v'), (20, 3, 1, 'w'), (6, 0, 2, 'z');"
                "CREATE VIRTUAL TABLE ab USING SPAN_JOIN(a PARTITIONED p, b PARTITIONED p);"
                "SELECT * FROM ab",
                "1|3|1|1|u\n5|-1|1|2|u\n7|2|1|3|u\n15|-1|1|3|v\n20|-1|1|4|w\n6|-1|2|5|z\n");
    expect_rows(s,
                "CREATE VIRTUAL TABLE outer_ab USING SPAN_OUTER_JOIN(a PARTITIONED p, b "
                "PARTITIONED p); SELECT ts, dur, x, y FROM outer_ab WHERE p = 2",
                "6|-1|5|z\n6|-1|5|NULL\n");
}

/* Spans that reach to the end of time end where nothing follows them. */
static void test_spans_without_end(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(
        s,
        "CREATE TABLE a(ts, dur, p, x); INSERT INTO a VALUES (1, 4, 1, 'a'),"
        " (2, 9223372036854775807, 2, 'b'), (9, 1, 3, 'c');"
        "CREATE TABLE b(ts, dur, p, y); INSERT INTO b VALUES"
        " (3, 9223372036854775807, 1, 'u'), (3, 5, 2, 'v'), (9223372036854775807, 0, 3, 'w');"
        "CREATE VIRTUAL TABLE ab USING SPAN_OUTER_JOIN(a PARTITIONED p, b PARTITIONED p);"
        "SELECT ts, ts + dur, p, x, y FROM ab",
        "1|3|1|a|NULL\n3|5|1|a|u\n5|9223372036854775807|1|NULL|u\n"
        "2|3|2|b|NULL\n3|8|2|b|v\n8|9223372036854775807|2|b|NULL\n9|10|3|c|NULL\n");
}

/* The published documents join slices around each other, one after the other. */
static void test_spans_that_overlap_are_joined_in_turn(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE TABLE a(ts, dur, x); INSERT INTO a VALUES (0, 50, 'p'), (50, 50, 'q');"
                "CREATE TABLE z(ts, dur, y); INSERT INTO z VALUES (0, 30, 1), (5, 10, 2),"
                " (40, 60, 3), (45, 3, 4), (48, 70, 5);"
                "CREATE VIRTUAL TABLE az USING SPAN_JOIN(a, z); SELECT * FROM az;"
                "CREATE VIRTUAL TABLE za USING SPAN_LEFT_JOIN(z, a); SELECT * FROM za",
                "0|30|p|1\n5|10|p|2\n40|10|p|3\n50|50|q|3\n50|50|q|5\n"
                "0|30|1|p\n5|10|2|p\n40|10|3|p\n50|50|3|q\n100|18|5|NULL\n");
}

static void test_span_join_mistakes_are_named(void **state)
{
    struct sql_session *s = session_of(state);
    static const struct error_case cases[] = {
        {"CREATE TABLE a(ts, dur, x); CREATE TABLE b(ts, dur, x);"
         "CREATE VIRTUAL TABLE ab USING SPAN_JOIN(a, b)",
         "both tables have a column x"},
        {"CREATE TABLE c(ts, y); CREATE TABLE d(ts, z);"
         "CREATE VIRTUAL TABLE cd USING SPAN_JOIN(c, d)",
         "no column dur"},
        {"CREATE VIRTUAL TABLE ad USING SPAN_JOIN(a, nothing)", "no such table: nothing"},
        {"CREATE VIRTUAL TABLE ae USING SPAN_JOIN(a)", "takes two tables"},
        {"CREATE TABLE g(ts, dur, g); CREATE VIEW f AS SELECT ts, dur, 1 AS w FROM g;"
         "CREATE VIRTUAL TABLE fg USING SPAN_JOIN(f, g); DROP VIEW f;"
         "CREATE VIEW f AS SELECT ts, dur, 1 AS w FROM fg; SELECT * FROM fg",
         "it calls itself"},
        {"SELECT __intrinsic_interval_flatten_agg(-2147483649, 1, 2)",
         "expected the number of keys"},
    };
    EXPECT_ERRORS(s, cases);
}

/* Table NAME(id, ts, dur, p): intervals that overlap as they like, some of them instants. */
static void make_intervals(struct sql_session *s, const char *table, uint32_t count)
{
    run_formatted(s, "DROP TABLE IF EXISTS %s; CREATE TABLE %s(id, ts, dur, p)", table, table);
    for (uint32_t i = 0; i < count; i++)
        run_formatted(s, "INSERT INTO %s VALUES(%u, %u, %u, '%c')", table, i, next_random(40),
                      next_random(4) ? next_random(15) : 0, 'x' + next_random(3));
}

/* An instant meets what contains its time; other intervals meet for at least a nanosecond. */
#define MEETS(a, b)                                                                                \
    "(iif(" a ".dur = 0 AND " b ".dur = 0, " a ".ts = " b ".ts, max(" a ".ts, " b ".ts) <"         \
    " min(" a ".ts + max(" a ".dur, 1), " b ".ts + max(" b ".dur, 1)) AND (" a ".dur > 0 OR " a    \
    ".ts >= " b ".ts) AND (" b ".dur > 0 OR " b ".ts >= " a ".ts)))"

static void test_intersections_agree_with_a_join(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 5;
    expect_rows(s, "INCLUDE PERFETTO MODULE intervals.intersect", "");
    for (int round = 0; round < 10; round++) {
        make_intervals(s, "a", 30);
        make_intervals(s, "b", 30);
        make_intervals(s, "c", 10);
        expect_same(s,
                    "SELECT ts, dur, id_0, id_1 FROM _interval_intersect!((a, b), ())"
                    " ORDER BY 3, 4",
                    "SELECT max(a.ts, b.ts), min(a.ts + a.dur, b.ts + b.dur) - max(a.ts, b.ts),"
                    " a.id, b.id FROM a, b WHERE " MEETS("a", "b") " ORDER BY 3, 4");
        expect_same(
            s,
            "SELECT ts, dur, id_0, id_1, id_2, p FROM _interval_intersect!((a, b, c),"
            " (p)) ORDER BY 3, 4, 5",
            "WITH ab AS (SELECT max(a.ts, b.ts) AS ts, min(a.ts + a.dur, b.ts + b.dur) -"
            " max(a.ts, b.ts) AS dur, a.id AS id_0, b.id AS id_1, p FROM a JOIN b USING (p)"
            " WHERE " MEETS(
                "a",
                "b") ") SELECT max(ab.ts, c.ts), min(ab.ts + ab.dur, c.ts"
                     " + c.dur) - max(ab.ts, c.ts), id_0, id_1, c.id, p FROM ab JOIN c USING (p)"
                     " WHERE " MEETS("ab", "c") " ORDER BY 3, 4, 5");
        expect_rows(s,
                    "SELECT count(*) FROM (SELECT ts < lag(ts) OVER () AS falls FROM"
                    " _interval_intersect!((a, b), ())) WHERE falls",
                    "0\n");
    }
}

/* Table cuts(id, ts, dur, p, v): spans that overlap, some of them instants or without a value. */
static void make_cuts(struct sql_session *s)
{
    run_formatted(s, "DROP TABLE IF EXISTS cuts; CREATE TABLE cuts(id, ts, dur, p, v)");
    for (uint32_t i = 0, n = next_random(25); i < n; i++) {
        uint32_t p = next_random(4);
        run_formatted(s, "INSERT INTO cuts VALUES(%u, %d, %u, nullif('p%u', 'p3'), nullif(%u, 0))",
                      next_random(20), (int)next_random(60) - 9, next_random(8), p, next_random(5));
    }
}

static void test_self_intersections_agree_with_a_join(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 31;
    for (int round = 0; round < 40; round++) {
        make_cuts(s);
        expect_same(
            s,
            "SELECT c0, c1, c2, c3, c4 FROM __intrinsic_table_ptr("
            "__intrinsic_interval_self_intersect((SELECT"
            " __intrinsic_isi_plain_intervals_agg(id, ts, dur) FROM cuts)))"
            " WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur')"
            " AND __intrinsic_table_ptr_bind(c2, 'group_id')"
            " AND __intrinsic_table_ptr_bind(c3, 'id')"
            " AND __intrinsic_table_ptr_bind(c4, 'interval_ends_at_ts') ORDER BY 1, 5, 4",
            "WITH t AS (SELECT ts FROM cuts UNION SELECT ts + dur FROM cuts),"
            " parts AS (SELECT ts, coalesce(lead(ts) OVER w - ts, 0) AS dur, row_number() OVER w"
            " AS n FROM t WINDOW w AS (ORDER BY ts))"
            " SELECT p.ts, p.dur, n, id, 0 FROM parts p JOIN cuts c ON c.ts <= p.ts"
            " AND c.ts + c.dur > p.ts UNION ALL"
            " SELECT DISTINCT p.ts, p.dur, n, id, 1 FROM parts p JOIN cuts c"
            " ON c.ts + c.dur = p.ts ORDER BY 1, 5, 4");
        expect_same(
            s,
            "SELECT c7, c0, c1, c3, c4, c5, c6 FROM __intrinsic_table_ptr("
            "__intrinsic_interval_self_intersect_agg((SELECT"
            " __intrinsic_isi_intervals_agg(ts, dur, v, 'p', p) FROM cuts), '(p)'))"
            " WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur')"
            " AND __intrinsic_table_ptr_bind(c3, 'cnt')"
            " AND __intrinsic_table_ptr_bind(c4, 'sum_value')"
            " AND __intrinsic_table_ptr_bind(c5, 'min_value')"
            " AND __intrinsic_table_ptr_bind(c6, 'max_value')"
            " AND __intrinsic_table_ptr_bind(c7, 'p') ORDER BY 1, 2",
            "WITH t AS (SELECT p, ts FROM cuts UNION SELECT p, ts + dur FROM cuts),"
            " parts AS (SELECT t.p, t.ts, count(c.ts) AS n, total(v) AS s, min(1.0 * v) AS l,"
            " max(1.0 * v) AS g FROM t LEFT JOIN cuts c ON c.p IS t.p AND c.ts <= t.ts"
            " AND c.ts + c.dur > t.ts GROUP BY 1, 2),"
            " differing AS (SELECT *, (lag(n) OVER w, lag(s) OVER w, lag(l) OVER w, lag(g) OVER w)"
            " IS NOT (n, s, l, g) AS differs, max(ts) OVER (PARTITION BY p) AS last FROM parts"
            " WINDOW w AS (PARTITION BY p ORDER BY ts))"
            " SELECT p, ts, coalesce(lead(ts) OVER w, last) - ts, n, s, l, g FROM differing"
            " WHERE differs WINDOW w AS (PARTITION BY p ORDER BY ts) ORDER BY 1, 2");
    }
    expect_rows(s,
                "SELECT c0, c1, c3 FROM __intrinsic_table_ptr(__intrinsic_interval_self_intersect("
                "(SELECT __intrinsic_interval_tree_intervals_agg(7, 5, 6, 'p', n)"
                " FROM (SELECT 1 AS n UNION ALL SELECT 2)))) WHERE"
                " __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur')"
                " AND __intrinsic_table_ptr_bind(c3, 'id')",
                "5|6|7\n5|6|7\n11|0|7\n");
    expect_error(s, "SELECT __intrinsic_isi_intervals_agg(0, -1, 0)", "non negative duration");
    expect_error(s, "SELECT __intrinsic_isi_intervals_agg(0, 1, 'x')", "must be a number or NULL");
    expect_error(s,
                 "SELECT __intrinsic_interval_self_intersect_agg((SELECT"
                 " __intrinsic_isi_intervals_agg(1, 1, 1, 'p', 0)), '(p, q)')",
                 "must be partitioned by the columns that are named");
    expect_error(s,
                 "INCLUDE PERFETTO MODULE intervals.intersect;"
                 "WITH a AS (SELECT 1 AS id, 5 AS ts, 9 AS dur, 'x' AS v UNION ALL"
                 " SELECT 2, 5, 9, 7) SELECT * FROM _interval_intersect!((a, a), (v))",
                 "cast the column to one type");
}

#define BIND "__intrinsic_table_ptr_bind"

static void test_created_intervals_end_at_the_next_end(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 6;
    for (int round = 0; round < 10; round++) {
        make_intervals(s, "a", 1 + next_random(12));
        make_intervals(s, "b", 1 + next_random(12));
        expect_same(
            s,
            "SELECT c0, c1 FROM __intrinsic_table_ptr(__intrinsic_interval_create("
            "(SELECT __intrinsic_timestamp_set_agg(ts) FROM (SELECT ts FROM a ORDER BY ts)),"
            "(SELECT __intrinsic_timestamp_set_agg(ts) FROM (SELECT ts FROM b ORDER BY ts))"
            ")) WHERE " BIND "(c0, 'ts') AND " BIND "(c1, 'dur')",
            "SELECT ts, stop - ts FROM (SELECT ts, (SELECT min(ts) FROM b WHERE b.ts >"
            " a.ts) AS stop FROM a) WHERE stop IS NOT NULL ORDER BY 1");
    }
}

static void test_counter_intervals_agree_with_windows(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 7;
    for (int round = 0; round < 10; round++) {
        run_formatted(s, "DROP TABLE IF EXISTS c; CREATE TABLE c(id, ts, track_id, value)");
        for (uint32_t i = 0; i < 40; i++)
            run_formatted(s, "INSERT INTO c VALUES(%u, %u, %u, %u)", i, i * 2 + next_random(2),
                          next_random(3), next_random(3));
        expect_same(
            s,
            "SELECT c0, c1, c2, c3, c4, c5, c6 FROM __intrinsic_table_ptr("
            "__intrinsic_counter_intervals('leading', 100, (SELECT"
            " __intrinsic_counter_per_track_agg(id, ts, track_id, value) FROM c)))"
            " WHERE " BIND "(c0, 'id') AND " BIND "(c1, 'ts') AND " BIND "(c2, 'dur')"
            " AND " BIND "(c3, 'track_id') AND " BIND "(c4, 'value')"
            " AND " BIND "(c5, 'next_value') AND " BIND "(c6, 'delta_value') ORDER BY 1",
            "WITH c2 AS (SELECT *, value * 1.0 AS v, lag(value) OVER w AS before, lag(value, 2) "
            "OVER w"
            " AS before_that, lead(value) OVER w AS after FROM c WINDOW w AS (PARTITION BY track_id"
            " ORDER BY ts)), kept AS (SELECT * FROM c2 WHERE before IS NOT value OR before_that IS"
            " NOT value OR (after IS NOT NULL AND after <> value))"
            " SELECT id, ts, coalesce(lead(ts) OVER w, 100) - ts, track_id, v, lead(v) OVER w,"
            " v - lag(v) OVER w FROM kept WINDOW w AS (PARTITION BY track_id ORDER BY ts)"
            " ORDER BY 1");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_span_joins_agree_with_units_of_time),
        SQL_TEST(test_span_join_with_one_partition),
        SQL_TEST(test_span_join_sorts_values_of_any_type),
        SQL_TEST(test_instants_join_with_the_span_around_them),
        SQL_TEST(test_unfinished_spans_join_as_instants),
        SQL_TEST(test_spans_that_overlap_are_joined_in_turn),
        SQL_TEST(test_spans_without_end),
        SQL_TEST(test_span_join_mistakes_are_named),
        SQL_TEST(test_intersections_agree_with_a_join),
        SQL_TEST(test_self_intersections_agree_with_a_join),
        SQL_TEST(test_created_intervals_end_at_the_next_end),
        SQL_TEST(test_counter_intervals_agree_with_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
