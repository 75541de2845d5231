/* Queries that grow: what each step makes of them, and that the outcome runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <stdio.h>

#include "complete/grow.h"
#include "sql_fixture.h"

static int setup(void **state)
{
    return fixture_open(state, NULL);
}

static void assert_grown(void **state, char *grown, const char *wanted)
{
    assert_string_equal(grown, wanted);
    struct status s = sql_session_run(session_of(state), "test", str_from(grown), NULL);
    if (!status_ok(s))
        print_message("%s\n%s\n", s.message, grown);
    assert_true(status_ok(s));
    free(grown);
}

static void test_conditions_go_where_they_can(void **state)
{
    assert_grown(state, grow_condition(STR("select * from slice"), "dur > 5"),
                 "SELECT * FROM slice WHERE dur > 5;");
    assert_grown(state, grow_condition(STR("select ts, dur from slice where ts > 1;"), "dur > 5"),
                 "SELECT ts, dur FROM slice WHERE ts > 1 AND dur > 5;");
    assert_grown(state,
                 grow_condition(STR("select * from slice where ts > 1 or ts < 0"), "dur > 5"),
                 "SELECT * FROM (SELECT * FROM slice WHERE ts > 1 OR ts < 0) WHERE dur > 5;");
    assert_grown(state, grow_condition(STR("select * from slice limit 5"), "dur > 5"),
                 "SELECT * FROM (SELECT * FROM slice LIMIT 5) WHERE dur > 5;");
    assert_grown(state, grow_condition(STR("select count(*) as n from slice"), "n > 5"),
                 "SELECT * FROM (SELECT count(*) AS n FROM slice) WHERE n > 5;");
    assert_grown(state,
                 grow_condition(STR("select sched.id, name from sched join thread using (utid)"),
                                "name = 'x'"),
                 "SELECT *\n"
                 "FROM (SELECT sched.id, name FROM sched JOIN thread USING (utid))\n"
                 "WHERE name = 'x';");
    assert_grown(state, grow_condition(STR("select 1; select * from slice;"), "dur > 5"),
                 "SELECT 1;\nSELECT * FROM slice WHERE dur > 5;");
}

static void test_a_column_is_computed_of_the_others(void **state)
{
    assert_grown(state, grow_column(STR("select ts, dur from slice"), STR("dur / 1e6 AS ms")),
                 "SELECT *, dur / 1e6 AS ms FROM (SELECT ts, dur FROM slice);");
    assert_grown(state,
                 grow_column(STR("select 1; select name, count(*) as n from slice group by name;"),
                             STR("upper(name) as name, n * 100.0 / sum(n) OVER () AS share")),
                 "SELECT 1;\n"
                 "SELECT *, upper(name) AS name, n * 100.0 / sum(n) OVER () AS share\n"
                 "FROM (SELECT name, count(*) AS n FROM slice GROUP BY name);");
}

static struct sql_value value_of(void *ctx, uint32_t column)
{
    return ((const struct sql_value *)ctx)[column];
}

static void test_a_row_of_groups_leads_to_the_rows_behind_it(void **state)
{
    struct sql_value v[] = {{.type = SQL_TEXT, .s = STR("it's")}, {.type = SQL_INT, .i = 7}};
    assert_grown(state,
                 grow_behind(STR("select name, count(*) from slice group by name order by 2 desc"),
                             value_of, v),
                 "SELECT * FROM slice WHERE name IS 'it''s';");
    assert_grown(
        state,
        grow_behind(
            STR("SELECT 1; with q as (select * from slice) select upper(s.name) AS n, depth "
                "FROM q AS s JOIN track ON s.track_id = track.id WHERE dur > 0 OR dur < 0 "
                "GROUP BY 1, s.depth HAVING sum(dur) > 5 LIMIT 3"),
            value_of, v),
        "SELECT 1;\nWITH q AS (SELECT * FROM slice)\nSELECT *\nFROM q AS s\nJOIN track ON "
        "s.track_id "
        "= track.id\nWHERE (dur > 0 OR dur < 0) AND upper(s.name) IS 'it''s' AND depth IS 7;");
    v[0].type = SQL_NULL;
    assert_grown(state,
                 grow_behind(STR("SELECT name AS n, max(dur) FROM slice GROUP BY n"), value_of, v),
                 "SELECT * FROM slice WHERE name IS NULL;");
    v[0] = (struct sql_value){.type = SQL_REAL, .d = 0.1};
    assert_grown(state, grow_behind(STR("SELECT value FROM counter GROUP BY value"), value_of, v),
                 "SELECT * FROM counter WHERE value IS 0.10000000000000001;");
    v[0] = (struct sql_value){.type = SQL_INT, .i = 0};
    assert_grown(state,
                 grow_behind(STR("SELECT dur > 5 OR depth = 0 AS x FROM slice GROUP BY x"),
                             value_of, v),
                 "SELECT * FROM slice WHERE (dur > 5 OR depth = 0) IS 0;");
    assert_grown(state, grow_behind(STR("SELECT NOT depth FROM slice GROUP BY 1"), value_of, v),
                 "SELECT * FROM slice WHERE (NOT depth) IS 0;");
    assert_grown(state,
                 grow_behind(STR("SELECT dur / 10 AS dur, dur AS ns FROM slice GROUP BY dur"),
                             value_of, v),
                 "SELECT * FROM slice WHERE dur IS 7;");
    assert_grown(state,
                 grow_behind(STR("SELECT dur > 5 AS long, name FROM slice "
                                 "GROUP BY long, name COLLATE nocase"),
                             value_of, v),
                 "SELECT * FROM slice WHERE (dur > 5) IS 0 AND name COLLATE nocase IS 7;");
    assert_grown(state,
                 grow_behind(STR("SELECT NOT name FROM slice GROUP BY 1 COLLATE BINARY COLLATE "
                                 "rtrim"),
                             value_of, v),
                 "SELECT * FROM slice WHERE (NOT name) COLLATE rtrim IS 0;");
    assert_null(
        grow_behind(STR("SELECT upper(name) AS name FROM slice GROUP BY name"), value_of, v));
    assert_grown(state,
                 grow_behind(STR("CREATE /* it */ PERFETTO TABLE q AS SELECT dur FROM slice; "
                                 "CREATE OR REPLACE PERFETTO TABLE r AS SELECT 1 AS one; "
                                 "SELECT dur, count(*) FROM q GROUP BY dur"),
                             value_of, v),
                 "CREATE OR REPLACE /* it */ PERFETTO TABLE q AS\nSELECT dur\nFROM slice;\n"
                 "CREATE OR REPLACE PERFETTO TABLE r AS\nSELECT 1 AS one;\n"
                 "SELECT * FROM q WHERE dur IS 0;");
    assert_null(grow_behind(STR("SELECT * FROM slice"), value_of, v));
    assert_null(grow_behind(STR("SELECT count(*) FROM slice GROUP BY name"), value_of, v));
    assert_null(grow_behind(STR("SELECT *, count(*) FROM slice GROUP BY name"), value_of, v));
    assert_null(
        grow_behind(STR("SELECT name FROM slice GROUP BY name UNION SELECT 'x'"), value_of, v));
}

static void test_groups_count_and_sum(void **state)
{
    assert_grown(state, grow_group(STR("select * from cpu;"), "cluster_id", NULL),
                 "SELECT cluster_id, count(*) AS count\n"
                 "FROM (SELECT * FROM cpu)\n"
                 "GROUP BY cluster_id\n"
                 "ORDER BY count DESC;");
    assert_grown(state, grow_group(STR("select * from slice;"), "name", "dur"),
                 "SELECT\n"
                 "  name,\n"
                 "  count(*) AS count,\n"
                 "  sum(dur) AS total_dur,\n"
                 "  avg(dur) AS mean_dur,\n"
                 "  max(dur) AS longest_dur\n"
                 "FROM (SELECT * FROM slice)\n"
                 "GROUP BY name\n"
                 "ORDER BY total_dur DESC;");
    assert_grown(state, grow_order(STR("select * from slice where dur > 0"), "dur", true),
                 "SELECT * FROM slice WHERE dur > 0 ORDER BY dur DESC;");
    assert_grown(state, grow_order(STR("select 1 as \"a b\""), "a b", true),
                 "SELECT * FROM (SELECT 1 AS \"a b\") ORDER BY \"a b\" DESC;");
}

static void test_joins_run_on_what_they_join(void **state)
{
    for (uint32_t i = 0; grow_join_at(i); i++) {
        char script[100];
        snprintf(script, sizeof script, "SELECT 1 AS id, 2 AS %s;", grow_join_at(i)->column);
        char *grown = grow_add_join(str_from(script), grow_join_at(i));
        struct status s = sql_session_run(session_of(state), "test", str_from(grown), NULL);
        if (!status_ok(s))
            print_message("%s\n", s.message);
        assert_true(status_ok(s));
        char *again = grow_condition(str_from(grown), "id = 1");
        assert_true(status_ok(sql_session_run(session_of(state), "test", str_from(again), NULL)));
        free(again);
        free(grown);
    }
    char *states = grow_states(STR("SELECT id, ts, dur, utid FROM sched"));
    struct status s = sql_session_run(session_of(state), "test", str_from(states), NULL);
    if (!status_ok(s))
        print_message("%s\n%s\n", s.message, states);
    assert_true(status_ok(s));
    free(states);
}

static void test_values_are_literals(void **state)
{
    (void)state;
    struct sql_value values[] = {{.type = SQL_NULL},
                                 {.type = SQL_INT, .i = -5},
                                 {.type = SQL_REAL, .d = 0.5},
                                 {.type = SQL_TEXT, .s = STR("it's")},
                                 {.type = SQL_BLOB, .s = {"\0\xff", 2}}};
    static const char *const literals[] = {"NULL", "-5", "0.5", "'it''s'", "x'00ff'"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char *literal = grow_literal(&values[i]);
        assert_string_equal(literal, literals[i]);
        free(literal);
    }
    char *name = grow_name("count(*)");
    assert_string_equal(name, "\"count(*)\"");
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_conditions_go_where_they_can),
        SQL_TEST(test_groups_count_and_sum),
        SQL_TEST(test_a_column_is_computed_of_the_others),
        SQL_TEST(test_joins_run_on_what_they_join),
        SQL_TEST(test_a_row_of_groups_leads_to_the_rows_behind_it),
        cmocka_unit_test(test_values_are_literals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
