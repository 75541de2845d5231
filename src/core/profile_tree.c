#include "core/profile_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/trace/trace.h"

uint32_t profile_node(struct profile_tree *t, uint32_t parent, string_id name, string_id mapping)
{
    bool inserted;
    uint64_t key = hash_mix(hash_mix(parent, name), mapping);
    uint32_t *newest = map_insert(&t->by_hash, key, &inserted);
    for (uint32_t at = *newest; at > 0; at = t->nodes.items[at - 1].next_same) {
        const struct profile_node *n = &t->nodes.items[at - 1];
        if (n->parent == parent && n->name == name && n->mapping == mapping)
            return at - 1;
    }
    uint32_t depth = parent == NULL_U32 ? 0 : t->nodes.items[parent].depth + 1;
    *vec_push(&t->nodes) = (struct profile_node){.parent = parent,
                                                 .depth = depth,
                                                 .next_same = *newest,
                                                 .name = name,
                                                 .mapping = mapping,
                                                 .line = NULL_U32};
    *newest = (uint32_t)t->nodes.count;
    return *newest - 1;
}

static string_id text_at(const struct table *t, uint32_t column, uint32_t row)
{
    return row < t->rows ? column_str(&t->columns[column], row) : NULL_STRING;
}

/* The functions of a frame below `at`: where symbols say that some were inlined, the innermost
 * comes first in their set. */
static uint32_t frame_node(struct profile_tree *t, const struct tables *tables, uint32_t at,
                           uint32_t frame)
{
    const struct table *frames = &tables->stack_profile_frame;
    const struct table *symbols = &tables->stack_profile_symbol;
    const uint32_t *sets = table_u32(symbols, stack_profile_symbol_col_symbol_set_id);
    const uint32_t *lines = table_u32(symbols, stack_profile_symbol_col_line_number);
    if (frame >= frames->rows)
        return profile_node(t, at, NULL_STRING, NULL_STRING);
    uint32_t set = table_u32(frames, stack_profile_frame_col_symbol_set_id)[frame];
    string_id mapping = text_at(&tables->stack_profile_mapping, stack_profile_mapping_col_name,
                                table_u32(frames, stack_profile_frame_col_mapping)[frame]);
    if (set >= symbols->rows) {
        string_id name = text_at(frames, stack_profile_frame_col_deobfuscated_name, frame);
        if (name == NULL_STRING)
            name = text_at(frames, stack_profile_frame_col_name, frame);
        return profile_node(t, at, name, mapping);
    }
    uint32_t end = set;
    while (end < symbols->rows && sets[end] == set)
        end++;
    while (end-- > set) {
        at = profile_node(t, at, text_at(symbols, stack_profile_symbol_col_name, end), mapping);
        t->nodes.items[at].source_file =
            text_at(symbols, stack_profile_symbol_col_source_file, end);
        t->nodes.items[at].line = lines[end];
    }
    return at;
}

uint32_t *profile_callsite_nodes(struct profile_tree *t, const struct trace *trace)
{
    const struct table *sites = &trace->tables.stack_profile_callsite;
    const uint32_t *parents = table_u32(sites, stack_profile_callsite_col_parent_id);
    const uint32_t *frames = table_u32(sites, stack_profile_callsite_col_frame_id);
    uint32_t *node = alloc_try_array(sites->rows + (size_t)1, sizeof *node);
    for (uint32_t i = 0; node && i < sites->rows; i++) {
        uint32_t parent = parents[i] < i ? node[parents[i]] : NULL_U32;
        node[i] = frame_node(t, &trace->tables, parent, frames[i]);
    }
    return node;
}

/* One heap graph: the objects of a process at a time. */
struct heap {
    const struct trace *trace;
    const atomic_bool *cancel;
    const struct table *objects, *references;
    const uint32_t *set, *owned; /* an object's first reference; what a reference leads to */
    int64_t ts, upid;
    const int32_t *distance; /* of each object from the nearest root; -1: out of reach */
    uint32_t *node;          /* of each object; NULL_U32 while it has none */
    uint32_t steps;
};

static bool is_of_heap(const struct heap *h, uint32_t object)
{
    const struct column *columns = h->objects->columns;
    return column_int(&columns[heap_graph_object_col_graph_sample_ts], object) == h->ts &&
           column_int(&columns[heap_graph_object_col_upid], object) == h->upid;
}

/* The next object that `object` refers to; `*at` is the reference to go on with. */
static uint32_t next_owned(const struct heap *h, uint32_t object, uint32_t *at)
{
    const uint32_t *sets = table_u32(h->references, heap_graph_reference_col_reference_set_id);
    while (*at < h->references->rows && sets[*at] == h->set[object]) {
        uint32_t to = h->owned[(*at)++];
        if (to < h->objects->rows)
            return to;
    }
    return NULL_U32;
}

static string_id class_name(const struct heap *h, uint32_t object)
{
    const struct table *classes = &h->trace->tables.heap_graph_class;
    uint32_t type = table_u32(h->objects, heap_graph_object_col_type_id)[object];
    string_id name = text_at(classes, heap_graph_class_col_deobfuscated_name, type);
    return name == NULL_STRING ? text_at(classes, heap_graph_class_col_name, type) : name;
}

static void add_own(struct profile_tree *t, uint32_t node, int64_t size)
{
    int64_t *own = t->nodes.items[node].own;
    profile_add(&own[PROFILE_COUNT], 1);
    profile_add(&own[PROFILE_SIZE], size);
}

__attribute__((format(printf, 2, 3))) static string_id
intern_printed(const struct string_pool *strings, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        alloc_fail();
    string_id id = string_pool_intern(strings, (struct str){text, (size_t)n});
    free(text);
    return id;
}

/* A dump of which packets are missing, and no root is known. */
static bool is_truncated(const struct heap *h)
{
    const struct table *graphs = &h->trace->tables.heap_graph;
    for (uint32_t i = 0; i < graphs->rows; i++)
        if (column_int(&graphs->columns[heap_graph_col_ts], i) == h->ts &&
            column_int(&graphs->columns[heap_graph_col_upid], i) == h->upid)
            return column_int(&graphs->columns[heap_graph_col_truncated], i) != 0;
    return false;
}

static void put_truncated(struct profile_tree *t, const struct heap *h)
{
    const struct string_pool *strings = &h->trace->strings;
    add_own(t,
            profile_node(t, NULL_U32,
                         string_pool_intern(strings, STR("ERROR: INCOMPLETE GRAPH (try increasing "
                                                         "buffer size)")),
                         string_pool_intern(strings, STR("JAVA"))),
            1);
}

/* The object, and below it the memory outside of the heap that it holds. */
static void put_object(struct profile_tree *t, struct heap *h, uint32_t object, uint32_t parent,
                       string_id name)
{
    const struct string_pool *strings = &h->trace->strings;
    const struct column *columns = h->objects->columns;
    string_id mapping = string_pool_intern(strings, STR("JAVA"));
    uint32_t node = profile_node(t, parent, name, mapping);
    add_own(t, node, column_int(&columns[heap_graph_object_col_self_size], object));
    h->node[object] = node;
    int64_t native = column_int(&columns[heap_graph_object_col_native_size], object);
    if (native == 0)
        return;
    struct str s = string_pool_get(strings, name);
    name = intern_printed(strings, "[native] %.*s", (int)s.n, s.p);
    add_own(t, profile_node(t, node, name, mapping), native);
}

/* What hangs on a root that is not placed yet, nearest first along each way. */
static bool put_root(struct profile_tree *t, struct heap *h, uint32_t root)
{
    const struct string_pool *strings = &h->trace->strings;
    struct str name = string_pool_get(strings, class_name(h, root));
    struct str type =
        string_pool_get(strings, text_at(h->objects, heap_graph_object_col_root_type, root));
    VEC(uint32_t) stack = {0};
    bool cancelled = false;
    put_object(t, h, root, NULL_U32,
               intern_printed(strings, "%.*s [%.*s]", (int)name.n, name.p, (int)type.n, type.p));
    *vec_push(&stack) = root;
    while (stack.count > 0 && !cancelled) {
        uint32_t object = stack.items[--stack.count], at = h->set[object];
        for (uint32_t to; (to = next_owned(h, object, &at)) != NULL_U32;) {
            if (h->node[to] != NULL_U32 || h->distance[to] != h->distance[object] + 1)
                continue;
            put_object(t, h, to, h->node[object], class_name(h, to));
            *vec_push(&stack) = to;
        }
        cancelled =
            (++h->steps & 0xfff) == 0 && atomic_load_explicit(h->cancel, memory_order_relaxed);
    }
    vec_release(&stack);
    return !cancelled;
}

bool profile_add_heap(struct profile_tree *t, const struct trace *trace, const atomic_bool *cancel,
                      int64_t ts, int64_t upid)
{
    const struct tables *tables = &trace->tables;
    uint32_t n = tables->heap_graph_object.rows;
    struct heap h = {
        .trace = trace,
        .cancel = cancel,
        .objects = &tables->heap_graph_object,
        .references = &tables->heap_graph_reference,
        .set = table_u32(&tables->heap_graph_object, heap_graph_object_col_reference_set_id),
        .owned = table_u32(&tables->heap_graph_reference, heap_graph_reference_col_owned_id),
        .ts = ts,
        .upid = upid,
        .distance = trace->heap_root_distances.items,
        .node = alloc_try_array(n + (size_t)1, sizeof *h.node),
    };
    bool done = h.node != NULL;
    for (uint32_t i = 0; i < n && done; i++)
        h.node[i] = NULL_U32;
    for (uint32_t i = 0; i < n && done; i++)
        if (h.distance[i] == 0 && h.node[i] == NULL_U32 && is_of_heap(&h, i))
            done = put_root(t, &h, i);
    if (done && t->nodes.count == 0 && is_truncated(&h))
        put_truncated(t, &h);
    free(h.node);
    return done;
}

void profile_sum_up(struct profile_tree *t)
{
    for (size_t i = 0; i < t->nodes.count; i++)
        for (int k = 0; k < PROFILE_AMOUNTS; k++)
            t->nodes.items[i].all[k] = t->nodes.items[i].own[k];
    for (size_t i = t->nodes.count; i-- > 0;) {
        const struct profile_node *n = &t->nodes.items[i];
        for (int k = 0; k < PROFILE_AMOUNTS && n->parent != NULL_U32; k++)
            profile_add(&t->nodes.items[n->parent].all[k], n->all[k]);
    }
}

void profile_tree_release(struct profile_tree *t)
{
    vec_release(&t->nodes);
    map_release(&t->by_hash);
}
