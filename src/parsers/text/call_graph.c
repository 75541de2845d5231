#include "parsers/text/call_graph.h"

#include "parsers/text/stack_sums.h"

enum { PATH_MAX_DEPTH = 256, CALLS_MAX = 1 << 20 };

/* A function that is being walked: the share of its cost that belongs to this path. */
struct path_step {
    uint32_t function, edge, callsite;
    double share;
};

struct walk {
    struct call_graph *graph;
    struct trace *trace;
    uint32_t profile;
    size_t event, calls; /* calls: that were walked so far */
    double least;        /* a call that costs less is not told apart */
    const double *inclusive;
    VEC(struct path_step) path;
};

uint32_t call_graph_function(struct call_graph *g, string_id name, string_id object, string_id file)
{
    bool inserted;
    uint32_t *number = map_insert(&g->by_name, (uint64_t)object << 32 | name, &inserted);
    if (inserted) {
        *number = (uint32_t)g->functions.count;
        *vec_push(&g->functions) = (struct call_graph_function){.name = name,
                                                                .file = object ? object : file,
                                                                .first_edge = NULL_U32};
        for (size_t i = 0; i < g->events; i++)
            *vec_push(&g->self) = 0;
    }
    return *number;
}

uint32_t call_graph_edge(struct call_graph *g, uint32_t caller, uint32_t callee)
{
    bool inserted;
    uint32_t *number = map_insert(&g->by_ends, (uint64_t)caller << 32 | callee, &inserted);
    if (inserted) {
        *number = (uint32_t)g->edges.count;
        struct call_graph_function *f = &g->functions.items[caller];
        *vec_push(&g->edges) = (struct call_graph_edge){.callee = callee, .next = f->first_edge};
        f->first_edge = *number;
        for (size_t i = 0; i < g->events; i++)
            *vec_push(&g->calls) = 0;
    }
    return *number;
}

void call_graph_release(struct call_graph *g)
{
    vec_release(&g->functions);
    vec_release(&g->edges);
    vec_release(&g->self);
    vec_release(&g->calls);
    map_release(&g->by_name);
    map_release(&g->by_ends);
}

static double self_of(const struct walk *w, uint32_t function)
{
    return w->graph->self.items[function * w->graph->events + w->event];
}

static double calls_of(const struct walk *w, uint32_t edge)
{
    return w->graph->calls.items[edge * w->graph->events + w->event];
}

static void add_stack(struct walk *w, uint32_t callsite, double cost)
{
    if (cost > 0)
        stack_sums_add(w->trace, w->profile, callsite, cost);
}

static uint32_t callsite_of(struct walk *w, uint32_t parent, uint32_t function)
{
    const struct string_pool *strings = &w->trace->strings;
    const struct call_graph_function *f = &w->graph->functions.items[function];
    return stack_sums_call(w->trace, parent,
                           f->file ? string_pool_get(strings, f->file) : STR("[callgrind]"),
                           string_pool_get(strings, f->name));
}

/* Goes into a function, for so much of its cost; false where that is not told apart. */
static bool enter(struct walk *w, uint32_t function, uint32_t parent, double cost)
{
    struct call_graph_function *f = &w->graph->functions.items[function];
    uint32_t callsite = callsite_of(w, parent, function);
    bool enough = w->path.count == PATH_MAX_DEPTH || ++w->calls > CALLS_MAX;
    if (enough || f->on_path || cost < w->least || !(w->inclusive[function] > 0)) {
        add_stack(w, callsite, cost);
        return false;
    }
    double share = cost / w->inclusive[function];
    add_stack(w, callsite, self_of(w, function) * share);
    f->on_path = true;
    *vec_push(&w->path) = (struct path_step){.function = function,
                                             .edge = f->first_edge,
                                             .callsite = callsite,
                                             .share = share};
    return true;
}

static void walk_from(struct walk *w, uint32_t root, double cost)
{
    if (!enter(w, root, NULL_U32, cost))
        return;
    while (w->path.count > 0) {
        struct path_step *step = &vec_last(&w->path);
        uint32_t edge = step->edge;
        if (edge == NULL_U32) {
            w->graph->functions.items[step->function].on_path = false;
            w->path.count--;
            continue;
        }
        step->edge = w->graph->edges.items[edge].next;
        double part = calls_of(w, edge) * step->share;
        if (part > 0)
            enter(w, w->graph->edges.items[edge].callee, step->callsite, part);
    }
}

/* What functions cost with their calls goes to `inclusive`, what no caller accounts for of it to
 * `roots`; returns the whole cost. */
static double sum_up(const struct walk *w, double *inclusive, double *roots)
{
    const struct call_graph *g = w->graph;
    double total = 0;
    for (uint32_t i = 0; i < g->functions.count; i++) {
        inclusive[i] += self_of(w, i);
        total += self_of(w, i);
        for (uint32_t e = g->functions.items[i].first_edge; e != NULL_U32;
             e = g->edges.items[e].next) {
            inclusive[i] += calls_of(w, e);
            roots[g->edges.items[e].callee] -= calls_of(w, e);
        }
    }
    for (size_t i = 0; i < g->functions.count; i++)
        roots[i] += inclusive[i];
    return total;
}

void call_graph_add_stacks(struct call_graph *g, struct trace *t, uint32_t profile, size_t event)
{
    const double told_apart = 1e-4;
    VEC(double) sums = {0}; /* inclusive, then those of roots */
    size_t n = g->functions.count;
    for (size_t i = 0; i < 2 * n; i++)
        *vec_push(&sums) = 0;
    if (n == 0)
        return;
    struct walk w = {
        .graph = g, .trace = t, .profile = profile, .event = event, .inclusive = sums.items};
    w.least = sum_up(&w, sums.items, sums.items + n) * told_apart;
    for (uint32_t i = 0; i < n; i++)
        if (sums.items[n + i] > 0)
            walk_from(&w, i, sums.items[n + i]);
    vec_release(&w.path);
    vec_release(&sums);
}
