#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tui/cells/theme.h"
#include "tui/cells/theme_names.h"

/* A configuration folder of the test's own: $XDG_CONFIG_HOME is its path. */
static char config[64], themes[128];

static int make_folder(void **state)
{
    (void)state;
    char part[96];
    snprintf(config, sizeof config, "/tmp/tptui-theme-test-XXXXXX");
    if (!mkdtemp(config))
        return -1;
    snprintf(part, sizeof part, "%s/tptui", config);
    snprintf(themes, sizeof themes, "%s/themes", part);
    return mkdir(part, 0700) || mkdir(themes, 0700) || setenv("XDG_CONFIG_HOME", config, 1);
}

static int remove_folder(void **state)
{
    (void)state;
    char part[96];
    snprintf(part, sizeof part, "%s/tptui", config);
    return rmdir(themes) || rmdir(part) || rmdir(config);
}

static void theme_path(const char *name, char out[192])
{
    snprintf(out, 192, "%s/%s.theme", themes, name);
}

/* Loads the theme of that name while its file has this text. */
static struct status load_text(const char *name, struct str text, struct theme *out)
{
    char path[192];
    theme_path(name, path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    assert_int_equal(fclose(f), 0);
    struct status s = theme_load(name, out);
    assert_int_equal(unlink(path), 0);
    return s;
}

static void check_error(struct status s, const char *part)
{
    assert_false(status_ok(s));
    if (!strstr(s.message, part))
        fail_msg("expected '%s' in '%s'", part, s.message);
    status_release(&s);
}

static void test_a_file_in_the_users_folder_is_a_theme(void **state)
{
    (void)state;
    struct theme t;
    assert_true(status_ok(load_text("mine", STR("error = 208 17 bold"), &t)));
    assert_string_equal(t.name, "mine");
    assert_int_equal(t.roles[ROLE_ERROR].fg.index, 208);
    assert_int_equal(t.roles[ROLE_ERROR].bg.index, 17);
    assert_int_equal(t.roles[ROLE_ERROR].attrs, CELL_BOLD);
}

static void test_a_users_file_goes_before_a_built_in_theme(void **state)
{
    (void)state;
    struct theme t;
    assert_true(status_ok(load_text("dark", STR("error = 99 -"), &t)));
    assert_int_equal(t.roles[ROLE_ERROR].fg.index, 99);
    assert_true(status_ok(theme_load("dark", &t)));
    assert_int_not_equal(t.roles[ROLE_ERROR].fg.index, 99);
}

static void test_an_error_names_the_file_and_the_line(void **state)
{
    (void)state;
    struct theme t;
    char path[192], expected[256];
    theme_path("broken", path);
    snprintf(expected, sizeof expected, "%s:2: there is no role of that name: 'eror'", path);
    check_error(load_text("broken", STR("dim = 1 2\neror = 1 2\n"), &t), expected);
}

static void test_a_file_that_is_too_long_is_no_theme(void **state)
{
    (void)state;
    enum { SIZE = 70000 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    memset(text, '\n', SIZE);
    struct theme t;
    check_error(load_text("long", (struct str){text, SIZE}, &t), "larger than 65536 bytes");
    free(text);
}

static void test_a_folder_is_no_theme(void **state)
{
    (void)state;
    char path[192];
    struct theme t;
    theme_path("folder", path);
    assert_int_equal(mkdir(path, 0700), 0);
    check_error(theme_load("folder", &t), "folder.theme: not a file");
    assert_int_equal(rmdir(path), 0);
}

static void test_a_name_does_not_lead_out_of_the_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"../themes/mine", "/etc/passwd", ".mine", "",
                                        "a-name-that-is-longer-than-any-theme-has"};
    char path[192];
    struct theme t;
    theme_path("mine", path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_error(theme_load(names[i], &t), "there is no theme");
    assert_int_equal(unlink(path), 0);
}

static void test_all_names_are_known(void **state)
{
    static const char *const files[] = {"b.theme",    "a.theme",
                                        ".theme",     "notes",
                                        "dark.theme", "a name of more than 31 characters.theme"};
    char path[256];
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", themes, files[i]);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fclose(f);
    }
    struct theme_names names = {0};
    theme_names_read(&names);
    for (size_t i = 0; i < names.built_in; i++)
        assert_string_equal(names.v.items[i], theme_builtin_name((int)i));
    assert_null(theme_builtin_name((int)names.built_in));
    assert_int_equal(names.v.count, names.built_in + 2);
    assert_string_equal(names.v.items[names.built_in], "a");
    assert_string_equal(names.v.items[names.built_in + 1], "b");
    theme_names_release(&names);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", themes, files[i]);
        assert_int_equal(unlink(path), 0);
    }
}

static void test_an_unknown_name_lists_what_there_is(void **state)
{
    (void)state;
    struct theme t;
    check_error(theme_load("drak", &t),
                "there is no theme 'drak'; built in are: dark light contrast colourblind;");
}

static bool same_look(struct role_style a, struct role_style b)
{
    return a.fg.index == b.fg.index && a.bg.index == b.bg.index && a.attrs == b.attrs &&
           a.mono == b.mono;
}

static void test_built_in_themes_name_every_role(void **state)
{
    (void)state;
    for (int i = 0; theme_builtin_name(i); i++) {
        struct theme t;
        assert_true(status_ok(theme_load(theme_builtin_name(i), &t)));
        for (int role = 1; role < ROLE_COUNT; role++)
            if (same_look(t.roles[role], t.roles[ROLE_DEFAULT]))
                fail_msg("%s says nothing about %s", theme_builtin_name(i),
                         role_name((uint16_t)role));
    }
}

/* Of a channel of sRGB, as WCAG defines relative luminance. */
static double linear(uint32_t channel)
{
    double c = channel / 255.0;
    return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t rgb)
{
    return 0.2126 * linear(rgb >> 16 & 0xff) + 0.7152 * linear(rgb >> 8 & 0xff) +
           0.0722 * linear(rgb & 0xff);
}

static double contrast(uint32_t a, uint32_t b)
{
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

/* Text is at least 3 to 1 against its ground, in the theme for it 7 to 1; lines and what is dim by
 * intention may be less. */
static void test_text_stands_out_in_every_theme(void **state)
{
    (void)state;
    for (int i = 0; theme_builtin_name(i); i++) {
        struct theme t;
        assert_true(status_ok(theme_load(theme_builtin_name(i), &t)));
        bool high = strcmp(t.name, "contrast") == 0;
        for (uint16_t role = 0; role < ROLE_COUNT; role++) {
            struct role_style s =
                theme_style(&t, (struct cell){.ch = 'a', .role = role}, DEPTH_256);
            uint32_t ground = s.bg.index == COLOUR_NONE ? t.roles[ROLE_DEFAULT].bg.rgb : s.bg.rgb;
            bool faint = role == ROLE_BORDER || role == ROLE_STATE_SLEEPING ||
                         role == ROLE_GRID_NULL || role == ROLE_SQL_COMMENT;
            double least = high ? 7 : faint ? 1.8 : 3;
            if (contrast(s.fg.rgb, ground) < least)
                fail_msg("%s of theme %s: %.1f to 1", role_name(role), t.name,
                         contrast(s.fg.rgb, ground));
        }
    }
}

static int distance(uint32_t a, uint32_t b)
{
    int sum = 0;
    for (int shift = 0; shift < 24; shift += 8)
        sum += abs((int)(a >> shift & 0xff) - (int)(b >> shift & 0xff));
    return sum;
}

static void test_what_is_selected_looks_like_no_slice(void **state)
{
    (void)state;
    for (int i = 0; theme_builtin_name(i); i++) {
        struct theme t;
        assert_true(status_ok(theme_load(theme_builtin_name(i), &t)));
        for (uint16_t role = ROLE_SLICE_0; role <= ROLE_SLICE_11; role++)
            if (distance(t.roles[ROLE_SELECTION].bg.rgb, t.roles[role].bg.rgb) < 80)
                fail_msg("%s of theme %s looks selected", role_name(role), t.name);
    }
}

static int ground_of(const struct theme *t, uint16_t role, enum colour_depth depth)
{
    return theme_style(t, (struct cell){.ch = 'a', .role = role}, depth).bg.index;
}

/* Nor as what warns: not the same kind of yellow. */
static void test_what_is_selected_looks_like_no_warning(void **state)
{
    (void)state;
    for (int i = 0; theme_builtin_name(i); i++) {
        struct theme t;
        assert_true(status_ok(theme_load(theme_builtin_name(i), &t)));
        uint32_t selected = t.roles[ROLE_SELECTION].bg.rgb;
        assert_true(distance(selected, t.roles[ROLE_HEADER_WARNING].bg.rgb) > 250);
        assert_true(distance(selected, t.roles[ROLE_FRAME_JANK].bg.rgb) > 180);
        assert_int_not_equal(ground_of(&t, ROLE_SELECTION, DEPTH_16),
                             ground_of(&t, ROLE_HEADER_WARNING, DEPTH_16));
        for (uint16_t a = ROLE_COUNTER; a < ROLE_COUNTER + COUNTER_ROLES; a++)
            for (uint16_t b = ROLE_COUNTER; b < a; b++)
                assert_true(distance(t.roles[a].fg.rgb, t.roles[b].fg.rgb) > 60);
    }
}

/* What xterm and the Linux console show for the first sixteen colours. */
static const uint32_t palettes[2][16] = {
    {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f,
     0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff},
    {0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555,
     0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff},
};

static void check_readable(const struct theme *t, uint16_t role, enum colour_depth depth)
{
    struct role_style s = theme_style(t, (struct cell){.ch = 'a', .role = role}, depth);
    if (s.bg.index == COLOUR_NONE || s.fg.index == COLOUR_NONE)
        return; /* of the terminal */
    int16_t text = s.attrs & CELL_REVERSE ? s.bg.index : s.fg.index;
    assert_false(text == 0 && s.attrs & CELL_BOLD);
    for (size_t p = 0; p < 2; p++) {
        double ratio = contrast(palettes[p][s.fg.index], palettes[p][s.bg.index]);
        if (ratio < 2.7)
            fail_msg("%s of theme %s with %d colours: %.1f to 1", role_name(role), t->name,
                     (int)depth, ratio);
    }
}

static void test_text_stands_out_with_few_colours(void **state)
{
    (void)state;
    static const enum colour_depth depths[] = {DEPTH_16, DEPTH_8};
    for (int i = 0; theme_builtin_name(i); i++) {
        struct theme t;
        assert_true(status_ok(theme_load(theme_builtin_name(i), &t)));
        for (uint16_t role = 0; role < ROLE_COUNT; role++)
            for (size_t d = 0; d < 2; d++)
                check_readable(&t, role, depths[d]);
    }
}

static void check_few_differ(const struct theme *t, enum colour_depth depth)
{
    static const uint16_t grounds[] = {ROLE_SELECTION, ROLE_CURSOR, ROLE_AREA};
    for (uint16_t role = ROLE_SLICE_0; role <= ROLE_SLICE_11; role++)
        for (size_t g = 0; g < sizeof grounds / sizeof *grounds; g++)
            if (ground_of(t, role, depth) == ground_of(t, grounds[g], depth))
                fail_msg("%s of theme %s with %d colours looks like %s", role_name(role), t->name,
                         (int)depth, role_name(grounds[g]));
    static const uint16_t frames[] = {ROLE_FRAME_GOOD, ROLE_FRAME_JANK, ROLE_FRAME_OTHER,
                                      ROLE_FRAME_SMOOTH, ROLE_FRAME_LOST};
    for (size_t a = 0; a < sizeof frames / sizeof *frames; a++)
        for (size_t b = 0; b < a; b++)
            if (ground_of(t, frames[a], depth) == ground_of(t, frames[b], depth))
                fail_msg("%s of theme %s with %d colours looks like %s", role_name(frames[a]),
                         t->name, (int)depth, role_name(frames[b]));
}

static void test_few_colours_keep_apart_what_differs(void **state)
{
    (void)state;
    for (int i = 0; theme_builtin_name(i); i++) {
        struct theme t;
        assert_true(status_ok(theme_load(theme_builtin_name(i), &t)));
        check_few_differ(&t, DEPTH_16);
        check_few_differ(&t, DEPTH_8);
    }
}

static void test_a_theme_says_what_few_colours_look_like(void **state)
{
    (void)state;
    struct theme t;
    assert_true(status_ok(load_text("few", STR("error = 208 -\nerror@16 = 9 4 bold\n"), &t)));
    struct cell cell = {.ch = 'a', .role = ROLE_ERROR};
    assert_int_equal(theme_style(&t, cell, DEPTH_256).fg.index, 208);
    assert_int_equal(theme_style(&t, cell, DEPTH_16).bg.index, 4);
    assert_int_equal(theme_style(&t, cell, DEPTH_16).attrs, CELL_BOLD);
    assert_int_equal(theme_style(&t, cell, DEPTH_8).fg.index, 3); /* reduced */
    check_error(load_text("few", STR("error@4 = 1 -"), &t), "expected @16 or @8");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_in_the_users_folder_is_a_theme),
        cmocka_unit_test(test_a_users_file_goes_before_a_built_in_theme),
        cmocka_unit_test(test_an_error_names_the_file_and_the_line),
        cmocka_unit_test(test_a_file_that_is_too_long_is_no_theme),
        cmocka_unit_test(test_a_folder_is_no_theme),
        cmocka_unit_test(test_a_name_does_not_lead_out_of_the_folder),
        cmocka_unit_test(test_all_names_are_known),
        cmocka_unit_test(test_an_unknown_name_lists_what_there_is),
        cmocka_unit_test(test_built_in_themes_name_every_role),
        cmocka_unit_test(test_text_stands_out_in_every_theme),
        cmocka_unit_test(test_what_is_selected_looks_like_no_slice),
        cmocka_unit_test(test_what_is_selected_looks_like_no_warning),
        cmocka_unit_test(test_text_stands_out_with_few_colours),
        cmocka_unit_test(test_few_colours_keep_apart_what_differs),
        cmocka_unit_test(test_a_theme_says_what_few_colours_look_like),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
