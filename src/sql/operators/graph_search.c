/* Graphs: what can be reached from where. */
#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/ptr_table.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"
#include "sql/tables/table_builder.h"
#include "sql/operators/graph.h"

/* A node on its way into the result. A start that no edge names has an id only. */
struct visit {
    uint32_t node, parent;
    int64_t id;
};

struct graph_search {
    const struct graph *graph; /* NULL: without edges */
    bool *seen;
    struct map lone_seen;
    VEC(struct visit) waiting;
};

static bool first_visit(struct graph_search *s, struct visit v)
{
    bool inserted;
    if (v.node == GRAPH_NOBODY) {
        map_insert(&s->lone_seen, (uint64_t)v.id, &inserted);
        return inserted;
    }
    inserted = !s->seen[v.node];
    s->seen[v.node] = true;
    return inserted;
}

static void push_starts(struct graph_search *s, const struct int_array *starts, bool depth_first)
{
    for (size_t i = 0; i < starts->v.count; i++) {
        int64_t id = starts->v.items[depth_first ? starts->v.count - 1 - i : i];
        uint32_t node = s->graph ? graph_find(s->graph, id) : GRAPH_NOBODY;
        *vec_push(&s->waiting) = (struct visit){node, GRAPH_NOBODY, id};
    }
}

static void push_targets(struct graph_search *s, uint32_t node, bool depth_first)
{
    const struct graph *g = s->graph;
    uint32_t from = g->starts[node], to = g->starts[node + 1];
    for (uint32_t e = from; e < to; e++) {
        uint32_t target = g->targets[depth_first ? to - 1 - (e - from) : e];
        if (!s->seen[target])
            *vec_push(&s->waiting) = (struct visit){target, node, g->ids.items[target]};
    }
}

static void put_visit(struct table_builder *b, const struct graph *g, struct visit v)
{
    table_builder_row(b, cell_int(v.id),
                      v.parent == GRAPH_NOBODY ? CELL_NULL : cell_int(g->ids.items[v.parent]));
}

/* Visits every node that can be reached, once. `depth_first` takes the newest of those that wait.
 */
static void search(const struct sql_session *session, struct graph_search *s,
                   const struct int_array *starts, bool depth_first, struct table_builder *b)
{
    uint32_t steps = 0;
    push_starts(s, starts, depth_first);
    for (size_t next = 0; next < s->waiting.count;) {
        struct visit v =
            depth_first ? s->waiting.items[--s->waiting.count] : s->waiting.items[next++];
        if (session_poll(session, &steps))
            return;
        if (!first_visit(s, v))
            continue;
        put_visit(b, s->graph, v);
        if (v.node != GRAPH_NOBODY)
            push_targets(s, v.node, depth_first);
    }
}

static void run_search(sqlite3_context *ctx, sqlite3_value **argv, bool depth_first)
{
    struct sql_session *session = sqlite3_user_data(ctx);
    const struct int_array *starts = int_array_of_value(argv[1]);
    struct graph_search s = {.graph = graph_of_value(argv[0])};
    struct table_builder *b = table_builder_of(&session->trace->strings, "node_id, parent_node_id");
    if (s.graph)
        s.seen = alloc_array(s.graph->ids.count + 1, sizeof *s.seen);
    if (starts)
        search(session, &s, starts, depth_first, b);
    free(s.seen);
    map_release(&s.lone_seen);
    vec_release(&s.waiting);
    ptr_table_result(ctx, session, b);
}

static void fn_dfs(SQL_FUNCTION_ARGS)
{
    run_search(ctx, argv, true);
}

static void fn_bfs(SQL_FUNCTION_ARGS)
{
    run_search(ctx, argv, false);
}

static const struct native_function functions[] = {
    SQL_FUNCTION("__intrinsic_dfs", 2, fn_dfs),
    SQL_FUNCTION("__intrinsic_bfs", 2, fn_bfs),
    {0},
};

const struct sql_family graph_search_family = {.functions = functions};
