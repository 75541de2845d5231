/* What is told again right before a window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parsers/input/retelling.h"

enum { ITEMS = 6 };

static struct retelling told_before(int64_t from)
{
    struct selection s = {0};
    struct retelling r = {0};
    for (uint64_t i = 0; i < ITEMS; i++)
        selection_keep(&s, (int64_t)i / 2, i);
    retelling_make(&r, &s, NULL, from);
    selection_release(&s);
    return r;
}

static void test_each_thing_gets_a_moment_of_its_own(void **state)
{
    (void)state;
    struct retelling r = told_before(100);
    for (uint64_t i = 0; i < ITEMS; i++)
        assert_int_equal(retelling_find(&r, i)->ts, 100 - ITEMS + (int64_t)i);
    assert_true(r.begin < 100 - ITEMS);
    retelling_release(&r);
}

/* Most formats have no times before 0. */
static void test_nothing_is_told_before_zero(void **state)
{
    (void)state;
    struct retelling r = told_before(3);
    int64_t last = 0;
    for (uint64_t i = 0; i < ITEMS; i++) {
        int64_t ts = retelling_find(&r, i)->ts;
        assert_in_range(ts, last, 2);
        last = ts;
    }
    retelling_release(&r);
}

/* What tells a value must not end, by being told again, what is open otherwise. */
static void test_an_end_that_is_the_last_value_brings_its_begin(void **state)
{
    (void)state;
    enum { TRACK = 7, VALUE };
    static const struct window_mark marks[] = {
        {.ts = 1, .key = TRACK, .number = 1, .kind = MARK_BEGIN},
        {.ts = 2, .key = TRACK, .number = 2, .kind = MARK_BEGIN},
        {.ts = 3, .key = TRACK, .number = 3, .kind = MARK_END},
        {.ts = 3, .key = VALUE, .number = 3, .kind = MARK_LAST},
    };
    struct selection s = {0};
    struct retelling r = {0};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        selection_mark(&s, &marks[i]);
    retelling_make(&r, &s, NULL, 100);
    for (uint64_t i = 1; i <= 3; i++)
        assert_non_null(retelling_find(&r, i));
    retelling_release(&r);
    selection_release(&s);
}

/* Its begin moves on by what it lasts less, in us, or back. */
static void test_what_lasts_us_is_told_whole_us_from_where_it_was(void **state)
{
    (void)state;
    for (int64_t ts = 5000; ts < 10000; ts += 4999) {
        struct selection s = {0};
        struct retelling r = {0};
        selection_keep_item(&s, &(struct window_item){.ts = ts, .number = 1, .whole_us = true});
        selection_keep(&s, ts, 2);
        selection_keep(&s, ts, 3);
        retelling_make(&r, &s, NULL, 10000);
        int64_t told = retelling_find(&r, 1)->ts;
        assert_int_equal((told - ts) % 1000, 0);
        assert_in_range(told, 8998, 9997);
        assert_int_equal(retelling_find(&r, 2)->ts, 9998);
        retelling_release(&r);
        selection_release(&s);
    }
}

enum { SET = 7, OTHER };

/* Its time is its number. */
static void mark_in_set(struct selection *s, int64_t ts, uint64_t holder, uint64_t name,
                        enum mark_kind kind)
{
    selection_mark(s, &(struct window_mark){.ts = ts,
                                            .key = SET,
                                            .other = name,
                                            .number = (uint64_t)ts,
                                            .holder = holder,
                                            .kind = (uint8_t)kind,
                                            .use = kind == MARK_BEGIN ? MARK_TAKES : MARK_GIVES});
}

/* Also where the event of that name was dropped in between, as there are many. */
static void test_an_id_keeps_the_set_of_its_first_name(void **state)
{
    enum { ONE = 1, TWO, NAME = 3, OTHER_NAME, MANY = 1 << 18 };
    struct selection s = {0};
    struct retelling r = {0};
    int64_t ts = 3;
    (void)state;
    mark_in_set(&s, 1, TWO, NAME, MARK_BEGIN);
    mark_in_set(&s, 2, TWO, NAME, MARK_END);
    for (int i = 0; i < MANY; i++, ts += 1000000)
        selection_mark(&s, &(struct window_mark){.ts = ts,
                                                 .key = OTHER,
                                                 .number = (uint64_t)ts,
                                                 .kind = i % 2 ? MARK_END : MARK_BEGIN});
    assert_true(s.marks.count < MANY);
    mark_in_set(&s, ts, ONE, NAME, MARK_BEGIN);
    mark_in_set(&s, ts + 1, ONE, NAME, MARK_PASS);
    mark_in_set(&s, ts + 2, TWO, OTHER_NAME, MARK_BEGIN);
    mark_in_set(&s, ts + 3, TWO, 0, MARK_END);
    mark_in_set(&s, ts + 4, TWO, 0, MARK_END);
    retelling_make(&r, &s, NULL, ts + 100);
    assert_null(retelling_find(&r, (uint64_t)ts)); /* ended by the other id, which is in its set */
    retelling_release(&r);
    selection_release(&s);
}

/* While they are, what holds them moves. */
static void test_many_begins_in_others_are_open(void **state)
{
    enum { TRACKS = 1 << 14, NESTED = 4, MANY = TRACKS * NESTED };
    struct selection s = {0};
    struct retelling r = {0};
    (void)state;
    for (int i = 0; i < MANY; i++)
        selection_mark(&s, &(struct window_mark){.ts = i,
                                                 .key = (uint64_t)(i / NESTED),
                                                 .number = (uint64_t)i,
                                                 .kind = MARK_BEGIN});
    retelling_make(&r, &s, NULL, MANY);
    assert_int_equal(r.items.count, MANY);
    retelling_release(&r);
    selection_release(&s);
}

/* Each needs what is open around it, however many have. */
static void test_many_that_leave_early_keep_what_is_around_them(void **state)
{
    enum { TRACK = 7, LEFT = 256, LASTS = 1 << 20 };
    struct window_mark m = {.ts = 1, .key = TRACK, .number = 1, .kind = MARK_BEGIN};
    (void)state;
    for (int left = LEFT - 2; left <= LEFT; left++) {
        struct selection s = {0};
        struct retelling r = {0};
        int64_t ts = 2;
        selection_mark(&s, &m);
        for (int i = 0; i < left; i++, ts += 4) {
            selection_mark(&s, &(struct window_mark){.ts = ts,
                                                     .key = TRACK,
                                                     .other = 5,
                                                     .number = (uint64_t)ts,
                                                     .kind = MARK_BEGIN});
            selection_mark(&s, &(struct window_mark){.ts = ts + 1,
                                                     .key = TRACK,
                                                     .number = (uint64_t)ts + 1,
                                                     .dur = LASTS,
                                                     .kind = MARK_COMPLETE});
            selection_mark(&s, &(struct window_mark){.ts = ts + 2,
                                                     .key = TRACK,
                                                     .other = 5,
                                                     .number = (uint64_t)ts + 2,
                                                     .kind = MARK_END});
        }
        retelling_make(&r, &s, NULL, ts + 100);
        assert_non_null(retelling_find(&r, 1));
        retelling_release(&r);
        selection_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_thing_gets_a_moment_of_its_own),
        cmocka_unit_test(test_nothing_is_told_before_zero),
        cmocka_unit_test(test_an_end_that_is_the_last_value_brings_its_begin),
        cmocka_unit_test(test_what_lasts_us_is_told_whole_us_from_where_it_was),
        cmocka_unit_test(test_an_id_keeps_the_set_of_its_first_name),
        cmocka_unit_test(test_many_begins_in_others_are_open),
        cmocka_unit_test(test_many_that_leave_early_keep_what_is_around_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
