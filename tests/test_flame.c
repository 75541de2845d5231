/* Flamegraphs: sums, inversion, filters, circles, boxes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/view/flame.h"

/* main 1 calls work 2 twice, by two call sites; work calls read 4. */
static void fill(struct flame_stacks *s)
{
    flame_stacks_init(s);
    flame_stacks_add(s, 4, 3, STR("read"), 4);
    flame_stacks_add(s, 1, INT64_MIN, STR("main"), 1);
    flame_stacks_add(s, 2, 1, STR("work"), 2);
    flame_stacks_add(s, 3, 1, STR("work"), 3);
    flame_stacks_finish(s);
}

static uint32_t frame_called(const struct flame *f, const struct flame_stacks *s, uint32_t parent,
                             const char *name)
{
    for (uint32_t c = f->frames.items[parent].first_child; c != NO_FRAME;
         c = f->frames.items[c].next)
        if (str_eq(s->names.items[f->frames.items[c].name], str_from(name)))
            return c;
    fail_msg("no %s below %u", name, parent);
    return 0;
}

static void check(const struct flame *f, uint32_t frame, double total, double self)
{
    assert_true(f->frames.items[frame].total == total);
    assert_true(f->frames.items[frame].self == self);
}

static void test_frames_of_one_name_under_one_caller_are_one(void **state)
{
    struct flame_stacks s;
    struct flame f = {0};
    (void)state;
    fill(&s);
    flame_build(&f, &s, false, NULL, NO_FRAME);
    uint32_t outer = frame_called(&f, &s, 0, "main");
    uint32_t work = frame_called(&f, &s, outer, "work");
    check(&f, 0, 10, 0);
    check(&f, outer, 10, 1);
    check(&f, work, 9, 5);
    check(&f, frame_called(&f, &s, work, "read"), 4, 4);
    assert_int_equal(f.frames.count, 4);
    flame_release(&f);
    flame_stacks_release(&s);
}

static void test_inverted_starts_with_what_took_the_time(void **state)
{
    struct flame_stacks s;
    struct flame f = {0};
    (void)state;
    fill(&s);
    flame_build(&f, &s, true, NULL, NO_FRAME);
    uint32_t work = frame_called(&f, &s, 0, "work"), leaf = frame_called(&f, &s, 0, "read");
    check(&f, work, 5, 0);
    check(&f, frame_called(&f, &s, work, "main"), 5, 5);
    check(&f, leaf, 4, 0);
    assert_int_equal(f.frames.items[0].first_child, work); /* the largest first */
    flame_release(&f);
    flame_stacks_release(&s);
}

static void test_a_filter_keeps_the_stacks_with_such_a_frame(void **state)
{
    struct flame_stacks s;
    struct flame f = {0};
    bool keep[3] = {0};
    (void)state;
    fill(&s);
    for (size_t i = 0; i < s.names.count; i++)
        keep[i] = str_eq(s.names.items[i], STR("read"));
    flame_build(&f, &s, false, keep, NO_FRAME);
    check(&f, 0, 4, 0);
    check(&f, frame_called(&f, &s, 0, "main"), 4, 0);
    flame_release(&f);
    flame_stacks_release(&s);
}

static void test_stacks_that_call_themselves_end(void **state)
{
    struct flame_stacks s;
    struct flame f = {0};
    (void)state;
    flame_stacks_init(&s);
    flame_stacks_add(&s, 1, 2, STR("a"), 1);
    flame_stacks_add(&s, 2, 1, STR("b"), 1);
    flame_stacks_add(&s, 3, 3, STR("c"), 1);
    flame_stacks_finish(&s);
    flame_build(&f, &s, false, NULL, NO_FRAME);
    check(&f, 0, 3, 0);
    check(&f, frame_called(&f, &s, 0, "c"), 1, 1);
    flame_release(&f);
    flame_stacks_release(&s);
}

static void test_boxes_of_a_row_stand_side_by_side(void **state)
{
    struct flame_stacks s;
    struct flame f = {0};
    struct flame_boxes b = {0};
    (void)state;
    flame_stacks_init(&s);
    flame_stacks_add(&s, 1, INT64_MIN, STR("a"), 3);
    flame_stacks_add(&s, 2, INT64_MIN, STR("b"), 1);
    flame_stacks_finish(&s);
    flame_build(&f, &s, false, NULL, NO_FRAME);
    flame_layout(&b, &f, 0, 40);
    assert_int_equal(b.v.count, 3);
    assert_int_equal(b.v.items[0].w, 40);
    assert_int_equal(b.v.items[1].x, 0);
    assert_int_equal(b.v.items[1].w, 30);
    assert_int_equal(b.v.items[2].x, 30);
    assert_int_equal(b.v.items[2].w, 10);
    flame_layout(&b, &f, frame_called(&f, &s, 0, "b"), 40);
    assert_int_equal(b.v.count, 2);
    assert_int_equal(b.v.items[1].w, 40);
    vec_release(&b.v);
    flame_release(&f);
    flame_stacks_release(&s);
}

static void test_values_beyond_all_numbers_have_a_share(void **state)
{
    struct flame_stacks s;
    struct flame f = {0};
    struct flame_boxes b = {0};
    (void)state;
    flame_stacks_init(&s);
    flame_stacks_add(&s, 1, INT64_MIN, STR("a"), INFINITY);
    flame_stacks_add(&s, 2, INT64_MIN, STR("b"), 1.7e308);
    flame_stacks_add(&s, 3, INT64_MIN, STR("c"), NAN);
    flame_stacks_finish(&s);
    flame_build(&f, &s, false, NULL, NO_FRAME);
    flame_layout(&b, &f, 0, 40);
    assert_int_equal(b.v.count, 3);
    assert_int_equal(b.v.items[1].w, 20);
    assert_int_equal(b.v.items[2].w, 20);
    vec_release(&b.v);
    flame_release(&f);
    flame_stacks_release(&s);
}

/* a to e, which only call the next, and f, which has all of the time and calls itself. */
static void fill_trunk(struct flame_stacks *s)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "f"};
    flame_stacks_init(s);
    for (int i = 0; i < 7; i++)
        flame_stacks_add(s, i, i ? i - 1 : INT64_MIN, str_from(names[i]), i < 5 ? 0 : i);
    flame_stacks_finish(s);
}

static void test_frames_that_call_one_other_stand_in_one_box(void **state)
{
    struct flame_stacks s;
    struct flame f = {0};
    struct flame_boxes b = {0};
    (void)state;
    fill_trunk(&s);
    flame_build(&f, &s, false, NULL, NO_FRAME);
    flame_layout(&b, &f, 0, 40);
    assert_int_equal(b.v.count, 4); /* all, a to e, f, f */
    assert_int_equal(b.v.items[1].count, 5);
    uint32_t a = frame_called(&f, &s, 0, "a");
    assert_int_equal(b.v.items[1].frame, a);
    assert_true(str_eq(s.names.items[f.frames.items[b.v.items[1].last].name], STR("e")));
    assert_int_equal(b.v.items[3].row, 3);
    flame_layout(&b, &f, a, 40); /* it was asked for */
    assert_int_equal(b.v.count, 8);
    uint32_t last = f.frames.items[b.v.items[6].frame].first_child;
    flame_layout(&b, &f, last, 40); /* those above fill the width, too: all, a to f, f */
    assert_int_equal(b.v.count, 3);
    assert_int_equal(b.v.items[1].count, 6);
    vec_release(&b.v);
    flame_release(&f);
    flame_stacks_release(&s);
}

/* Five that call one other each, and take a little themselves. */
static void test_what_half_a_cell_would_not_show_does_not_keep_frames_apart(void **state)
{
    static const int own[] = {2, 0, 1, 0, 1, 500, 496};
    struct flame_stacks s;
    struct flame f = {0};
    struct flame_boxes b = {0};
    (void)state;
    flame_stacks_init(&s);
    for (int i = 0; i < 7; i++) {
        char name[] = {(char)('a' + i), '\0'};
        flame_stacks_add(&s, i, i ? i - 1 : INT64_MIN, str_from(name), own[i]);
    }
    flame_stacks_finish(&s);
    flame_build(&f, &s, false, NULL, NO_FRAME);
    flame_layout(&b, &f, 0, 100);
    assert_int_equal(b.v.count, 4); /* all, a to e, f, g */
    assert_int_equal(b.v.items[1].count, 5);
    assert_int_equal(b.v.items[1].w, 100);
    assert_int_equal(b.v.items[3].w, 50);
    flame_layout(&b, &f, 0, 200); /* it could be seen */
    assert_int_equal(b.v.count, 8);
    vec_release(&b.v);
    flame_release(&f);
    flame_stacks_release(&s);
}

static void test_a_function_alone_counts_each_stack_once(void **state)
{
    struct flame_stacks s;
    struct flame f = {0};
    (void)state;
    fill_trunk(&s);
    flame_build(&f, &s, false, NULL, NO_FRAME);
    struct flame_function *functions = flame_functions(&f, &s);
    assert_true(functions[5].self == 11 && functions[5].total == 11);
    assert_true(functions[4].self == 0 && functions[4].total == 11);
    free(functions);
    flame_build(&f, &s, false, NULL, 5);
    uint32_t outer = frame_called(&f, &s, 0, "f");
    check(&f, outer, 11, 5);
    check(&f, frame_called(&f, &s, outer, "f"), 6, 6);
    flame_release(&f);
    flame_stacks_release(&s);
}

/* main calls a and b, which call work, which calls read: one box on the other, callers upwards. */
static void test_callers_stand_above_the_function_and_what_it_calls_below(void **state)
{
    struct flame_stacks s;
    struct flame f = {0};
    struct flame_boxes b = {0};
    (void)state;
    flame_stacks_init(&s);
    flame_stacks_add(&s, 1, INT64_MIN, STR("main"), 5);
    flame_stacks_add(&s, 2, 1, STR("a"), 0);
    flame_stacks_add(&s, 3, 1, STR("b"), 0);
    flame_stacks_add(&s, 4, 2, STR("work"), 3);
    flame_stacks_add(&s, 5, 3, STR("work"), 1);
    flame_stacks_add(&s, 6, 4, STR("read"), 4);
    flame_stacks_finish(&s);
    flame_build(&f, &s, false, NULL, 3);
    uint32_t work = frame_called(&f, &s, 0, "work");
    check(&f, work, 8, 4);
    check(&f, frame_called(&f, &s, work, "read"), 4, 4);
    assert_int_equal(f.frames.items[f.callers].name, 3);
    uint32_t a = frame_called(&f, &s, f.callers, "a");
    check(&f, a, 7, 0);
    check(&f, frame_called(&f, &s, f.callers, "b"), 1, 0);
    check(&f, frame_called(&f, &s, a, "main"), 7, 7);
    flame_layout(&b, &f, 0, 40);
    static const struct {
        const char *name;
        int x, w, row;
    } expected[] = {{"main", 0, 35, 0}, {"main", 35, 5, 0}, {"a", 0, 35, 1},
                    {"b", 35, 5, 1},    {"work", 0, 40, 2}, {"read", 0, 20, 3}};
    assert_int_equal(b.v.count, 6);
    for (size_t i = 0; i < 6; i++) {
        const struct flame_box *box = &b.v.items[i];
        assert_true(
            str_eq(s.names.items[f.frames.items[box->frame].name], str_from(expected[i].name)));
        assert_int_equal(box->x, expected[i].x);
        assert_int_equal(box->w, expected[i].w);
        assert_int_equal(box->row, expected[i].row);
    }
    vec_release(&b.v);
    flame_release(&f);
    flame_stacks_release(&s);
}

static void test_shares_are_compared_with_a_base(void **state)
{
    struct flame_stacks s, base, again;
    struct flame f = {0};
    (void)state;
    flame_stacks_init(&base);
    flame_stacks_add(&base, 1, INT64_MIN, STR("gone"), 50);
    flame_stacks_add(&base, 2, INT64_MIN, STR("main"), 0);
    flame_stacks_add(&base, 3, 2, STR("work"), 50);
    flame_stacks_finish(&base);
    fill(&s); /* main 10, of which work 9 and read 4 */
    flame_stacks_append(&s, &base, true);
    flame_build(&f, &s, false, NULL, NO_FRAME);
    uint32_t outer = frame_called(&f, &s, 0, "main"), work = frame_called(&f, &s, outer, "work");
    check(&f, 0, 10, 0);
    assert_true(f.frames.items[0].base == 100 && f.frames.items[work].base == 50);
    assert_true(flame_change(&f, outer) == 50 && flame_change(&f, work) == 40);
    assert_true(flame_change(&f, frame_called(&f, &s, 0, "gone")) == -50);
    struct flame_function *functions = flame_functions(&f, &s);
    for (uint32_t i = 0; i < s.names.count; i++)
        if (str_eq(s.names.items[i], STR("gone")))
            assert_true(functions[i].total == 0 && functions[i].base == 50);
    free(functions);
    flame_stacks_init(&again); /* without what it was compared with */
    flame_stacks_append(&again, &s, false);
    flame_build(&f, &again, false, NULL, NO_FRAME);
    check(&f, 0, 10, 0);
    assert_true(f.frames.items[0].base == 0);
    flame_release(&f);
    flame_stacks_release(&s);
    flame_stacks_release(&base);
    flame_stacks_release(&again);
}

/* A name under the one before, `count` of them, the first ones with nothing of their own. */
static void add_chain(struct flame_stacks *s, int64_t first_id, int count, int own_at)
{
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        flame_stacks_add(s, first_id + i, i ? first_id + i - 1 : INT64_MIN, str_from(name),
                         i == own_at || i == count - 1 ? 10 : 0);
    }
    flame_stacks_finish(s);
}

static void test_a_box_has_one_difference(void **state)
{
    enum { LONG = 2 * FLAME_TRUNK + 4 };
    struct flame_stacks s, base;
    struct flame f = {0};
    struct flame_boxes b = {0};
    (void)state;
    flame_stacks_init(&s);
    flame_stacks_init(&base);
    add_chain(&s, 1, LONG, LONG - 1);
    add_chain(&base, 1, LONG, FLAME_TRUNK); /* those below take half of what they are called by */
    flame_build(&f, &s, false, NULL, NO_FRAME);
    flame_layout(&b, &f, 0, 40);
    assert_int_equal(b.v.count, 3); /* all, the trunk, the last */
    flame_stacks_append(&s, &base, true);
    flame_build(&f, &s, false, NULL, NO_FRAME);
    flame_layout(&b, &f, 0, 40);
    assert_true(b.v.count > 3);
    for (size_t i = 0; i < b.v.count; i++)
        assert_true(flame_change(&f, b.v.items[i].frame) == flame_change(&f, b.v.items[i].last));
    vec_release(&b.v);
    flame_release(&f);
    flame_stacks_release(&s);
    flame_stacks_release(&base);
}

static void test_names_keep_their_numbers_when_stacks_are_others(void **state)
{
    struct flame_stacks s, others;
    struct flame f = {0};
    (void)state;
    fill(&s);
    flame_stacks_init(&others);
    flame_stacks_add(&others, 1, INT64_MIN, STR("new"), 7);
    flame_stacks_add(&others, 2, 1, STR("work"), 5);
    flame_stacks_finish(&others);
    uint32_t work = s.v.items[2].name;
    flame_stacks_renew(&s, &others);
    flame_build(&f, &s, false, NULL, work);
    assert_true(str_eq(s.names.items[work], STR("work")));
    check(&f, frame_called(&f, &s, 0, "work"), 5, 5);
    assert_int_equal(s.v.count, 2);
    flame_release(&f);
    flame_stacks_release(&s);
    flame_stacks_release(&others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_that_call_one_other_stand_in_one_box),
        cmocka_unit_test(test_what_half_a_cell_would_not_show_does_not_keep_frames_apart),
        cmocka_unit_test(test_a_function_alone_counts_each_stack_once),
        cmocka_unit_test(test_callers_stand_above_the_function_and_what_it_calls_below),
        cmocka_unit_test(test_shares_are_compared_with_a_base),
        cmocka_unit_test(test_a_box_has_one_difference),
        cmocka_unit_test(test_names_keep_their_numbers_when_stacks_are_others),
        cmocka_unit_test(test_frames_of_one_name_under_one_caller_are_one),
        cmocka_unit_test(test_inverted_starts_with_what_took_the_time),
        cmocka_unit_test(test_a_filter_keeps_the_stacks_with_such_a_frame),
        cmocka_unit_test(test_stacks_that_call_themselves_end),
        cmocka_unit_test(test_boxes_of_a_row_stand_side_by_side),
        cmocka_unit_test(test_values_beyond_all_numbers_have_a_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
