/* The timeline's indexes against doing it the slow way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/store/tables.h"
#include "tui/view/event_kind.h"
#include "tui/view/counter_look.h"
#include "text/time_format.h"
#include "tui/index/lanes.h"
#include "tui/view/shown_spans.h"
#include "tui/index/steps.h"

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

enum { EVENTS = 5000, LANES = 3 };

struct sample {
    int64_t ts[EVENTS], dur[EVENTS];
    uint32_t lane[EVENTS];
    struct lanes lanes;
};

/* Events that do not overlap within a lane, of very different lengths, some instants. */
static struct sample *sample_new(uint64_t seed)
{
    struct sample *s = calloc(1, sizeof *s);
    int64_t at[LANES] = {0};
    for (int i = 0; i < EVENTS; i++) {
        uint32_t lane = (uint32_t)(random_next(&seed) % LANES);
        int64_t gap = (int64_t)(random_next(&seed) % 50);
        int64_t dur =
            (int64_t)(random_next(&seed) % 4 ? random_next(&seed) % 40 : random_next(&seed) % 4000);
        s->lane[i] = lane;
        s->ts[i] = at[lane] + gap;
        s->dur[i] = dur;
        at[lane] = s->ts[i] + dur;
    }
    lanes_build(&s->lanes, s->lane, LANES, EVENTS, s->ts, s->dur, at[0]);
    return s;
}

static void sample_free(struct sample *s)
{
    lanes_release(&s->lanes);
    free(s);
}

static void test_longest_of_a_range_is_what_a_scan_finds(void **state)
{
    (void)state;
    struct sample *s = sample_new(7);
    uint64_t seed = 99;
    for (int i = 0; i < 3000; i++) {
        uint32_t from = (uint32_t)(random_next(&seed) % EVENTS);
        uint32_t to = from + 1 + (uint32_t)(random_next(&seed) % (EVENTS - from));
        uint32_t best = from;
        for (uint32_t p = from; p < to; p++)
            if (lanes_dur(&s->lanes, p) > lanes_dur(&s->lanes, best))
                best = p;
        assert_int_equal(lanes_longest(&s->lanes, from, to), best);
    }
    sample_free(s);
}

static void test_every_event_of_a_window_is_in_the_span_of_its_cell(void **state)
{
    (void)state;
    struct sample *s = sample_new(3);
    struct span spans[200];
    uint64_t seed = 5;
    for (int i = 0; i < 400; i++) {
        uint32_t lane = (uint32_t)(random_next(&seed) % LANES);
        struct viewport v = {.start = (int64_t)(random_next(&seed) % 400000),
                             .dur = 200 + (int64_t)(random_next(&seed) % 200000),
                             .width = 1 + (int)(random_next(&seed) % 200)};
        int n = lane_spans(&s->lanes, lane, &v, spans);
        assert_true(n <= v.width);
        int covered = 0;
        for (int k = 0; k < n; k++) {
            assert_true(spans[k].c0 >= covered && spans[k].c1 > spans[k].c0);
            assert_true(spans[k].c1 <= v.width);
            covered = spans[k].c1;
        }
        for (uint32_t p = s->lanes.starts[lane]; p < s->lanes.starts[lane + 1]; p++) {
            int64_t ts = lanes_ts(&s->lanes, p);
            if (ts < v.start || ts >= viewport_end(&v))
                continue;
            int cell = viewport_cell(&v, ts), found = 0;
            for (int k = 0; k < n; k++)
                found += spans[k].c0 <= cell && cell < spans[k].c1 && p >= spans[k].first &&
                         p < spans[k].first + spans[k].count;
            assert_int_equal(found, 1);
        }
    }
    sample_free(s);
}

/* How much of a time the events of a lane cover: all of them looked at. */
static double covered(const struct lanes *l, uint32_t lane, int64_t t0, int64_t t1)
{
    int64_t sum = 0;
    for (uint32_t p = l->starts[lane]; p < l->starts[lane + 1]; p++)
        if (lanes_ts(l, p) < t1 && lanes_end(l, p) > t0)
            sum += lanes_dur_in(l, p, t0, t1);
    return (double)sum / (double)(t1 - t0);
}

static void test_a_narrow_span_tells_how_busy_each_of_its_cells_is(void **state)
{
    (void)state;
    struct sample *s = sample_new(17);
    struct span spans[200];
    uint64_t seed = 23;
    int looked = 0, many = 0;
    for (int i = 0; i < 200; i++) {
        uint32_t lane = (uint32_t)(random_next(&seed) % LANES);
        struct viewport v = {.start = (int64_t)(random_next(&seed) % 400000),
                             .dur = 200 + (int64_t)(random_next(&seed) % 200000),
                             .width = 1 + (int)(random_next(&seed) % (i % 2 ? 200 : 8))};
        int n = lane_spans(&s->lanes, lane, &v, spans);
        for (int k = 0; k < n; k++) {
            for (int c = spans[k].c0; c < spans[k].c1; c++) {
                if (spans[k].c1 - spans[k].c0 > SPAN_NARROW)
                    continue;
                double busy =
                    covered(&s->lanes, lane, viewport_time(&v, c), viewport_time(&v, c + 1));
                double told = spans[k].busy[c - spans[k].c0];
                assert_true(told - busy < 1e-5 && busy - told < 1e-5);
                looked++;
                many += spans[k].count > 2 * LANES_FANOUT;
            }
        }
    }
    assert_true(looked > 1000 && many > 100);
    sample_free(s);
}

/* Three short events of one name take more of a cell than a longer one of another. */
static void test_a_cell_is_of_the_name_that_takes_most_of_it(void **state)
{
    (void)state;
    const int64_t ts[] = {0, 10, 20, 30, 100}, dur[] = {6, 6, 9, 6, 50};
    const uint32_t lane[] = {0, 0, 0, 0, 0}, names[] = {7, 7, 8, 7, 8};
    const struct viewport v = {.start = 0, .dur = 200, .width = 2};
    struct span spans[2];
    struct lanes l;
    lanes_build(&l, lane, 1, 5, ts, dur, 200);
    l.names = names;
    assert_int_equal(lane_spans(&l, 0, &v, spans), 2);
    assert_int_equal(spans[0].longest, 2);
    assert_int_equal(names[lanes_row(&l, spans[0].most)], 7);
    assert_int_equal(names[lanes_row(&l, spans[1].most)], 8);
    l.names = NULL;
    lane_spans(&l, 0, &v, spans);
    assert_int_equal(spans[0].most, 2);
    lanes_release(&l);
}

/* The longest event of several lanes in each cell, found anew and kept. */
static void test_of_several_lanes_a_cell_shows_the_longest_event(void **state)
{
    (void)state;
    struct sample *s = sample_new(3);
    struct shown_spans shown = {0};
    struct shown_lane lanes[LANES];
    struct span spans[200];
    uint64_t seed = 5;
    const struct viewport before = {.start = -300000, .dur = 200000, .width = 10};
    for (uint32_t k = 0; k < LANES; k++)
        lanes[k] = (struct shown_lane){&s->lanes, k};
    for (int again = 0; again < 2; again++)
        assert_int_equal(shown_spans_find(&shown, &before, lanes, LANES, true).count, 0);
    for (int i = 0; i < 400; i++) {
        struct viewport v = {.start = (int64_t)(random_next(&seed) % 400000),
                             .dur = 200 + (int64_t)(random_next(&seed) % 200000),
                             .width = 1 + (int)(random_next(&seed) % 200)};
        int64_t longest[200];
        memset(longest, -1, sizeof longest);
        for (uint32_t k = 0; k < LANES; k++) {
            lanes[k] = (struct shown_lane){&s->lanes, k};
            int n = lane_spans(&s->lanes, k, &v, spans);
            for (int j = 0; j < n; j++)
                for (int c = spans[j].c0; c < spans[j].c1; c++)
                    if (lanes_dur(&s->lanes, spans[j].longest) > longest[c])
                        longest[c] = lanes_dur(&s->lanes, spans[j].longest);
        }
        for (int again = 0; again < 2; again++) {
            struct shown_list list = shown_spans_find(&shown, &v, lanes, LANES, true);
            int cell = 0;
            for (int j = 0; j < list.count; j++) {
                const struct span *span = &list.items[j].span;
                for (; cell < span->c0; cell++)
                    assert_int_equal(longest[cell], -1);
                for (; cell < span->c1; cell++)
                    assert_int_equal(longest[cell], lanes_dur(&s->lanes, span->longest));
            }
            for (; cell < v.width; cell++)
                assert_int_equal(longest[cell], -1);
        }
    }
    shown_spans_release(&shown);
    sample_free(s);
}

static void test_an_event_is_found_at_its_begin_and_not_at_its_end(void **state)
{
    (void)state;
    struct sample *s = sample_new(11);
    for (uint32_t p = s->lanes.starts[1]; p + 1 < s->lanes.starts[2]; p++) {
        int64_t ts = lanes_ts(&s->lanes, p), end = lanes_end(&s->lanes, p);
        if (lanes_ts(&s->lanes, p + 1) > ts)
            assert_int_equal(lane_at(&s->lanes, 1, ts), p);
        if (lanes_ts(&s->lanes, p + 1) > end && end > ts)
            assert_int_equal(lane_at(&s->lanes, 1, end), NO_POSITION);
        assert_int_equal(lane_find_row(&s->lanes, 1, s->lanes.rows[p]), p);
    }
    sample_free(s);
}

static void test_an_open_event_lasts_to_the_end(void **state)
{
    (void)state;
    const int64_t ts[] = {10, 20}, dur[] = {5, -1};
    const uint32_t lane[] = {0, 0};
    struct lanes l;
    lanes_build(&l, lane, 1, 2, ts, dur, 100);
    assert_int_equal(lane_at(&l, 0, 99), 1);
    assert_int_equal(lane_at(&l, 0, 100), NO_POSITION);
    assert_int_equal(lane_at(&l, 0, 17), NO_POSITION);
    lanes_release(&l);
}

static void test_an_open_event_lasts_to_the_next_of_its_lane(void **state)
{
    (void)state;
    const int64_t ts[] = {10, 20, 30, 15}, dur[] = {-1, 4, -1, -1};
    const uint32_t lane[] = {0, 0, 0, 2};
    struct lanes l;
    lanes_build(&l, lane, 3, 4, ts, dur, 100);
    assert_int_equal(lanes_end(&l, 0), 20);
    assert_int_equal(lanes_end(&l, 2), 100); /* the next lane's begins earlier */
    assert_int_equal(lanes_end(&l, 3), 100);
    assert_int_equal(lane_at(&l, 0, 24), NO_POSITION);
    lanes_release(&l);
}

static void test_cells_of_extreme_times_do_not_overflow(void **state)
{
    (void)state;
    struct viewport v = {.start = INT64_MIN / 2, .dur = INT64_MAX, .width = 100};
    for (int c = 0; c < v.width; c++) {
        assert_int_equal(viewport_cell(&v, viewport_time(&v, c)), c);
        assert_int_equal(viewport_cell(&v, viewport_time(&v, c + 1) - 1), c);
    }
    assert_true(viewport_cell(&v, INT64_MIN) < 0);
    assert_true(viewport_cell(&v, INT64_MAX) >= v.width);
}

static void test_range_of_values_is_what_a_scan_finds(void **state)
{
    (void)state;
    enum { STEPS = 3000 };
    static int64_t ts[STEPS];
    static double values[STEPS];
    static uint32_t lane[STEPS];
    uint64_t seed = 17;
    for (int i = 0; i < STEPS; i++) {
        ts[i] = i * 10;
        values[i] = (double)(random_next(&seed) % 100000) - 50000;
        lane[i] = (uint32_t)(i & 1);
    }
    struct steps s;
    steps_build(&s, lane, 2, STEPS, ts, values);
    for (int i = 0; i < 2000; i++) {
        uint32_t from = (uint32_t)(random_next(&seed) % STEPS);
        uint32_t to = from + 1 + (uint32_t)(random_next(&seed) % (STEPS - from));
        double min = INFINITY, max = -INFINITY;
        for (uint32_t p = from; p < to; p++) {
            min = fmin(min, steps_value(&s, p));
            max = fmax(max, steps_value(&s, p));
        }
        struct value_range r = steps_range(&s, from, to);
        assert_true(r.min == min && r.max == max);
    }
    steps_release(&s);
}

static void test_a_value_holds_until_the_next_step(void **state)
{
    (void)state;
    const int64_t ts[] = {100, 200};
    const double values[] = {4, 9};
    const uint32_t lane[] = {0, 0};
    struct steps s;
    steps_build(&s, lane, 1, 2, ts, values);
    assert_false(steps_cell(&s, 0, 0, 100).known);
    assert_true(steps_cell(&s, 0, 150, 160).range.max == 4);
    struct step_cell both = steps_cell(&s, 0, 150, 250);
    assert_true(both.range.min == 4 && both.range.max == 9 && both.count == 1);
    assert_true(steps_cell(&s, 0, 900, 901).range.min == 9);
    steps_release(&s);
}

static void test_infinite_values_have_a_height(void **state)
{
    const struct counter_look look = {.scale = SCALE_ZERO};
    const struct counter_range up = {0, INFINITY}, both = {-INFINITY, INFINITY};
    (void)state;
    assert_true(counter_height(up, look, INFINITY) == 1);
    assert_true(counter_height(up, look, 5) == 0);
    assert_true(counter_height(both, look, INFINITY) == 1);
    assert_true(counter_height(both, look, -INFINITY) == 0);
}

static void test_times_are_cut_not_rounded(void **state)
{
    (void)state;
    char text[64];
    format_dur(text, sizeof text, 5375203);
    assert_string_equal(text, "5.375 ms");
    format_exact(text, sizeof text, 614037277);
    assert_string_equal(text, "614.037 277 ms");
    format_dur_short(text, sizeof text, 140000);
    assert_string_equal(text, "140 us");
    format_dur(text, sizeof text, INT64_MIN);
    assert_string_equal(text, "-2562047h 47m 16s");
    format_dur(text, sizeof text, INT64_C(3599999999999));
    assert_string_equal(text, "3599.999 s");
    format_dur_short(text, sizeof text, INT64_C(78393765000000));
    assert_string_equal(text, "21h 46m 33s");
    format_ms(text, sizeof text, INT64_C(43200435284245));
    assert_string_equal(text, "12:00:00.435");
    format_exact(text, sizeof text, INT64_C(43200435284245));
    assert_string_equal(text, "12:00:00.435 284 245");
    format_clock(text, sizeof text, INT64_C(-61000000000), 0);
    assert_string_equal(text, "-0:01:01");
    format_value(text, sizeof text, 2007040);
    assert_string_equal(text, "2,007,040");
    format_ordinal(text, sizeof text, 112);
    assert_string_equal(text, "112th");
}

static void test_each_table_with_times_is_drawn_by_one_kind(void **state)
{
    const struct event_kind *kind;
    int shown[TABLE_COUNT] = {0};
    (void)state;
    for (size_t i = 0; (kind = event_kind_at(i)); i++)
        for (const char *const *key = kind->shows; key && *key; key++) {
            size_t number = 0;
            while (number < TABLE_COUNT && strcmp(table_defs[number].key, *key) != 0)
                number++;
            if (number == TABLE_COUNT || table_def_event_time(&table_defs[number]) == 0)
                fail_msg("%s: no table with times", *key);
            if (shown[number]++ > 0)
                fail_msg("%s: drawn by two kinds", *key);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_table_with_times_is_drawn_by_one_kind),
        cmocka_unit_test(test_longest_of_a_range_is_what_a_scan_finds),
        cmocka_unit_test(test_every_event_of_a_window_is_in_the_span_of_its_cell),
        cmocka_unit_test(test_a_narrow_span_tells_how_busy_each_of_its_cells_is),
        cmocka_unit_test(test_a_cell_is_of_the_name_that_takes_most_of_it),
        cmocka_unit_test(test_an_open_event_lasts_to_the_next_of_its_lane),
        cmocka_unit_test(test_of_several_lanes_a_cell_shows_the_longest_event),
        cmocka_unit_test(test_an_event_is_found_at_its_begin_and_not_at_its_end),
        cmocka_unit_test(test_an_open_event_lasts_to_the_end),
        cmocka_unit_test(test_cells_of_extreme_times_do_not_overflow),
        cmocka_unit_test(test_range_of_values_is_what_a_scan_finds),
        cmocka_unit_test(test_a_value_holds_until_the_next_step),
        cmocka_unit_test(test_infinite_values_have_a_height),
        cmocka_unit_test(test_times_are_cut_not_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
