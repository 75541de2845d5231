/* Keys of the query editor, the statement under its caret, brackets, and the places of errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/input/editor.h"
#include "tui/input/sql_text.h"

/* Keys by their names, parted by blanks, from one text to another; | is the caret. */
static const struct {
    const char *before, *keys, *after;
} cases[] = {
    {"select ts|", "Ctrl-a", "|select ts"},
    {"|select ts", "Ctrl-e", "select ts|"},
    {"a\nb|c\nd", "Ctrl-a", "a\n|bc\nd"},
    {"a\n|bc\nd", "Ctrl-e", "a\nbc|\nd"},
    {"a.ts, dur|", "Alt-b", "a.ts, |dur"},
    {"a.ts, dur|", "Alt-b Alt-b", "a.|ts, dur"},
    {"|a.ts", "Alt-f Alt-f", "a.ts|"},
    {"count(dur)|", "Ctrl-Left", "count(|dur)"},
    {"select a.ts|", "Ctrl-w", "select |"},
    {"select a.ts|", "Alt-Backspace", "select a.|"},
    {"|select ts", "Alt-d", "| ts"},
    {"select |ts\nfrom", "Ctrl-k", "select |\nfrom"},
    {"select |\nfrom", "Ctrl-k", "select |from"},
    {"select |ts", "Ctrl-u", "|ts"},
    {"a b c|", "Ctrl-w Ctrl-w Ctrl-y Ctrl-y", "a b cb c|"},
    {"|a b", "Alt-d Alt-d Ctrl-e Ctrl-y", "a b|"},
    {"a b|", "Ctrl-w Left Ctrl-w Ctrl-y", "a| "},
    {"ab|", "Ctrl-t", "ba|"},
    {"a|b", "Ctrl-t", "ba|"},
    {"|abc de", "Alt-u", "ABC| de"},
    {"|ABC de", "Alt-l", "abc| de"},
    {"a|bc", "Ctrl-d", "a|c"},
    {"a|bc", "Delete Backspace", "|c"},
    {"\xc3\xa4|b", "Backspace", "|b"},
    {"x|", "a b c Ctrl-_", "x|"},
    {"x|", "a b Ctrl-_ Alt-_", "xab|"},
    {"a b|", "Ctrl-u Ctrl-_", "a b|"},
    {"a|", "b Left c Ctrl-_", "a|b"},
    {"a|", "b Left c Ctrl-_ Ctrl-_", "a|"},
    {"a|", "b Ctrl-_ c Alt-_", "ac|"},
    {"a\nb|", "Alt-<", "|a\nb"},
    {"|a\nb", "Alt->", "a\nb|"},
    {"|", "Ctrl-_ Ctrl-w Ctrl-k Ctrl-t Delete Backspace", "|"},
};

/* A fresh text has nothing to undo. */
static void begin_anew(struct editor *e)
{
    bool multiline = e->multiline;
    editor_release(e);
    *e = (struct editor){.multiline = multiline};
}

static void set(struct editor *e, const char *text)
{
    size_t caret = strcspn(text, "|");
    begin_anew(e);
    editor_replace(e, 0, 0, (struct str){text, caret});
    editor_replace(e, caret, caret, str_from(text + caret + 1));
    char *plain = alloc_copy(editor_text(e).p, editor_text(e).n);
    begin_anew(e);
    vec_reserve(&e->text, strlen(plain) + 1);
    memcpy(e->text.items, plain, strlen(plain));
    e->text.count = strlen(plain);
    e->caret = caret;
    e->typing = e->killing = false;
    free(plain);
}

static void press(struct editor *e, const char *keys)
{
    struct str rest = str_from(keys);
    while (rest.n > 0) {
        size_t n = str_find(rest, ' ');
        struct key_event key = {.key = key_find((struct str){rest.p, n})};
        assert_int_not_equal(key.key, TK_NONE);
        editor_key(e, &key);
        rest = str_skip(rest, n < rest.n ? n + 1 : n);
    }
}

static void test_keys_do_what_readlines_do(void **state)
{
    (void)state;
    struct editor e = {.multiline = true};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char shown[100];
        set(&e, cases[i].before);
        press(&e, cases[i].keys);
        struct str text = editor_text(&e);
        snprintf(shown, sizeof shown, "%.*s|%.*s", (int)e.caret, text.p, (int)(text.n - e.caret),
                 text.p + e.caret);
        if (strcmp(shown, cases[i].after) != 0)
            print_message("case %zu: %s\n", i, cases[i].keys);
        assert_string_equal(shown, cases[i].after);
    }
    editor_release(&e);
}

static void test_find_goes_round(void **state)
{
    (void)state;
    struct editor e = {.multiline = true};
    editor_set(&e, STR("ts, dur, TS"));
    assert_true(editor_find(&e, STR("ts")));
    assert_int_equal(e.caret, 2);
    assert_true(editor_find(&e, STR("ts")));
    assert_int_equal(e.caret, 11);
    assert_false(editor_find(&e, STR("utid")));
    editor_release(&e);
}

static void test_statement_under_the_caret(void **state)
{
    (void)state;
    static const struct {
        const char *text; /* | is the caret */
        const char *statement;
    } statements[] = {
        {"select 1|; select 2;", "select 1;"},
        {"select 1; |select 2;", "select 2;"},
        {"select 1;| select 2;", "select 1;"},
        {"select ';'|; select 2", "select ';';"},
        {"select 1;\n\n|", "select 1;"},
        {"  |select 1", "select 1"},
        {"-- why\nselect 1|", "select 1"},
        {"|", ""},
        {"; ;|", ""},
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        const char *text = statements[i].text, *caret = strchr(text, '|');
        char plain[100];
        snprintf(plain, sizeof plain, "%.*s%s", (int)(caret - text), text, caret + 1);
        struct text_range range = sql_statement_at(str_from(plain), (size_t)(caret - text));
        char *found = alloc_copy(plain + range.from, range.to - range.from);
        assert_string_equal(found, statements[i].statement);
        free(found);
    }
    assert_true(sql_is_complete(STR("select 1; -- done\n")));
    assert_false(sql_is_complete(STR("select 1 -- ;")));
    assert_false(sql_is_complete(STR("select ';")));
}

static void test_brackets_match_outside_of_strings(void **state)
{
    (void)state;
    struct str text = STR("f(')', (a))");
    struct bracket_pair p = sql_match_bracket(text, 1);
    assert_int_equal(p.one, 1);
    assert_int_equal(p.other, 10);
    p = sql_match_bracket(text, 10); /* on the last one */
    assert_int_equal(p.one, 1);
    p = sql_match_bracket(text, 11); /* behind it */
    assert_int_equal(p.other, 10);
    assert_int_equal(sql_match_bracket(text, 4).one, NO_PLACE);
    assert_int_equal(sql_match_bracket(STR("(("), 1).one, NO_PLACE);
    assert_int_equal(sql_match_bracket(STR(""), 0).one, NO_PLACE);
}

static void test_errors_have_places(void **state)
{
    (void)state;
    struct str text = STR("select\n  oops\nfrom");
    assert_int_equal(sql_error_place(text, "query:2:3: no such column: oops"), 9);
    assert_int_equal(sql_error_place(text, "query:9:1: far"), text.n);
    assert_int_equal(sql_error_place(text, "out of memory"), NO_PLACE);
    assert_int_equal(sql_error_place(text, "module a.b:2:3: x"), NO_PLACE);
    assert_int_equal(sql_error_place(text, NULL), NO_PLACE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_do_what_readlines_do),
        cmocka_unit_test(test_find_goes_round),
        cmocka_unit_test(test_statement_under_the_caret),
        cmocka_unit_test(test_brackets_match_outside_of_strings),
        cmocka_unit_test(test_errors_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
