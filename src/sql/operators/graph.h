/* Graphs given as edges. Node ids are any numbers; inside, nodes are counted from 0 in the order in
 * which they appear. */
#ifndef TPTUI_SQL_OPERATORS_GRAPH_H
#define TPTUI_SQL_OPERATORS_GRAPH_H

#include <sqlite3.h>

#include "base/map.h"
#include "base/vec.h"

#define GRAPH_NOBODY UINT32_MAX /* no node */

struct graph_edge {
    uint32_t from, to;
};

struct graph {
    struct map numbers; /* id -> node */
    VEC(int64_t) ids;
    VEC(struct graph_edge) edges;
    /* Made by graph_link: the targets of node n are targets[starts[n]..starts[n + 1]). */
    uint32_t *starts, *targets;
};

/* What __intrinsic_array_agg collects. */
struct int_array {
    VEC(int64_t) v;
};

struct graph *graph_new(void);
void graph_free(struct graph *g);

/* The node of an id, new where it has none yet; not after graph_link. */
uint32_t graph_node(struct graph *g, int64_t id);
/* The node of an id, or GRAPH_NOBODY. */
uint32_t graph_find(const struct graph *g, int64_t id);
void graph_add_edge(struct graph *g, int64_t from, int64_t to);
/* Makes the lists of targets, in the order of the edges; there is nothing to add afterwards. */
void graph_link(struct graph *g);

/* The values of __intrinsic_graph_agg and __intrinsic_array_agg; NULL where they had no rows. */
const struct graph *graph_of_value(sqlite3_value *v);
const struct int_array *int_array_of_value(sqlite3_value *v);

#endif
