/* Queries that grow: what each step makes of them, and that the outcome runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <stdio.h>

#include "sql/complete/grow.h"
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
        SQL_TEST(test_joins_run_on_what_they_join),
        cmocka_unit_test(test_values_are_literals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
