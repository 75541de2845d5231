/* Text made to take much time or memory for its size, or to say times that no 64 bits hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/load.h"

struct text {
    VEC(char) v;
};

static void put(struct text *text, const char *words)
{
    vec_append(&text->v, words, strlen(words));
}

static void put_times(struct text *text, const char *words, size_t times)
{
    for (size_t i = 0; i < times; i++)
        put(text, words);
}

static void load(struct trace *t, struct text *text)
{
    trace_init(t);
    struct status s =
        trace_load_memory(t, "limits", (const uint8_t *)text->v.items, text->v.count, NULL);
    assert_true(status_ok(s));
    vec_release(&text->v);
}

static void test_brackets_in_a_word_are_read_once(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace t;
    put(&text, " 79371.000250 [0001]  gcc[31949]  0.100  0.020  0.051\n 79371.000350 [0001]  ");
    put_times(&text, "]", 400000);
    load(&t, &text);
    assert_int_equal(t.tables.sched_slice.rows, 1);
    trace_release(&t);
}

static void test_positions_that_a_line_lacks_cost_nothing(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace t;
    put(&text, "# callgrind format\npositions: ");
    put_times(&text, "a ", 400000);
    put(&text, "\nevents: Ir\nfn=a\n");
    put_times(&text, "1\n", 400000);
    load(&t, &text);
    trace_release(&t);
}

/* Twenty levels of two functions that all call both of the next, and a long chain below. */
static void test_ways_through_calls_are_limited(void **state)
{
    (void)state;
    enum { LEVELS = 20, CHAIN = 230, MOST = 1 << 20 };
    struct text text = {0};
    struct trace t;
    char line[128];
    put(&text, "# callgrind format\nevents: Ir\n");
    for (int i = 0; i < 2 * LEVELS; i++) {
        int level = i / 2, next = level + 1;
        snprintf(line, sizeof line, "fn=f%d_%d\n1 -5\n", level, i % 2);
        put(&text, line);
        for (int k = 0; k < 2; k++) {
            snprintf(line, sizeof line, "cfn=%s%d%s\ncalls=1 1\n1 1000000000000000\n",
                     next < LEVELS ? "f" : "c", next < LEVELS ? next : 0,
                     next == LEVELS ? ""
                     : k            ? "_1"
                                    : "_0");
            put(&text, line);
        }
    }
    for (int i = 0; i < CHAIN; i++) {
        snprintf(line, sizeof line, "fn=c%d\n1 0\ncfn=c%d\ncalls=1 1\n1 1000000000000000\n", i,
                 i + 1);
        put(&text, line);
    }
    put(&text, "fn=c230\n1 1\n");
    load(&t, &text);
    assert_in_range(t.tables.stack_profile_callsite.rows, MOST / 2, MOST + MOST / 16);
    trace_release(&t);
}

static void test_long_names_of_columns_are_cut(void **state)
{
    (void)state;
    enum { COLUMNS = 60, LENGTH = 16000, ROWS = 100, MOST = 300 };
    struct text text = {0};
    struct trace t;
    char line[32];
    put(&text, "Linux 6.1.0 (host)  2026-11-22  _x86_64_  (2 CPU)\n\n14:33:57 DEV a b\n"
               "14:33:58 sda 1 2\n14:33:58 DEV");
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(line, sizeof line, " x%d", i);
        put(&text, line);
        put_times(&text, "y", LENGTH);
    }
    for (int i = 0; i < ROWS; i++) {
        snprintf(line, sizeof line, "\n14:33:59 k%d", i);
        put(&text, line);
        put_times(&text, " 1", COLUMNS);
    }
    load(&t, &text);
    assert_int_equal(t.tables.counter.rows, COLUMNS * ROWS + 2);
    const string_id *names = table_u32(&t.tables.track, track_col_name);
    for (uint32_t i = 0; i < t.tables.track.rows; i++)
        assert_in_range(string_pool_get(&t.strings, names[i]).n, 1, MOST);
    trace_release(&t);
}

static void test_command_of_many_words_is_read_once(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace t;
    put(&text, "sh\n\tffffffff813 f+0x2 (/bin/sh)\n\n");
    put_times(&text, " ", 400000);
    put_times(&text, "a ", 400000);
    put(&text, "\n\nsh ");
    put_times(&text, "01-01 ", 100000);
    put(&text, "x");
    put_times(&text, " ", 400000);
    put(&text, "\n\tffffffff813 f+0x2 (/bin/sh)\n\n");
    load(&t, &text);
    trace_release(&t);
}

static void test_thread_of_many_processes_is_found_among_the_newest(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    struct text text = {0};
    struct trace t;
    char line[64];
    for (int i = 1; i <= COUNT; i++) {
        snprintf(line, sizeof line, "sh %d/7 5.500000: 1 cycles:u:\n\t40 f (/bin/sh)\n\n", i);
        put(&text, line);
    }
    load(&t, &text);
    assert_int_equal(t.tables.profiler_sample.rows, COUNT);
    trace_release(&t);
}

static void test_day_at_the_end_of_time_is_its_end(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace t;
    put(&text, "Linux 6.1.0 (host)  2262-04-11  _x86_64_  (2 CPU)\n\n23:59:58  CPU  %usr  %sys\n"
               "23:59:59  all  1.26  0.00\n00:00:01  all  1.26  0.00\n");
    load(&t, &text);
    assert_int_equal(t.tables.counter.rows, 4);
    assert_int_equal(table_i64(&t.tables.counter, counter_col_ts)[3], INT64_MAX);
    trace_release(&t);
}

static void test_span_longer_than_time_is_as_long_as_can_be(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace t;
    put(&text, "[{\"traceId\": \"1\", \"id\": \"2\", \"name\": \"get\", \"annotations\": ["
               "{\"timestamp\": -9000000000000000, \"value\": \"cs\"}, "
               "{\"timestamp\": 9000000000000000, \"value\": \"cr\"}]}]");
    load(&t, &text);
    assert_int_equal(table_i64(&t.tables.slice, slice_col_dur)[0], INT64_MAX);
    trace_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brackets_in_a_word_are_read_once),
        cmocka_unit_test(test_positions_that_a_line_lacks_cost_nothing),
        cmocka_unit_test(test_ways_through_calls_are_limited),
        cmocka_unit_test(test_long_names_of_columns_are_cut),
        cmocka_unit_test(test_command_of_many_words_is_read_once),
        cmocka_unit_test(test_thread_of_many_processes_is_found_among_the_newest),
        cmocka_unit_test(test_day_at_the_end_of_time_is_its_end),
        cmocka_unit_test(test_span_longer_than_time_is_as_long_as_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
