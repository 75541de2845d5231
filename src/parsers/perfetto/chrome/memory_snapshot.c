/* Chrome's memory dumps: what each process's allocators hold. Packets of one time are one snapshot,
 * whose processes share nodes. */
#include "parsers/perfetto/chrome/memory_graph.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/store/rows.h"

typedef MemoryTrackerSnapshot__ProcessSnapshot__MemoryNode MemoryNode;
typedef MemoryTrackerSnapshot__ProcessSnapshot__MemoryNode__MemoryNodeEntry MemoryEntry;

struct process_dump {
    int32_t pid;
    uint32_t number;
    struct bytes data;
};

/* A number or a string that a node has besides its size. */
struct node_entry {
    uint32_t node, number;
    string_id name, text; /* text: NULL_STRING for a number */
    int64_t value;
    bool bytes;
};

struct edge {
    uint64_t source, target;
    uint32_t number;
    int32_t importance;
};

struct snapshots {
    /* The snapshot that further packets may belong to. */
    int64_t ts;
    uint32_t machine, detail;
    VEC(struct process_dump) dumps;
};

/* One snapshot while its rows are made. */
struct snapshot {
    struct trace *t;
    uint32_t shared_tree; /* behind those of the processes */
    struct memory_graph graph;
    struct map by_id; /* node id -> index in the graph */
    VEC(struct node_entry) entries;
    VEC(struct edge) edges; /* of a process; scratch */
};

static void snapshots_release(void *state)
{
    struct snapshots *s = state;
    vec_release(&s->dumps);
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_dumps(const void *a, const void *b)
{
    const struct process_dump *x = a, *y = b;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return compare_numbers(x->number, y->number);
}

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return compare_numbers(x->number, y->number);
}

static int compare_entries(const void *a, const void *b, void *trace)
{
    const struct node_entry *x = a, *y = b;
    if (x->node != y->node)
        return compare_numbers(x->node, y->node);
    if (x->name == y->name)
        return compare_numbers(x->number, y->number);
    const struct string_pool *strings = &((const struct trace *)trace)->strings;
    struct str p = string_pool_get(strings, x->name), q = string_pool_get(strings, y->name);
    int order = memcmp(p.p, q.p, p.n < q.n ? p.n : q.n);
    return order ? order : (p.n > q.n) - (p.n < q.n);
}

static void read_entry(struct snapshot *s, uint32_t node, const MemoryEntry *entry)
{
    struct node_entry e = {
        .node = node,
        .number = (uint32_t)s->entries.count,
        .text = entry->has_value_string ? trace_intern(s->t, unpacked_str(entry->value_string))
                                        : NULL_STRING,
        .value = (int64_t)entry->value_uint64,
        .bytes = entry->units ==
                 PB_MemoryTrackerSnapshot_ProcessSnapshot_MemoryNode_MemoryNodeEntry_Units_BYTES,
    };
    struct str name = unpacked_str(entry->name);
    bool is_number = entry->has_value_uint64;
    if (is_number)
        e.text = NULL_STRING;
    else if (!e.text)
        stats_count(s->t, STAT_memory_snapshot_parser_failure);
    if ((!is_number && !e.text) || str_eq(name, STR("effective_size")))
        return;
    if (str_eq(name, STR("size"))) {
        if (s->graph.nodes.items[node].size == 0)
            s->graph.nodes.items[node].size = (uint64_t)e.value;
        return;
    }
    e.name = trace_intern(s->t, name);
    *vec_push(&s->entries) = e;
}

/* The node of an id is the same one for all of the processes. */
static uint32_t node_of(struct snapshot *s, uint32_t tree, uint64_t id, struct str name)
{
    const uint32_t *known = id ? map_find(&s->by_id, id) : NULL;
    if (known)
        return *known;
    if (str_starts(name, STR("global/")))
        tree = s->shared_tree;
    uint32_t node = memory_graph_node(&s->graph, s->t, tree, name);
    if (node == NULL_U32)
        stats_count(s->t, STAT_memory_snapshot_parser_failure);
    else if (id)
        map_set(&s->by_id, id, node);
    return node;
}

static void read_node(struct snapshot *s, uint32_t tree, const MemoryNode *dump)
{
    uint32_t node = node_of(s, tree, dump->id, unpacked_str(dump->absolute_name));
    if (node == NULL_U32)
        return;
    if (s->graph.nodes.items[node].size == 0)
        s->graph.nodes.items[node].size = dump->size_bytes;
    for (size_t i = 0; i < dump->n_entries; i++)
        read_entry(s, node, dump->entries[i]);
}

static void read_nodes(struct snapshot *s, uint32_t tree,
                       const MemoryTrackerSnapshot__ProcessSnapshot *dump)
{
    for (size_t i = 0; i < dump->n_allocator_dumps; i++)
        read_node(s, tree, dump->allocator_dumps[i]);
}

/* A process names what a node owns once. Edges whose ends the snapshot lacks say nothing. */
static void read_edges(struct snapshot *s, const MemoryTrackerSnapshot__ProcessSnapshot *dump)
{
    s->edges.count = 0;
    for (size_t i = 0; i < dump->n_memory_edges; i++)
        *vec_push(&s->edges) =
            (struct edge){.source = dump->memory_edges[i]->source_id,
                          .target = dump->memory_edges[i]->target_id,
                          .number = (uint32_t)i,
                          .importance = (int32_t)dump->memory_edges[i]->importance};
    if (s->edges.count)
        qsort(s->edges.items, s->edges.count, sizeof *s->edges.items, compare_edges);
    for (size_t i = 0; i < s->edges.count; i++) {
        const struct edge *e = &s->edges.items[i];
        if (i && e->source == e[-1].source)
            continue;
        const uint32_t *source = map_find(&s->by_id, e->source);
        const uint32_t *target = map_find(&s->by_id, e->target);
        if (source && target)
            memory_graph_own(&s->graph, *source, *target, e->importance);
    }
}

static uint32_t write_snapshot_row(struct import *im, const struct snapshots *s)
{
    static const char *const details[] = {"detailed", "light", "background"};
    struct trace *t = im->trace;
    struct arg_list args = {0};
    arg_list_str(&args, trace_intern(t, STR("source")), trace_intern(t, STR("chrome")));
    struct track_spec spec = {.type = "legacy_chrome_global_instants",
                              .machine = s->machine,
                              .source_args = &args};
    struct memory_snapshot_row row = {.timestamp = s->ts,
                                      .track_id = track_intern(t, &spec),
                                      .detail_level = trace_intern_c(t, details[s->detail])};
    arg_list_release(&args);
    return memory_snapshot_append(&t->tables.memory_snapshot, &row);
}

static string_id key_of(struct trace *t, string_id name, struct str ending)
{
    struct str n = string_pool_get(&t->strings, name);
    char *key = alloc_bytes(n.n + ending.n);
    memcpy(key, n.p, n.n);
    memcpy(key + n.n, ending.p, ending.n);
    string_id id = trace_intern(t, (struct str){key, n.n + ending.n});
    free(key);
    return id;
}

static uint32_t entry_args(struct trace *t, const struct node_entry *e, size_t count)
{
    struct arg_list args = {0};
    for (size_t i = 0; i < count; i++, e++) {
        if (i && e->name == e[-1].name)
            continue;
        string_id value = key_of(t, e->name, STR(".value"));
        if (e->text) {
            arg_list_str(&args, value, e->text);
            continue;
        }
        arg_list_int(&args, value, e->value);
        arg_list_str(&args, key_of(t, e->name, STR(".unit")),
                     trace_intern(t, e->bytes ? STR("bytes") : STR("objects")));
    }
    uint32_t set = args_intern(&t->args, &args);
    arg_list_release(&args);
    return set;
}

/* The set of args of each node. */
static uint32_t *entry_arg_sets(struct snapshot *s)
{
    size_t nodes = s->graph.nodes.count, count = s->entries.count;
    uint32_t *sets = alloc_array(nodes, sizeof *sets);
    for (size_t i = 0; i < nodes; i++)
        sets[i] = NULL_U32;
    if (count)
        qsort_r(s->entries.items, count, sizeof *s->entries.items, compare_entries, s->t);
    for (size_t i = 0, end; i < count; i = end) {
        uint32_t node = s->entries.items[i].node;
        for (end = i; end < count && s->entries.items[end].node == node;)
            end++;
        sets[node] = entry_args(s->t, &s->entries.items[i], end - i);
    }
    return sets;
}

/* `rows`: of the graph's nodes. What was named last comes first, as in
 * Trace Processor. */
static void write_edges(struct trace *t, const struct memory_graph *g, const uint32_t *rows)
{
    for (size_t i = g->ownerships.count; i-- > 0;) {
        const struct memory_ownership *o = &g->ownerships.items[i];
        struct memory_snapshot_edge_row row = {.source_node_id = rows[o->owner],
                                               .target_node_id = rows[o->owned],
                                               .importance = (uint32_t)o->importance};
        memory_snapshot_edge_append(&t->tables.memory_snapshot_edge, &row);
    }
}

static void write_nodes(struct import *im, const struct snapshots *pending, struct snapshot *s)
{
    struct tables *tables = &im->trace->tables;
    uint32_t snapshot = write_snapshot_row(im, pending);
    uint32_t *sorted = memory_graph_sorted(&s->graph, im->trace), *sets = entry_arg_sets(s);
    uint32_t *rows = alloc_array(s->graph.nodes.count, sizeof *rows);
    size_t next = 0;
    for (uint32_t tree = 0; tree <= s->shared_tree; tree++) {
        int64_t pid = tree < s->shared_tree ? pending->dumps.items[tree].pid : 0;
        struct process_memory_snapshot_row process = {
            .snapshot_id = snapshot,
            .upid = process_tracker_process(im->trace, pending->machine, pid)};
        uint32_t process_row =
            process_memory_snapshot_append(&tables->process_memory_snapshot, &process);
        for (; next < s->graph.nodes.count; next++) {
            const struct memory_node *node = &s->graph.nodes.items[sorted[next]];
            if (node->tree != tree)
                break;
            struct memory_snapshot_node_row row = {.process_snapshot_id = process_row,
                                                   .parent_node_id = node->parent == NULL_U32
                                                                         ? NULL_U32
                                                                         : rows[node->parent],
                                                   .path = node->path,
                                                   .size = (int64_t)node->size,
                                                   .effective_size = (int64_t)node->effective_size,
                                                   .arg_set_id = sets[sorted[next]]};
            rows[sorted[next]] = memory_snapshot_node_append(&tables->memory_snapshot_node, &row);
        }
    }
    write_edges(im->trace, &s->graph, rows);
    free(sorted);
    free(sets);
    free(rows);
}

static void write_snapshot(struct import *im, struct snapshots *pending)
{
    struct snapshot s = {.t = im->trace};
    struct process_dump *dumps = pending->dumps.items;
    qsort(dumps, pending->dumps.count, sizeof *dumps, compare_dumps);
    size_t count = 0;
    for (size_t i = 0; i < pending->dumps.count; i++)
        if (count == 0 || dumps[i].pid != dumps[count - 1].pid)
            dumps[count++] = dumps[i];
    s.shared_tree = (uint32_t)count;
    const MemoryTrackerSnapshot__ProcessSnapshot **unpacked =
        arena_alloc(&im->unpacked, count * sizeof(void *));
    for (size_t i = 0; i < count; i++) {
        unpacked[i] =
            unpack_bytes(im, &memory_tracker_snapshot__process_snapshot__descriptor, dumps[i].data);
        read_nodes(&s, (uint32_t)i, unpacked[i]);
    }
    for (size_t i = 0; i < count; i++)
        read_edges(&s, unpacked[i]);
    memory_graph_measure(&s.graph, im->trace);
    write_nodes(im, pending, &s);
    memory_graph_release(&s.graph);
    map_release(&s.by_id);
    vec_release(&s.entries);
    vec_release(&s.edges);
    pending->dumps.count = 0;
}

static void snapshots_finish(struct import *im, void *state)
{
    struct snapshots *s = state;
    if (s->dumps.count)
        write_snapshot(im, s);
}

static const struct import_state_kind snapshots_kind = {.size = sizeof(struct snapshots),
                                                        .finish = snapshots_finish,
                                                        .release = snapshots_release};

static void add_dump(struct snapshots *s, struct bytes dump)
{
    struct pb_field f = pb_last(bytes_reader(dump), PB_MemoryTrackerSnapshot_ProcessSnapshot_pid);
    int32_t pid = pb_i32(&f);
    uint32_t number = (uint32_t)s->dumps.count;
    *vec_push(&s->dumps) = (struct process_dump){pid, number, dump};
}

static void memory_tracker_snapshot_parse(struct import *im, const struct packet *p)
{
    struct snapshots *s = import_state(im, &snapshots_kind);
    if (s->dumps.count && (s->ts != p->ts || s->machine != p->machine))
        write_snapshot(im, s);
    s->ts = p->ts;
    s->machine = p->machine;
    s->detail = PB_MemoryTrackerSnapshot_LevelOfDetail_DETAIL_FULL;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_MemoryTrackerSnapshot_process_memory_dumps)
            add_dump(s, field_bytes(&f));
        else if (f.number == PB_MemoryTrackerSnapshot_level_of_detail &&
                 pb_u32(&f) <= PB_MemoryTrackerSnapshot_LevelOfDetail_DETAIL_BACKGROUND)
            s->detail = pb_u32(&f);
    }
}

const struct packet_module memory_snapshot_packets[] = {
    {PB_TracePacket_memory_tracker_snapshot, .parse = memory_tracker_snapshot_parse,
     .felt = PACKET_MOMENT},
    {0},
};
