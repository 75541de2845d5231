#include "sql_fixture.h"
#include "sql_random.h"

#include <stdlib.h>

static int setup(void **state)
{
    return fixture_open(state, NULL);
}

enum { FRAMES = 40 };

/* Table t(id, parent_id, name, v, w): frames of few names; fg, the operator over it; and path, each
 * frame's way from the root as ".a.b.". */
static void make_frames(struct sql_session *s)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "DROP TABLE IF EXISTS fg; DROP TABLE IF EXISTS t;"
                               " CREATE TABLE t(id, parent_id, name, v, w);");
    for (uint32_t i = 0; i < FRAMES; i++) {
        char parent[16] = "NULL";
        if (i > 0 && next_random(8))
            snprintf(parent, sizeof parent, "%u", next_random(i) * 3);
        sqlite3_str_appendf(sql, "INSERT INTO t VALUES(%u, %s, '%c', %u, %u);", i * 3, parent,
                            'a' + next_random(4), 1 + next_random(9), next_random(5));
    }
    sqlite3_str_appendall(
        sql, "CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((SELECT * FROM t));"
             "DROP TABLE IF EXISTS path; CREATE TABLE path AS WITH RECURSIVE p(id, path) AS ("
             "SELECT id, '.' || name || '.' FROM t WHERE parent_id IS NULL UNION ALL SELECT t.id,"
             " path || name || '.' FROM p JOIN t ON t.parent_id = p.id)"
             " SELECT id, path, v, w, name FROM p JOIN t USING (id)");
    char *text = sqlite3_str_finish(sql);
    expect_rows(s, text, "");
    sqlite3_free(text);
}

/* The operator's nodes with their ways from the first row of the picture. */
#define WAYS(config)                                                                               \
    "WITH RECURSIVE r AS (SELECT * FROM fg(__intrinsic_flamegraph_config('value', 'v', 'value',"   \
    " 'w', " config "))), way(id, way) AS (SELECT _tree_id, '.' || name || '.' FROM r WHERE"       \
    " _tree_parent_id IS NULL UNION ALL SELECT _tree_id, way || name || '.' FROM way JOIN r ON"    \
    " _tree_parent_id = way.id) SELECT depth > 0, way, abs(depth), self_v, cumulative_v, self_w,"  \
    " cumulative_w FROM r JOIN way ON id = _tree_id ORDER BY 1, 2"

/* The same of `stacks`, a query that gives (way, v, w): each prefix of a way is a node. */
#define NODES(stacks)                                                                              \
    "stack AS (" stacks "), node(way, n) AS (SELECT DISTINCT way, length(way) / 2 FROM stack"      \
    " UNION SELECT substr(way, 1, length(way) - 2), n - 1 FROM node WHERE n > 1)"                  \
    " SELECT 1, way, n, coalesce((SELECT sum(v) FROM stack WHERE stack.way = node.way), 0),"       \
    " (SELECT sum(v) FROM stack WHERE substr(stack.way, 1, length(node.way)) = node.way),"         \
    " coalesce((SELECT sum(w) FROM stack WHERE stack.way = node.way), 0),"                         \
    " (SELECT sum(w) FROM stack WHERE substr(stack.way, 1, length(node.way)) = node.way)"          \
    " FROM node ORDER BY 1, 2"

static void test_views_agree_with_paths(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 41;
    for (int round = 0; round < 5; round++) {
        make_frames(s);
        expect_same(s, WAYS("'view', 'TOP_DOWN'"),
                    "WITH RECURSIVE " NODES("SELECT path AS way, v, w FROM path"));
        expect_same(s, WAYS("'view', 'FROM_FRAME', 'view_pattern', '[B]', 'i'"),
                    "WITH RECURSIVE " NODES("SELECT substr(path, instr(path, '.b.')) AS way, v, w"
                                            " FROM path WHERE path GLOB '*.b.*'"));
        expect_same(s,
                    WAYS("'view', 'TOP_DOWN', 'filter', 'SHOW_STACK', 'a', '', 'filter',"
                         " 'HIDE_STACK', '^c$', ''"),
                    "WITH RECURSIVE " NODES("SELECT path AS way, v, w FROM path WHERE path GLOB"
                                            " '*.a.*' AND NOT path GLOB '*.c.*'"));
        expect_same(
            s,
            WAYS("'view', 'TOP_DOWN', 'filter', 'HIDE_FRAME', 'b', '', 'filter', 'HIDE_STACK',"
                 " '[bd]', ''"),
            "WITH RECURSIVE " NODES("SELECT * FROM (SELECT replace(path, 'b.', '') AS way, v, w"
                                    " FROM path) WHERE way <> '.' AND NOT way GLOB '*d*'"));
        expect_same(
            s, WAYS("'view', 'BOTTOM_UP'"),
            "WITH RECURSIVE turned(id, n, way) AS (SELECT id, length(path), '.' FROM path UNION ALL"
            " SELECT turned.id, n - 2, way || substr(path, n - 1, 1) || '.' FROM turned JOIN path"
            " USING (id) WHERE n > 1), stack AS (SELECT way, v, w, n FROM turned JOIN path USING"
            " (id) WHERE n < length(path))"
            " SELECT 0, way, length(way) / 2, iif(length(way) = 3, sum(v), 0), sum(v),"
            " iif(length(way) = 3, sum(w), 0), sum(w) FROM stack GROUP BY way ORDER BY 1, 2");
        expect_same(
            s,
            "SELECT sum(cumulative_v), count(*) FROM fg(__intrinsic_flamegraph_config('value',"
            " 'v', 'view', 'PIVOT', 'view_pattern', 'b', '')) WHERE name = 'b' AND"
            " depth IN (1, -1) AND cumulative_v = x_end - x_start",
            "SELECT 2 * sum(v), 2 FROM path WHERE path GLOB '*.b.*'");
    }
}

/* Siblings stand one behind the other from where their parent starts, the widest first. */
static void test_places(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 42;
    make_frames(s);
    static const char *const calls[] = {"'view', 'TOP_DOWN'", "'view', 'BOTTOM_UP'",
                                        "'view', 'PIVOT', 'view_pattern', 'a', ''"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char *query = sqlite3_mprintf(
            "WITH r AS (SELECT * FROM fg(__intrinsic_flamegraph_config('value', 'v', %s)))"
            " SELECT * FROM (SELECT x_start, x_end - x_start AS width, cumulative_v,"
            " lag(x_end) OVER w AS before, lag(cumulative_v) OVER w AS wider, (SELECT p.x_start"
            " FROM r p WHERE p._tree_id = r._tree_parent_id) AS parent FROM r WINDOW w AS"
            " (PARTITION BY _tree_parent_id, depth ORDER BY _tree_id)) WHERE width <> cumulative_v"
            " OR x_start <> coalesce(before, parent, 0) OR wider < cumulative_v",
            calls[i]);
        expect_rows(s, query, "");
        sqlite3_free(query);
    }
    expect_rows(s,
                "SELECT count(*) FROM (SELECT abs(depth) AS d, x_start AS x, lag(abs(depth)) OVER"
                " (ORDER BY _tree_id) AS above, lag(x_start) OVER (ORDER BY _tree_id) AS left FROM"
                " fg(__intrinsic_flamegraph_config('value', 'v', 'view', 'PIVOT', 'view_pattern',"
                " 'a', ''))) WHERE d < above OR (d = above AND x < left)",
                "0\n");
}

#define FRAMES_OF(rows)                                                                            \
    "DROP TABLE IF EXISTS fg; CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((" rows "));"

static void test_groups_and_aggregates(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(
        s,
        FRAMES_OF(
            "SELECT 1 AS id, NULL AS parent_id, 'r' AS name, 1.5 AS value, NULL AS g,"
            " 7 AS n, 'q' AS c UNION ALL SELECT 2, 1, 'x', 2, 'm1', NULL, 'a'"
            " UNION ALL SELECT 3, 1, 'x', 3, 'm2', 8, 'b'"
            " UNION ALL SELECT 4, 1, 'x', 1, 'm1', 9, 'a'") "SELECT name, g, cumulative_value, "
                                                            "x_start, x_end, n, c FROM"
                                                            " fg(__intrinsic_flamegraph_config('"
                                                            "value', 'value', 'view', 'TOP_DOWN',"
                                                            " 'grouping', 'g', 'aggregate', 'SUM', "
                                                            "'n', 'n', 'aggregate',"
                                                            " 'CONCAT_WITH_COMMA', 'c', 'c'))",
        "r|NULL|7.5|0.0|7.5|7|q\nx|m1|3.0|0.0|3.0|9|a,a\nx|m2|3.0|3.0|6.0|8|b\n");
    expect_rows(s,
                "SELECT name, g, c, n FROM fg(__intrinsic_flamegraph_config('value', 'value',"
                " 'view', 'TOP_DOWN', 'aggregate', 'ONE_OR_SUMMARY', 'c', 'c', 'aggregate',"
                " 'CONCAT_WITH_COMMA', 'n', 'n'))",
                "r|NULL|q|7\nx|NULL|a and 2 others|8,9\n");
    expect_rows(s,
                "SELECT name, self_n FROM fg(__intrinsic_flamegraph_config('value', 'n', 'view',"
                " 'TOP_DOWN', 'grouping', 'g', 'filter', 'SHOW_STACK', '^m2$', ''))",
                "r|0\nx|8\n");
}

static void test_hidden_frames_give_to_those_above(void **state)
{
    expect_rows(
        session_of(state),
        FRAMES_OF("SELECT 1 AS id, NULL AS parent_id, 'root' AS name, 1 AS value, 2 AS s"
                  " UNION ALL SELECT 2, 1, 'skip', 3, 5 UNION ALL SELECT 3, 2, 'leaf', 7,"
                  " 11") "SELECT name, depth, self_value, cumulative_value, s FROM"
                         " fg(__intrinsic_flamegraph_config('value', 'value', 'view', 'BOTTOM_UP',"
                         " 'filter', 'HIDE_FRAME', '^skip$', '', 'aggregate', 'SUM', 's', 's'))",
        "leaf|-1|7|7|11\nroot|-1|4|4|7\nroot|-2|0|7|7\n");
}

static void test_the_row_above_all(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(
        s,
        FRAMES_OF(
            "SELECT 1 AS id, NULL AS parent_id, 'a' AS name, 1 AS value UNION ALL"
            " SELECT 2, NULL, 'b', 2 UNION ALL SELECT 3, 1, 'c', 4") "SELECT _tree_parent_id, "
                                                                     "depth, name, "
                                                                     "cumulative_value FROM"
                                                                     " fg(__intrinsic_flamegraph_"
                                                                     "config('value', 'value', "
                                                                     "'view', 'TOP_DOWN'))"
                                                                     " WHERE "
                                                                     "__intrinsic_flamegraph_find(_"
                                                                     "tree_id, 'SUPER_ROOT')",
        "NULL|0|NULL|7.0\n");
    expect_rows(s,
                FRAMES_OF("SELECT 1 AS id, NULL AS parent_id, 'a' AS name, 1 AS value, 'g' AS g"
                          " WHERE 0") "SELECT name, g FROM fg(__intrinsic_flamegraph_config("
                                      "'value', 'value', 'view', 'TOP_DOWN', 'grouping', 'g'))",
                "");
}

static void test_mistakes_are_named(void **state)
{
    struct sql_session *s = session_of(state);
    static const struct error_case cases[] = {
        {FRAMES_OF(
             "SELECT 1 AS id, NULL AS parent_id, 'a' AS name, -1 AS v, 't' AS t") "SELECT * FROM "
                                                                                  "fg(__intrinsic_"
                                                                                  "flamegraph_"
                                                                                  "config('value', "
                                                                                  "'v', 'view', "
                                                                                  "'TOP_DOWN'))",
         "value columns must be non-negative"},
        {"SELECT * FROM fg(__intrinsic_flamegraph_config('view', 'TOP_DOWN'))",
         "names no 'value' column"},
        {"SELECT * FROM fg(__intrinsic_flamegraph_config('value', 'x'))", "no column x"},
        {"SELECT * FROM fg(__intrinsic_flamegraph_config('value', 't'))", "t is text"},
        {"SELECT * FROM fg(__intrinsic_flamegraph_config('value', 'v', 'view', 'PIVOT'))",
         "the view PIVOT needs a 'view_pattern'"},
        {"SELECT * FROM fg(__intrinsic_flamegraph_config('value', 'v', 'view', 'UP'))",
         "expected 'view', 'TOP_DOWN', 'BOTTOM_UP'"},
        {"SELECT * FROM fg(__intrinsic_flamegraph_config('what'))", "expected one of 'view'"},
        {"SELECT * FROM fg(1)", "the argument must be __intrinsic_flamegraph_config"},
        {"SELECT * FROM fg", "takes 1 argument: config"},
        {"SELECT * FROM fg(__intrinsic_flamegraph_config('value', 't', 'filter', 'SHOW_STACK',"
         " '(', ''))",
         "t is text"},
        {"DROP TABLE fg; CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((SELECT 1 AS id,"
         " 1 AS parent_id, 'a' AS name))",
         "their own ancestors"},
        {"CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((SELECT 1 AS a, 2 AS b, 3 AS c))",
         "the first columns must be id and parent_id"},
    };
    EXPECT_ERRORS(s, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_views_agree_with_paths), SQL_TEST(test_places),
        SQL_TEST(test_groups_and_aggregates),  SQL_TEST(test_hidden_frames_give_to_those_above),
        SQL_TEST(test_the_row_above_all),      SQL_TEST(test_mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
