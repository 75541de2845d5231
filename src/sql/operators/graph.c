#include "sql/operators/graph.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

#define GRAPH_TYPE "GRAPH"
#define ARRAY_TYPE "ARRAY"

struct graph *graph_new(void)
{
    return alloc_array(1, sizeof(struct graph));
}

void graph_free(struct graph *g)
{
    if (!g)
        return;
    map_release(&g->numbers);
    vec_release(&g->ids);
    vec_release(&g->edges);
    free(g->starts);
    free(g->targets);
    free(g);
}

static void free_graph(void *p)
{
    graph_free(p);
}

static void free_array(void *p)
{
    struct int_array *a = p;
    vec_release(&a->v);
    free(a);
}

uint32_t graph_node(struct graph *g, int64_t id)
{
    bool inserted;
    uint32_t *number = map_insert(&g->numbers, (uint64_t)id, &inserted);
    if (inserted) {
        *number = (uint32_t)g->ids.count;
        *vec_push(&g->ids) = id;
    }
    return *number;
}

uint32_t graph_find(const struct graph *g, int64_t id)
{
    const uint32_t *number = map_find(&g->numbers, (uint64_t)id);
    return number ? *number : GRAPH_NOBODY;
}

void graph_add_edge(struct graph *g, int64_t from, int64_t to)
{
    uint32_t a = graph_node(g, from), b = graph_node(g, to);
    *vec_push(&g->edges) = (struct graph_edge){a, b};
}

void graph_link(struct graph *g)
{
    size_t n = g->ids.count;
    g->starts = alloc_array(n + 2, sizeof *g->starts);
    g->targets = alloc_array(g->edges.count + 1, sizeof *g->targets);
    for (size_t i = 0; i < g->edges.count; i++)
        g->starts[g->edges.items[i].from + 2]++;
    for (size_t i = 2; i < n + 2; i++)
        g->starts[i] += g->starts[i - 1];
    for (size_t i = 0; i < g->edges.count; i++)
        g->targets[g->starts[g->edges.items[i].from + 1]++] = g->edges.items[i].to;
}

const struct graph *graph_of_value(sqlite3_value *v)
{
    return pointer_of(v, GRAPH_TYPE);
}

const struct int_array *int_array_of_value(sqlite3_value *v)
{
    return pointer_of(v, ARRAY_TYPE);
}

static void graph_step(SQL_FUNCTION_ARGS)
{
    struct graph **g = sqlite3_aggregate_context(ctx, sizeof *g);
    if (!g)
        return;
    if (!*g)
        *g = graph_new();
    if (sqlite3_value_type(argv[0]) == SQLITE_INTEGER &&
        sqlite3_value_type(argv[1]) == SQLITE_INTEGER)
        graph_add_edge(*g, sqlite3_value_int64(argv[0]), sqlite3_value_int64(argv[1]));
}

static void graph_final(sqlite3_context *ctx)
{
    struct graph *g = group_state_made(ctx);
    if (!g)
        return;
    if (session_stopped(sqlite3_user_data(ctx))) {
        graph_free(g);
        return;
    }
    graph_link(g);
    result_pointer(ctx, g, GRAPH_TYPE, free_graph);
}

static void array_step(SQL_FUNCTION_ARGS)
{
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    struct int_array *a = group_state(ctx, sizeof *a);
    if (a)
        *vec_push(&a->v) = sqlite3_value_int64(argv[0]);
}

static void array_final(sqlite3_context *ctx)
{
    struct int_array *a = group_state_made(ctx);
    if (a)
        result_pointer(ctx, a, ARRAY_TYPE, free_array);
}

static const struct native_function functions[] = {
    SQL_AGGREGATE("__intrinsic_array_agg", 1, array),
    SQL_AGGREGATE("__intrinsic_graph_agg", 2, graph),
    {0},
};

const struct sql_family graph_family = {.functions = functions};
