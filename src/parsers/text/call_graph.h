/* Functions, what they cost, and what of it their calls cost, as tools in the manner of callgrind
 * sum it up; and the callstacks that this says something about. */
#ifndef TPTUI_PARSERS_TEXT_CALL_GRAPH_H
#define TPTUI_PARSERS_TEXT_CALL_GRAPH_H

#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"

/* All calls of one function by another; `next` is the caller's next one, or NULL_U32. */
struct call_graph_edge {
    uint32_t callee, next;
};

struct call_graph_function {
    string_id name, file;
    uint32_t first_edge; /* NULL_U32: it calls nothing */
    bool on_path;        /* scratch */
};

struct call_graph {
    size_t events; /* kinds of cost; does not change any more once there are functions */
    VEC(struct call_graph_function) functions;
    VEC(struct call_graph_edge) edges;
    VEC(double) self;  /* function * events + event: without calls */
    VEC(double) calls; /* edge * events + event: with all that was called from there */
    struct map by_name, by_ends;
};

/* The number of a function; `file` is of the first that asks for it. */
uint32_t call_graph_function(struct call_graph *g, string_id name, string_id object,
                             string_id file);
uint32_t call_graph_edge(struct call_graph *g, uint32_t caller, uint32_t callee);
void call_graph_release(struct call_graph *g);

/* Adds the stacks of an event to a profile (parsers/text/stack_sums.h). Which callers' calls cost
 * how much is known only for one level: a function's own calls are taken to share what they cost
 * evenly among its callers. All of the cost is in some stack: what is less than a ten thousandth of
 * it is not told apart any more, nor what is called in a circle. */
void call_graph_add_stacks(struct call_graph *g, struct trace *t, uint32_t profile, size_t event);

#endif
