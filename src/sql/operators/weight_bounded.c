/* __intrinsic_dfs_weight_bounded(sources, targets, weights, roots, root weights, floor): from each
 * root by itself a depth-first search that ends when the weights of the edges taken so far, added
 * up, exceed the root's. The node that exceeded it belongs to the result where `floor`. */
#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"
#include "sql/engine/table_function.h"
#include "sql/values/values.h"
#include "sql/functions/proto_functions.h"
#include "sql/operators/graph.h"

struct step {
    uint32_t node, parent;
    uint32_t weight; /* of the edge that led here */
};

struct bounded_search {
    struct sql_session *session;
    struct graph *graph;
    uint32_t *weights; /* of the graph's targets */
    uint32_t *seen;    /* the root, counted from 1, whose search came to the node last */
    VEC(struct step) waiting;
    bool floor;
    struct table_builder *out;
    uint32_t steps;
};

enum { SOURCES, TARGETS, WEIGHTS, ROOTS, ROOT_WEIGHTS, FLOOR };

static const char parameters[] =
    "source_node_ids, dest_node_ids, edge_weights, root_node_ids, root_weights, "
    "is_target_weight_floor";

static struct status read_lists(sqlite3_value **argv, struct int_list *lists)
{
    struct str rest = str_from(parameters), name;
    enum declared_type type;
    for (int i = 0; i < FLOOR && column_take(&rest, &name, &type); i++)
        if (!repeated_field_ints(value_str(argv[i]), &lists[i]))
            return status_error(STATUS_SQL,
                                "dfs_weight_bounded: %.*s must be RepeatedField(...) of integers",
                                (int)name.n, name.p);
    if (lists[SOURCES].v.count != lists[TARGETS].v.count ||
        lists[SOURCES].v.count != lists[WEIGHTS].v.count)
        return status_error(STATUS_SQL, "dfs_weight_bounded: each edge needs a source, a "
                                        "destination and a weight (is one of them NULL?)");
    if (lists[ROOTS].v.count != lists[ROOT_WEIGHTS].v.count)
        return status_error(STATUS_SQL,
                            "dfs_weight_bounded: each root needs a weight (is one NULL?)");
    return status_ok_value();
}

/* graph_link orders the targets by their sources and leaves edges of one source as they came. */
static uint32_t *order_weights(const struct graph *g, const struct int_list *weights)
{
    uint32_t *ordered = alloc_array(g->edges.count + 1, sizeof *ordered);
    uint32_t *next = alloc_array(g->ids.count + 1, sizeof *next);
    for (size_t i = 0; i < g->ids.count; i++)
        next[i] = g->starts[i];
    for (size_t i = 0; i < g->edges.count; i++)
        ordered[next[g->edges.items[i].from]++] = (uint32_t)weights->v.items[i];
    free(next);
    return ordered;
}

static void put_step(struct bounded_search *b, int64_t root, struct step step)
{
    table_builder_row(b->out, cell_int(root), cell_int(b->graph->ids.items[step.node]),
                      step.parent == GRAPH_NOBODY ? CELL_NULL
                                                  : cell_int(b->graph->ids.items[step.parent]));
}

/* False when cancelled. */
static bool search_root(struct bounded_search *b, int64_t root, uint32_t number, uint32_t bound)
{
    const struct graph *g = b->graph;
    uint64_t total = 0;
    b->waiting.count = 0;
    *vec_push(&b->waiting) = (struct step){graph_find(g, root), GRAPH_NOBODY, 0};
    while (b->waiting.count > 0) {
        struct step step = b->waiting.items[--b->waiting.count];
        if (session_poll(b->session, &b->steps))
            return false;
        if (b->seen[step.node] == number)
            continue;
        b->seen[step.node] = number;
        total += step.weight;
        if (total > bound && !b->floor)
            return true;
        put_step(b, root, step);
        if (total > bound)
            return true;
        for (uint32_t e = g->starts[step.node + 1]; e-- > g->starts[step.node];)
            *vec_push(&b->waiting) = (struct step){g->targets[e], step.node, b->weights[e]};
    }
    return true;
}

static struct status fill(struct sql_session *s, sqlite3_value **argv, struct table_builder *out)
{
    struct int_list lists[FLOOR] = {0};
    struct status status = read_lists(argv, lists);
    struct bounded_search b = {.session = s,
                               .graph = graph_new(),
                               .floor = sqlite3_value_int(argv[FLOOR]),
                               .out = out};
    if (status_ok(status)) {
        for (size_t i = 0; i < lists[SOURCES].v.count; i++)
            graph_add_edge(b.graph, lists[SOURCES].v.items[i], lists[TARGETS].v.items[i]);
        for (size_t i = 0; i < lists[ROOTS].v.count; i++)
            graph_node(b.graph, lists[ROOTS].v.items[i]);
        graph_link(b.graph);
        b.weights = order_weights(b.graph, &lists[WEIGHTS]);
        b.seen = alloc_array(b.graph->ids.count + 1, sizeof *b.seen);
    }
    for (size_t i = 0; status_ok(status) && i < lists[ROOTS].v.count; i++)
        if (!search_root(&b, lists[ROOTS].v.items[i], (uint32_t)i + 1,
                         (uint32_t)lists[ROOT_WEIGHTS].v.items[i]))
            status = status_error(STATUS_CANCELLED, "interrupted");
    for (int i = 0; i < FLOOR; i++)
        vec_release(&lists[i].v);
    vec_release(&b.waiting);
    free(b.weights);
    free(b.seen);
    graph_free(b.graph);
    return status;
}

static const struct table_function table_functions[] = {
    {.name = "__intrinsic_dfs_weight_bounded",
     .columns = "root_node_id LONG, node_id LONG, parent_node_id LONG",
     .parameters = parameters,
     .fill = fill},
    {0},
};

const struct sql_family weight_bounded_family = {.table_functions = table_functions};
