/* __intrinsic_dominator_tree: for each node that can be reached from the root, the nearest node
 * that every path from the root goes through. The algorithm of Lengauer and Tarjan with path
 * compression: O(edges x log nodes). The shorter iteration of Cooper, Harvey and Kennedy needs
 * quadratic time on heaps, where each link of a long list refers to one class. */
#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/values/values.h"
#include "sql/engine/ptr_table.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"
#include "sql/operators/graph.h"

/* Nodes are meant by their place in a depth-first walk from the root, which has 0. */
struct dominators {
    const struct sql_session *session;
    uint32_t steps;
    uint32_t count;
    uint32_t *nodes; /* the graph's node at each place */
    uint32_t *place; /* of a node; GRAPH_NOBODY where it is out of reach */
    uint32_t *parent, *semi, *dominator;
    uint32_t *up, *best; /* the forest of places done: the link upwards, the best semi below it */
    uint32_t *bucket, *next_in_bucket;
    uint32_t *path;
    uint32_t *next; /* of a place: the edge at which the walk goes on */
    uint32_t *all;  /* the lists above, one behind the other */
};

/* NULL where there is no memory for lists of n nodes. */
static struct dominators *dominators_new(const struct sql_session *session, size_t n)
{
    struct dominators *d = alloc_array(1, sizeof *d);
    uint32_t **lists[] = {&d->nodes,          &d->place, &d->parent, &d->semi,
                          &d->dominator,      &d->up,    &d->best,   &d->bucket,
                          &d->next_in_bucket, &d->path,  &d->next};
    size_t count = sizeof lists / sizeof *lists;
    d->session = session;
    d->all = alloc_try_array(count, (n + 1) * sizeof *d->all);
    if (!d->all) {
        free(d);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        *lists[i] = d->all + i * (n + 1);
    for (size_t i = 0; i < n; i++)
        d->place[i] = d->up[i] = d->bucket[i] = GRAPH_NOBODY;
    return d;
}

static void dominators_free(struct dominators *d)
{
    free(d->all);
    free(d);
}

static void take_place(struct dominators *d, uint32_t node, uint32_t parent)
{
    uint32_t at = d->count++;
    d->nodes[at] = node;
    d->place[node] = at;
    d->parent[at] = parent;
    d->semi[at] = d->best[at] = at;
}

static bool number_nodes(struct dominators *d, const struct graph *g, uint32_t root)
{
    uint32_t *next = d->next;
    take_place(d, root, GRAPH_NOBODY);
    next[0] = g->starts[root];
    bool cancelled = false;
    for (uint32_t at = 0; at != GRAPH_NOBODY && !cancelled;) {
        cancelled = session_poll(d->session, &d->steps);
        if (next[at] == g->starts[d->nodes[at] + 1]) {
            at = d->parent[at];
            continue;
        }
        uint32_t target = g->targets[next[at]++];
        if (d->place[target] != GRAPH_NOBODY)
            continue;
        take_place(d, target, at);
        at = d->count - 1;
        next[at] = g->starts[target];
    }
    return !cancelled;
}

/* Of the places from v up to below its tree's root, the one with the smallest semidominator. The
 * way is made short for the next time. */
static uint32_t evaluate(struct dominators *d, uint32_t v)
{
    uint32_t n = 0;
    if (d->up[v] == GRAPH_NOBODY)
        return v;
    for (uint32_t at = v; d->up[d->up[at]] != GRAPH_NOBODY; at = d->up[at])
        d->path[n++] = at;
    while (n-- > 0) {
        uint32_t at = d->path[n], above = d->up[at];
        if (d->semi[d->best[above]] < d->semi[d->best[at]])
            d->best[at] = d->best[above];
        d->up[at] = d->up[above];
    }
    return d->best[v];
}

/* The lists of sources: graph_link's, of the edges turned round. */
static struct graph *reverse(const struct graph *g)
{
    struct graph *r = graph_new();
    vec_reserve(&r->ids, g->ids.count);
    r->ids.count = g->ids.count;
    for (size_t i = 0; i < g->edges.count; i++)
        *vec_push(&r->edges) = (struct graph_edge){g->edges.items[i].to, g->edges.items[i].from};
    graph_link(r);
    return r;
}

static void empty_bucket(struct dominators *d, uint32_t of)
{
    for (uint32_t v = d->bucket[of]; v != GRAPH_NOBODY; v = d->next_in_bucket[v]) {
        uint32_t u = evaluate(d, v);
        d->dominator[v] = d->semi[u] < d->semi[v] ? u : of;
    }
    d->bucket[of] = GRAPH_NOBODY;
}

static bool find_dominators(struct dominators *d, const struct graph *sources)
{
    for (uint32_t w = d->count; w-- > 1;) {
        uint32_t node = d->nodes[w];
        if (session_poll(d->session, &d->steps))
            return false;
        for (uint32_t e = sources->starts[node]; e < sources->starts[node + 1]; e++) {
            uint32_t v = d->place[sources->targets[e]];
            uint32_t semi = v == GRAPH_NOBODY ? w : d->semi[evaluate(d, v)];
            if (semi < d->semi[w])
                d->semi[w] = semi;
        }
        d->next_in_bucket[w] = d->bucket[d->semi[w]];
        d->bucket[d->semi[w]] = w;
        d->up[w] = d->parent[w];
        empty_bucket(d, d->parent[w]);
    }
    for (uint32_t w = 1; w < d->count; w++)
        if (d->dominator[w] != d->semi[w])
            d->dominator[w] = d->dominator[d->dominator[w]];
    return true;
}

static void put_dominators(const struct dominators *d, const struct graph *g,
                           struct table_builder *b)
{
    for (uint32_t w = 0; w < d->count; w++) {
        table_builder_row(b, cell_int(g->ids.items[d->nodes[w]]),
                          w == 0 ? CELL_NULL : cell_int(g->ids.items[d->nodes[d->dominator[w]]]));
    }
}

struct rooted_graph {
    struct graph *graph;
    int64_t root;
};

/* Node ids are those of tables, in Trace Processor too, which says the same. */
static bool node_ids_fit(sqlite3_context *ctx, sqlite3_value *from, sqlite3_value *to)
{
    const int64_t a = sqlite3_value_int64(from), b = sqlite3_value_int64(to);
    if (a >= 0 && a <= UINT32_MAX && b >= 0 && b <= UINT32_MAX)
        return true;
    result_error(ctx, "dominator_tree: node ids must be non-negative 32-bit integers");
    return false;
}

static void dominator_step(SQL_FUNCTION_ARGS)
{
    if (!node_ids_fit(ctx, argv[0], argv[1]))
        return;
    struct rooted_graph *r = sqlite3_aggregate_context(ctx, sizeof *r);
    if (!r)
        return;
    if (!r->graph)
        r->graph = graph_new();
    r->root = sqlite3_value_int64(argv[2]);
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL && sqlite3_value_type(argv[1]) != SQLITE_NULL)
        graph_add_edge(r->graph, sqlite3_value_int64(argv[0]), sqlite3_value_int64(argv[1]));
}

static void put_tree(const struct sql_session *s, struct rooted_graph *r, struct table_builder *b)
{
    uint32_t root = graph_node(r->graph, r->root);
    graph_link(r->graph);
    struct graph *sources = reverse(r->graph);
    struct dominators *d = dominators_new(s, r->graph->ids.count);
    if (d && number_nodes(d, r->graph, root) && find_dominators(d, sources))
        put_dominators(d, r->graph, b);
    if (d)
        dominators_free(d);
    graph_free(sources);
}

static void dominator_final(sqlite3_context *ctx)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    struct rooted_graph *r = sqlite3_aggregate_context(ctx, 0);
    struct table_builder *b = table_builder_of(&s->trace->strings, "node_id, dominator_node_id");
    if (r && r->graph && !session_stopped(s))
        put_tree(s, r, b);
    if (r && r->graph)
        graph_free(r->graph);
    ptr_table_result(ctx, s, b);
}

static const struct native_function functions[] = {
    SQL_AGGREGATE("__intrinsic_dominator_tree", 3, dominator),
    {0},
};

const struct sql_family dominator_tree_family = {.functions = functions};
