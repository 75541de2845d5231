/* The grammar of PerfettoSQL: what trees come out, that all SQL of the files given has one, and
 * that the text written of a tree makes the same tree. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "sql/grammar/parse.h"
#include "sql/grammar/rewrite.h"
#include "tree_text.h"

struct parsed {
    struct sql_source source;
    struct token_list tokens;
    struct arena arena;
    struct sql_tree tree;
};

static void parse_text(struct parsed *p, struct str text)
{
    *p = (struct parsed){.source = {.name = "test", .text = text}};
    arena_init(&p->arena);
    lexer_statement(&p->source, 0, &p->tokens);
    p->tree = sql_parse_statement(&p->arena, &p->tokens);
}

static void release(struct parsed *p)
{
    vec_release(&p->tokens.v);
    arena_release(&p->arena);
}

static void expect_shape(const char *sql, const char *shape)
{
    struct parsed p;
    parse_text(&p, str_from(sql));
    char *found = tree_shape(p.tree.root, &p.tokens);
    if (strcmp(found, shape) != 0)
        fail_msg("%s\nexpected %s\nfound    %s", sql, shape, found);
    assert_true(p.tree.whole);
    free(found);
    release(&p);
}

/* The tree of what is left when something is missing or too much. */
static void expect_repaired(const char *sql, uint32_t wrong, const char *shape)
{
    struct parsed p;
    parse_text(&p, str_from(sql));
    char *found = tree_shape(p.tree.root, &p.tokens);
    if (strcmp(found, shape) != 0)
        fail_msg("%s\nexpected %s\nfound    %s", sql, shape, found);
    assert_false(p.tree.whole);
    assert_int_equal(p.tree.wrong, wrong);
    free(found);
    release(&p);
}

static void test_queries(void **state)
{
    (void)state;
    expect_shape("SELECT a, t.b AS c FROM t WHERE a > 1 ORDER BY c DESC LIMIT 3",
                 "(SELECT - (CORE (LIST (RESULT (COLUMN - - a)) (RESULT (COLUMN - t b) c)) "
                 "(FROM (JOIN (TABLE - t))) (BINARY '>' (COLUMN - - a) 1)) "
                 "(LIST (ORDER_TERM 'DESC' (COLUMN - - c))) (LIMIT 3))");
    expect_shape("VALUES (1, 2), (3, 4)",
                 "(SELECT - (VALUES (LIST (PARENTHESES (LIST 1 2)) (PARENTHESES (LIST 3 4)))))");
    expect_shape("SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3",
                 "(SELECT - (COMPOUND (ARM (CORE (LIST (RESULT 1)))) "
                 "(ARM 'UNION ALL' (CORE (LIST (RESULT 2)))) "
                 "(ARM 'EXCEPT' (CORE (LIST (RESULT 3))))))");
    expect_shape("WITH RECURSIVE r(n) AS NOT MATERIALIZED (SELECT 1) SELECT * FROM r",
                 "(SELECT (WITH 'RECURSIVE' (LIST (WITH_TABLE 'NOT MATERIALIZED' r (LIST n) "
                 "(SELECT - (CORE (LIST (RESULT 1))))))) "
                 "(CORE (LIST (STAR)) (FROM (JOIN (TABLE - r)))))");
    expect_shape(
        "SELECT 1 FROM a NATURAL LEFT OUTER JOIN b USING (x), c('y') d CROSS JOIN (a JOIN b)",
        "(SELECT - (CORE (LIST (RESULT 1)) (FROM (JOIN (TABLE - a)) "
        "(JOIN 'LEFT JOIN' 'NATURAL' (TABLE - b) - (LIST x)) "
        "(JOIN ',' (TABLE - c (LIST 'y') d)) "
        "(JOIN 'CROSS JOIN' (TABLE_JOIN (FROM (JOIN (TABLE - a)) "
        "(JOIN 'JOIN' (TABLE - b))))))))");
    expect_shape("SELECT 1 LIMIT 2, 3", "(SELECT - (CORE (LIST (RESULT 1))) - (LIMIT 3 2))");
}

static void expect_expression(const char *sql, const char *shape)
{
    char *select = alloc_bytes(strlen(sql) + 8), *all = alloc_bytes(strlen(shape) + 64);
    snprintf(select, strlen(sql) + 8, "SELECT %s", sql);
    snprintf(all, strlen(shape) + 64, "(SELECT - (CORE (LIST (RESULT %s))))", shape);
    expect_shape(select, all);
    free(select);
    free(all);
}

static void test_expressions(void **state)
{
    (void)state;
    expect_expression("1 + 2 * 3 - -4",
                      "(BINARY '-' (BINARY '+' 1 (BINARY '*' 2 3)) (UNARY '-' 4))");
    expect_expression("NOT a = 1 AND b OR c",
                      "(BINARY 'OR' (BINARY 'AND' (UNARY 'NOT' (BINARY '=' (COLUMN - - a) 1)) "
                      "(COLUMN - - b)) (COLUMN - - c))");
    expect_expression("a BETWEEN 1 AND 2 AND b NOT LIKE 'x' ESCAPE '!'",
                      "(BINARY 'AND' (BETWEEN 'BETWEEN' (COLUMN - - a) 1 2) "
                      "(LIKE 'NOT LIKE' (COLUMN - - b) 'x' '!'))");
    expect_expression("a IS NOT NULL", "(BINARY 'IS NOT' (COLUMN - - a) NULL)");
    expect_expression("a NOT NULL IS NOT DISTINCT FROM b",
                      "(BINARY 'IS NOT DISTINCT FROM' (POSTFIX 'NOTNULL' (COLUMN - - a)) "
                      "(COLUMN - - b))");
    expect_expression("a NOT IN (1, 2) = (b IN t) || c IN ()",
                      "(IN 'IN' (BINARY '=' (IN 'NOT IN' (COLUMN - - a) (PARENTHESES (LIST 1 2))) "
                      "(BINARY '||' (PARENTHESES (LIST (IN 'IN' (COLUMN - - b) (TABLE - t)))) "
                      "(COLUMN - - c))) (PARENTHESES (LIST)))");
    expect_expression(
        "count(DISTINCT x) FILTER (WHERE y) OVER (PARTITION BY z ORDER BY w ROWS BETWEEN 1 "
        "PRECEDING AND CURRENT ROW EXCLUDE TIES)",
        "(CALL 'DISTINCT' count (LIST (COLUMN - - x)) - (FILTER (COLUMN - - y)) "
        "(WINDOW - (LIST (COLUMN - - z)) (LIST (ORDER_TERM (COLUMN - - w))) "
        "(FRAME 'ROWS' 'EXCLUDE TIES' (BETWEEN_BOUNDS (BOUND 'PRECEDING' 1) "
        "(BOUND 'CURRENT ROW')))))");
    expect_expression("count(*)", "(CALL count (LIST (STAR)))");
    expect_expression("group_concat(x, ',' ORDER BY y)",
                      "(CALL group_concat (LIST (COLUMN - - x) ',') "
                      "(LIST (ORDER_TERM (COLUMN - - y))))");
    expect_expression("CASE x WHEN 1 THEN 'a' ELSE CAST(b AS TEXT) END",
                      "(CASE (COLUMN - - x) (WHENS (WHEN 1 'a')) (CAST (COLUMN - - b) TEXT))");
    expect_expression("EXISTS (SELECT 1)", "(EXISTS (SELECT - (CORE (LIST (RESULT 1)))))");
    expect_expression("a -> 'x' ->> 'y' COLLATE nocase",
                      "(BINARY '->>' (BINARY '->' (COLUMN - - a) 'x') "
                      "(BINARY 'COLLATE' 'y' nocase))");
    /* Words of the grammar that are names wherever they can be. */
    expect_expression("end + filter + over(\"order\") + replace(interval, window, tree)",
                      "(BINARY '+' (BINARY '+' (BINARY '+' (COLUMN - - end) (COLUMN - - filter)) "
                      "(CALL over (LIST (COLUMN - - \"order\")))) (CALL replace "
                      "(LIST (COLUMN - - interval) (COLUMN - - window) (COLUMN - - tree))))");
}

static void test_perfetto(void **state)
{
    (void)state;
    expect_shape("CREATE OR REPLACE PERFETTO TABLE t(a LONG, b JOINID(thread.id)) AS SELECT 1",
                 "(CREATE_TABLE 'OR REPLACE' t (LIST (DECLARED a LONG) "
                 "(DECLARED b JOINID(thread.id))) - (SELECT - (CORE (LIST (RESULT 1)))))");
    expect_shape("CREATE PERFETTO FUNCTION f(x LONG) RETURNS TABLE(y STRING) AS SELECT $x",
                 "(CREATE_FUNCTION f (LIST (DECLARED x LONG)) (RETURNS_TABLE (LIST (DECLARED y "
                 "STRING))) (SELECT - (CORE (LIST (RESULT $x)))))");
    expect_shape("CREATE PERFETTO MACRO m(a Expr) RETURNS Expr AS $a + (1",
                 "(CREATE_MACRO m (LIST (DECLARED a Expr)) Expr $a + (1)");
    expect_shape("SELECT m!(a, (SELECT 1), 1 AS x) FROM n!(SELECT 2) AS o",
                 "(SELECT - (CORE (LIST (RESULT (MACRO m (LIST (COLUMN - - a) (SUBQUERY (SELECT - "
                 "(CORE (LIST (RESULT 1))))) 1 AS x)))) (FROM (JOIN (TABLE_MACRO (MACRO n (LIST "
                 "(SELECT - (CORE (LIST (RESULT 2)))))) o)))))");
    expect_shape("INCLUDE PERFETTO MODULE slices.*", "(INCLUDE slices.*)");
    expect_shape("FROM slice |> WHERE dur > 1 |> AGGREGATE sum(dur) AS s GROUP BY name",
                 "(PIPELINE (PIPE_FROM (TABLE - slice)) (STAGES (STAGE 'WHERE' "
                 "(BINARY '>' (COLUMN - - dur) 1)) (STAGE 'AGGREGATE' (LIST (RESULT (CALL sum "
                 "(LIST (COLUMN - - dur))) s)) - - (LIST (RESULT (COLUMN - - name))))))");
    expect_shape("PRAGMA table_info(x)", "PRAGMA table_info(x)");
    expect_shape("CREATE VIRTUAL TABLE x USING span_join(a PARTITIONED b, c)",
                 "(VIRTUAL_TABLE - x span_join a PARTITIONED b, c)");
}

static void test_half_written_statements_have_a_tree(void **state)
{
    (void)state;
    expect_repaired("SELECT a, FROM t", 5,
                    "(SELECT - (CORE (LIST (RESULT (COLUMN - - a)) (RESULT (HOLE))) "
                    "(FROM (JOIN (TABLE - t)))))");
    expect_repaired("SELECT a FROM t WHERE ", 10,
                    "(SELECT - (CORE (LIST (RESULT (COLUMN - - a))) (FROM (JOIN (TABLE - t))) "
                    "(HOLE)))");
    expect_repaired("SELECT t. FROM t", 5,
                    "(SELECT - (CORE (LIST (RESULT (COLUMN - t (HOLE)))) (FROM (JOIN (TABLE - "
                    "t)))))");
    expect_repaired("SELECT * FROM (SELECT max(a FROM b", 13,
                    "(SELECT - (CORE (LIST (STAR)) (FROM (JOIN (TABLE_SELECT (SELECT - (CORE "
                    "(LIST (RESULT (CALL max (LIST (COLUMN - - a))))) (FROM (JOIN (TABLE - "
                    "b))))))))))");
    expect_repaired("SELECT a b c FROM t", 6,
                    "(SELECT - (CORE (LIST (RESULT (COLUMN - - a) b)) (FROM (JOIN (TABLE - t)))))");
    expect_repaired("SELECT CASE WHEN a FROM t", 8,
                    "(SELECT - (CORE (LIST (RESULT (CASE - (WHENS (WHEN (COLUMN - - a) "
                    "(HOLE)))))) (FROM (JOIN (TABLE - t)))))");
    expect_repaired("SELECT ) , 1", 2, "(SELECT - (CORE (LIST (RESULT (HOLE)) (RESULT 1))))");
    expect_repaired("FROM", 1, "(PIPELINE (PIPE_FROM (TABLE - (HOLE))))");
}

static void test_what_nests_too_deep_has_no_tree(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    char *text = alloc_bytes(DEEP + 16);
    memcpy(text, "SELECT ", 7);
    memset(text + 7, '(', DEEP);
    text[7 + DEEP] = '1';
    struct parsed p;
    parse_text(&p, (struct str){text, DEEP + 8});
    assert_null(p.tree.root);
    assert_false(p.tree.whole);
    release(&p);
    free(text);
}

/* ---- files ---- */

struct sql_text {
    VEC(char) v;
};

/* One line of a file of rows: queries stand behind "> ", everything else ends them. */
static void add_row_line(struct sql_text *text, struct str line)
{
    bool is_sql = str_starts(line, STR(">"));
    vec_append(&text->v, is_sql ? line.p + 1 : ";", is_sql ? line.n - 1 : 1);
    *vec_push(&text->v) = '\n';
}

/* {{parameter}} of metrics' templates stands for a name; a rule for alerts ends where the next one
 * begins. */
static void add_line(struct sql_text *text, struct str line)
{
    if (str_starts(line, STR("-- alert:")))
        *vec_push(&text->v) = ';';
    for (size_t i = 0; i < line.n; i++)
        *vec_push(&text->v) = line.p[i] == '{' || line.p[i] == '}' ? '_' : line.p[i];
    *vec_push(&text->v) = '\n';
}

static struct sql_text file_text(const char *path)
{
    FILE *f = fopen(path, "r");
    struct sql_text text = {0};
    char *line = NULL;
    size_t room = 0, length = strlen(path);
    ssize_t n;
    if (!f)
        fail_msg("cannot open %s", path);
    bool is_rows = length > 5 && strcmp(path + length - 5, ".rows") == 0;
    while ((n = getline(&line, &room, f)) > 0) {
        struct str s = {line, (size_t)n - (line[n - 1] == '\n')};
        if (is_rows)
            add_row_line(&text, s);
        else
            add_line(&text, s);
    }
    free(line);
    fclose(f);
    return text;
}

static bool keep(struct sql_rewrite *r, const struct sql_node *n)
{
    (void)r;
    (void)n;
    return false;
}

/* Whether the tree's tokens, written again with nothing replaced, are what they were. */
static bool writes_itself(const struct parsed *p)
{
    struct token_list again = {0};
    struct sql_rewrite r = {.tokens = &p->tokens, .out = &again, .instead = keep};
    sql_rewrite_all(&r, p->tree.root);
    bool same = again.v.count == p->tokens.v.count;
    for (size_t i = 0; same && i < again.v.count; i++)
        same = again.v.items[i].text.p == p->tokens.v.items[i].text.p;
    vec_release(&again.v);
    return same;
}

static int check_statement(const char *path, struct parsed *p)
{
    struct parsed again;
    if (!p->tree.whole) {
        size_t at = p->tree.wrong < p->tokens.v.count ? token_at(p->tokens.v.items[p->tree.wrong])
                                                      : p->source.text.n;
        size_t line = 1;
        for (size_t i = 0; i < at; i++)
            line += p->source.text.p[i] == '\n';
        print_error("%s:%zu: no rule: %.*s\n", path, line,
                    (int)(p->source.text.n - at < 60 ? p->source.text.n - at : 60),
                    p->source.text.p + at);
        return 1;
    }
    if (!p->tree.root)
        return 0;
    char *text = tree_text(p->tree.root, &p->tokens);
    parse_text(&again, str_from(text));
    bool same = again.tree.whole &&
                sql_tree_equal(p->tree.root, &p->tokens, again.tree.root, &again.tokens);
    if (!writes_itself(p)) {
        print_error("%s: other tokens than were written: %s\n", path, text);
        same = false;
    } else if (!same)
        print_error("%s: another tree of what was written: %s\n", path, text);
    free(text);
    release(&again);
    return !same;
}

static int check_file(const char *path)
{
    struct sql_text text = file_text(path);
    int bad = 0;
    struct parsed p = {.source = {.name = path, .text = {text.v.items, text.v.count}}};
    for (size_t at = 0; at < text.v.count;) {
        arena_init(&p.arena);
        p.tokens.v.count = 0;
        at = lexer_statement(&p.source, at, &p.tokens);
        p.tree = sql_parse_statement(&p.arena, &p.tokens);
        bad += check_statement(path, &p);
        arena_release(&p.arena);
    }
    vec_release(&p.tokens.v);
    vec_release(&text.v);
    return bad;
}

static char **files;
static int file_count;

static void test_all_sql_of_the_files_has_a_tree(void **state)
{
    (void)state;
    int bad = 0;
    for (int i = 0; i < file_count; i++)
        bad += check_file(files[i]);
    assert_int_equal(bad, 0);
}

int main(int argc, char **argv)
{
    files = argv + 1;
    file_count = argc - 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_perfetto),
        cmocka_unit_test(test_half_written_statements_have_a_tree),
        cmocka_unit_test(test_what_nests_too_deep_has_no_tree),
        cmocka_unit_test(test_all_sql_of_the_files_has_a_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
