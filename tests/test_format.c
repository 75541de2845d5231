/* SQL formatted: what it looks like, that formatting again changes nothing, and no token ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "fmt/format.h"
#include "sql/language/stdlib_modules.h"
#include "sql/tokens/lexer.h"
#include "test_random.h"

static const struct {
    const char *before, *after;
} cases[] = {
    {"select 1", "SELECT 1\n"},
    {"select a,b  from t where x=1 ;", "SELECT a, b FROM t WHERE x = 1;\n"},
    {"select count( * ),a . b from t", "SELECT count(*), a.b FROM t\n"},
    {"select -1, a- -b, - - 1, ~x", "SELECT -1, a - -b, - -1, ~x\n"},
    {"select f!(a,b) , cast(x as int)", "SELECT f!(a, b), CAST(x AS int)\n"},
    {"select t.end, t.row, \"from\" from t", "SELECT t.end, t.row, \"from\" FROM t\n"},
    {"select x in(1,2), x not like 'a%'", "SELECT x IN (1, 2), x NOT LIKE 'a%'\n"},
    {"select sum(a) over(partition by b order by c desc)",
     "SELECT sum(a) OVER (PARTITION BY b ORDER BY c DESC)\n"},
    {"select name, count(*) as n from slice where dur > 1000 and name glob 'binder*' group by name"
     " having n > 10 order by n desc limit 5",
     "SELECT name, count(*) AS n\n"
     "FROM slice\n"
     "WHERE dur > 1000 AND name GLOB 'binder*'\n"
     "GROUP BY name\n"
     "HAVING n > 10\n"
     "ORDER BY n DESC\n"
     "LIMIT 5\n"},
    {"select slice_with_a_long_name.first_column, slice_with_a_long_name.second_column, third from"
     " slice_with_a_long_name",
     "SELECT\n"
     "  slice_with_a_long_name.first_column,\n"
     "  slice_with_a_long_name.second_column,\n"
     "  third\n"
     "FROM slice_with_a_long_name\n"},
    {"select * from slice where slice_name_of_some_length = 'x' or ts between 1 and 2 and"
     " thread_name_of_some_length = 'y'",
     "SELECT *\n"
     "FROM slice\n"
     "WHERE\n"
     "  slice_name_of_some_length = 'x'\n"
     "  OR ts BETWEEN 1 AND 2\n"
     "  AND thread_name_of_some_length = 'y'\n"},
    {"select * from slice join thread_track_with_a_long_name on thread_track_with_a_long_name.id ="
     " slice.track_id and x",
     "SELECT *\n"
     "FROM slice\n"
     "JOIN thread_track_with_a_long_name\n"
     "  ON thread_track_with_a_long_name.id = slice.track_id AND x\n"},
    {"create perfetto table t as select 1 as a", "CREATE PERFETTO TABLE t AS\nSELECT 1 AS a\n"},
    {"create or replace perfetto function f(a LONG,b STRING) returns LONG as select 1;",
     "CREATE OR REPLACE PERFETTO FUNCTION f(a LONG, b STRING)\nRETURNS LONG AS\nSELECT 1;\n"},
    {"create perfetto function f(\n-- The id.\nid LONG) returns table(\n-- A column.\nx LONG) as"
     " select 1 as x;",
     "CREATE PERFETTO FUNCTION f(\n"
     "  -- The id.\n"
     "  id LONG\n"
     ")\n"
     "RETURNS TABLE(\n"
     "  -- A column.\n"
     "  x LONG\n"
     ") AS\n"
     "SELECT 1 AS x;\n"},
    {"with a as (select 1 as x), b as (select * from a where x is distinct from 3 and x > 10000000)"
     " select * from b",
     "WITH\n"
     "  a AS (SELECT 1 AS x),\n"
     "  b AS (SELECT * FROM a WHERE x IS DISTINCT FROM 3 AND x > 10000000)\n"
     "SELECT *\n"
     "FROM b\n"},
    {"select 1; -- one\n\n\n\n-- two\nselect 2;", "SELECT 1; -- one\n\n-- two\nSELECT 2;\n"},
    {"select a, -- first\n b -- second\nfrom t", "SELECT\n  a, -- first\n  b -- second\nFROM t\n"},
    {"from slice |> where dur > 10 |> select name, dur |> order by dur desc |> limit 10 -- ten",
     "FROM slice\n"
     "|> WHERE dur > 10\n"
     "|> SELECT name, dur\n"
     "|> ORDER BY dur DESC\n"
     "|> LIMIT 10 -- ten\n"},
    {"select case when a = 'a long enough text' then 'another one' else 'and one more text' end as"
     " x, b from t",
     "SELECT\n"
     "  CASE\n"
     "    WHEN a = 'a long enough text' THEN 'another one'\n"
     "    ELSE 'and one more text'\n"
     "  END AS x,\n"
     "  b\n"
     "FROM t\n"},
    {"select case when name glob 'monitor contention*' or name glob 'Lock contention on a monitor*'"
     " then 'monitor' else name end as x from t",
     "SELECT\n"
     "  CASE\n"
     "    WHEN name GLOB 'monitor contention*'\n"
     "      OR name GLOB 'Lock contention on a monitor*'\n"
     "      THEN 'monitor'\n"
     "    ELSE name\n"
     "  END AS x\n"
     "FROM t\n"},
    {"CREATE TRIGGER t AFTER INSERT ON x BEGIN\n select 1;  select 2; END; select 3",
     "CREATE TRIGGER t AFTER INSERT ON x BEGIN\n select 1;  select 2; END;\nSELECT 3\n"},
    {"", ""},
    {" -- nothing\n", "-- nothing\n"},
};

static char *format(struct str text)
{
    char *out;
    struct status s = sql_format("test", text, &out);
    if (!status_ok(s)) {
        print_message("%s\nof: %.*s\n", s.message, (int)text.n, text.p);
        fail();
    }
    return out;
}

static void test_what_it_looks_like(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *once = format(str_from(cases[i].before)), *twice = format(str_from(once));
        assert_string_equal(once, cases[i].after);
        assert_string_equal(twice, once);
        free(once);
        free(twice);
    }
}

static struct token next(const struct sql_source *source, size_t *at)
{
    struct token t;
    do {
        t = lexer_token(source, *at);
        *at += t.text.n;
    } while (t.kind == TOKEN_SPACE && t.text.p[0] != '-' && t.text.p[0] != '/');
    return t;
}

/* Words may differ in case, comments in the blanks at their ends. */
static void assert_same_tokens(struct str a, struct str b)
{
    struct sql_source left = {.name = "before", .text = a}, right = {.name = "after", .text = b};
    size_t i = 0, k = 0;
    for (;;) {
        struct token x = next(&left, &i), y = next(&right, &k);
        assert_int_equal(x.kind, y.kind);
        if (x.kind == TOKEN_END)
            return;
        if (x.kind == TOKEN_SPACE)
            continue;
        assert_int_equal(x.text.n, y.text.n);
        if (x.kind == TOKEN_WORD)
            assert_int_equal(compare_any_case_n(x.text.p, y.text.p, x.text.n), 0);
        else
            assert_true(str_eq(x.text, y.text));
    }
}

static void check_twice(struct str text)
{
    char *once = format(text), *twice = format(str_from(once));
    assert_same_tokens(text, str_from(once));
    if (strcmp(once, twice) != 0)
        print_message("before:\n%.*s\nonce:\n%s\ntwice:\n%s\n", (int)text.n, text.p, once, twice);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
}

static void test_modules_keep_their_tokens(void **state)
{
    (void)state;
    assert_true(embedded_module_count > 100);
    for (size_t i = 0; i < embedded_module_count; i++)
        check_twice((struct str){embedded_modules[i].text, embedded_modules[i].size});
}

/* Whatever stands in a script, it comes out again. */
static void test_any_tokens_are_kept(void **state)
{
    (void)state;
    static const char *const words[] = {"select",    "from",      "t",
                                        "(",         ")",         "(",
                                        ")",         ",",         "and",
                                        "or",        "case",      "when",
                                        "1",         "'s'",       "end",
                                        "-",         "+",         ".",
                                        "a.b",       "-- c\n",    "/* d */",
                                        "\n",        "\n\n",      ";",
                                        "where",     "join",      "on",
                                        "left",      "group by",  "with",
                                        "as",        "create",    "perfetto",
                                        "function",  "returns",   "table",
                                        "|>",        "between",   "!",
                                        "f(",        "union all", "order by",
                                        "\"q\"",     "x'00'",     "<",
                                        ">",         "||",        "$x",
                                        "{",         "}",         "not",
                                        "over",      "-- e\n",    "limit",
                                        "values",    "window",    "partition by",
                                        "/* f\n */", "trigger",   "begin"};
    enum { WORDS = sizeof words / sizeof *words, SCRIPTS = 20000 };
    for (int n = 0; n < SCRIPTS; n++) {
        VEC(char) text = {0};
        for (uint32_t i = next_random(40); i > 0; i--) {
            const char *word = words[next_random(WORDS)];
            for (const char *c = word; *c; c++)
                *vec_push(&text) = *c;
            if (next_random(4) > 0)
                *vec_push(&text) = ' ';
        }
        *vec_push(&text) = '\n';
        check_twice((struct str){text.items, text.count});
        vec_release(&text);
    }
}

static void test_a_quote_that_is_not_closed_has_its_place(void **state)
{
    (void)state;
    char *out;
    struct status s = sql_format("test", STR("select 1;\nselect 'x"), &out);
    assert_false(status_ok(s));
    assert_null(out);
    assert_non_null(strstr(s.message, "test:2:8: this quote is not closed"));
    status_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_it_looks_like),
        cmocka_unit_test(test_modules_keep_their_tokens),
        cmocka_unit_test(test_any_tokens_are_kept),
        cmocka_unit_test(test_a_quote_that_is_not_closed_has_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
