/* Rows that a frame moves sideways are found, and by how much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "test_random.h"
#include "tui/term/moves.h"
#include "tui/term/row_shift.h"

enum { WIDTH = 80, LABEL = 12 };

static void put_row(struct cells *c, const char *text, int skip)
{
    cells_init(c, WIDTH, 2);
    cells_put_text(c, 0, 0, LABEL, STR("a label"), ROLE_GUTTER, 0);
    for (int x = LABEL; x < WIDTH; x++)
        cells_put(c, x, 0, (char32_t)text[skip + x - LABEL], ROLE_SLICE_2, 0);
}

static struct row_shift shift_between(const char *text, int skip_before, int skip_after)
{
    struct cells before, after;
    put_row(&before, text, skip_before);
    put_row(&after, text, skip_after);
    struct row_shift found = row_shift_find(&before, &after, 0, 0);
    cells_release(&before);
    cells_release(&after);
    return found;
}

static void test_the_distance_is_found(void **state)
{
    char text[200];
    (void)state;
    random_state = 3;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + next_random(26));
    text[50] = text[60], text[51] = text[61]; /* what happens to be equal there stays */
    assert_int_equal(shift_between(text, 50, 60).by, 10);
    assert_int_equal(shift_between(text, 50, 60).from, LABEL + 2);
    assert_int_equal(shift_between(text, 60, 50).by, -10);
    assert_int_equal(shift_between(text, 20, 21).by, 1);
    assert_int_equal(shift_between(text, 20, 20).by, 0);
    assert_int_equal(shift_between(text, 0, 66).by, 0); /* two cells are no gain */
    assert_int_equal(shift_between(text, 0, 40).by, 40);
    assert_int_equal(shift_between(text, 40, 6).by, -34);
    assert_int_equal(shift_between(text, 40, 0).by, 0); /* no farther than half of what moves */
}

static void test_characters_of_two_cells_stay(void **state)
{
    struct cells before, after;
    char text[200];
    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 23);
    put_row(&before, text, 0);
    put_row(&after, text, 5);
    assert_int_equal(row_shift_find(&before, &after, 0, 0).by, 5);
    cells_put_text(&after, 40, 0, 2, STR("日"), ROLE_SLICE_2, 0);
    assert_int_equal(row_shift_find(&before, &after, 0, 0).by, 0);
    cells_release(&before);
    cells_release(&after);
}

static void check_moves(const char *frame, const char *expected)
{
    char out[200];
    size_t n = strlen(frame);
    memcpy(out, frame, n);
    n = moves_shorten(out, n, 20);
    out[n] = '\0';
    assert_string_equal(out, expected);
}

static void test_on_its_row_a_move_names_the_column(void **state)
{
    (void)state;
    check_moves("\x1b[3;4Hab\x1b[1;44m\x0f"
                "c\x1b[K\x1b[3;15Hx\x1b[4;4Hy\x1b[4;14Hz",
                "\x1b[3;4Hab\x1b[1;44m\x0f"
                "c\x1b[K\x1b[15Gx\x1b[4;4Hy\x1b[14Gz");
    check_moves("\x1b[3;4H\x1b(B▁▁\x1b[9G\x1b[3;15Hx", "\x1b[3;4H\x1b(B▁▁\x1b[9G\x1b[15Gx");
}

static void test_where_the_row_is_not_sure_a_move_names_both(void **state)
{
    static const char *const frames[] = {
        "ab\x1b[3;15Hx",             /* where the frame begins */
        "\x1b[3;19Habc\x1b[3;2Hx",   /* behind the last column */
        "\x1b[3;18H日\nx\x1b[3;2Hx", /* behind what moves */
        "\x1b[3;4H\x1b[2A\x1b[3;2Hx",
        "\x1b[3;4H\x1bM\x1b[3;2Hx",
        "\x1b[3;4Hab\x1b[40b\x1b[3;2Hx",
        "\x1b[3;4Ha\x1b[H\x1b[3;2Hx\x1b[",
    };
    (void)state;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        check_moves(frames[i], frames[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_distance_is_found),
        cmocka_unit_test(test_characters_of_two_cells_stay),
        cmocka_unit_test(test_on_its_row_a_move_names_the_column),
        cmocka_unit_test(test_where_the_row_is_not_sure_a_move_names_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
