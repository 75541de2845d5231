#include "sql_fixture.h"
#include "sql_random.h"

#include <stdlib.h>

static int setup(void **state)
{
    int result = fixture_open(state, NULL);
    expect_rows(session_of(state),
                "INCLUDE PERFETTO MODULE graphs.*; INCLUDE PERFETTO MODULE std.trees.*", "");
    return result;
}

enum { NODES = 12, NODE_STEP = 7 }; /* ids are multiples: they are not row numbers */

struct edges {
    uint32_t count, from[40], to[40];
};

/* Table e. Forward edges only make a graph without cycles. */
static struct edges make_edges(struct sql_session *s, bool forward)
{
    struct edges e = {.count = 5 + next_random(30)};
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql,
                          "DROP TABLE IF EXISTS e; CREATE TABLE e(source_node_id, dest_node_id);");
    for (uint32_t i = 0; i < e.count; i++) {
        uint32_t a = next_random(NODES), b = next_random(NODES);
        if (forward && a >= b) {
            a = a == NODES - 1 ? 0 : a;
            b = a + 1 + next_random(NODES - 1 - a);
        }
        e.from[i] = a;
        e.to[i] = b;
        sqlite3_str_appendf(sql, "INSERT INTO e VALUES(%u, %u);", a * NODE_STEP, b * NODE_STEP);
    }
    char *text = sqlite3_str_finish(sql);
    expect_rows(s, text, "");
    sqlite3_free(text);
    return e;
}

/* Table starts(node_id). */
static void make_starts(struct sql_session *s, uint32_t a, uint32_t b)
{
    char *sql = sqlite3_mprintf("DROP TABLE IF EXISTS starts; CREATE TABLE starts AS SELECT"
                                " column1 AS node_id FROM (VALUES (%u), (%u))",
                                a * NODE_STEP, b * NODE_STEP);
    expect_rows(s, sql, "");
    sqlite3_free(sql);
}

static void test_breadth_first_finds_shortest_ways(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 21;
    for (int round = 0; round < 20; round++) {
        make_edges(s, false);
        make_starts(s, next_random(NODES), next_random(NODES));
        expect_rows(s,
                    "DROP TABLE IF EXISTS r; CREATE TABLE r AS"
                    " SELECT * FROM graph_reachable_bfs!(e, starts)",
                    "");
        expect_same(s,
                    "WITH RECURSIVE d(id, n) AS (SELECT node_id, 0 FROM r WHERE parent_node_id IS"
                    " NULL UNION ALL SELECT r.node_id, n + 1 FROM d JOIN r ON r.parent_node_id ="
                    " d.id) SELECT * FROM d ORDER BY id",
                    "WITH RECURSIVE d(id, n) AS (SELECT node_id, 0 FROM starts UNION SELECT"
                    " dest_node_id, n + 1 FROM d JOIN e ON source_node_id = d.id WHERE n < 12)"
                    " SELECT id, min(n) FROM d GROUP BY id ORDER BY id");
        expect_rows(s,
                    "SELECT * FROM r WHERE parent_node_id IS NOT NULL AND NOT EXISTS (SELECT 1"
                    " FROM e WHERE source_node_id = parent_node_id AND dest_node_id = node_id)",
                    "");
    }
}

static void visit(const struct edges *e, uint32_t node, int parent, bool *seen, sqlite3_str *out)
{
    if (seen[node])
        return;
    seen[node] = true;
    if (parent < 0)
        sqlite3_str_appendf(out, "%u|NULL\n", node * NODE_STEP);
    else
        sqlite3_str_appendf(out, "%u|%u\n", node * NODE_STEP, (uint32_t)parent * NODE_STEP);
    for (uint32_t i = 0; i < e->count; i++)
        if (e->from[i] == node)
            visit(e, e->to[i], (int)node, seen, out);
}

static void test_depth_first_is_the_recursive_walk(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 22;
    for (int round = 0; round < 20; round++) {
        struct edges e = make_edges(s, false);
        uint32_t a = next_random(NODES), b = next_random(NODES);
        bool seen[NODES] = {false};
        sqlite3_str *want = sqlite3_str_new(NULL);
        make_starts(s, a, b);
        visit(&e, a, -1, seen, want);
        visit(&e, b, -1, seen, want);
        char *rows = sqlite3_str_finish(want);
        expect_rows(s, "SELECT * FROM graph_reachable_dfs!(e, starts)", rows);
        sqlite3_free(rows);
    }
}

/* The search of one root, ended by `total` being above `bound`. */
struct bounded {
    const struct edges *e;
    uint32_t root, bound, total;
    bool floor, over, seen[NODES];
    sqlite3_str *out;
};

static void visit_bounded(struct bounded *b, uint32_t node, int parent, uint32_t weight)
{
    if (b->over || b->seen[node])
        return;
    b->seen[node] = true;
    b->total += weight;
    b->over = b->total > b->bound;
    if (b->over && !b->floor)
        return;
    sqlite3_str_appendf(b->out, "%u|%u|", b->root * NODE_STEP, node * NODE_STEP);
    if (parent < 0)
        sqlite3_str_appendall(b->out, "NULL\n");
    else
        sqlite3_str_appendf(b->out, "%u\n", (uint32_t)parent * NODE_STEP);
    for (uint32_t i = 0; i < b->e->count; i++)
        if (b->e->from[i] == node)
            visit_bounded(b, b->e->to[i], (int)node, i % 4);
}

static void test_weights_bound_the_depth_first_walk(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 28;
    for (int round = 0; round < 20; round++) {
        struct edges e = make_edges(s, false);
        sqlite3_str *want = sqlite3_str_new(NULL);
        bool floor = round % 2;
        for (uint32_t root = 0; root < NODES; root += 3) {
            struct bounded b = {
                .e = &e, .root = root, .bound = root / 2, .floor = floor, .out = want};
            visit_bounded(&b, root, -1, 0);
        }
        char *rows = sqlite3_str_finish(want);
        expect_rows(
            s,
            floor
                ? "SELECT * FROM graph_reachable_weight_bounded_dfs!((SELECT *, (rowid - 1) % 4 AS"
                  " edge_weight FROM e), (SELECT column1 * 21 AS root_node_id, column1 * 3 / 2 AS"
                  " root_target_weight FROM (VALUES (0), (1), (2), (3))), 1)"
                : "SELECT * FROM graph_reachable_weight_bounded_dfs!((SELECT *, (rowid - 1) % 4 AS"
                  " edge_weight FROM e), (SELECT column1 * 21 AS root_node_id, column1 * 3 / 2 AS"
                  " root_target_weight FROM (VALUES (0), (1), (2), (3))), 0)",
            rows);
        sqlite3_free(rows);
    }
    expect_rows(s,
                "SELECT * FROM graph_reachable_weight_bounded_dfs!((SELECT * FROM e, (SELECT 1 AS"
                " edge_weight) WHERE 0), (SELECT 5 AS root_node_id, 1 AS root_target_weight), 1)",
                "5|5|NULL\n");
}

/* A node dominates another where the other cannot be reached without it; the nearest dominator has
 * the most dominators itself. */
static void test_dominators_agree_with_removing_each_node(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 23;
    for (int round = 0; round < 20; round++) {
        make_edges(s, false);
        expect_same(
            s, "SELECT * FROM graph_dominator_tree!(e, 0) ORDER BY 1",
            "WITH RECURSIVE node(id) AS (SELECT 0 UNION SELECT dest_node_id FROM node JOIN e ON"
            " source_node_id = node.id),"
            " without(removed, id) AS (SELECT node.id, 0 FROM node WHERE node.id <> 0 UNION"
            " SELECT removed, dest_node_id FROM without JOIN e ON source_node_id = without.id AND"
            " dest_node_id <> removed),"
            " dominates(above, id) AS (SELECT a.id, b.id FROM node a, node b WHERE a.id <> b.id"
            " AND NOT EXISTS (SELECT 1 FROM without w WHERE w.removed = a.id AND w.id = b.id)),"
            " ranked AS (SELECT above, id, (SELECT count(*) FROM dominates d WHERE d.id ="
            " dominates.above) AS rank FROM dominates)"
            " SELECT id, (SELECT above FROM ranked WHERE ranked.id = node.id ORDER BY rank DESC"
            " LIMIT 1) FROM node ORDER BY 1");
    }
}

static void test_scan_takes_every_way(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 24;
    for (int round = 0; round < 10; round++) {
        make_edges(s, true);
        expect_same(s,
                    "SELECT * FROM _graph_scan!(e, (SELECT column1 AS id, column2 AS name, 0 AS n,"
                    " 0.5 AS v FROM (VALUES (0, 'a'), (14, 'b'))), (name, n, v), (SELECT id, name"
                    " || '+', n + 1, v * 2 FROM $table WHERE n < 4)) ORDER BY 1, 2, 3",
                    "WITH RECURSIVE w(id, name, n, v) AS (SELECT column1, column2, 0, 0.5 FROM"
                    " (VALUES (0, 'a'), (14, 'b')) UNION ALL SELECT dest_node_id, name || '+',"
                    " n + 1, v * 2 FROM w JOIN e ON source_node_id = w.id WHERE n < 4)"
                    " SELECT * FROM w ORDER BY 1, 2, 3");
    }
}

static void test_aggregating_scan_sees_all_that_arrives(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 25;
    for (int round = 0; round < 20; round++) {
        make_edges(s, true);
        expect_same(
            s,
            "SELECT * FROM _graph_aggregating_scan!(e, (SELECT column1 AS id, 1 AS ways, 0 AS far"
            " FROM (VALUES (0), (14))), (ways, far), (SELECT id, sum(ways) AS ways, max(far) + 1"
            " AS far FROM $table GROUP BY id)) ORDER BY 1, 2, 3",
            "WITH RECURSIVE w(id, n) AS (SELECT column1, 0 FROM (VALUES (0), (14)) UNION ALL"
            " SELECT dest_node_id, n + 1 FROM w JOIN e ON source_node_id = w.id)"
            " SELECT id, 1, 0 FROM w WHERE n = 0 UNION ALL"
            " SELECT id, count(*), max(n) FROM w WHERE n > 0 GROUP BY id ORDER BY 1, 2, 3");
    }
}

static void test_scan_mistakes_are_named(void **state)
{
    struct sql_session *s = session_of(state);
    static const struct error_case cases[] = {
        {"SELECT * FROM _graph_scan!((SELECT 1 AS source_node_id, 2 AS dest_node_id),"
         " (SELECT 1 AS id, 0 AS d), (d), (SELECT id, wrong FROM $table))",
         "graph_scan: in the step's query: no such column: wrong"},
        {"SELECT * FROM _graph_scan!((SELECT 1 AS source_node_id, 2 AS dest_node_id),"
         " (SELECT 1 AS id, 0 AS d), (d), (SELECT id FROM $table))",
         "graph_scan: the step's query has 1 columns, expected id and 1"},
        {"SELECT * FROM _graph_scan!((SELECT 1 AS source_node_id, 2 AS dest_node_id),"
         " (SELECT 1 AS id, 0 AS d), (d), (SELECT id, 'x' AS d FROM $table))",
         "column d: row 1 holds STRING, the rows before it hold LONG"},
        {"SELECT * FROM _graph_aggregating_scan!((SELECT 1 AS source_node_id, 1 AS dest_node_id),"
         " (SELECT 1 AS id, 0 AS d), (d), (SELECT id, d FROM $table))",
         "the graph has a cycle (node 1 is on one"},
        {"SELECT * FROM _graph_aggregating_scan!((SELECT column1 AS source_node_id, column2 AS"
         " dest_node_id FROM (VALUES (1, 2), (2, 3))), (SELECT 1 AS id, 0 AS d), (d),"
         " (SELECT id - 1 AS id, d FROM $table))",
         "made a row for node 1, which was not among those of $table"},
        {"SELECT * FROM _graph_aggregating_scan!((SELECT 1 AS source_node_id, 2 AS dest_node_id),"
         " (SELECT 1.5 AS id, 0 AS d), (d), (SELECT id, d FROM $table))",
         "graph_aggregating_scan: the start rows' ids are not integers"},
    };
    EXPECT_ERRORS(s, cases);
}

/* Table t(id, parent_id, g, v): a forest whose parents may stand behind their children. */
static void make_tree(struct sql_session *s)
{
    uint32_t order[NODES];
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "DROP TABLE IF EXISTS t; CREATE TABLE t(id, parent_id, g, v);");
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t k = next_random(i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t n = order[i];
        char parent[16] = "NULL";
        if (n > 0 && next_random(6))
            snprintf(parent, sizeof parent, "%u", next_random(n) * NODE_STEP);
        sqlite3_str_appendf(sql, "INSERT INTO t VALUES(%u, %s, %u, %u);", n * NODE_STEP, parent,
                            next_random(3), next_random(100));
    }
    char *text = sqlite3_str_finish(sql);
    expect_rows(s, text, "");
    sqlite3_free(text);
}

#define ABOVE                                                                                      \
    "WITH RECURSIVE above(id, up, n) AS (SELECT id, id, 0 FROM t UNION ALL SELECT above.id,"       \
    " t.parent_id, n + 1 FROM above JOIN t ON t.id = up WHERE t.parent_id IS NOT NULL) "

static void test_trees_agree_with_recursive_sql(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 26;
    for (int round = 0; round < 20; round++) {
        make_tree(s);
        expect_same(s,
                    "SELECT * FROM tree_structural_partition_by_group!((SELECT id, parent_id,"
                    " g AS group_key FROM t)) ORDER BY id",
                    ABOVE "SELECT id, (SELECT up FROM above JOIN t u ON u.id = up WHERE above.id ="
                          " t.id AND n > 0 AND u.g = t.g ORDER BY n LIMIT 1), g FROM t ORDER BY"
                          " id");
        expect_same(s,
                    "SELECT id, parent_id, g, v FROM _tree_to_table!(_tree_from_table!(t,"
                    " (g, v)), (g, v)) ORDER BY id",
                    "SELECT * FROM t ORDER BY id");
        expect_rows(s,
                    "DROP TABLE IF EXISTS r; CREATE TABLE r AS"
                    " SELECT * FROM _tree_to_table!(_tree_from_table!(t, (g)), (g));"
                    "SELECT * FROM r JOIN r p ON r._tree_parent_id = p._tree_id"
                    " WHERE p.id <> r.parent_id OR p._tree_id >= r._tree_id",
                    "");
        expect_same(
            s,
            "SELECT c0, c1, c2, c3, c4, c5 FROM __intrinsic_table_ptr((SELECT"
            " __intrinsic_tree_dominator_summary(__intrinsic_tree_from_table('id', id, 'parent_id',"
            " parent_id, 'self_size', v, 'native_size', g, 'self_count', 1)) FROM t))"
            " WHERE __intrinsic_table_ptr_bind(c0, 'id')"
            " AND __intrinsic_table_ptr_bind(c1, 'idom_id')"
            " AND __intrinsic_table_ptr_bind(c2, 'dominated_obj_count')"
            " AND __intrinsic_table_ptr_bind(c3, 'dominated_size_bytes')"
            " AND __intrinsic_table_ptr_bind(c4, 'dominated_native_size_bytes')"
            " AND __intrinsic_table_ptr_bind(c5, 'depth') ORDER BY 1",
            ABOVE "SELECT t.id, t.parent_id, count(*), sum(d.v), sum(d.g), (SELECT 1 + max(n) FROM"
                  " above WHERE above.id = t.id) FROM t JOIN above ON up = t.id JOIN t d ON d.id ="
                  " above.id GROUP BY t.id ORDER BY 1");
    }
}

/* Table w: wakeups of four threads that sleep and run in turn, woken by threads that ran before. */
static void make_wakeups(struct sql_session *s)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    uint32_t id = 0;
    sqlite3_str_appendall(sql, "DROP TABLE IF EXISTS w; CREATE TABLE w(id, utid, ts, dur, idle_dur,"
                               " waker_id, prev_id);");
    for (uint32_t utid = 0; utid < 4; utid++) {
        uint32_t ts = next_random(6);
        char before[16] = "NULL";
        for (int i = 0; i < 4; i++) {
            char idle[16] = "NULL", waker[16] = "NULL";
            uint32_t sleep = next_random(8), run = next_random(6);
            ts += sleep;
            if (i > 0 || next_random(2))
                snprintf(idle, sizeof idle, "%u", sleep);
            if (next_random(4))
                snprintf(waker, sizeof waker, "%u", next_random(16) * NODE_STEP);
            sqlite3_str_appendf(sql, "INSERT INTO w VALUES(%u, %u, %u, %u, %s, %s, %s);",
                                id * NODE_STEP, utid, ts, run, idle, waker, before);
            snprintf(before, sizeof before, "%u", id++ * NODE_STEP);
            ts += run;
        }
    }
    char *text = sqlite3_str_finish(sql);
    expect_rows(s, text, "");
    sqlite3_free(text);
}

/* Each unit of time by itself: who answers for it, asked from node to node. */
static void test_critical_path_agrees_with_single_units(void **state)
{
    struct sql_session *s = session_of(state);
    random_state = 27;
    for (int round = 0; round < 20; round++) {
        make_wakeups(s);
        expect_same(
            s,
            "WITH RECURSIVE row AS (SELECT c0 AS root, c1 AS depth, c2 AS ts, c3 AS dur, c4 AS id,"
            " c5 AS utid, c6 AS parent FROM __intrinsic_table_ptr(__intrinsic_critical_path_walk("
            "(SELECT __intrinsic_wakeup_graph_agg(id, utid, ts, dur, idle_dur, waker_id, prev_id)"
            " FROM w), (SELECT __intrinsic_array_agg(id) FROM w)))"
            " WHERE __intrinsic_table_ptr_bind(c0, 'root_id')"
            " AND __intrinsic_table_ptr_bind(c1, 'depth') AND __intrinsic_table_ptr_bind(c2, 'ts')"
            " AND __intrinsic_table_ptr_bind(c3, 'dur')"
            " AND __intrinsic_table_ptr_bind(c4, 'blocker_id')"
            " AND __intrinsic_table_ptr_bind(c5, 'blocker_utid')"
            " AND __intrinsic_table_ptr_bind(c6, 'parent_id')),"
            " t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t LIMIT 80)"
            " SELECT root, n, depth, id, utid, parent FROM row JOIN t ON n >= ts AND n < ts + dur"
            " ORDER BY 1, 2, 3, 4",
            "WITH RECURSIVE t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t LIMIT 80),"
            " ask(root, n, id, depth, last) AS ("
            "SELECT id, n, id, 0, 1 << 30 FROM w JOIN t ON n >= ts - coalesce(idle_dur, 0) AND"
            " n < ts + dur UNION ALL SELECT root, n, CASE WHEN n < w.ts - w.idle_dur THEN"
            " prev_id ELSE waker_id END, depth + (n >= coalesce(w.ts - w.idle_dur, n)), w.ts"
            " FROM ask JOIN w USING (id) WHERE n < w.ts AND w.ts < last)"
            " SELECT root, n, depth, id, utid, root FROM ask JOIN w USING (id) WHERE w.ts < last"
            " AND n < w.ts + dur AND (n >= w.ts OR (waker_id IS NULL AND prev_id IS NOT NULL AND"
            " n >= coalesce(w.ts - w.idle_dur, n))) ORDER BY 1, 2, 3, 4");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_breadth_first_finds_shortest_ways),
        SQL_TEST(test_depth_first_is_the_recursive_walk),
        SQL_TEST(test_weights_bound_the_depth_first_walk),
        SQL_TEST(test_dominators_agree_with_removing_each_node),
        SQL_TEST(test_scan_takes_every_way),
        SQL_TEST(test_aggregating_scan_sees_all_that_arrives),
        SQL_TEST(test_scan_mistakes_are_named),
        SQL_TEST(test_trees_agree_with_recursive_sql),
        SQL_TEST(test_critical_path_agrees_with_single_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
