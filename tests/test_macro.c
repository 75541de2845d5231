/* The tokenizer and the expansion of macros, without SQLite behind them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/grammar/parse.h"
#include "sql/language/macro.h"
#include "sql/language/newer_syntax.h"
#include "sql/language/written_names.h"

/* The tokens' kinds as letters: s space, w word, q quoted, ' string, b blob, 1 number, $ variable,
 * o operator, ! broken. */
static void expect_kinds(const char *text, const char *want)
{
    static const char letters[] = {
        [TOKEN_END] = '.',      [TOKEN_SPACE] = 's',  [TOKEN_WORD] = 'w',   [TOKEN_QUOTED] = 'q',
        [TOKEN_STRING] = '\'',  [TOKEN_BLOB] = 'b',   [TOKEN_NUMBER] = '1', [TOKEN_VARIABLE] = '$',
        [TOKEN_OPERATOR] = 'o', [TOKEN_BROKEN] = '!',
    };
    struct sql_source source = {.name = "test", .text = str_from(text)};
    char got[64] = "";
    size_t at = 0, n = 0;
    for (struct token t; (t = lexer_token(&source, at)).kind != TOKEN_END; at += t.text.n) {
        assert_true(n + 1 < sizeof got);
        assert_int_equal(token_at(t), at); /* no byte is left out */
        got[n++] = letters[t.kind];
    }
    got[n] = 0;
    if (strcmp(got, want) != 0)
        print_message("text: %s\n", text);
    assert_string_equal(got, want);
    assert_int_equal(at, strlen(text));
}

static void test_tokens(void **state)
{
    (void)state;
    expect_kinds("SELECT a.b, 1", "wswowos1");
    expect_kinds("a -- b\n/* c */d", "wssssw");
    expect_kinds("'it''s' \"a\"\"b\" `c` [d]]", "'sqsqsq!");
    expect_kinds("x'00' X'' xx", "bsbsw");
    expect_kinds("1 1.5 .5 1e3 1e+3 0x1F 1_000 1a", "1s1s1s1s1s1s1s1");
    expect_kinds("$a @b :c ?1 ?", "$s$s$s$s$");
    expect_kinds("a||b<=c->>'d'!=e", "wowowo'ow");
    expect_kinds("m!(x)", "woowo");
    expect_kinds("'open", "!");
    expect_kinds("\"open", "!");
    expect_kinds("/* open", "s");
    expect_kinds("-- open", "s");
    expect_kinds("caf\xc3\xa9 # {", "ws!s!");
    expect_kinds("", "");
}

static size_t statement(const char *text, size_t at, char **out)
{
    struct sql_source source = {.name = "test", .text = str_from(text)};
    struct token_list tokens = {0};
    at = lexer_statement(&source, at, &tokens);
    *out = tokens_text(tokens.v.items, tokens.v.count);
    vec_release(&tokens.v);
    return at;
}

static void expect_statements(const char *text, const char *const *want)
{
    size_t at = 0;
    for (; *want; want++) {
        char *got;
        at = statement(text, at, &got);
        assert_string_equal(got, *want);
        free(got);
    }
    assert_int_equal(at, strlen(text));
}

static void test_statements_end_at_semicolons_of_their_own(void **state)
{
    (void)state;
    expect_statements("a;b", (const char *const[]){"a", "b", NULL});
    expect_statements("a';'\";\"/*;*/[;]-- ;\n;b;",
                      (const char *const[]){"a';'\";\"/*;*/[;]-- ;\n", "b", NULL});
    expect_statements("CREATE TEMP TRIGGER t BEGIN SELECT 1; SELECT 2; END; SELECT 3",
                      (const char *const[]){"CREATE TEMP TRIGGER t BEGIN SELECT 1; SELECT 2; END",
                                            " SELECT 3", NULL});
    expect_statements(";;", (const char *const[]){"", "", NULL});
}

struct fixture {
    struct macro_table macros;
    struct arena arena;
};

static int setup(void **state)
{
    struct fixture *f = alloc_array(1, sizeof *f);
    arena_init(&f->arena);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    macro_table_release(&f->macros);
    arena_release(&f->arena);
    free(f);
    return 0;
}

static struct token_list tokens_of(struct fixture *f, const char *text)
{
    struct sql_source *source = arena_alloc(&f->arena, sizeof *source);
    *source = (struct sql_source){.name = "test", .text = str_from(text)};
    struct token_list tokens = {0};
    lexer_statement(source, 0, &tokens);
    return tokens;
}

/* Parameters are one-letter names. */
static void define(struct fixture *f, const char *name, const char *parameters, const char *body)
{
    struct str names[8];
    size_t n = strlen(parameters);
    for (size_t i = 0; i < n; i++)
        names[i] = (struct str){parameters + i, 1};
    struct token_list tokens = tokens_of(f, body);
    macro_define(&f->macros, str_from(name), names, n, tokens.v.items, tokens.v.count);
    vec_release(&tokens.v);
}

static void expect_expansion(struct fixture *f, const char *text, const char *want)
{
    struct token_list tokens = tokens_of(f, text), out = {0};
    struct status status =
        macro_expand(&f->macros, &f->arena, NULL, tokens.v.items, tokens.v.count, &out);
    char *got = status_ok(status) ? tokens_text(out.v.items, out.v.count)
                                  : alloc_copy(status.message, strlen(status.message));
    if (strncmp(got, want, strlen(want)) != 0)
        print_message("text: %s\ngot: %s\n", text, got);
    assert_int_equal(strncmp(got, want, strlen(want)), 0);
    if (status_ok(status))
        assert_string_equal(got, want);
    free(got);
    status_release(&status);
    vec_release(&tokens.v);
    vec_release(&out.v);
}

static void test_calls_become_bodies(void **state)
{
    struct fixture *f = *state;
    define(f, "one", "", "1");
    define(f, "add", "xy", "($x + $y)");
    define(f, "column", "tc", "$t.$c");
    expect_expansion(f, "a one!() b", "a 1 b");
    expect_expansion(f, "ONE!( /* none */ )", "1");
    expect_expansion(f, "one ! -- here\n ()", "1");
    expect_expansion(f, "add!(1, f(2, 3))", "(1 + f(2, 3))");
    expect_expansion(f, "add!(',', \")\")", "(',' + \")\")");
    expect_expansion(f, "add!(,)", "( + )");
    expect_expansion(f, "column!(s, name)", "s.name");
    expect_expansion(f, "a != (b) one", "a != (b) one"); /* no calls */
    expect_expansion(f, "'one!()'", "'one!()'");
}

static void test_names_are_found_in_whatever_case(void **state)
{
    enum { MACROS = 3000 };
    struct fixture *f = *state;
    char name[128], body[32], text[140];
    for (int i = 0; i < MACROS; i++) {
        snprintf(name, sizeof name, "%0*d_Name", i % 100 + 1, i);
        snprintf(body, sizeof body, "%d", i);
        define(f, name, "", "old");
        define(f, name, "", body);
    }
    assert_int_equal(f->macros.v.count, MACROS);
    for (int i = 0; i < MACROS; i++) {
        snprintf(text, sizeof text, "%0*d_nAME", i % 100 + 1, i);
        const struct macro *m = macro_find(&f->macros, str_from(text));
        snprintf(body, sizeof body, "%d", i);
        assert_non_null(m);
        assert_true(str_eq(m->source.text, str_from(body)));
    }
    assert_null(macro_find(&f->macros, STR("Name")));
}

static void test_parameters_stand_anywhere_but_in_strings(void **state)
{
    struct fixture *f = *state;
    define(f, "m", "x", "$x,'$x',\"$x\",$X,$xy,/*$x*/$x$x");
    expect_expansion(f, "m!(1)", "1,'$x',\"$x\",1,$xy,/*$x*/$x$x");
}

static void test_calls_nest(void **state)
{
    struct fixture *f = *state;
    define(f, "add", "xy", "($x + $y)");
    define(f, "twice", "x", "add!($x, $x)");
    define(f, "pass", "t", "SELECT * FROM $t");
    expect_expansion(f, "twice!(twice!(1))", "((1 + 1) + (1 + 1))");
    expect_expansion(f, "pass!((pass!(a)))", "SELECT * FROM (SELECT * FROM a)");
}

static void test_token_lists(void **state)
{
    struct fixture *f = *state;
    define(f, "same", "x", "$x");
    define(f, "eq", "xy", "a.$x = b.$y");
    expect_expansion(f, "__intrinsic_token_apply!(same, (a, b))", "a, b");
    expect_expansion(f, "__intrinsic_token_apply!(same, ())", "");
    expect_expansion(f, "__intrinsic_token_apply_prefix!(same, (a, b))", ", a, b");
    expect_expansion(f, "__intrinsic_token_apply_prefix!(same, ())", "");
    expect_expansion(f, "__intrinsic_token_apply_and!(eq, (a, b), (c, d))",
                     "a.a = b.c AND a.b = b.d");
    expect_expansion(f, "__intrinsic_token_apply_and_prefix!(eq, (a, b, e), (c, d))",
                     " AND a.a = b.c AND a.b = b.d");
    expect_expansion(f, "__intrinsic_stringify!( SELECT 'x' , \"y\" )", "'SELECT ''x'', \"y\"'");
    expect_expansion(f, "__intrinsic_stringify!(a = ''x'')", "'a = ''x'''");
    expect_expansion(f, "__intrinsic_stringify!(a = '')", "'a = '''''");
    expect_expansion(f, "__intrinsic_stringify!(a = 'it''s')", "'a = ''it''''s'''");
    expect_expansion(f, "__intrinsic_stringify_ignore_table!(SELECT a FROM $table)",
                     "'SELECT a FROM $table'");
    expect_expansion(f, "__intrinsic_token_apply!(same, a)", "test:1:1: __intrinsic_token_apply!");
}

static void test_token_lists_of_older_modules(void **state)
{
    struct fixture *f = *state;
    define(f, "same", "x", "$x");
    define(f, "eq", "xy", "a.$x = b.$y");
    define(f, "three", "xyz", "$x($y,$z)");
    define(f, "all", "lm", "__intrinsic_token_map_join!($l, $m, __intrinsic_token_comma!())");
    expect_expansion(f, "all!((a, b), same)", "a , b");
    expect_expansion(f, "all!((), same)", "");
    expect_expansion(f, "__intrinsic_prefixed_token_map_join!((a, b), same, AND NOT)",
                     " AND NOT a AND NOT b");
    expect_expansion(f, "__intrinsic_token_map_join_with_capture!((f, g), three, (1, (2)), +)",
                     "f(1,(2)) + g(1,(2))");
    expect_expansion(f, "__intrinsic_token_zip_join!((a, b), (c, d, e), eq, AND)",
                     "a.a = b.c AND a.b = b.d");
    expect_expansion(f, "__intrinsic_prefixed_token_zip_join!((a), (c), eq, AND)",
                     " AND a.a = b.c");
    expect_expansion(f, "__intrinsic_token_zip_join!((a), eq, AND)",
                     "test:1:1: __intrinsic_token_zip_join! takes lists in parentheses, a macro's "
                     "name and what joins the calls");
    expect_expansion(f, "__intrinsic_token_map_join!(a, same, AND)",
                     "test:1:1: __intrinsic_token_map_join! takes lists");
}

/* d1 calls none, and each other one the one before. */
static void test_calls_of_each_other_are_64_deep_at_most(void **state)
{
    struct fixture *f = *state;
    define(f, "d1", "x", "$x");
    for (int i = 2; i <= 65; i++) {
        char name[8], body[16];
        snprintf(name, sizeof name, "d%d", i);
        snprintf(body, sizeof body, "d%d!($x)", i - 1);
        define(f, name, "x", body);
    }
    expect_expansion(f, "d64!(1)", "1");
    expect_expansion(f, "d65!(1)", "macro d2!:1:1: macros call each other more than 64 deep");
}

static void test_wrong_calls(void **state)
{
    struct fixture *f = *state;
    define(f, "one", "x", "$x");
    define(f, "again", "x", "again!($x)");
    define(f, "wrong", "x", "one!($x, 2)");
    expect_expansion(f, "one!()", "test:1:1: macro one! takes 1 argument, not 0");
    expect_expansion(f, "one!(1, 2)", "test:1:1: macro one! takes 1 argument, not 2");
    expect_expansion(f, "nothere!(1)", "test:1:1: no such macro: nothere");
    expect_expansion(f, "one!(1", "test:1:5: this parenthesis of a macro call is not closed");
    expect_expansion(f, "again!(1)", "macro again!:1:1: macros call each other more than 64 deep");
    expect_expansion(f, "1 +\n wrong!(1)",
                     "macro wrong!:1:1: macro one! takes 1 argument, not 2\n  one!($x, 2)\n  ^\n"
                     "in macro wrong!, called at test:2:2\n   wrong!(1)\n   ^");
}

static void expect_nested(struct fixture *f, size_t depth, const char *want)
{
    char *text = alloc_bytes(depth * 6 + 2);
    for (size_t i = 0; i < depth; i++)
        memcpy(text + i * 5, "one!(", 5);
    text[depth * 5] = '1';
    memset(text + depth * 5 + 1, ')', depth);
    text[depth * 6 + 1] = 0;
    expect_expansion(f, text, want);
    free(text);
}

static void test_what_calls_may_make_is_bounded(void **state)
{
    struct fixture *f = *state;
    define(f, "one", "x", "$x");
    expect_nested(f, 400, "1");
    expect_nested(f, 5000, "test:1:2501: macro calls stand in arguments of others more than 500");
    expect_nested(f, 20000, "test:1:");
    define(f, "d0", "", "1");
    define(f, "n0", "", "");
    for (int i = 0; i < 60; i++) {
        char name[8], body[32];
        snprintf(name, sizeof name, "d%d", i + 1);
        snprintf(body, sizeof body, "d%d!() d%d!()", i, i);
        define(f, name, "", body);
        name[0] = 'n';
        snprintf(body, sizeof body, "n%d!() n%d!()", i, i);
        define(f, name, "", body);
    }
    expect_expansion(f, "d2!()", "1 1 1 1");
    expect_expansion(f, "d60!()",
                     "macro d1!:1:1: macros nest too deep or make this statement too long");
    expect_expansion(f, "n60!()",
                     "macro n1!:1:1: macros nest too deep or make this statement too long");
}

/* 128 words of a megabyte. */
static void test_bytes_that_calls_make_are_bounded(void **state)
{
    struct fixture *f = *state;
    enum { LONG = 1 << 20, TIMES_LOG2 = 7 };
    char *word = alloc_bytes(LONG + 1), name[8], body[32];
    memset(word, 'w', LONG);
    word[LONG] = 0;
    define(f, "w0", "", word);
    for (int i = 0; i < TIMES_LOG2; i++) {
        snprintf(name, sizeof name, "w%d", i + 1);
        snprintf(body, sizeof body, "w%d!() w%d!()", i, i);
        define(f, name, "", body);
    }
    expect_expansion(f, "w0!()", word);
    expect_expansion(f, "w7!()", "macro w0!:1:1: macros nest too deep or make this");
    free(word);
}

static void test_expansion_can_be_interrupted(void **state)
{
    struct fixture *f = *state;
    atomic_bool cancel = true;
    define(f, "d", "", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1");
    define(f, "e", "",
           "d!() d!() d!() d!() d!() d!() d!() d!() d!() d!() d!() d!() d!() d!() d!()");
    define(f, "f", "",
           "e!() e!() e!() e!() e!() e!() e!() e!() e!() e!() e!() e!() e!() e!() e!()");
    struct token_list tokens = tokens_of(f, "f!()"), out = {0};
    struct status status =
        macro_expand(&f->macros, &f->arena, &cancel, tokens.v.items, tokens.v.count, &out);
    assert_int_equal(status.code, STATUS_CANCELLED);
    status_release(&status);
    vec_release(&tokens.v);
    vec_release(&out.v);
}

static void test_bodies_are_checked(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *body, *message;
    } cases[] = {
        {"(SELECT 1)", NULL},
        {"')' || \"(\" -- (", NULL},
        {"(SELECT (1)", "test:1:1: this parenthesis is not closed"},
        {"a)", "test:1:2: this parenthesis closes none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct token_list tokens = tokens_of(f, cases[i].body);
        struct status status = macro_check_body(tokens.v.items, tokens.v.count);
        assert_int_equal(status_ok(status), cases[i].message == NULL);
        if (cases[i].message)
            assert_non_null(strstr(status.message, cases[i].message));
        status_release(&status);
        vec_release(&tokens.v);
    }
}

static bool write_older(struct sql_rewrite *r, const struct sql_node *n)
{
    if (n->kind != SQL_RESULT || n->part[RESULT_NAME])
        return newer_syntax_write(r, NULL, n);
    written_names_write(r->self, r, n);
    return true;
}

/* The expression as the result of a SELECT, and what SQLite will call it. */
static void expect_rewritten(struct fixture *f, const char *text, const char *want)
{
    char select[256];
    snprintf(select, sizeof select, "SELECT %s", text);
    struct token_list tokens = tokens_of(f, select), out = {0};
    struct written_names names = {0};
    struct sql_rewrite r = {&tokens, &out, &f->arena, write_older, &names};
    struct sql_tree tree = sql_parse_statement(&f->arena, &tokens);
    assert_true(tree.whole);
    sql_rewrite_all(&r, tree.root);
    char *got = tokens_text(out.v.items, out.v.count);
    assert_string_equal(got + strlen("SELECT "), want);
    assert_string_equal(written_names_find(&names, want), text);
    written_names_release(&names);
    free(got);
    vec_release(&out.v);
    vec_release(&tokens.v);
}

static void test_newer_syntax_is_rewritten(void **state)
{
    struct fixture *f = *state;
    expect_rewritten(f, "1_000 + 0x1_f", "1000 + 0x1f");
    expect_rewritten(f, "f(a, b ORDER BY c)", "\"tptui_ordered_2_f\"('a',a, b, c)");
    expect_rewritten(f, "f(DISTINCT a ORDER BY c DESC, d ASC NULLS LAST, last)",
                     "\"tptui_ordered_1_f\"('udAa',a, c, d, last)");
    expect_rewritten(f, "f(g(x ORDER BY y), 2)", "f(\"tptui_ordered_1_g\"('a',x, y), 2)");
    expect_rewritten(f, "string_agg(a, 'x')", "group_concat(a, 'x')");
    expect_rewritten(f, "if(a, b) + iif(a, b, c)", "iif(a, b,NULL) + iif(a, b, c)");
}

static void test_older_syntax_stays(void **state)
{
    struct fixture *f = *state;
    static const char *const same[] = {
        "* FROM (SELECT a FROM b ORDER BY c)",
        "rank() OVER (ORDER BY a), sum(b) OVER (PARTITION BY c ORDER BY d)",
        "a IN (SELECT b FROM c ORDER BY d) FROM b WINDOW w AS (ORDER BY e)",
        "(WITH a AS (SELECT 1) SELECT * FROM a ORDER BY 1)",
        "max(x) FILTER (WHERE y) OVER (PARTITION BY z ORDER BY x)",
        "'f(a ORDER BY b) 1_000'",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        expect_rewritten(f, same[i], same[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_statements_end_at_semicolons_of_their_own),
        cmocka_unit_test_setup_teardown(test_calls_become_bodies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names_are_found_in_whatever_case, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parameters_stand_anywhere_but_in_strings, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_calls_nest, setup, teardown),
        cmocka_unit_test_setup_teardown(test_token_lists, setup, teardown),
        cmocka_unit_test_setup_teardown(test_token_lists_of_older_modules, setup, teardown),
        cmocka_unit_test_setup_teardown(test_calls_of_each_other_are_64_deep_at_most, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_wrong_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_calls_may_make_is_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bytes_that_calls_make_are_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(test_expansion_can_be_interrupted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bodies_are_checked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_newer_syntax_is_rewritten, setup, teardown),
        cmocka_unit_test_setup_teardown(test_older_syntax_stays, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
