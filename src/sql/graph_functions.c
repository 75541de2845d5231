/* Graphs given as edges: search, dominators, trees split by group. Node ids are any numbers;
 * inside, nodes are counted from 0 in the order in which they appear. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "sql/ptr_table.h"

#define GRAPH_TYPE "GRAPH"
#define ARRAY_TYPE "ARRAY"

#define NOBODY UINT32_MAX /* no node */

struct edge {
    uint32_t from, to;
};

struct graph {
    struct map numbers; /* id -> node */
    VEC(int64_t) ids;
    VEC(struct edge) edges;
    int64_t root; /* of a dominator tree */
    /* Made once all edges are there: the targets of node n are targets[starts[n]..starts[n + 1]).
     */
    uint32_t *starts, *targets;
};

struct array {
    VEC(int64_t) v;
};

static void free_graph(void *p)
{
    struct graph *g = p;
    map_release(&g->numbers);
    vec_release(&g->ids);
    vec_release(&g->edges);
    free(g->starts);
    free(g->targets);
    free(g);
}

static void free_array(void *p)
{
    struct array *a = p;
    vec_release(&a->v);
    free(a);
}

static uint32_t node_of(struct graph *g, int64_t id)
{
    bool inserted;
    uint32_t *number = map_insert(&g->numbers, (uint64_t)id, &inserted);
    if (inserted) {
        *number = (uint32_t)g->ids.count;
        *vec_push(&g->ids) = id;
    }
    return *number;
}

static void link_edges(struct graph *g)
{
    size_t n = g->ids.count;
    if (g->starts)
        return;
    g->starts = alloc_array(n + 2, sizeof *g->starts);
    g->targets = alloc_array(g->edges.count + 1, sizeof *g->targets);
    for (size_t i = 0; i < g->edges.count; i++)
        g->starts[g->edges.items[i].from + 2]++;
    for (size_t i = 2; i < n + 2; i++)
        g->starts[i] += g->starts[i - 1];
    for (size_t i = 0; i < g->edges.count; i++)
        g->targets[g->starts[g->edges.items[i].from + 1]++] = g->edges.items[i].to;
}

static struct graph **graph_of(sqlite3_context *ctx)
{
    struct graph **g = sqlite3_aggregate_context(ctx, sizeof *g);
    if (g && !*g)
        *g = alloc_array(1, sizeof **g);
    return g;
}

static void add_edge(struct graph *g, sqlite3_value *from, sqlite3_value *to)
{
    uint32_t a = node_of(g, sqlite3_value_int64(from)), b = node_of(g, sqlite3_value_int64(to));
    *vec_push(&g->edges) = (struct edge){a, b};
}

static void graph_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct graph **g = graph_of(ctx);
    if (g && sqlite3_value_type(argv[0]) == SQLITE_INTEGER &&
        sqlite3_value_type(argv[1]) == SQLITE_INTEGER)
        add_edge(*g, argv[0], argv[1]);
}

static void graph_final(sqlite3_context *ctx)
{
    struct graph **g = sqlite3_aggregate_context(ctx, 0);
    if (!g || !*g)
        return;
    link_edges(*g);
    sqlite3_result_pointer(ctx, *g, GRAPH_TYPE, free_graph);
}

static void array_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct array **a = sqlite3_aggregate_context(ctx, sizeof *a);
    if (!a || sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (!*a)
        *a = alloc_array(1, sizeof **a);
    *vec_push(&(*a)->v) = sqlite3_value_int64(argv[0]);
}

static void array_final(sqlite3_context *ctx)
{
    struct array **a = sqlite3_aggregate_context(ctx, 0);
    if (a && *a)
        sqlite3_result_pointer(ctx, *a, ARRAY_TYPE, free_array);
}

/* A node on its way into the result. */
struct visit {
    uint32_t node, parent;
};

static void put_visit(struct table_builder *b, const struct graph *g, struct visit v)
{
    table_builder_put_int(b, 0, g->ids.items[v.node]);
    if (v.parent == NOBODY)
        table_builder_put_null(b, 1);
    else
        table_builder_put_int(b, 1, g->ids.items[v.parent]);
    table_builder_end_row(b);
}

/* Visits every node that can be reached, once. `depth_first` takes the newest of those that wait.
 */
static bool search(const struct sql_session *s, const struct graph *g, const struct array *starts,
                   bool depth_first, struct table_builder *b)
{
    bool *seen = alloc_array(g->ids.count + 1, sizeof *seen);
    VEC(struct visit) waiting = {0};
    size_t next = 0;
    bool cancelled = false;
    for (size_t i = 0; i < starts->v.count; i++) {
        size_t k = depth_first ? starts->v.count - 1 - i : i;
        const uint32_t *node = map_find(&g->numbers, (uint64_t)starts->v.items[k]);
        if (node)
            *vec_push(&waiting) = (struct visit){*node, NOBODY};
    }
    for (size_t steps = 1; next < waiting.count && !cancelled; steps++) {
        struct visit v = depth_first ? waiting.items[--waiting.count] : waiting.items[next++];
        cancelled = (steps & 0xfff) == 0 && atomic_load(&s->cancel);
        if (seen[v.node])
            continue;
        seen[v.node] = true;
        put_visit(b, g, v);
        uint32_t from = g->starts[v.node], to = g->starts[v.node + 1];
        for (uint32_t e = from; e < to; e++) {
            uint32_t target = g->targets[depth_first ? to - 1 - (e - from) : e];
            if (!seen[target])
                *vec_push(&waiting) = (struct visit){target, v.node};
        }
    }
    vec_release(&waiting);
    free(seen);
    return !cancelled;
}

static void run_search(sqlite3_context *ctx, sqlite3_value **argv, bool depth_first)
{
    static const char *const names[] = {"node_id", "parent_node_id"};
    struct sql_session *s = sqlite3_user_data(ctx);
    const struct graph *g = sqlite3_value_pointer(argv[0], GRAPH_TYPE);
    const struct array *starts = sqlite3_value_pointer(argv[1], ARRAY_TYPE);
    struct table_builder *b = table_builder_new(&s->trace->strings, 2, names);
    if (g && starts && !search(s, g, starts, depth_first, b)) {
        table_builder_free(b);
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
        return;
    }
    ptr_table_result(ctx, s, b);
}

static void fn_dfs(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    run_search(ctx, argv, true);
}

static void fn_bfs(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    run_search(ctx, argv, false);
}

static void dominator_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct graph **g = graph_of(ctx);
    if (!g)
        return;
    (*g)->root = sqlite3_value_int64(argv[2]);
    add_edge(*g, argv[0], argv[1]);
}

/* Nodes in postorder from the root, without recursion; `order[node]` is its number. */
struct postorder {
    uint32_t *nodes, *order;
    uint32_t count;
};

static struct postorder walk_postorder(const struct graph *g, uint32_t root)
{
    size_t n = g->ids.count;
    struct postorder p = {alloc_array(n + 1, sizeof *p.nodes), alloc_array(n + 1, sizeof *p.order),
                          0};
    uint32_t *next = alloc_array(n + 1, sizeof *next);
    bool *seen = alloc_array(n + 1, sizeof *seen);
    VEC(uint32_t) stack = {0};
    *vec_push(&stack) = root;
    seen[root] = true;
    next[root] = g->starts[root];
    while (stack.count > 0) {
        uint32_t node = vec_last(&stack);
        if (next[node] == g->starts[node + 1]) {
            p.order[node] = p.count;
            p.nodes[p.count++] = node;
            stack.count--;
            continue;
        }
        uint32_t target = g->targets[next[node]++];
        if (seen[target])
            continue;
        seen[target] = true;
        next[target] = g->starts[target];
        *vec_push(&stack) = target;
    }
    vec_release(&stack);
    free(next);
    free(seen);
    return p;
}

static uint32_t common_dominator(const uint32_t *dominator, const uint32_t *order, uint32_t a,
                                 uint32_t b)
{
    while (a != b) {
        while (order[a] < order[b])
            a = dominator[a];
        while (order[b] < order[a])
            b = dominator[b];
    }
    return a;
}

/* The algorithm of Cooper, Harvey and Kennedy: repeated passes in reverse postorder until nothing
 * changes; on the graphs of traces two or three passes. */
static uint32_t *find_dominators(const struct graph *g, const struct postorder *p, uint32_t root)
{
    uint32_t *dominator = alloc_array(g->ids.count + 1, sizeof *dominator);
    for (size_t i = 0; i < g->ids.count; i++)
        dominator[i] = NOBODY;
    dominator[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = p->count; i-- > 0;) {
            uint32_t from = p->nodes[i];
            if (dominator[from] == NOBODY)
                continue;
            for (uint32_t e = g->starts[from]; e < g->starts[from + 1]; e++) {
                uint32_t to = g->targets[e];
                if (to == root)
                    continue;
                uint32_t now = dominator[to] == NOBODY
                                   ? from
                                   : common_dominator(dominator, p->order, dominator[to], from);
                changed |= now != dominator[to];
                dominator[to] = now;
            }
        }
    }
    return dominator;
}

static void dominator_final(sqlite3_context *ctx)
{
    static const char *const names[] = {"node_id", "dominator_node_id"};
    struct sql_session *s = sqlite3_user_data(ctx);
    struct graph **holder = sqlite3_aggregate_context(ctx, 0);
    struct table_builder *b = table_builder_new(&s->trace->strings, 2, names);
    if (holder && *holder) {
        struct graph *g = *holder;
        uint32_t root = node_of(g, g->root);
        link_edges(g);
        struct postorder p = walk_postorder(g, root);
        uint32_t *dominator = find_dominators(g, &p, root);
        for (uint32_t i = p.count; i-- > 0;) {
            uint32_t node = p.nodes[i];
            put_visit(b, g, (struct visit){node, node == root ? NOBODY : dominator[node]});
        }
        free(dominator);
        free(p.nodes);
        free(p.order);
        free_graph(g);
    }
    ptr_table_result(ctx, s, b);
}

struct tree_node {
    int64_t id, parent, group;
    bool root;
};

struct tree {
    VEC(struct tree_node) v;
    struct map rows; /* id -> position */
};

static void tree_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct tree **t = sqlite3_aggregate_context(ctx, sizeof *t);
    if (!t)
        return;
    if (!*t)
        *t = alloc_array(1, sizeof **t);
    map_set(&(*t)->rows, (uint64_t)sqlite3_value_int64(argv[0]), (uint32_t)(*t)->v.count);
    *vec_push(&(*t)->v) =
        (struct tree_node){sqlite3_value_int64(argv[0]), sqlite3_value_int64(argv[1]),
                           sqlite3_value_int64(argv[2]),
                           sqlite3_value_type(argv[1]) == SQLITE_NULL};
}

/* The nearest ancestor in the node's own group; NULL where there is none. */
static const struct tree_node *ancestor_in_group(const struct tree *t, const struct tree_node *node)
{
    const struct tree_node *at = node;
    for (size_t steps = 0; !at->root && steps < t->v.count; steps++) {
        const uint32_t *row = map_find(&t->rows, (uint64_t)at->parent);
        if (!row)
            return NULL;
        at = &t->v.items[*row];
        if (at->group == node->group)
            return at;
    }
    return NULL;
}

static void tree_final(sqlite3_context *ctx)
{
    static const char *const names[] = {"node_id", "parent_node_id", "group_key"};
    struct sql_session *s = sqlite3_user_data(ctx);
    struct tree **holder = sqlite3_aggregate_context(ctx, 0);
    struct table_builder *b = table_builder_new(&s->trace->strings, 3, names);
    struct tree *t = holder ? *holder : NULL;
    for (size_t i = 0; t && i < t->v.count; i++) {
        const struct tree_node *node = &t->v.items[i], *up = ancestor_in_group(t, node);
        table_builder_put_int(b, 0, node->id);
        if (up)
            table_builder_put_int(b, 1, up->id);
        else
            table_builder_put_null(b, 1);
        table_builder_put_int(b, 2, node->group);
        table_builder_end_row(b);
    }
    if (t) {
        map_release(&t->rows);
        vec_release(&t->v);
        free(t);
    }
    ptr_table_result(ctx, s, b);
}

int graph_functions_register(struct sql_session *s)
{
    static const struct {
        const char *name;
        int argc;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*final)(sqlite3_context *);
    } functions[] = {
        {"__intrinsic_array_agg", 1, NULL, array_step, array_final},
        {"__intrinsic_graph_agg", 2, NULL, graph_step, graph_final},
        {"__intrinsic_dfs", 2, fn_dfs, NULL, NULL},
        {"__intrinsic_bfs", 2, fn_bfs, NULL, NULL},
        {"__intrinsic_dominator_tree", 3, NULL, dominator_step, dominator_final},
        {"__intrinsic_structural_tree_partition", 3, NULL, tree_step, tree_final},
    };
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof functions / sizeof *functions; i++)
        rc = sqlite3_create_function_v2(s->db, functions[i].name, functions[i].argc, SQLITE_UTF8, s,
                                        functions[i].call, functions[i].step, functions[i].final,
                                        NULL);
    return rc;
}
