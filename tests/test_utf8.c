#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/utf8.h"

static void check_broken(const char *bytes, size_t n)
{
    struct utf8_char c = utf8_decode((struct str){bytes, n});
    assert_false(c.valid);
    assert_int_equal(c.size, 1);
    assert_int_equal(c.ch, (unsigned char)bytes[0]);
}

static void test_every_code_point_survives_a_round_trip(void **state)
{
    (void)state;
    for (char32_t ch = 1; ch <= 0x10FFFF; ch++) {
        char bytes[4];
        if (ch == 0xD800)
            ch = 0xE000;
        size_t n = utf8_encode(ch, bytes);
        struct utf8_char c = utf8_decode((struct str){bytes, n});
        if (!c.valid || c.ch != ch || c.size != n)
            fail_msg("U+%04X", (unsigned)ch);
    }
}

static void test_malformed_bytes_are_one_byte_each(void **state)
{
    (void)state;
    check_broken("\x80", 1);             /* a continuation alone */
    check_broken("\xC0\xAF", 2);         /* overlong */
    check_broken("\xE0\x80\xAF", 3);     /* overlong */
    check_broken("\xED\xA0\x80", 3);     /* surrogate */
    check_broken("\xF4\x90\x80\x80", 4); /* above U+10FFFF */
    check_broken("\xF8\x88\x80\x80", 4);
    check_broken("\xE2\x82", 2); /* cut off at the end of the buffer */
    check_broken("\xE2\x28\xA1", 3);
    assert_false(utf8_is_valid(STR("ok \xE2\x82")));
    assert_true(utf8_is_valid(STR("ok \xE2\x82\xAC")));
}

static void test_encoding_what_is_no_character_gives_the_replacement(void **state)
{
    (void)state;
    char bytes[4];
    assert_int_equal(utf8_encode(0xD800, bytes), 3);
    assert_memory_equal(bytes, "\xEF\xBF\xBD", 3);
    assert_int_equal(utf8_encode(0x110000, bytes), 3);
    assert_memory_equal(bytes, "\xEF\xBF\xBD", 3);
}

static void test_marks_are_what_all_terminals_draw_over_a_character(void **state)
{
    (void)state;
    assert_true(utf8_is_mark(0x301));  /* combining acute */
    assert_true(utf8_is_mark(0x94D));  /* virama */
    assert_true(utf8_is_mark(0xE31));  /* a Thai vowel above */
    assert_true(utf8_is_mark(0x1161)); /* a Hangul vowel */
    assert_true(utf8_is_mark(0x20E3)); /* enclosing keycap */
    assert_false(utf8_is_mark('a'));
    assert_false(utf8_is_mark(U'日'));
    assert_false(utf8_is_mark(0x200B));  /* zero width space */
    assert_false(utf8_is_mark(0x200D));  /* zero width joiner */
    assert_false(utf8_is_mark(0xFE0F));  /* makes some terminals show two cells */
    assert_false(utf8_is_mark(0xE0061)); /* a tag */
}

static void test_a_name_cut_in_its_middle_keeps_no_mark_of_what_went(void **state)
{
    (void)state;
    char out[64];
    text_cut_middle(STR("abcde\u0301fgh"), 6, out, sizeof out);
    assert_string_equal(out, "ab~fgh");
    text_cut_middle(STR("abcde\u0301fgh"), 8, out, sizeof out);
    assert_string_equal(out, "abcde\u0301fgh");
}

static void test_widths(void **state)
{
    (void)state;
    assert_int_equal(utf8_width('a'), 1);
    assert_int_equal(utf8_width(U'日'), 2);
    assert_int_equal(utf8_width(U'한'), 2);
    assert_int_equal(utf8_width(0xFF21), 2);  /* fullwidth A */
    assert_int_equal(utf8_width(0x1F600), 2); /* emoji */
    assert_int_equal(utf8_width(0x301), 0);   /* combining acute */
    assert_int_equal(utf8_width(0x200B), 0);  /* zero width space */
    assert_int_equal(utf8_width(0x1160), 0);  /* Hangul vowel, joins the one before */
    assert_int_equal(utf8_width(0xB1), 1);    /* ambiguous */
    assert_int_equal(utf8_width(U'│'), 1);
    assert_int_equal(utf8_width(U'▃'), 1);
    assert_int_equal(utf8_width(0x28FF), 1);
    assert_int_equal(utf8_width(0x10FFFD), 1);
}

static void check_escaped(struct str in, const char *expected)
{
    char *out = text_escape(in);
    assert_string_equal(out, expected);
    assert_int_equal(text_width(in), text_width(str_from(expected)));
    free(out);
}

static void test_nothing_that_steers_a_terminal_gets_through(void **state)
{
    (void)state;
    check_escaped(STR("a\x1b[31mb"), "a^[[31mb");
    check_escaped(STR("a\0b"), "a^@b");
    check_escaped(STR("tab\tnl\n\x7f"), "tab^Inl^J^?");
    check_escaped(STR("\xff\xc2"), "\\xff\\xc2");
    check_escaped(STR("\xc2\x9b"), "\\u{9b}"); /* C1: CSI in one character */
    check_escaped(STR("\xe2\x80\xae"
                      "abc"),
                  "\\u{202e}abc"); /* right to left */
    check_escaped(STR("\xef\xbf\xbf"), "\\u{ffff}");
    check_escaped(STR("caf\xc3\xa9 日本"), "café 日本");
}

static void test_no_escape_of_any_character_contains_a_control(void **state)
{
    (void)state;
    for (char32_t ch = 0; ch <= 0x10FFFF; ch++) {
        char bytes[4], out[TEXT_ESCAPE_MAX];
        struct text_glyph g = text_escape_next((struct str){bytes, utf8_encode(ch, bytes)}, out);
        assert_true(g.size < TEXT_ESCAPE_MAX);
        assert_int_equal(out[g.size], 0);
        for (size_t i = 0; i < g.size; i++)
            if ((unsigned char)out[i] < 0x20 || out[i] == 0x7F)
                fail_msg("U+%04X", (unsigned)ch);
    }
}

static void check_fit(struct str in, int width, const char *expected)
{
    char *out = text_fit(in, width);
    assert_string_equal(out, expected);
    assert_true(text_width(str_from(out)) <= (width > 0 ? width : 0));
    free(out);
}

static void test_what_is_cut_ends_in_a_tilde(void **state)
{
    (void)state;
    check_fit(STR("traversal"), 9, "traversal");
    check_fit(STR("traversal"), 8, "travers~");
    check_fit(STR("traversal"), 1, "~");
    check_fit(STR("traversal"), 0, "");
    check_fit(STR("日本語"), 6, "日本語");
    check_fit(STR("日本語"), 5, "日本~");
    check_fit(STR("日本語"), 4, "日~"); /* half a character is none */
    check_fit(STR("日本語"), 1, "~");
    check_fit(STR("ab\x1b"), 3, "ab~"); /* an escape is not cut in half */
    check_fit(STR("e\xcc\x81"), 1, "e\xcc\x81");
    check_fit(STR(""), 3, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_point_survives_a_round_trip),
        cmocka_unit_test(test_malformed_bytes_are_one_byte_each),
        cmocka_unit_test(test_encoding_what_is_no_character_gives_the_replacement),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_a_name_cut_in_its_middle_keeps_no_mark_of_what_went),
        cmocka_unit_test(test_marks_are_what_all_terminals_draw_over_a_character),
        cmocka_unit_test(test_nothing_that_steers_a_terminal_gets_through),
        cmocka_unit_test(test_no_escape_of_any_character_contains_a_control),
        cmocka_unit_test(test_what_is_cut_ends_in_a_tilde),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
