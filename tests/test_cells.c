#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tui/term/term.h"
#include "tui/cells/braille.h"
#include "tui/cells/cells.h"
#include "tui/cells/theme.h"

static void check_text(const struct cells *c, const char *expected)
{
    char *text = cells_text(c);
    assert_string_equal(text, expected);
    free(text);
}

static void check_roles(const struct cells *c, const char *expected)
{
    char *roles = cells_roles(c);
    assert_string_equal(roles, expected);
    free(roles);
}

/* ---- drawing ---- */

static void test_text_is_cut_with_a_tilde_and_escaped(void **state)
{
    (void)state;
    struct cells c;
    cells_init(&c, 12, 4);
    assert_int_equal(cells_put_text(&c, 0, 0, 12, STR("traversal"), ROLE_SLICE_0, 0), 9);
    assert_int_equal(cells_put_text(&c, 0, 1, 6, STR("traversal"), ROLE_SLICE_1, 0), 6);
    assert_int_equal(cells_put_text(&c, 0, 2, 12, STR("a\x1b]0;x\x07"), ROLE_ERROR, 0), 9);
    assert_int_equal(cells_put_text(&c, 0, 3, 12, STR("日本語日本語日本"), ROLE_DIM, 0), 11);
    check_text(&c, "traversal\ntrave~\na^[]0;x^G\n日本語日本~\n");
    check_roles(&c, "AAAAAAAAA\nBBBBBB\neeeeeeeee\n,,,,,,,,,,,\n");
    cells_release(&c);
}

static void test_marks_stay_with_their_character(void **state)
{
    (void)state;
    struct cells c;
    cells_init(&c, 6, 6);
    assert_int_equal(cells_put_text(&c, 0, 0, 6, STR("re\u0301pe\u0301te\u0301"), ROLE_DEFAULT, 0),
                     6);
    assert_int_equal(cells_put_text(&c, 0, 1, 6, STR("abcde\u0301fg"), ROLE_DEFAULT, 0), 6);
    assert_int_equal(cells_put_text(&c, 0, 2, 6, STR("\u0301a"), ROLE_DEFAULT, 0), 2);
    /* U+200D would make one of both in some terminals only, U+FE0F a wide one. */
    assert_int_equal(cells_put_text(&c, 0, 3, 6, STR("日\u0301👨\u200d👩\ufe0f"), ROLE_DEFAULT, 0),
                     6);
    assert_int_equal(cells_put_text(&c, 0, 4, 6, STR("o\u0301\u0302\u0303\u0304\u0305\u0306"),
                                    ROLE_DEFAULT, 0),
                     1);
    cells_put_text(&c, 5, 5, 6, STR("日\u0301"), ROLE_DEFAULT, 0); /* only half fits */
    check_text(&c, "re\u0301pe\u0301te\u0301\nabcde\u0301~\n◌\u0301a\n日\u0301👨👩\n"
                   "o\u0301\u0302\u0303\u0304\n\n");
    struct cells copy;
    cells_init(&copy, 2, 1);
    cells_copy(&copy, -1, 0, &c);
    check_text(&copy, "e\u0301p\n");
    cells_put(&copy, 0, 0, 'x', ROLE_DEFAULT, 0);
    check_text(&copy, "xp\n");
    cells_put(&c, 1, 3, 'x', ROLE_DEFAULT, 0); /* what is left of the wide one has none */
    cells_make_ascii(&c);
    check_text(&c, "repete\nabcde~\n?a\n x????\no\n\n");
    cells_release(&copy);
    cells_release(&c);
}

static void test_nothing_is_drawn_outside_the_clip(void **state)
{
    (void)state;
    struct cells c;
    cells_init(&c, 8, 3);
    struct rect all = cells_clip(&c, (struct rect){2, 1, 4, 1});
    for (int y = -2; y < 5; y++)
        cells_put_text(&c, -3, y, 100, STR("0123456789abcdef"), ROLE_MATCH, 0);
    cells_fill(&c, (struct rect){-5, -5, 3, 100}, 'x', ROLE_ERROR, 0);
    cells_fill(&c, (struct rect){INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}, 'x', ROLE_ERROR, 0);
    cells_fill(&c, (struct rect){INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX}, 'x', ROLE_ERROR, 0);
    check_text(&c, "\n  5678\n\n");
    check_roles(&c, "\n..////\n\n");
    cells_clip(&c, all);
    cells_put(&c, 7, 2, 'z', ROLE_DEFAULT, 0);
    cells_put(&c, 8, 2, 'z', ROLE_DEFAULT, 0);
    check_text(&c, "\n  5678\n       z\n");
    cells_release(&c);
}

static void test_half_a_wide_character_is_a_blank(void **state)
{
    (void)state;
    struct cells c;
    cells_init(&c, 6, 3);
    cells_put_text(&c, 0, 0, 6, STR("日本語"), ROLE_DEFAULT, 0);
    cells_put(&c, 1, 0, 'x', ROLE_DEFAULT, 0);   /* the right half of the first */
    cells_put(&c, 2, 0, 'y', ROLE_DEFAULT, 0);   /* the left half of the second */
    cells_put(&c, 5, 1, U'日', ROLE_DEFAULT, 0); /* no room for its right half */
    cells_put(&c, -1, 2, U'日', ROLE_DEFAULT, 0);
    check_text(&c, " xy 語\n\n\n");
    assert_int_equal(cells_at(&c, 3, 0)->ch, ' ');
    cells_put(&c, 3, 0, U'本', ROLE_DEFAULT, 0); /* over blank and a left half */
    check_text(&c, " xy本\n\n\n");
    assert_int_equal(cells_at(&c, 4, 0)->ch, 0);
    assert_int_equal(cells_at(&c, 5, 0)->ch, ' ');
    cells_release(&c);
}

static void test_a_box_has_a_title(void **state)
{
    (void)state;
    struct cells c;
    cells_init(&c, 14, 3);
    cells_box(&c, (struct rect){1, 0, 12, 3}, STR("help"), ROLE_BORDER);
    check_text(&c, " ┌─ help ───┐\n │          │\n └──────────┘\n");
    cells_make_ascii(&c);
    check_text(&c, " +- help ---+\n |          |\n +----------+\n");
    cells_release(&c);
}

static void test_every_glyph_has_an_ascii_form(void **state)
{
    (void)state;
    for (int i = 0; i <= 8; i++) {
        assert_int_equal(glyph_ascii(glyph_bar(i, false)), glyph_bar(i, true));
        assert_int_equal(glyph_ascii(glyph_left(i, false)), glyph_left(i, true));
    }
    static const char32_t used[] = U"─│┌┐└┘├┤┬┴┼▸▾▶▼»µ…·▕⣿⠁";
    for (const char32_t *p = used; *p; p++) {
        assert_true(glyph_ascii(*p) < 0x7F);
        assert_int_not_equal(glyph_ascii(*p), '?');
    }
    assert_int_equal(glyph_ascii(U'日'), '?');
}

static void test_lines_of_dots_reach_both_ends(void **state)
{
    (void)state;
    struct cells c;
    struct braille b;
    cells_init(&c, 4, 2);
    braille_init(&b, 3, 2);
    braille_line(&b, 0, 7, 5, 0, ROLE_COUNTER);
    braille_line(&b, 5, 0, 0, 7, ROLE_COUNTER); /* the same dots but for rounding */
    braille_dot(&b, -1, 0, ROLE_COUNTER);
    braille_dot(&b, 6, 8, ROLE_COUNTER);
    braille_show(&b, &c, 1, 0);
    char *text = cells_text(&c);
    assert_string_equal(text, "  ⢀⠎\n ⡰⠁\n");
    free(text);
    braille_release(&b);
    cells_release(&c);
}

static void test_bars_are_drawn_in_eighths(void **state)
{
    (void)state;
    char bar[BAR_BYTES_MAX];
    bar_text(1, 2, 3, bar);
    assert_string_equal(bar, "█▌");
    bar_text(UINT64_MAX, UINT64_MAX, BAR_MAX, bar);
    assert_int_equal(strlen(bar), BAR_BYTES_MAX - 1);
    bar_text(1, UINT64_MAX, BAR_MAX, bar);
    assert_string_equal(bar, "▏");
    bar_text(0, 5, BAR_MAX, bar);
    assert_string_equal(bar, "");
    bar_text(0, 0, BAR_MAX, bar);
    assert_string_equal(bar, "");
}

static void test_copying_clips_and_keeps_wide_characters_whole(void **state)
{
    (void)state;
    struct cells from, to;
    cells_init(&from, 4, 1);
    cells_init(&to, 5, 2);
    cells_put_text(&from, 0, 0, 4, STR("日本"), ROLE_LINK, CELL_BOLD);
    cells_copy(&to, 1, 0, &from);
    cells_copy(&to, -1, 1, &from);
    cells_copy(&to, 2, 1, &from);
    check_text(&to, " 日本\n  日\n");
    assert_int_equal(cells_at(&to, 1, 0)->attrs, CELL_BOLD);
    cells_release(&from);
    cells_release(&to);
}

/* ---- roles and themes ---- */

static void test_role_names_and_letters_are_unique(void **state)
{
    (void)state;
    bool seen[256] = {false};
    for (int i = 0; i < ROLE_COUNT; i++) {
        struct cells c;
        assert_int_equal(role_find(str_from(role_name((uint16_t)i))), i);
        cells_init(&c, 1, 1);
        cells_put(&c, 0, 0, 'x', (uint16_t)i, 0);
        char *roles = cells_roles(&c);
        unsigned char letter = i == ROLE_DEFAULT ? '.' : (unsigned char)roles[0];
        assert_false(seen[letter]);
        seen[letter] = true;
        free(roles);
        cells_release(&c);
    }
}

static struct role_style style_of(const struct theme *t, uint16_t role, enum colour_depth depth)
{
    return theme_style(t, (struct cell){.ch = 'x', .role = role}, depth);
}

static void test_a_theme_is_read(void **state)
{
    (void)state;
    struct theme t = {0};
    struct status s = theme_parse(STR("# a comment\n"
                                      "default = -/#eeeeee -/#111111\r\n"
                                      "\n"
                                      "slice.0 = 16 110/#123456 bold\n"
                                      "header = - 236 underline mono:reverse\n"
                                      "error = 208 -"),
                                  "t.theme", &t);
    assert_true(status_ok(s));
    struct role_style slice = style_of(&t, ROLE_SLICE_0, DEPTH_256);
    assert_int_equal(slice.fg.index, 16);
    assert_int_equal(slice.bg.index, 110);
    assert_int_equal(slice.bg.rgb, 0x123456);
    assert_int_equal(slice.attrs, CELL_BOLD);
    struct role_style header = style_of(&t, ROLE_HEADER, DEPTH_256);
    assert_int_equal(header.fg.index, COLOUR_NONE);
    assert_int_equal(header.fg.rgb, 0xeeeeee);
    assert_int_equal(header.bg.rgb, 0x303030);
    assert_int_equal(header.attrs, CELL_UNDERLINE);
    assert_int_equal(style_of(&t, ROLE_HEADER, DEPTH_MONO).attrs, CELL_UNDERLINE | CELL_REVERSE);
    assert_int_equal(style_of(&t, ROLE_ERROR, DEPTH_256).fg.rgb, 0xff8700);
    assert_int_equal(style_of(&t, ROLE_GUTTER, DEPTH_256).bg.rgb, 0x111111);
    assert_int_equal(style_of(&t, ROLE_HEADER_WARNING, DEPTH_256).bg.rgb, 0x303030);
    assert_int_equal(style_of(&t, ROLE_GUTTER_GROUP, DEPTH_256).bg.rgb, 0x111111);
    assert_int_equal(style_of(&t, ROLE_SLICE_1, DEPTH_256).bg.rgb, 0x111111);
}

static void check_theme_error(struct str text, const char *expected)
{
    struct theme t = {0};
    struct status s = theme_parse(text, "t.theme", &t);
    assert_false(status_ok(s));
    assert_string_equal(s.message, expected);
    status_release(&s);
}

static void test_what_is_wrong_with_a_theme_is_said(void **state)
{
    (void)state;
    check_theme_error(STR("\nslice.12 = 1 2\n"),
                      "t.theme:2: there is no role of that name: 'slice.12'");
    check_theme_error(STR("error 1 2"), "t.theme:1: expected '=' after the role, found: '1'");
    check_theme_error(STR("error = 256 2"), "t.theme:1: not a foreground colour: '256'");
    check_theme_error(STR("error = #12345 2"), "t.theme:1: not a foreground colour: '#12345'");
    struct theme t;
    assert_true(status_ok(theme_parse(STR("error = #ff8701 #080808"), "t", &t)));
    assert_int_equal(t.roles[ROLE_ERROR].fg.index, 208);
    assert_int_equal(t.roles[ROLE_ERROR].fg.rgb, 0xff8701);
    assert_int_equal(t.roles[ROLE_ERROR].bg.index, 232);
    check_theme_error(STR("error = 2"), "t.theme:1: not a background colour: ''");
    check_theme_error(STR("error = 2 3/#12"), "t.theme:1: not a background colour: '3/#12'");
    check_theme_error(STR("error = 2 3 \x1b[2J"), "t.theme:1: not an attribute: '^[[2J'");
}

static void test_fewer_colours_stay_readable(void **state)
{
    (void)state;
    static const enum colour_depth depths[] = {DEPTH_8, DEPTH_16};
    for (int theme = 0; theme_builtin_name(theme); theme++) {
        struct theme t;
        assert_true(status_ok(theme_load(theme_builtin_name(theme), &t)));
        for (size_t d = 0; d < 2; d++) {
            for (int role = 0; role < ROLE_COUNT; role++) {
                struct role_style s = style_of(&t, (uint16_t)role, depths[d]);
                assert_true(s.fg.index < (int)depths[d] && s.bg.index < (int)depths[d]);
                assert_true(s.fg.index != s.bg.index || s.fg.index == COLOUR_NONE);
            }
        }
    }
}

static void test_hues_survive_eight_colours(void **state)
{
    (void)state;
    struct theme t = {0};
    struct status s =
        theme_parse(STR("slice.0 = 16 150\nslice.1 = 16 174\nslice.2 = 16 110"), "t", &t);
    assert_true(status_ok(s));
    int16_t green = style_of(&t, ROLE_SLICE_0, DEPTH_8).bg.index;
    int16_t red = style_of(&t, ROLE_SLICE_1, DEPTH_8).bg.index;
    int16_t blue = style_of(&t, ROLE_SLICE_2, DEPTH_8).bg.index;
    assert_true(green & 2);
    assert_int_equal(red, 1);
    assert_true(blue & 4);
    assert_true(green != blue);
}

static void test_mono_has_no_colours_and_marks_what_matters(void **state)
{
    (void)state;
    for (int theme = 0; theme_builtin_name(theme); theme++) {
        struct theme t;
        assert_true(status_ok(theme_load(theme_builtin_name(theme), &t)));
        for (int role = 0; role < ROLE_COUNT; role++) {
            struct role_style s = style_of(&t, (uint16_t)role, DEPTH_MONO);
            assert_int_equal(s.fg.index, COLOUR_NONE);
            assert_int_equal(s.bg.index, COLOUR_NONE);
        }
        static const uint16_t marked[] = {ROLE_CURSOR,     ROLE_SELECTION, ROLE_MATCH,
                                          ROLE_TAB_ACTIVE, ROLE_AREA,      ROLE_MARK,
                                          ROLE_FRAME_JANK};
        for (size_t i = 0; i < sizeof marked / sizeof marked[0]; i++)
            assert_int_not_equal(style_of(&t, marked[i], DEPTH_MONO).attrs, 0);
        assert_int_not_equal(style_of(&t, ROLE_FRAME_GOOD, DEPTH_MONO).attrs,
                             style_of(&t, ROLE_FRAME_JANK, DEPTH_MONO).attrs);
    }
}

static void test_the_ground_shows_where_a_role_has_none(void **state)
{
    (void)state;
    struct theme t = {0};
    struct status s =
        theme_parse(STR("slice.0 = 16 110\ngutter = 250 -\narea = 1 60 mono:underline"), "t", &t);
    assert_true(status_ok(s));
    struct cell text = {.ch = 'x', .role = ROLE_GUTTER, .ground = ROLE_AREA};
    struct cell slice = {.ch = 'x', .role = ROLE_SLICE_0, .ground = ROLE_AREA};
    struct cell edge = {.ch = U'▌', .role = ROLE_SLICE_0, .attrs = CELL_SOLID, .ground = ROLE_AREA};
    assert_int_equal(theme_style(&t, text, DEPTH_256).bg.index, 60);
    assert_int_equal(theme_style(&t, slice, DEPTH_256).bg.index, 110);
    assert_int_equal(theme_style(&t, edge, DEPTH_256).bg.index, 60);
    assert_int_equal(theme_style(&t, edge, DEPTH_256).fg.index, 110);
    edge.ground = ROLE_DEFAULT;
    assert_int_equal(theme_style(&t, edge, DEPTH_256).bg.index, COLOUR_NONE);
    assert_int_equal(theme_style(&t, text, DEPTH_MONO).attrs, CELL_UNDERLINE);
}

static void test_a_shade_has_the_hue_of_the_role_and_gives_way_to_a_ground(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int shade;
    } cases[] = {{"default = -/#ffffff -/#101010\nslice.0 = 16 110\narea = 1 60", 23},
                 {"default = -/#000000 -/#ffffff\nslice.0 = 16 110\narea = 1 60", 195}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct theme t = {0};
        assert_true(status_ok(theme_parse(str_from(cases[i].text), "t", &t)));
        struct cell bar = {.ch = U'▂', .role = ROLE_SLICE_0, .attrs = CELL_SOLID | CELL_SHADED};
        assert_int_equal(theme_style(&t, bar, DEPTH_256).fg.index, 110);
        assert_int_equal(theme_style(&t, bar, DEPTH_256).bg.index, cases[i].shade);
        assert_int_equal(theme_style(&t, bar, DEPTH_16).bg.index, COLOUR_NONE);
        bar.ground = ROLE_AREA;
        assert_int_equal(theme_style(&t, bar, DEPTH_256).bg.index, 60);
    }
}

static void test_an_unknown_theme_names_those_there_are(void **state)
{
    (void)state;
    struct theme t;
    struct status s = theme_load("../../etc/passwd", &t);
    assert_int_equal(s.code, STATUS_USAGE);
    assert_non_null(strstr(s.message, "dark light"));
    status_release(&s);
}

/* ---- pictures ---- */

static void test_blocks_braille_and_lines_are_shapes(void **state)
{
    (void)state;
    struct theme t = {0};
    struct cells c;
    assert_true(status_ok(theme_parse(STR("default = -/#eeeeee -/#111111"), "t", &t)));
    cells_init(&c, 10, 1);
    cells_put_text(&c, 0, 0, 10, STR("▄⠃─▌a<b"), ROLE_DEFAULT, 0);
    char *svg = cells_svg(&c, &t, -1, -1);
    assert_non_null(
        strstr(svg, "<rect x=\"0\" y=\"9\" width=\"9\" height=\"9\" fill=\"#eeeeee\"/>"));
    assert_non_null(strstr(svg, "<circle cx=\"11.25\" cy=\"2.25\""));
    assert_non_null(strstr(svg, "<circle cx=\"11.25\" cy=\"6.75\""));
    assert_non_null(strstr(svg, "<rect x=\"27\" y=\"0\" width=\"4.5\" height=\"18\""));
    assert_non_null(strstr(svg, "textLength=\"27\" fill=\"#eeeeee\">a&lt;b</text>"));
    assert_null(strstr(svg, "▄"));
    assert_null(strstr(svg, "─"));
    free(svg);
    cells_release(&c);
}

static void test_reversed_cells_swap_colours_in_pictures(void **state)
{
    (void)state;
    struct theme t = {0};
    struct cells c;
    assert_true(status_ok(theme_parse(STR("default = -/#eeeeee -/#111111"), "t", &t)));
    cells_init(&c, 3, 1);
    cells_put(&c, 1, 0, 'x', ROLE_DEFAULT, CELL_REVERSE);
    char *svg = cells_svg(&c, &t, 2, 0);
    assert_non_null(
        strstr(svg, "<rect x=\"9\" y=\"0\" width=\"9\" height=\"18\" fill=\"#eeeeee\"/>"));
    assert_non_null(strstr(svg, "fill=\"#111111\">x</text>"));
    assert_non_null(strstr(svg, "stroke=\"#eeeeee\""));
    free(svg);
    cells_release(&c);
}

/* ---- the terminal without a terminal ---- */

static void test_a_headless_terminal_shows_frames_and_takes_keys(void **state)
{
    (void)state;
    struct term *t = term_open_headless(40, 12, (struct look){.ascii = true});
    struct cells c;
    struct key_event e;
    char paste[] = "select 1";
    cells_init(&c, 40, 12);
    cells_put_text(&c, 0, 0, 40, STR("µ│"), ROLE_HEADER, 0);
    term_push_key(t, (struct key_event){.key = TK_PASTE, .text = str_from(paste)});
    paste[0] = 'X';
    term_push_key(t, (struct key_event){.key = 'q'});
    assert_int_equal(term_read_keys(t, &e, 1), 1);
    assert_true(str_eq(e.text, STR("select 1")));
    assert_int_equal(term_read_keys(t, &e, 1), 1);
    assert_int_equal(e.key, 'q');
    assert_int_equal(term_read_keys(t, &e, 1), 0);
    assert_true(term_draw(t, &c, 0, 0));
    char *text = cells_text(term_shown(t));
    assert_memory_equal(text, "u|\n", 3);
    free(text);
    cells_release(&c);
    term_close(t);
}

static void test_a_small_terminal_says_so(void **state)
{
    (void)state;
    struct term *t = term_open_headless(39, 5, (struct look){0});
    struct cells c;
    assert_int_equal(term_size(t).width, TERM_MIN_WIDTH);
    assert_int_equal(term_size(t).height, TERM_MIN_HEIGHT);
    cells_init(&c, 40, 12);
    assert_true(term_draw(t, &c, 0, 0));
    check_text(term_shown(t), "39x5 is too small:\nat least 40x12\n\n\n\n");
    cells_release(&c);
    term_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_dots_reach_both_ends),
        cmocka_unit_test(test_bars_are_drawn_in_eighths),
        cmocka_unit_test(test_text_is_cut_with_a_tilde_and_escaped),
        cmocka_unit_test(test_marks_stay_with_their_character),
        cmocka_unit_test(test_nothing_is_drawn_outside_the_clip),
        cmocka_unit_test(test_half_a_wide_character_is_a_blank),
        cmocka_unit_test(test_a_box_has_a_title),
        cmocka_unit_test(test_every_glyph_has_an_ascii_form),
        cmocka_unit_test(test_copying_clips_and_keeps_wide_characters_whole),
        cmocka_unit_test(test_role_names_and_letters_are_unique),
        cmocka_unit_test(test_a_theme_is_read),
        cmocka_unit_test(test_what_is_wrong_with_a_theme_is_said),
        cmocka_unit_test(test_fewer_colours_stay_readable),
        cmocka_unit_test(test_hues_survive_eight_colours),
        cmocka_unit_test(test_mono_has_no_colours_and_marks_what_matters),
        cmocka_unit_test(test_the_ground_shows_where_a_role_has_none),
        cmocka_unit_test(test_a_shade_has_the_hue_of_the_role_and_gives_way_to_a_ground),
        cmocka_unit_test(test_an_unknown_theme_names_those_there_are),
        cmocka_unit_test(test_blocks_braille_and_lines_are_shapes),
        cmocka_unit_test(test_reversed_cells_swap_colours_in_pictures),
        cmocka_unit_test(test_a_headless_terminal_shows_frames_and_takes_keys),
        cmocka_unit_test(test_a_small_terminal_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
