#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tui/term/keys.h"

/* The names of all keys in `bytes`, each followed by a blank; `expire` at the end. */
static const char *keys_of(struct str bytes, bool expire)
{
    static char out[1024];
    size_t n = 0;
    struct key_decoder *d = key_decoder_new();
    struct key_event e;
    char name[KEY_NAME_MAX];
    out[0] = 0;
    for (size_t i = 0; i <= bytes.n; i++) { /* byte by byte: the worst that a link can do */
        if (i < bytes.n)
            key_decoder_feed(d, bytes.p + i, 1);
        else if (expire)
            key_decoder_expire(d);
        while (key_decoder_next(d, &e))
            n += (size_t)snprintf(out + n, sizeof out - n, "%s ", key_text(e.key, name));
    }
    key_decoder_free(d);
    return out;
}

/* All at once and byte by byte must be the same. */
static void check_keys(struct str bytes, const char *expected)
{
    assert_string_equal(keys_of(bytes, true), expected);
    struct key_decoder *d = key_decoder_new();
    struct key_event e;
    char name[KEY_NAME_MAX], out[1024] = "";
    size_t n = 0;
    key_decoder_feed(d, bytes.p, bytes.n);
    for (int expired = 0; expired < 2; expired++, key_decoder_expire(d))
        while (key_decoder_next(d, &e))
            n += (size_t)snprintf(out + n, sizeof out - n, "%s ", key_text(e.key, name));
    key_decoder_free(d);
    assert_string_equal(out, expected);
}

static void test_plain_and_control_keys(void **state)
{
    (void)state;
    check_keys(STR("gG \r\t\x7f"), "g G Space Enter Tab Backspace ");
    check_keys(STR("\x03\x1a\x0c\x18"), "Ctrl-C Ctrl-Z Ctrl-L Ctrl-X ");
    check_keys(STR("\0\x1c\x1f"), "Ctrl-Space Ctrl-\\ Ctrl-_ ");
    check_keys(STR("\xc3\xa9日"), "é 日 ");
    check_keys(STR("\xff"
                   "a\xe6\x97"),
               "a "); /* broken bytes are dropped */
}

static void test_cursor_and_function_keys_of_all_terminals(void **state)
{
    (void)state;
    check_keys(STR("\x1b[A\x1bOA\x1b[1;5C\x1b[1;2D"), "Up Up Ctrl-Right Shift-Left ");
    check_keys(STR("\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~"), "Home End Home End Home ");
    check_keys(STR("\x1b[2~\x1b[3~\x1b[5~\x1b[6;5~"), "Insert Delete PageUp Ctrl-PageDown ");
    check_keys(STR("\x1bOP\x1b[15~\x1b[24~\x1b[1;2P\x1b[[A\x1b[[E"), "F1 F5 F12 Shift-F1 F1 F5 ");
    check_keys(STR("\x1b[Z\x1b\r\x1b[27;3;13~\x1b[13;3u"),
               "Shift-Tab Alt-Enter Alt-Enter Alt-Enter ");
    check_keys(STR("\x1bx\x1b\x18\x1b\xc3\xa9"), "Alt-x Ctrl-Alt-X Alt-é ");
    check_keys(STR("\x1b[99;5u"), "Ctrl-C ");
}

static void test_a_lone_escape_waits_until_it_expires(void **state)
{
    (void)state;
    assert_string_equal(keys_of(STR("\x1b"), false), "");
    assert_string_equal(keys_of(STR("\x1b"), true), "Esc ");
    check_keys(STR("\x1b["), "Alt-[ ");
    check_keys(STR("\x1bO"), "Alt-O ");
    struct key_decoder *d = key_decoder_new();
    struct key_event e;
    key_decoder_feed(d, "\x1b", 1);
    assert_false(key_decoder_next(d, &e));
    assert_true(key_decoder_waiting(d));
    key_decoder_expire(d);
    assert_true(key_decoder_next(d, &e));
    assert_false(key_decoder_waiting(d));
    key_decoder_free(d);
}

static void test_replies_and_broken_sequences_are_no_keys(void **state)
{
    (void)state;
    check_keys(STR("\x1b[24;80Rq"), "q ");                      /* cursor report */
    check_keys(STR("\x1b[?62;4cq"), "q ");                      /* device attributes */
    check_keys(STR("\x1b]11;rgb:0000/0000/0000\x1b\\q"), "q "); /* background colour */
    check_keys(STR("\x1bP>|XTerm(390)\x1b\\q"), "q ");
    check_keys(STR("\x1b[9999999999999999~q"), "q ");
    check_keys(STR("\x1b[1;2;3;4;5;6;7;8zq"), "q ");
    check_keys(STR("\x1b[12\x1b[A"), "Up "); /* cut off by the next */
}

static void test_mouse_reports_past_column_223(void **state)
{
    (void)state;
    struct key_decoder *d = key_decoder_new();
    struct key_event e;
    struct str bytes = STR("\x1b[<0;300;41M\x1b[<32;301;41M\x1b[<0;301;41m\x1b[<65;1;1M"
                           "\x1b[<35;5;5M\x1b[<18;2;3M\x1b[M !!");
    key_decoder_feed(d, bytes.p, bytes.n);
    assert_true(key_decoder_next(d, &e));
    assert_int_equal(e.key, TK_MOUSE_PRESS);
    assert_int_equal(e.x, 299);
    assert_int_equal(e.y, 40);
    assert_true(key_decoder_next(d, &e));
    assert_int_equal(e.key, TK_MOUSE_DRAG);
    assert_true(key_decoder_next(d, &e));
    assert_int_equal(e.key, TK_MOUSE_RELEASE);
    assert_true(key_decoder_next(d, &e));
    assert_int_equal(e.key, TK_WHEEL_DOWN);
    assert_true(key_decoder_next(d, &e)); /* the motion without a button is none */
    assert_int_equal(e.key, TK_MOUSE_PRESS | TK_CTRL);
    assert_int_equal(e.button, 2);
    assert_true(key_decoder_next(d, &e)); /* the old form */
    assert_int_equal(e.key, TK_MOUSE_PRESS);
    assert_int_equal(e.x, 0);
    assert_false(key_decoder_next(d, &e));
    key_decoder_free(d);
}

static void test_pasted_text_is_one_event_whatever_is_in_it(void **state)
{
    (void)state;
    struct key_decoder *d = key_decoder_new();
    struct key_event e;
    struct str bytes = STR("\x1b[200~select 1\r\x1b[A\x1b[20\x1b[201~q");
    for (size_t i = 0; i < bytes.n; i++)
        key_decoder_feed(d, bytes.p + i, 1);
    assert_true(key_decoder_next(d, &e));
    assert_int_equal(e.key, TK_PASTE);
    assert_true(str_eq(e.text, STR("select 1\n\x1b[A\x1b[20")));
    assert_true(key_decoder_next(d, &e));
    assert_int_equal(e.key, 'q');
    key_decoder_free(d);
}

static void test_ctrl_c_ends_a_paste_whose_mark_was_lost(void **state)
{
    (void)state;
    struct key_decoder *d = key_decoder_new();
    struct key_event e;
    struct str bytes = STR("\x1b[200~select\x03q");
    key_decoder_feed(d, bytes.p, bytes.n);
    assert_true(key_decoder_next(d, &e));
    assert_int_equal(e.key, TK_PASTE);
    assert_true(str_eq(e.text, STR("select")));
    assert_true(key_decoder_next(d, &e));
    assert_int_equal(e.key, 'q');
    key_decoder_free(d);
}

static void test_random_bytes_never_stop_the_decoder(void **state)
{
    (void)state;
    struct key_decoder *d = key_decoder_new();
    struct key_event e;
    uint32_t random = 1;
    static const char likely[] = "\x1b\x1b\x1b[[O<0123456789;;~MAuP]m200201~\xc3\xff\x07\\";
    for (int i = 0; i < 200000; i++) {
        random = random * 1664525u + 1013904223u;
        key_decoder_feed(d, &likely[(random >> 16) % (sizeof likely - 1)], 1);
        while (key_decoder_next(d, &e))
            assert_true((e.key & 0xFFFFFF) < TK_END_OF_CODES);
    }
    key_decoder_feed(d, "\x1b[201~\x18\x18\x18\x07\x1b\\q", 13); /* out of whatever it is in */
    bool found = false;
    key_decoder_expire(d);
    while (key_decoder_next(d, &e))
        found |= e.key == 'q';
    assert_true(found);
    key_decoder_free(d);
}

static void test_names_and_keys_are_inverse(void **state)
{
    (void)state;
    static const char *const names[] = {"g",  "Space",    "Shift-Tab",  "Ctrl-X",     "Alt-Enter",
                                        "F5", "PageDown", "Ctrl-Space", "Shift-Left", "Ctrl-Alt-X",
                                        "-",  "Ctrl-_",   "<",          "é"};
    char name[KEY_NAME_MAX];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(key_text(key_find(str_from(names[i])), name), names[i]);
    assert_int_equal(key_find(STR("C-x")), TK_CTRL | 'x');
    assert_int_equal(key_find(STR("m-c-X")), TK_CTRL | TK_ALT | 'x');
    assert_int_equal(key_find(STR("ctrl-i")), TK_TAB);
    assert_int_equal(key_find(STR("Shift-g")), 'G');
    assert_int_equal(key_find(STR("S-Tab")), TK_SHIFT | TK_TAB);
    assert_int_equal(key_find(STR("")), TK_NONE);
    assert_int_equal(key_find(STR("nonsense")), TK_NONE);
    assert_int_equal(key_find(STR("Ctrl-")), TK_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_and_control_keys),
        cmocka_unit_test(test_cursor_and_function_keys_of_all_terminals),
        cmocka_unit_test(test_a_lone_escape_waits_until_it_expires),
        cmocka_unit_test(test_replies_and_broken_sequences_are_no_keys),
        cmocka_unit_test(test_mouse_reports_past_column_223),
        cmocka_unit_test(test_pasted_text_is_one_event_whatever_is_in_it),
        cmocka_unit_test(test_ctrl_c_ends_a_paste_whose_mark_was_lost),
        cmocka_unit_test(test_random_bytes_never_stop_the_decoder),
        cmocka_unit_test(test_names_and_keys_are_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
