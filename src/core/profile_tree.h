/* Allocations, samples or objects as one tree of names, the rows of experimental_flamegraph. */
#ifndef TPTUI_CORE_PROFILE_TREE_H
#define TPTUI_CORE_PROFILE_TREE_H

#include <stdatomic.h>

#include "base/map.h"
#include "base/vec.h"
#include "core/store/string_pool.h"

struct trace;

/* What is summed up: allocations less those that were freed, and their bytes; all allocations, and
 * theirs. Samples and objects have only the first, or the first two. */
enum profile_amount {
    PROFILE_COUNT,
    PROFILE_SIZE,
    PROFILE_ALLOC_COUNT,
    PROFILE_ALLOC_SIZE,
    PROFILE_AMOUNTS
};

struct profile_node {
    uint32_t parent;           /* node; UINT32_MAX of a root */
    uint32_t depth, next_same; /* the next older node of the same hash, counted from 1 */
    string_id name, mapping, source_file;
    uint32_t line; /* NULL_U32: unknown */
    int64_t own[PROFILE_AMOUNTS], all[PROFILE_AMOUNTS];
};

struct profile_tree {
    VEC(struct profile_node) nodes; /* parents before their children */
    struct map by_hash;
};

/* The node of that name and mapping below `parent`, made where there is none. */
uint32_t profile_node(struct profile_tree *t, uint32_t parent, string_id name, string_id mapping);
/* The node of each callsite's innermost function, made for all callsites; for free(). NULL where
 * there is no memory, and the statement is to end. */
uint32_t *profile_callsite_nodes(struct profile_tree *t, const struct trace *trace);
/* The objects of a heap graph, each below the one that keeps it alive on a shortest way from a
 * root; of a dump that lacks its roots one node that says so. False when cancelled, or out of
 * memory. */
bool profile_add_heap(struct profile_tree *t, const struct trace *trace, const atomic_bool *cancel,
                      int64_t ts, int64_t upid);

/* Amounts of a trace may be any 64-bit numbers: sums wrap around. */
static inline void profile_add(int64_t *sum, int64_t amount)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)amount);
}

/* Fills `all` from `own`. */
void profile_sum_up(struct profile_tree *t);
void profile_tree_release(struct profile_tree *t);

#endif
