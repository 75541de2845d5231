/* The lines below a prompt, in the smallest terminal that understands what they send. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "test_random.h"
#include "tui/term/lines.h"

enum { WIDTH = 10, HEIGHT = 6, TEXT_LINES = 2000 };

/* All lines since the start; the last HEIGHT of those that were reached are on the screen. */
struct toy_terminal {
    char text[TEXT_LINES][WIDTH + 1];
    int x, y, last;
};

static void toy_start(struct toy_terminal *t)
{
    *t = (struct toy_terminal){0};
    for (int y = 0; y < TEXT_LINES; y++)
        snprintf(t->text[y], WIDTH + 1, "%*s", WIDTH, "");
}

static int toy_top(const struct toy_terminal *t)
{
    return t->last >= HEIGHT ? t->last - HEIGHT + 1 : 0;
}

static void toy_clear(struct toy_terminal *t, int y)
{
    memset(t->text[y], ' ', WIDTH);
}

static void toy_control(struct toy_terminal *t, char what, int n)
{
    if (what == 'A') {
        t->y = t->y - n < toy_top(t) ? toy_top(t) : t->y - n;
    } else if (what == 'C') {
        t->x += n;
    } else if (what == 'K') {
        toy_clear(t, t->y);
    } else if (what == 'J') {
        memset(t->text[t->y] + t->x, ' ', (size_t)(WIDTH - t->x));
        for (int y = t->y + 1; y <= t->last; y++)
            toy_clear(t, y);
    }
}

static void toy_take(struct toy_terminal *t, struct str bytes)
{
    for (size_t i = 0; i < bytes.n; i++) {
        char c = bytes.p[i];
        if (c == '\r') {
            t->x = 0;
        } else if (c == '\n') {
            t->y++;
            t->last = t->y > t->last ? t->y : t->last;
            assert_true(t->last < TEXT_LINES);
        } else if (c == '\x1b') {
            int n = 0;
            for (i += 2; bytes.p[i] < '@'; i++)
                n = bytes.p[i] >= '0' && bytes.p[i] <= '9' ? n * 10 + bytes.p[i] - '0' : 0;
            toy_control(t, bytes.p[i], n);
        } else {
            assert_true(t->x < WIDTH);
            t->text[t->y][t->x++] = c;
        }
    }
}

static struct term_lines *start(struct toy_terminal *t)
{
    struct theme theme;
    assert_true(status_ok(theme_load("dark", &theme)));
    struct term_lines *l = term_lines_new(&theme, DEPTH_256);
    term_lines_resize(l, WIDTH, HEIGHT);
    toy_start(t);
    return l;
}

static void fill(struct cells *c)
{
    cells_clear(c);
    for (int y = 0; y < c->height; y++)
        for (uint32_t n = next_random(WIDTH + 1), x = 0; x < n; x++)
            cells_put(c, (int)x, y, (char32_t)('a' + next_random(26)),
                      (uint16_t)next_random(ROLE_COUNT), 0);
}

static void check_line(const struct toy_terminal *t, int at, const struct cells *c, int y)
{
    for (int x = 0; x < WIDTH; x++)
        assert_int_equal(t->text[at][x], (char)cells_at(c, x, y)->ch);
}

/* Whatever is drawn and printed, the terminal has what was printed, and the frame below it. */
static void test_frames_are_replaced_and_prints_stay(void **state)
{
    (void)state;
    static struct toy_terminal t;
    random_state = 7;
    struct term_lines *l = start(&t);
    int printed = 0;
    for (int round = 0; round < 400; round++) {
        struct cells c;
        bool print = next_random(4) == 0;
        cells_init(&c, WIDTH, 1 + (int)next_random(print ? 2 * HEIGHT : HEIGHT));
        fill(&c);
        if (print) {
            toy_take(&t, term_lines_print(l, &c));
            for (int y = 0; y < c.height; y++)
                check_line(&t, printed++, &c, y);
        } else {
            int x = (int)next_random(WIDTH), y = (int)next_random((uint32_t)c.height);
            toy_take(&t, term_lines_draw(l, &c, x, y));
            for (int row = 0; row < c.height; row++)
                check_line(&t, printed + row, &c, row);
            assert_int_equal(t.x, x);
            assert_int_equal(t.y, printed + y);
        }
        for (int y = printed + (print ? 0 : c.height); y <= t.last; y++)
            for (int x = 0; x < WIDTH; x++)
                assert_int_equal(t.text[y][x], ' ');
        cells_release(&c);
    }
    toy_take(&t, term_lines_erase(l));
    assert_int_equal(t.x, 0);
    assert_int_equal(t.y, printed);
    term_lines_free(l);
}

static void test_the_same_frame_sends_nothing(void **state)
{
    (void)state;
    static struct toy_terminal t;
    struct term_lines *l = start(&t);
    struct cells c;
    cells_init(&c, WIDTH, 2);
    cells_put_text(&c, 0, 0, WIDTH, STR("> select"), ROLE_VALUE, 0);
    assert_true(term_lines_draw(l, &c, 2, 0).n > 0);
    assert_int_equal(term_lines_draw(l, &c, 2, 0).n, 0);
    assert_true(term_lines_draw(l, &c, 3, 0).n > 0);
    cells_release(&c);
    term_lines_free(l);
}

/* A line that is wider than the terminal has become takes two there. */
static void test_lines_broken_anew_are_all_removed(void **state)
{
    (void)state;
    static struct toy_terminal t;
    struct term_lines *l = start(&t);
    struct cells c;
    cells_init(&c, WIDTH, 2);
    cells_put_text(&c, 0, 0, WIDTH, STR("123456789"), ROLE_VALUE, 0);
    term_lines_draw(l, &c, 0, 1);
    term_lines_resize(l, WIDTH / 2, HEIGHT);
    struct str erased = term_lines_erase(l);
    char bytes[64];
    snprintf(bytes, sizeof bytes, "%.*s", (int)erased.n, erased.p);
    assert_string_equal(bytes, "\r\x1b[2A\x1b[0m\x1b[J\x1b[?25h");
    cells_release(&c);
    term_lines_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_are_replaced_and_prints_stay),
        cmocka_unit_test(test_the_same_frame_sends_nothing),
        cmocka_unit_test(test_lines_broken_anew_are_all_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
