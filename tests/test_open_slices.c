/* What is open where a window of JSON begins: the same where events that matter no more are dropped
 * meanwhile, and where they came out of order, which is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parsers/json/open_slices.h"
#include "test_random.h"

enum { EVENTS = 300, THREADS = 3, MANY = 8, ROUNDS = 2000 };

static struct json_thread_event any_event(int64_t ts, uint64_t number, bool is_async)
{
    static const enum json_felt felt[] = {JSON_FELT_BEGIN,    JSON_FELT_END,
                                          JSON_FELT_COMPLETE, JSON_FELT_INSTANT,
                                          JSON_FELT_FLOW,     JSON_FELT_FLOW_TO_NEXT};
    struct json_thread_event e = {.ts = ts,
                                  .number = number,
                                  .thread = 1 + next_random(THREADS),
                                  .name = next_random(3),
                                  .category = next_random(2),
                                  .felt = felt[next_random(6)]};
    if (is_async)
        e.felt = next_random(2) ? JSON_FELT_ASYNC_BEGIN : JSON_FELT_ASYNC_END;
    if (e.felt == JSON_FELT_COMPLETE)
        e.dur = next_random(4) ? next_random(20) : next_random(400);
    return e;
}

static void compare(struct json_open_slices *all, struct json_open_slices *few)
{
    json_open_slices_select(all);
    json_open_slices_select(few);
    selection_finish(all->selected, all->from);
    selection_finish(few->selected, few->from);
    assert_int_equal(all->selected->kept.count, few->selected->kept.count);
    for (size_t i = 0; i < all->selected->kept.count; i++)
        assert_int_equal(all->selected->kept.items[i].number, few->selected->kept.items[i].number);
    assert_int_equal(all->overlaps.count, few->overlaps.count);
    for (size_t i = 0; i < all->overlaps.count; i++)
        assert_int_equal(all->overlaps.items[i].slice, few->overlaps.items[i].slice);
}

static void test_dropped_events_are_not_missed(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        bool is_async = next_random(4) == 0, has_complete = !is_async && next_random(2);
        struct json_order order = {.is_complete = has_complete,
                                   .is_broken = has_complete,
                                   .from = next_random(EVENTS)};
        int64_t ts = 0;
        struct selection of_all = {0}, of_few = {0};
        struct json_open_slices all = {.selected = &of_all,
                                       .is_async = is_async,
                                       .keeps_all = true,
                                       .order = &order};
        struct json_open_slices few = {.selected = &of_few,
                                       .is_async = is_async,
                                       .many = MANY,
                                       .order = &order};
        all.from = few.from = EVENTS;
        for (uint64_t i = 0; i < EVENTS; i++) {
            struct json_thread_event e = any_event(ts, i, is_async);
            ts += next_random(3);
            if (e.felt == JSON_FELT_COMPLETE && !has_complete)
                continue;
            if (e.ts >= all.from)
                break;
            json_open_slices_add(&all, &e);
            json_open_slices_add(&few, &e);
        }
        assert_false(few.out_of_order);
        compare(&all, &few);
        json_open_slices_release(&all);
        json_open_slices_release(&few);
        selection_release(&of_all);
        selection_release(&of_few);
    }
}

static void test_events_out_of_order_are_told(void **state)
{
    (void)state;
    struct selection selected = {0};
    const struct json_order order = {0};
    struct json_open_slices o = {.selected = &selected,
                                 .many = MANY,
                                 .from = 1000,
                                 .order = &order};
    struct json_thread_event e = {.thread = 1, .felt = JSON_FELT_BEGIN};
    for (e.ts = 0; e.ts < 2 * MANY; e.ts++)
        json_open_slices_add(&o, &e);
    e.ts--;
    json_open_slices_add(&o, &e);
    assert_false(o.out_of_order);
    e.ts = 1;
    json_open_slices_add(&o, &e);
    assert_true(o.out_of_order);
    json_open_slices_release(&o);
    selection_release(&selected);
}

/* What is open in it ends with it, as soon as time has passed the window's begin. */
static void test_what_ends_at_the_begin_is_kept_with_what_is_open_in_it(void **state)
{
    (void)state;
    struct selection selected = {0};
    const struct json_order order = {0};
    struct json_open_slices o = {.selected = &selected, .from = 11, .order = &order};
    static const struct json_thread_event events[] = {
        {.ts = 4, .dur = 7, .number = 1, .thread = 1, .felt = JSON_FELT_COMPLETE},
        {.ts = 5, .number = 2, .thread = 1, .felt = JSON_FELT_BEGIN},
        {.ts = 4, .dur = 7, .number = 3, .thread = 2, .felt = JSON_FELT_COMPLETE},
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        json_open_slices_add(&o, &events[i]);
    json_open_slices_select(&o);
    selection_finish(&selected, o.from);
    assert_int_equal(selected.kept.count, 2);
    assert_int_equal(selected.kept.items[0].number, 1);
    assert_int_equal(selected.kept.items[1].number, 2);
    json_open_slices_release(&o);
    selection_release(&selected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dropped_events_are_not_missed),
        cmocka_unit_test(test_events_out_of_order_are_told),
        cmocka_unit_test(test_what_ends_at_the_begin_is_kept_with_what_is_open_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
