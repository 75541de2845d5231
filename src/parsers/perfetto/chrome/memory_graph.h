/* Memory as processes account for it: trees of nodes, of which some own others. Ownership is how
 * memory that several share is told: each says how much it holds and owns one common node.
 *
 * The size of a node is all that it holds, its effective size what counts of that once shared
 * memory is divided among its owners: the most important ones take what they hold, those of equal
 * importance in equal parts, and the owned node keeps the rest. Effective sizes add up to the
 * memory there is. */
#ifndef TPTUI_PARSERS_PERFETTO_CHROME_MEMORY_GRAPH_H
#define TPTUI_PARSERS_PERFETTO_CHROME_MEMORY_GRAPH_H

#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"

struct memory_node {
    uint32_t tree, depth;
    string_id path; /* "malloc/allocated_objects" */
    /* Indexes of nodes, NULL_U32 for none. */
    uint32_t parent, first_child, next_sibling;
    /* Indexes of ownerships: the first in which it is owned, the one in which it owns. */
    uint32_t owned_by, owns;
    uint64_t size; /* bytes; what the node says of itself until memory_graph_measure */
    uint64_t effective_size;
    /* While measuring. */
    uint32_t covered_depth;
    bool visited;
    uint64_t leaves_size, unowned_size, unowning_size;
    double owned_share, owning_share;
};

struct memory_ownership {
    uint32_t owner, owned;
    int32_t importance;
    uint32_t next; /* in the list of those who own the same node */
};

struct memory_graph {
    VEC(struct memory_node) nodes;
    VEC(struct memory_ownership) ownerships;
    struct map by_path;  /* tree << 32 | path -> index in nodes */
    VEC(uint32_t) order; /* while measuring: children and owners come before a node */
};

void memory_graph_release(struct memory_graph *g); /* an all-zero graph is an empty one */

/* The node at a path of a tree, made with its parents where it is not there yet; empty parts of the
 * path do not count. NULL_U32 where the path is empty or too long, or nodes are too many. Moves
 * nodes. */
uint32_t memory_graph_node(struct memory_graph *g, struct trace *t, uint32_t tree, struct str path);
/* Of several nodes that one owns, the last is the one whose memory it holds. */
void memory_graph_own(struct memory_graph *g, uint32_t owner, uint32_t owned, int32_t importance);
/* Once all is added: sets the sizes, and adds a node "<unspecified>" below each that holds more
 * than its children. */
void memory_graph_measure(struct memory_graph *g, struct trace *t);
/* The indexes of all nodes, tree by tree, parents first, siblings by name. For the caller to free.
 */
uint32_t *memory_graph_sorted(const struct memory_graph *g, const struct trace *t);

#endif
