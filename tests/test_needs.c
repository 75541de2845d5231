/* What rules need of a trace, told without SQL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/store/rows.h"
#include "explain/rules.h"
#include "sql_fixture.h"

static void fill(struct trace *t)
{
    static const char *const names[] = {"doFrame 12", "binder transaction", "lmk,1,2,3"};
    uint32_t track = track_thread(t, process_tracker_thread(t, 0, 100));
    for (uint32_t i = 0; i < 3; i++) {
        struct slice_row row = slice_row_null();
        row.ts = i * 10;
        row.dur = i * 1000;
        row.track_id = track;
        row.name = trace_intern_c(t, names[i]);
        slice_append(&t->tables.slice, &row);
    }
}

static int setup(void **state)
{
    return fixture_open(state, fill);
}

static bool hold(void **state, const char *needs)
{
    struct seen_columns seen = {.trace = &((struct fixture *)*state)->trace};
    bool twice[2];
    for (int i = 0; i < 2; i++) { /* what was seen is not looked at again */
        struct status status = needs_check(&seen, str_from(needs), &twice[i]);
        if (!status_ok(status))
            fail_msg("%s", status.message);
    }
    assert_int_equal(twice[0], twice[1]);
    seen_columns_release(&seen);
    return twice[0];
}

static void test_needs_hold(void **state)
{
    static const char *const some[] = {"",
                                       "slice",
                                       "slice.name",
                                       "slice.dur",
                                       "slice.id > 1",
                                       "slice.dur > 1999",
                                       "slice.name GLOB binder transaction",
                                       "slice.name GLOB nothing | doFrame *",
                                       "slice.name GLOB *[0-9]",
                                       "slice.name GLOB Binder * | b*n",
                                       "slice, slice.dur > 1999 , track.utid"};
    static const char *const none[] = {"sched_slice",
                                       "slice.category",
                                       "slice.thread_ts",
                                       "slice.id > 2",
                                       "slice.dur > 2000",
                                       "slice.name GLOB binder",
                                       "slice.name GLOB doframe *",
                                       "slice.name GLOB b*N | Binder *",
                                       "slice.category GLOB *",
                                       "slice, sched_slice",
                                       "sched_slice, slice",
                                       "thread.start_ts"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (!hold(state, some[i]))
            fail_msg("%s: does not hold", some[i]);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (hold(state, none[i]))
            fail_msg("%s: holds", none[i]);
}

/* A smaller limit is met by what was seen on the way to a larger one. */
static void test_limits_in_any_order(void **state)
{
    struct seen_columns seen = {.trace = &((struct fixture *)*state)->trace};
    static const int64_t limits[] = {500, 1500, 2500, 0, 999, 1999, 2000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        char text[64];
        bool holds;
        snprintf(text, sizeof text, "slice.dur > %d", (int)limits[i]);
        assert_true(status_ok(needs_check(&seen, str_from(text), &holds)));
        assert_int_equal(holds, limits[i] < 2000);
    }
    seen_columns_release(&seen);
}

/* Statements add strings to those that a trace came with. */
static void test_strings_that_came_later(void **state)
{
    struct trace *t = &((struct fixture *)*state)->trace;
    struct seen_columns seen = {.trace = t};
    bool holds;
    assert_true(status_ok(needs_check(&seen, STR("slice.name GLOB late 9999"), &holds)));
    for (int i = 0; i < 10000; i++) {
        char text[32];
        snprintf(text, sizeof text, "late %d", i);
        string_pool_intern(&t->strings, str_from(text));
    }
    assert_true(status_ok(needs_check(&seen, STR("slice.name GLOB late 9999"), &holds)));
    assert_false(holds);
    assert_true(status_ok(needs_check(&seen, STR("slice.name GLOB doFrame 12"), &holds)));
    assert_true(holds);
    seen_columns_release(&seen);
}

static void test_malformed(void **state)
{
    static const char *const wrong[] = {"slices",         "slice.nam",         "slice GLOB x",
                                        "slice.name > 3", "slice.dur GLOB 3",  "slice.dur > x",
                                        "slice.name = x", "counter.value > 3", ","};
    struct seen_columns seen = {.trace = &((struct fixture *)*state)->trace};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bool holds;
        struct status status = needs_check(&seen, str_from(wrong[i]), &holds);
        if (status_ok(status))
            fail_msg("%s: is taken", wrong[i]);
        status_release(&status);
    }
    seen_columns_release(&seen);
}

/* What each rule of the program needs or lacks is of tables and columns that there are. */
static void test_rules_are_well_formed(void **state)
{
    struct seen_columns seen = {.trace = &((struct fixture *)*state)->trace};
    struct explain_rules rules;
    size_t checked = 0;
    explain_rules_init(&rules);
    for (size_t i = 0; i < rules.v.count; i++)
        for (size_t k = 0; k < 2 * NEEDS_MAX; k++) {
            const struct explain_rule *r = &rules.v.items[i];
            struct str rest = k < NEEDS_MAX ? r->needs[k] : r->lacks[k - NEEDS_MAX];
            while (rest.n > 0) {
                bool holds;
                struct status status = needs_check(&seen, str_trim(str_cut(&rest, ',')), &holds);
                if (!status_ok(status))
                    fail_msg("%.*s: %s", (int)r->name.n, r->name.p, status.message);
                checked++;
            }
        }
    assert_true(checked > 50);
    explain_rules_release(&rules);
    seen_columns_release(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_needs_hold),
        SQL_TEST(test_limits_in_any_order),
        SQL_TEST(test_strings_that_came_later),
        SQL_TEST(test_malformed),
        SQL_TEST(test_rules_are_well_formed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
