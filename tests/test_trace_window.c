/* Windows of loaded traces (core/trace/trace_window.h), and what the schema has to say for them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "core/trace_builder.h"
#include "core/counter.h"
#include "core/store/rows.h"
#include "core/trace/trace_window.h"

static int setup(void **state)
{
    static struct trace trace;
    trace_init(&trace);
    trace_machine(&trace, HOST_RAW_ID);
    *state = &trace;
    return 0;
}

static int teardown(void **state)
{
    trace_release(*state);
    return 0;
}

static uint32_t slice(struct trace *t, int64_t ts, int64_t dur, uint32_t parent)
{
    struct slice_row row = slice_row_null();
    row.ts = ts;
    row.dur = dur;
    row.parent_id = parent;
    return slice_append(&t->tables.slice, &row);
}

static int64_t value(const struct table *table, uint32_t column, uint32_t row)
{
    const struct column *c = &table->columns[column];
    assert_true(row < table->rows);
    return column_is_null(c, row) ? NULL_I64 : column_int(c, row);
}

static void test_slices_are_cut_off_and_numbered_anew(void **state)
{
    struct trace *t = *state;
    const struct table *slices = &t->tables.slice;
    slice(t, 10, 50, NULL_U32);                   /* ends where the window begins */
    uint32_t outer = slice(t, 20, 200, NULL_U32); /* 1: longer than the window */
    slice(t, 30, 10, outer);                      /* before */
    uint32_t inner = slice(t, 70, 10, outer);     /* 3 */
    slice(t, 90, -1, inner);                      /* 4: has no end */
    slice(t, 100, 0, outer);                      /* where the window ends */
    trace_finish(t);
    trace_window(t, 60, 100);
    assert_int_equal(slices->rows, 3);
    assert_int_equal(value(slices, slice_col_ts, 0),
                     59); /* so that it is told from what begins at 60 */
    assert_int_equal(value(slices, slice_col_dur, 0), -1);
    assert_int_equal(value(slices, slice_col_parent_id, 0), NULL_I64);
    assert_int_equal(value(slices, slice_col_ts, 1), 70);
    assert_int_equal(value(slices, slice_col_dur, 1), 10);
    assert_int_equal(value(slices, slice_col_parent_id, 1), 0);
    assert_int_equal(value(slices, slice_col_parent_id, 2), 1);
    assert_int_equal(t->start_ts, 60);
    assert_int_equal(t->end_ts, 100);
}

static void test_an_open_slice_is_over_with_the_one_around_it(void **state)
{
    struct trace *t = *state;
    uint32_t outer = slice(t, 10, 20, NULL_U32), open = slice(t, 15, -1, outer);
    slice(t, 16, -1, open);
    slice(t, 18, -1, NULL_U32);
    slice(t, 90, 5, NULL_U32);
    trace_finish(t);
    trace_window(t, 50, 100);
    assert_int_equal(t->tables.slice.rows, 2);
    assert_int_equal(value(&t->tables.slice, slice_col_dur, 0), -1);
    assert_int_equal(value(&t->tables.slice, slice_col_ts, 1), 90);
}

static void test_what_names_a_row_that_is_gone_becomes_null_or_goes(void **state)
{
    struct trace *t = *state;
    uint32_t before = slice(t, 10, 5, NULL_U32), first = slice(t, 60, 5, before),
             second = slice(t, 70, 5, NULL_U32);
    struct flow_row flow = flow_row_null();
    flow.slice_out = before;
    flow.slice_in = first;
    flow_append(&t->tables.flow, &flow);
    flow.slice_out = first;
    flow.slice_in = second;
    flow_append(&t->tables.flow, &flow);
    trace_finish(t);
    trace_window(t, 50, 100);
    assert_int_equal(value(&t->tables.slice, slice_col_parent_id, 0), NULL_I64);
    assert_int_equal(t->tables.flow.rows, 1);
    assert_int_equal(value(&t->tables.flow, flow_col_slice_out, 0), 0);
    assert_int_equal(value(&t->tables.flow, flow_col_slice_in, 0), 1);
}

static void test_the_last_value_before_holds(void **state)
{
    struct trace *t = *state;
    const struct table *counters = &t->tables.counter;
    struct track_spec spec = {.type = "a", .event_type = TRACK_COUNTER}, other = spec;
    other.type = "b";
    uint32_t a = track_intern(t, &spec), b = track_intern(t, &other);
    counter_push(t, 10, a, 1);
    counter_push(t, 20, b, 2);
    counter_push(t, 30, a, 3);
    counter_push(t, 50, b, 4); /* at the begin: nothing of before holds */
    counter_push(t, 60, a, 5);
    counter_push(t, 90, a, 6);
    trace_finish(t);
    trace_window(t, 50, 90);
    static const double values[] = {3, 4, 5};
    static const int64_t times[] = {49, 50, 60};
    assert_int_equal(counters->rows, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(column_f64(&counters->columns[counter_col_value], i) == values[i]);
        assert_int_equal(value(counters, counter_col_ts, i), times[i]);
    }
    assert_int_equal(t->tables.track.rows, 2);
}

/* Sets of rows are numbered by their first one. */
static void test_sets_keep_together(void **state)
{
    struct trace *t = *state;
    struct track_spec spec = {.type = "a", .event_type = TRACK_COUNTER};
    uint32_t track = track_intern(t, &spec);
    static const int64_t times[] = {10, 10, 60, 60};
    for (uint32_t i = 0; i < 4; i++) {
        struct profiler_counter_set_row row = {.counter_set_id = i & ~1u};
        row.counter_id = counter_push(t, times[i], track, i);
        profiler_counter_set_append(&t->tables.profiler_counter_set, &row);
        if (i & 1)
            continue;
        struct profiler_sample_row sample = profiler_sample_row_null();
        sample.ts = times[i];
        sample.counter_set_id = i;
        profiler_sample_append(&t->tables.profiler_sample, &sample);
    }
    trace_finish(t);
    trace_window(t, 60, 90);
    const struct table *sets = &t->tables.profiler_counter_set;
    assert_int_equal(sets->rows, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(value(sets, profiler_counter_set_col_counter_set_id, i), 0);
        assert_int_equal(value(sets, profiler_counter_set_col_counter_id, i), i);
    }
    assert_int_equal(t->tables.profiler_sample.rows, 1);
    assert_int_equal(value(&t->tables.profiler_sample, profiler_sample_col_counter_set_id, 0), 0);
}

static bool table_exists(const char *joins)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        size_t n = strlen(table_defs[i].key);
        if (strncmp(joins, table_defs[i].key, n) == 0 && joins[n] == '.')
            return true;
    }
    return false;
}

static void test_every_id_says_whose(void **state)
{
    (void)state;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        for (uint32_t c = 1; c < table_defs[i].column_count; c++) {
            const struct column_def *def = &table_defs[i].columns[c];
            bool says = def->joins || strcmp(def->declared, "ARGSETID") == 0 ||
                        def->flags & (COLUMN_FOREIGN | COLUMN_SET_ID);
            bool number = def->type != COLUMN_TYPE_STR && def->type != COLUMN_TYPE_ALIAS;
            if (number && column_is_called_id(def->name) && !says)
                fail_msg("%s.%s: JOINID, ROWID or COLUMN_FOREIGN?", table_defs[i].key, def->name);
            if (def->joins && !table_exists(def->joins))
                fail_msg("%s.%s: no table of %s", table_defs[i].key, def->name, def->joins);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_slices_are_cut_off_and_numbered_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_names_a_row_that_is_gone_becomes_null_or_goes,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_open_slice_is_over_with_the_one_around_it, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_the_last_value_before_holds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sets_keep_together, setup, teardown),
        cmocka_unit_test(test_every_id_says_whose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
