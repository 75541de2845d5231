/* Shorter sequences leave every character looking as it did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "test_random.h"
#include "tui/term/sgr.h"

enum { BYTES_MAX = 4096, ROUNDS = 3000 };

/* What a terminal makes of a stream: its characters, and the look of each. */
struct shown {
    char text[BYTES_MAX];
    int look[BYTES_MAX][3]; /* foreground, ground, attributes */
    size_t n;
    int now[3];
    char moves[BYTES_MAX]; /* other sequences, as they are */
    size_t moved;
};

static void set_colour(int *colour, const int *params, int *i)
{
    *colour = params[*i + 1] == 5
                  ? 1000 + params[*i + 2]
                  : 1 << 24 | params[*i + 2] << 16 | params[*i + 3] << 8 | params[*i + 4];
    *i += params[*i + 1] == 5 ? 2 : 4;
}

static void set_look(int now[3], const char *p)
{
    int params[32] = {0}, count = 1;
    for (; *p != 'm'; p++)
        if (*p == ';')
            count++;
        else
            params[count - 1] = params[count - 1] * 10 + *p - '0';
    for (int i = 0; i < count; i++) {
        int v = params[i];
        if (v == 0)
            now[0] = now[1] = now[2] = 0;
        else if (v < 10)
            now[2] |= 1 << v;
        else if (v == 22)
            now[2] &= ~6;
        else if (v >= 23 && v <= 29)
            now[2] &= ~(1 << (v - 20));
        else if (v == 38 || v == 48)
            set_colour(&now[v == 48], params, &i);
        else if (v == 39 || v == 49)
            now[v == 49] = 0;
        else
            now[(v >= 40 && v <= 47) || v >= 100] = v % 10 + (v >= 90 ? 10 : 1);
    }
}

/* Of what has no character only the ground is seen, and lines. */
static void add_cell(struct shown *t, char c)
{
    bool blank = strchr(" KXJP", c) != NULL;
    t->text[t->n] = c;
    memcpy(t->look[t->n], t->now, sizeof t->now);
    if (blank && (t->now[2] & (1 << 4 | 1 << 7)) == 0 && t->now[1] != 78)
        t->look[t->n][0] = t->look[t->n][2] = 0;
    t->n++;
}

static void show(struct shown *t, const char *bytes, size_t n)
{
    *t = (struct shown){.now = {77, 78, 79}}; /* as whatever was there before left it */
    for (size_t i = 0; i < n; i++) {
        size_t end = i + 1;
        if (bytes[i] == '\x0e' || bytes[i] == '\x0f')
            continue;
        if (bytes[i] != '\x1b') {
            add_cell(t, bytes[i]);
            continue;
        }
        if (bytes[end] == '(') {
            i += 2;
            continue;
        }
        for (end++; (unsigned char)bytes[end] < 0x40; end++)
            continue;
        if (bytes[end] == 'm') {
            set_look(t->now, bytes + i + 2);
        } else { /* what erases does so in the ground that is set */
            if (!strchr("Hd", bytes[end]))
                add_cell(t, bytes[end]);
            memcpy(t->moves + t->moved, bytes + i, end - i + 1);
            t->moved += end - i + 1;
        }
        i = end;
    }
}

static size_t add_random(char *out, size_t size)
{
    static const char *const parts[] = {
        "\x1b[m",    "\x1b[39;49m",   "\x1b(B",   "\x1b(B\x1b[m", "\x1b[1m",
        "\x1b[7m",   "\x1b[27m",      "\x1b[24m", "\x1b[4m",      "\x1b[0;1;7m",
        "\x1b[3;4H", "\x1b[K",        "\x1b[12X", "\x1b[7d",      "\x1b[38;2;1;2;3m",
        "\x1b[39m",  "\x1b[1;31;44m", "\x1b[97m", "\x1b[101m",    "  ",
        " ab",       "abc",           "\x0f",     "\x1b[m\x0f"};
    enum { PARTS = sizeof parts / sizeof *parts };
    uint32_t which = next_random(2 * PARTS);
    if (which < PARTS)
        return (size_t)snprintf(out, size, "%s", parts[which]);
    if (which % 3 == 0)
        return (size_t)snprintf(out, size, "%c", (char)('a' + which % 26));
    return (size_t)snprintf(out, size, "\x1b[%d;5;%dm", which % 2 ? 38 : 48, (int)next_random(4));
}

static void compare(const struct shown *before, char *out, size_t n)
{
    static struct shown after;
    out[n] = '\0';
    show(&after, out, n);
    assert_int_equal(before->n, after.n);
    assert_memory_equal(before->text, after.text, before->n);
    assert_memory_equal(before->look, after.look, before->n * sizeof before->look[0]);
    assert_memory_equal(before->now, after.now, sizeof before->now);
    assert_int_equal(before->moved, after.moved);
    assert_memory_equal(before->moves, after.moves, before->moved);
}

static void recolour(int look[3], const uint32_t colours[3])
{
    for (int i = 0; i < 2; i++)
        if (look[i] >= 1000 && look[i] < 1003 && colours[look[i] - 1000] != SGR_INDEX)
            look[i] = 1 << 24 | (int)colours[look[i] - 1000];
}

static void check(const char *bytes, size_t n)
{
    static struct shown before;
    static char out[BYTES_MAX + 1];
    size_t shorter = sgr_shorten((struct str){bytes, n}, NULL, &(bool){false}, out);
    assert_true(n == 0 || shorter < n);
    if (shorter == 0)
        return;
    show(&before, bytes, n);
    compare(&before, out, shorter);
}

/* The numbers of the palette become colours, whatever else is shortened. */
static void check_palette(const char *bytes, size_t n)
{
    static const uint32_t colours[3] = {0x010203, SGR_INDEX, 0xffffff};
    static struct shown before;
    static char out[SGR_GROWTH * BYTES_MAX + 1];
    static sgr_palette palette;
    for (int i = 0; i < 256; i++)
        palette[i] = i < 3 ? colours[i] : SGR_INDEX;
    size_t written = sgr_shorten((struct str){bytes, n}, palette, &(bool){false}, out);
    assert_true(n == 0 || written > 0);
    show(&before, bytes, n);
    for (size_t i = 0; i < before.n; i++)
        recolour(before.look[i], colours);
    recolour(before.now, colours);
    compare(&before, out, written);
}

static void test_random_frames_look_the_same(void **state)
{
    (void)state;
    random_state = 7;
    for (int round = 0; round < ROUNDS; round++) {
        static char bytes[BYTES_MAX];
        size_t n = 0, parts = next_random(60);
        for (size_t i = 0; i < parts; i++)
            n += add_random(bytes + n, sizeof bytes - n);
        bytes[n] = '\0';
        check(bytes, n);
        check_palette(bytes, n);
    }
}

static void check_shortened(const char *bytes, const char *expected)
{
    char out[256] = "";
    size_t n = sgr_shorten(str_from(bytes), NULL, &(bool){false}, out);
    out[n] = '\0';
    assert_string_equal(out, expected);
}

static void test_sequences_become_one(void **state)
{
    (void)state;
    check_shortened("\x1b[m\x1b[38;5;16m\x1b[48;5;180mab\x1b[39;49m\x1b(B\x1b[m "
                    "\x1b[38;5;16m\x1b[48;5;7mc\x1b[m",
                    "\x1b[m\x1b[38;5;16;48;5;180mab\x1b(B\x1b[49m \x1b[48;5;7mc\x1b[m");
    check_shortened("\x1b[m\x1b[48;5;180ma\x1b[m\x1b[2;3H\x1b[48;5;180mb\x1b[m",
                    "\x1b[m\x1b[48;5;180ma\x1b[2;3Hb\x1b[m");
}

/* A frame begins with what the one before it has left. */
static void test_what_the_frame_before_left_is_not_said_again(void **state)
{
    char out[256] = "";
    bool plain = false;
    (void)state;
    sgr_shorten(STR("\x1b(B\x1b[ma\x1b[38;5;1mb"), NULL, &plain, out);
    assert_false(plain);
    sgr_shorten(STR("\x1b[38;5;1mb\x1b(B\x1b[m"), NULL, &plain, out);
    assert_true(plain);
    struct str frame = STR("\x1b[3d\x1b[38;5;7m\x1b[48;5;4m \x1b(B\x1b[m\x1b[1mx\x1b(B\x1b[m");
    size_t n = sgr_shorten(frame, NULL, &plain, out);
    out[n] = '\0';
    assert_string_equal(out, "\x1b[3d\x1b[48;5;4m \x1b[1;49mx\x1b[m");
    assert_true(plain);
    n = sgr_shorten(STR("\x1b[m\x0f\x1b[3d\x1b[38;5;7m\x1b[48;5;4mab\x1b[m\x0f"), NULL, &plain,
                    out);
    out[n] = '\0';
    assert_string_equal(out, "\x1b[3d\x1b[38;5;7;48;5;4mab\x1b[m");
    n = sgr_shorten(STR("\x1b[38;5;7m\x1b[48;5;4m\x0exx\x1b[m"), NULL, &plain, out);
    assert_false(plain); /* lines, of another character set */
}

static void test_what_is_not_understood_stays(void **state)
{
    (void)state;
    check_shortened("\x1b[31mno reset yet", "");
    check_shortened("\x1b[m\x1b[38;5;1m\x1b[38;5;2ma\x1b[>4;2mb\x1b[38;5;2mc",
                    "\x1b[m\x1b[38;5;2ma\x1b[>4;2mb\x1b[38;5;2mc");
    check_shortened("\x1b[m\x1b[m\x1b[", "\x1b[m\x1b[");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_frames_look_the_same),
        cmocka_unit_test(test_sequences_become_one),
        cmocka_unit_test(test_what_the_frame_before_left_is_not_said_again),
        cmocka_unit_test(test_what_is_not_understood_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
