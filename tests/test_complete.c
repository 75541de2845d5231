/* Completion from a session's schema: what comes first at a place of a script, and what never. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "complete/complete.h"
#include "complete/durations.h"
#include "complete/likely.h"
#include "complete/reference.h"
#include "emulated.h"
#include "sql_fixture.h"
#include "test_random.h"

/* Whether the column x of a result is of durations. */
static const struct {
    const char *text;
    bool are;
} durations[] = {
    {"select name, sum(dur) as x from slice group by name", true},
    {"select SUM(s.dur) AS X from slice s", true},
    {"select max(ts + dur) - min(ts) as x from slice", true},
    {"select max(dur) filter (where depth = 0) as x from slice", true},
    {"select round(avg(cpu_dur)) as x from a", true},
    {"select dur - thread_dur as x from slice", true},
    {"select sum(dur) / count(*) as x from slice", true},
    {"select ts - trace_start() as x from slice", true},
    {"select -lead(dur) over (order by ts) as x from slice", true},
    {"select x, 2 as y from (select sum(dur) as x from slice) where x > 5", true},
    {"with a as (select sum(dur) as total from slice) select total - 0 as y, max(total) as x from "
     "a",
     true},
    {"select 1; select sum(dur) as x from slice; ", true},
    {"select sum(dur) as x from slice; select count(*) as x from slice", false},
    {"select dur / 1e6 as x from slice", false},
    {"select count(dur) as x from slice", false},
    {"select ts + dur as x from slice", false},
    {"select sum(ts) as x from slice", false},
    {"select dur + 1 as x from slice", false},
    {"select dur > 5 as x from slice", false},
    {"select sum(dur) as x from a union all select count(*) as x from b", false},
    {"select x as y, y as x from a", false},
    {"select sum(dur) as x from (", true},
    {"select x as x from slice", false},
    {"select y as x, x as y, sum(y) as z from slice", false},
    {"", false},
};

static void test_durations_are_known_by_what_they_are_computed_from(void **state)
{
    (void)state;
    struct duration_columns d = {0};
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        duration_columns_read(&d, str_from(durations[i].text));
        bool are = duration_columns_have(&d, "x") || duration_columns_have(&d, "X");
        if (are != durations[i].are)
            print_message("%s\n", durations[i].text);
        assert_true(are == durations[i].are);
    }
    duration_columns_release(&d);
}

static int setup(void **state)
{
    return fixture_open(state, NULL);
}

/* | is the caret. `first` are the first candidates, parted by blanks; `never` is none of them. */
static const struct {
    const char *text, *first, *never;
} cases[] = {
    /* Columns of FROM first. */
    {"select na| from slice", "name", "sched"},
    {"select | from sched", "id ts dur cpu", "SELECT"},
    {"select d| from slice", "dur depth", NULL},
    {"select thread_d| from slice", "thread_dur", NULL},
    {"select s.t| from slice s", "ts track_id thread_ts", "tan("},
    {"select s.| from slice as s join thread t", "id ts dur", "utid"},
    {"select t.| from slice as s join thread t", "id utid", "depth"},
    {"select thread.na| from slice join thread using (utid)", "name", NULL},
    {"select * from slice where du|", "dur", NULL},
    {"select * from slice where dur > 1 and na|", "name", NULL},
    {"select * from slice order by t|", "ts track_id", NULL},
    {"select count(du|) from slice", "dur", NULL},
    {"select * from thread_state join thread using (u|", "utid", NULL},
    /* Before FROM those of the trace's tables, those that most have first. */
    {"select na|", "name", NULL},
    {"select upid, max(ti|", "tid", "tan("},
    {"select thread_d|", "", NULL}, /* of slice, which is empty */
    {"with a as (select 1 as nadir) select na|", "nadir name", NULL},
    {"select * from slice where id in (select nam|", "name", NULL},
    {"select id as mach|", "", NULL},
    /* Of subqueries and WITH. */
    {"select | from (select ts as begin, dur from slice)", "begin dur", NULL},
    {"with a as (select ts as begin, max(dur) as longest from slice) select | from a",
     "begin longest", NULL},
    {"with a as (select ts as begin from slice) select x.| from a x", "begin", NULL},
    {"with a as (select * from cpu) select | from a", "id ucpu cpu", NULL},
    {"with a(p, q) as (values (1, 2)) select | from a", "p q", NULL},
    {"select * from slice where id in (select sli| from args)",
     "slice_id slice. slice_is_ancestor(", NULL},
    {"select * from slice where id in (select fl| from args)", "flat_key", NULL},
    /* Tables behind FROM. */
    {"select * from sli|", "slice", "slice_is_ancestor("},
    {"select * from thread_st|", "thread_state", "ts"},
    {"select * from slice join thr|", "thread thread_counter_track", NULL},
    {"select * from slice, thr|", "thread thread_counter_track", NULL},
    {"with mine as (select 1) select * from mi|", "mine", NULL},
    {"drop table sli|", "slice", NULL},
    {"select * from android_binder_tx|", "android_binder_txns", NULL},
    {"select * from _interval_inter|", "_interval_intersect!(", NULL},
    /* Functions, with a bracket. */
    {"select extract_a| from slice", "extract_arg(", NULL},
    {"select abs_t|", "abs_time_str(", NULL},
    {"select * from slice where time_from_ms| > 1", "time_from_ms(", NULL},
    /* Modules. */
    {"include perfetto module slices.w|", "slices.with_context", NULL},
    {"include perfetto module with_c|", "sched.with_context slices.with_context", "with"},
    {"include perfetto |", "MODULE", NULL},
    {"include p|", "PERFETTO", NULL},
    /* Words. */
    {"|", "SELECT WITH FROM", NULL},
    {"sel|", "SELECT", NULL},
    {"select 1; inc|", "INCLUDE PERFETTO MODULE", NULL},
    {"select * from slice wh|", "WHERE", "WHEN"},
    {"select * from slice group b|", "BY", NULL},
    {"select case when dur > 1 t|", "THEN", "TABLE"},
    {"select * from slice order by ts d|", "DESC", NULL},
    {"select * from slice left j|", "JOIN", NULL},
    /* In what a macro takes, in the SELECT of a compound, behind what is broken. */
    {"select * from _interval_intersect!((select t| from thread_state, slice", "ts", NULL},
    {"select * from _interval_intersect!((select u| from thread_state), (cpu))", "utid ucpu", NULL},
    {"select utid from thread union all select par| from slice", "parent_id", "upid"},
    {"select a b c, na| from slice where", "name", NULL},
    {"select * from slice where id in (select id from thread) and de|", "depth", NULL},
    {"select thread.| from slice join thread using (utid) where dur >", "id utid tid", "ts"},
    {"select * from slice where name gl|", "GLOB", NULL},
    /* Nowhere. */
    {"select 'na|' from slice", "", NULL},
    {"select 1 -- na|\n from slice", "", NULL},
    {"select /* na| */ 1 from slice", "", NULL},
    {"select 12|", "", NULL},
    {"select * from nothing_like_that where no_such_col|", "", NULL},
};

static bool has(const struct completion *c, const char *name)
{
    for (size_t i = 0; i < c->v.count; i++)
        if (strcmp(c->v.items[i].text, name) == 0)
            return true;
    return false;
}

static void complete_at(const struct schema *schema, const char *text, struct completion *out)
{
    char plain[300];
    size_t caret = strcspn(text, "|");
    snprintf(plain, sizeof plain, "%.*s%s", (int)caret, text, text + caret + 1);
    complete(schema, str_from(plain), caret, out);
}

static void test_what_comes_first(void **state)
{
    struct schema *schema;
    assert_true(status_ok(schema_read(session_of(state), &schema)));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct completion c = {0};
        char found[300] = "";
        complete_at(schema, cases[i].text, &c);
        size_t used = 0, wanted = strlen(cases[i].first);
        for (size_t k = 0; k < c.v.count && used < wanted; k++)
            used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", k ? " " : "",
                                     c.v.items[k].text);
        if (strcmp(found, cases[i].first) != 0 || (wanted == 0 && c.v.count > 0))
            print_message("%s\n", cases[i].text);
        assert_string_equal(found, cases[i].first);
        assert_true(wanted > 0 || c.v.count == 0);
        assert_false(cases[i].never && has(&c, cases[i].never));
        completion_release(&c);
    }
    schema_free(schema);
}

static void test_details_say_what_it_is(void **state)
{
    struct schema *schema;
    struct completion c = {0};
    assert_true(status_ok(schema_read(session_of(state), &schema)));
    complete_at(schema, "select time_from_ms|", &c);
    assert_string_equal(c.v.items[0].kind, "function");
    assert_non_null(strstr(c.v.items[0].detail, "(millis LONG) "));
    completion_release(&c);
    complete_at(schema, "select * from android_binder_tx|", &c);
    assert_non_null(strstr(c.v.items[0].detail, "in android.binder"));
    completion_release(&c);
    complete_at(schema, "select du| from slice", &c);
    assert_non_null(strstr(c.v.items[0].detail, "slice"));
    completion_release(&c);
    schema_free(schema);
}

static void test_tables_used_come_first(void **state)
{
    struct schema *schema;
    struct completion c = {0};
    if (is_emulated()) /* too slow to find out which views have rows */
        skip();
    assert_true(status_ok(schema_read(session_of(state), &schema)));
    complete_at(schema, "select i|", &c);
    assert_string_equal(c.v.items[0].text, "id");
    completion_release(&c);
    schema_count_use(schema,
                     STR("SELECT 1 FROM slice JOIN \"Thread_State\" USING (id); -- FROM cpu"));
    complete_at(schema, "select i|", &c);
    assert_string_equal(c.v.items[0].text, "id"); /* of two of them */
    assert_true(str_starts(str_from(c.v.items[0].detail), STR("of slice, thread_state, ")) ||
                str_starts(str_from(c.v.items[0].detail), STR("of thread_state, slice, ")));
    completion_release(&c);
    complete_at(schema, "select c|", &c);
    for (int i = 0; i < 4; i++)
        schema_count_use(schema, STR("FROM thread_state"));
    assert_false(strcmp(c.v.items[0].text, "cpu") == 0);
    completion_release(&c);
    complete_at(schema, "select c|", &c);
    assert_string_equal(c.v.items[0].text, "cpu"); /* of the one used now */
    completion_release(&c);
    schema_free(schema);
}

static void test_what_a_script_defines_is_there(void **state)
{
    struct schema *schema;
    struct completion c = {0};
    struct status s = sql_session_run(session_of(state), "test",
                                      STR("CREATE PERFETTO TABLE mine AS SELECT 1 AS my_column;"
                                          "CREATE VIEW \"odd name\" AS SELECT 1 AS x;"),
                                      NULL);
    assert_true(status_ok(s));
    assert_true(status_ok(schema_read(session_of(state), &schema)));
    complete_at(schema, "select my| from mine", &c);
    assert_string_equal(c.v.items[0].text, "my_column");
    completion_release(&c);
    complete_at(schema, "select * from od|", &c);
    assert_true(has(&c, "\"odd name\""));
    completion_release(&c);
    schema_free(schema);
}

static void test_any_text_is_taken(void **state)
{
    static const char *const words[] = {
        "select", "from", "slice", "(", ")",    ",",  "'",  "with",  "as",
        "a",      ".",    ";",     "|", "join", "--", "\n", "using", "include perfetto module",
        "!",      "\"",   "union"};
    struct schema *schema;
    assert_true(status_ok(schema_read(session_of(state), &schema)));
    for (int n = 0; n < 3000; n++) {
        char text[400];
        size_t used = 0;
        for (uint32_t i = next_random(15); i > 0; i--)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s ",
                                     words[next_random(sizeof words / sizeof *words)]);
        struct completion c = {0};
        complete(schema, (struct str){text, used}, next_random((uint32_t)used + 1), &c);
        assert_true(c.from <= c.to && c.to <= used);
        completion_release(&c);
    }
    schema_free(schema);
}

/* What a column of a result refers to, "table.column"; "" where it leads nowhere. */
static const struct {
    const char *script, *column, *to;
} references[] = {
    {"select id, parent_id from slice", "parent_id", "slice.id"},
    {"select id, parent_id from track t", "parent_id", "track.id"},
    {"select parent_id from stack_profile_callsite", "parent_id", "stack_profile_callsite.id"},
    {"select id from process", "id", "process.id"},
    {"select upid from process", "upid", "process.upid"},
    {"select id from thread; ", "id", "thread.id"},
    {"select 1; select parent_id from track where id in (select track_id from slice)", "parent_id",
     "track.id"},
    {"with x as (select 1) select parent_id from x join slice", "parent_id", "slice.id"},
    /* By name alone. */
    {"select 1 as utid", "utid", "thread.id"},
    {"select 1 as server_utid", "server_utid", "thread.id"},
    {"select 1 as the_slice_id", "the_slice_id", "slice.id"},
    {"select callsite_id from something", "callsite_id", "stack_profile_callsite.id"},
    {"select 1", "frame_id", "stack_profile_frame.id"},
    {"select 1", "symbol_set_id", "stack_profile_symbol.symbol_set_id"},
    {"select 1", "dimension_arg_set_id", "args.arg_set_id"},
    {"select 1", "machine_id", "machine.id"},
    {"select 1", "slice_in", "slice.id"},
    {"select 1", "ucpu", "cpu.id"},
    {"select 1", "waker_id", "thread_state.id"},
    /* Nowhere: what tables mean by it differs, or none has it. */
    {"select 1", "parent_id", ""},
    {"select 1", "id", ""},
    {"select 1", "name", ""},
    {"select 1", "", ""},
    {"select 1", "_", ""},
};

static void test_columns_lead_to_what_they_refer_to(void **state)
{
    struct schema *schema;
    assert_true(status_ok(schema_read(session_of(state), &schema)));
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        char found[2 * REFERENCE_NAME_MAX + 2];
        struct reference r =
            reference_find(schema, str_from(references[i].script), references[i].column);
        snprintf(found, sizeof found, "%s%s%s", r.table, r.table[0] ? "." : "", r.column);
        if (strcmp(found, references[i].to) != 0)
            fail_msg("%s: %s leads to %s, not %s", references[i].script, references[i].column,
                     found, references[i].to);
    }
    schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_what_comes_first),
        SQL_TEST(test_details_say_what_it_is),
        SQL_TEST(test_tables_used_come_first),
        SQL_TEST(test_what_a_script_defines_is_there),
        cmocka_unit_test(test_durations_are_known_by_what_they_are_computed_from),
        SQL_TEST(test_any_text_is_taken),
        SQL_TEST(test_columns_lead_to_what_they_refer_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
