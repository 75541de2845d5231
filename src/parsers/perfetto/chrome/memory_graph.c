#include "parsers/perfetto/chrome/memory_graph.h"

#include <string.h>

enum {
    DEPTH_MAX = 32, /* each part of a path is a node with a path of its own */
    PATH_MAX_BYTES = 1024,
    NODES_MAX = 1 << 20,
};

static const char unspecified[] = "/<unspecified>";

void memory_graph_release(struct memory_graph *g)
{
    vec_release(&g->nodes);
    vec_release(&g->ownerships);
    vec_release(&g->order);
    map_release(&g->by_path);
}

static uint32_t depth_of(const struct memory_graph *g, uint32_t node)
{
    return node == NULL_U32 ? 0 : g->nodes.items[node].depth;
}

static uint32_t child_at(struct memory_graph *g, struct trace *t, uint32_t tree, uint32_t parent,
                         struct str path)
{
    string_id id = trace_intern(t, path);
    bool inserted;
    uint32_t *at = map_insert(&g->by_path, (uint64_t)tree << 32 | id, &inserted);
    if (!inserted)
        return *at;
    uint32_t node = *at = (uint32_t)g->nodes.count;
    *vec_push(&g->nodes) = (struct memory_node){.tree = tree,
                                                .depth = depth_of(g, parent) + 1,
                                                .path = id,
                                                .parent = parent,
                                                .first_child = NULL_U32,
                                                .next_sibling = NULL_U32,
                                                .owned_by = NULL_U32,
                                                .owns = NULL_U32,
                                                .owned_share = 1,
                                                .owning_share = 1};
    if (parent != NULL_U32) {
        struct memory_node *items = g->nodes.items;
        items[node].next_sibling = items[parent].first_child;
        items[parent].first_child = node;
    }
    return node;
}

uint32_t memory_graph_node(struct memory_graph *g, struct trace *t, uint32_t tree, struct str path)
{
    char clean[PATH_MAX_BYTES];
    size_t ends[DEPTH_MAX], length = 0;
    uint32_t depth = 0;
    if (path.n > sizeof clean || g->nodes.count > NODES_MAX - DEPTH_MAX)
        return NULL_U32;
    while (path.n) {
        size_t part = str_find(path, '/');
        if (part) {
            if (depth == DEPTH_MAX)
                return NULL_U32;
            if (length)
                clean[length++] = '/';
            memcpy(clean + length, path.p, part);
            ends[depth++] = length += part;
        }
        path = str_behind(path, part);
    }
    uint32_t node = NULL_U32;
    for (uint32_t i = 0; i < depth; i++)
        node = child_at(g, t, tree, node, (struct str){clean, ends[i]});
    return node;
}

/* How deep the deepest node is that both are below, 0 for none. A node is not below itself. */
static uint32_t common_depth(const struct memory_graph *g, uint32_t owner, uint32_t owned)
{
    const struct memory_node *nodes = g->nodes.items;
    if (nodes[owner].tree != nodes[owned].tree)
        return 0;
    uint32_t a = nodes[owner].parent, b = owned;
    while (a != b) {
        if (depth_of(g, a) >= depth_of(g, b))
            a = nodes[a].parent;
        else
            b = nodes[b].parent;
    }
    return depth_of(g, a);
}

void memory_graph_own(struct memory_graph *g, uint32_t owner, uint32_t owned, int32_t importance)
{
    uint32_t index = (uint32_t)g->ownerships.count;
    struct memory_node *nodes = g->nodes.items;
    *vec_push(&g->ownerships) = (struct memory_ownership){.owner = owner,
                                                          .owned = owned,
                                                          .importance = importance,
                                                          .next = nodes[owned].owned_by};
    nodes[owned].owned_by = index;
    nodes[owner].owns = index;
    nodes[owner].covered_depth = common_depth(g, owner, owned);
}

static uint64_t largest_owner_size(const struct memory_graph *g, const struct memory_node *node)
{
    uint64_t size = 0;
    for (uint32_t i = node->owned_by; i != NULL_U32; i = g->ownerships.items[i].next) {
        uint64_t owner = g->nodes.items[g->ownerships.items[i].owner].size;
        size = owner > size ? owner : size;
    }
    return size;
}

/* Adds a leaf to the nodes above it, up to one that has the leaf's memory already: where a node and
 * what it owns lie below the same node, that one counts only what is owned. */
static void add_leaf(struct memory_graph *g, uint32_t leaf)
{
    struct memory_node *nodes = g->nodes.items;
    uint32_t covered = nodes[leaf].covered_depth;
    for (uint32_t n = nodes[leaf].parent; n != NULL_U32 && nodes[n].depth > covered;
         n = nodes[n].parent) {
        nodes[n].leaves_size += nodes[leaf].size;
        if (nodes[n].covered_depth > covered)
            covered = nodes[n].covered_depth;
    }
}

static void add_unspecified(struct memory_graph *g, struct trace *t, uint32_t parent, uint64_t size)
{
    char path[PATH_MAX_BYTES + sizeof unspecified];
    struct str above = string_pool_get(&t->strings, g->nodes.items[parent].path);
    memcpy(path, above.p, above.n);
    memcpy(path + above.n, unspecified, sizeof unspecified);
    size_t before = g->nodes.count;
    uint32_t node = child_at(g, t, g->nodes.items[parent].tree, parent,
                             (struct str){path, above.n + sizeof unspecified - 1});
    if (g->nodes.count == before)
        return; /* the trace has a node of that name */
    g->nodes.items[node].size = size;
    add_leaf(g, node);
    *vec_push(&g->order) = node;
}

/* A node holds what it says, what its children hold and what its largest owner holds, whichever is
 * the most. */
static void set_size(struct memory_graph *g, struct trace *t, uint32_t index)
{
    struct memory_node *node = &g->nodes.items[index];
    uint64_t owner = largest_owner_size(g, node), leaves = node->leaves_size;
    if (node->size < owner)
        node->size = owner;
    if (node->size < leaves)
        node->size = leaves;
    if (node->first_child == NULL_U32)
        add_leaf(g, index);
    else if (node->size > leaves)
        add_unspecified(g, t, index, node->size - leaves); /* moves the nodes */
    *vec_push(&g->order) = index;
}

struct visit {
    uint32_t node, child, ownership; /* the next ones to go to */
};

struct visits {
    VEC(struct visit) v;
};

static void visit(struct memory_graph *g, struct visits *path, uint32_t index)
{
    struct memory_node *node = &g->nodes.items[index];
    if (node->visited)
        return;
    node->visited = true;
    *vec_push(&path->v) = (struct visit){index, node->first_child, node->owned_by};
}

/* Sets sizes from the leaves and the owners on. A circle of owners is cut where it closes. */
static void set_sizes(struct memory_graph *g, struct trace *t)
{
    struct visits path = {0};
    for (size_t i = 0, count = g->nodes.count; i < count; i++) {
        visit(g, &path, (uint32_t)i);
        while (path.v.count) {
            struct visit *v = &vec_last(&path.v);
            if (v->child != NULL_U32) {
                uint32_t child = v->child;
                v->child = g->nodes.items[child].next_sibling;
                visit(g, &path, child);
            } else if (v->ownership != NULL_U32) {
                const struct memory_ownership *o = &g->ownerships.items[v->ownership];
                v->ownership = o->next;
                visit(g, &path, o->owner);
            } else {
                set_size(g, t, v->node);
                path.v.count--;
            }
        }
    }
    vec_release(&path.v);
}

/* What of each node's memory is not owned by others, and what is not memory of others. */
static void set_own_sizes(struct memory_graph *g)
{
    for (size_t i = 0; i < g->order.count; i++) {
        struct memory_node *node = &g->nodes.items[g->order.items[i]];
        if (node->first_child == NULL_U32)
            node->unowned_size = node->unowning_size = node->size;
        if (node->parent == NULL_U32)
            continue;
        struct memory_node *parent = &g->nodes.items[node->parent];
        uint64_t owner = largest_owner_size(g, node);
        if (node->owns == NULL_U32)
            parent->unowning_size += node->unowning_size;
        if (node->owned_by == NULL_U32)
            parent->unowned_size += node->unowned_size;
        else if (node->size > owner)
            parent->unowned_size += node->size - owner;
    }
}

/* By owned node, then the more important owner first, then the smaller one. */
static int compare_ownerships(const void *a, const void *b, void *graph)
{
    const struct memory_ownership *x = a, *y = b;
    const struct memory_node *nodes = ((const struct memory_graph *)graph)->nodes.items;
    if (x->owned != y->owned)
        return x->owned < y->owned ? -1 : 1;
    if (x->importance != y->importance)
        return x->importance > y->importance ? -1 : 1;
    uint64_t m = nodes[x->owner].unowning_size, n = nodes[y->owner].unowning_size;
    return (m > n) - (m < n);
}

/* Divides what the owners of one node hold of it; `owners` are sorted. The bytes up to the end of
 * the smallest owner belong to all of equal importance, the next ones to all but it, and so on. */
static void divide(struct memory_graph *g, const struct memory_ownership *owners, size_t count)
{
    struct memory_node *nodes = g->nodes.items;
    uint64_t given = 0;
    for (size_t i = 0; i < count;) {
        size_t end = i;
        while (end < count && owners[end].importance == owners[i].importance)
            end++;
        double taken = 0;
        for (; i < end; i++) {
            struct memory_node *owner = &nodes[owners[i].owner];
            if (owner->unowning_size > given) {
                taken += (double)(owner->unowning_size - given) / (double)(end - i);
                given = owner->unowning_size;
            }
            if (owner->unowning_size)
                owner->owning_share = taken / (double)owner->unowning_size;
        }
    }
    struct memory_node *owned = &nodes[owners[0].owned];
    uint64_t unowned = owned->unowned_size;
    if (unowned)
        owned->owned_share = given < unowned ? (double)(unowned - given) / (double)unowned : 0;
}

static void divide_owned(struct memory_graph *g)
{
    size_t count = g->ownerships.count;
    struct memory_ownership *sorted = alloc_array(count, sizeof *sorted);
    if (count)
        memcpy(sorted, g->ownerships.items, count * sizeof *sorted);
    qsort_r(sorted, count, sizeof *sorted, compare_ownerships, g);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && sorted[end].owned == sorted[i].owned;)
            end++;
        divide(g, sorted + i, end - i);
    }
    free(sorted);
}

/* What is left of a node is left of all below it; what an owner has of a node it has of what that
 * one has of others. */
static void multiply_shares(struct memory_graph *g)
{
    for (size_t i = g->order.count; i-- > 0;) {
        struct memory_node *node = &g->nodes.items[g->order.items[i]];
        const struct memory_node *parent =
            node->parent == NULL_U32 ? NULL : &g->nodes.items[node->parent];
        if (parent)
            node->owned_share *= parent->owned_share;
        if (node->owns != NULL_U32)
            node->owning_share *=
                g->nodes.items[g->ownerships.items[node->owns].owned].owning_share;
        else
            node->owning_share = parent ? parent->owning_share : 1;
    }
}

static void set_effective_sizes(struct memory_graph *g)
{
    for (size_t i = 0; i < g->order.count; i++) {
        struct memory_node *node = &g->nodes.items[g->order.items[i]];
        if (node->first_child == NULL_U32) {
            double size = (double)node->size * node->owning_share * node->owned_share;
            node->effective_size = size < 0x1p64 ? (uint64_t)size : node->size;
        }
        if (node->parent != NULL_U32)
            g->nodes.items[node->parent].effective_size += node->effective_size;
    }
}

void memory_graph_measure(struct memory_graph *g, struct trace *t)
{
    set_sizes(g, t);
    set_own_sizes(g);
    divide_owned(g);
    multiply_shares(g);
    set_effective_sizes(g);
}

struct sorted_nodes {
    const struct memory_graph *graph;
    const struct string_pool *strings;
};

/* A name ends before any that goes on: '/' counts as the smallest byte. */
static int compare_nodes(const void *a, const void *b, void *context)
{
    const struct sorted_nodes *s = context;
    const struct memory_node *x = &s->graph->nodes.items[*(const uint32_t *)a];
    const struct memory_node *y = &s->graph->nodes.items[*(const uint32_t *)b];
    if (x->tree != y->tree)
        return x->tree < y->tree ? -1 : 1;
    struct str p = string_pool_get(s->strings, x->path), q = string_pool_get(s->strings, y->path);
    size_t i = 0;
    while (i < p.n && i < q.n && p.p[i] == q.p[i])
        i++;
    if (i == p.n || i == q.n)
        return (i < p.n) - (i < q.n);
    unsigned char m = (unsigned char)p.p[i], n = (unsigned char)q.p[i];
    return m == '/' ? -1 : n == '/' ? 1 : m < n ? -1 : 1;
}

uint32_t *memory_graph_sorted(const struct memory_graph *g, const struct trace *t)
{
    uint32_t *sorted = alloc_array(g->nodes.count, sizeof *sorted);
    for (size_t i = 0; i < g->nodes.count; i++)
        sorted[i] = (uint32_t)i;
    struct sorted_nodes context = {g, &t->strings};
    qsort_r(sorted, g->nodes.count, sizeof *sorted, compare_nodes, &context);
    return sorted;
}
