/* V8's heap snapshots: objects and references of a JavaScript heap, as rows of the heap graph.
 * Its own part `snapshot.meta` names the fields and types; what they mean is as in V8's
 * include/v8-profiler.h (HeapSnapshot, HeapGraphEdge). */
#include <stdio.h>

#include "core/trace_builder.h"
#include "core/store/rows.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/json_scan.h"
#include "parsers/input/trace_format.h"
#include "parsers/samples/samples.h"

enum { TYPES_MAX = 32, FIELDS_MAX = 32, UNKNOWN_TYPE = TYPES_MAX, NODES_PER_CHECK = 1 << 16 };
static const size_t SNAPSHOT_BYTES_MAX = (size_t)1 << 32;

/* Where the fields of a node or an edge stand among its numbers, and what its types are called. */
struct snapshot_layout {
    size_t fields;
    size_t type, name, size, edges, to; /* FIELDS_MAX: it has none */
    size_t type_count;
    struct str types[TYPES_MAX]; /* of the trace's strings */
};

struct node {
    uint32_t name, edge_count;
    int64_t size;
    uint8_t type;
};

struct edge {
    uint32_t name, to;
    uint8_t type;
};

struct heap_snapshot {
    struct trace *trace;
    struct snapshot_layout node_layout, edge_layout;
    VEC(struct node) nodes;
    VEC(struct edge) edges;
    VEC(string_id) strings;
    VEC(int32_t) distances; /* of nodes from the root; -1: not reached */
    uint32_t upid;
    struct map class_of_name;
};

static void release(struct heap_snapshot *s)
{
    vec_release(&s->nodes);
    vec_release(&s->edges);
    vec_release(&s->strings);
    vec_release(&s->distances);
    map_release(&s->class_of_name);
}

static void set_field(struct snapshot_layout *l, struct str name, size_t at)
{
    if (str_eq(name, STR("type")))
        l->type = at;
    else if (str_eq(name, STR("name")) || str_eq(name, STR("name_or_index")))
        l->name = at;
    else if (str_eq(name, STR("self_size")))
        l->size = at;
    else if (str_eq(name, STR("edge_count")))
        l->edges = at;
    else if (str_eq(name, STR("to_node")))
        l->to = at;
}

static bool read_fields(struct json_scan *j, struct snapshot_layout *l)
{
    struct json_value v;
    bool closed;
    *l = (struct snapshot_layout){.type = FIELDS_MAX,
                                  .name = FIELDS_MAX,
                                  .size = FIELDS_MAX,
                                  .edges = FIELDS_MAX,
                                  .to = FIELDS_MAX};
    for (bool first = true; json_next_element(j, first, &closed); first = false) {
        if (!json_read_value(j, &v))
            return false;
        if (l->fields < FIELDS_MAX)
            set_field(l, v.text, l->fields++);
    }
    return closed;
}

/* The names of types are an array that stands in front of what types the other fields are of. */
static bool read_types(struct trace *t, struct json_scan *j, struct snapshot_layout *l)
{
    struct json_value v;
    bool closed;
    if (!json_take(j, '['))
        return true;
    for (bool first = true; json_next_element(j, first, &closed); first = false) {
        if (!json_read_value(j, &v))
            return false;
        if (l->type_count < TYPES_MAX)
            l->types[l->type_count++] = string_pool_get(&t->strings, trace_intern(t, v.text));
    }
    return closed;
}

static bool read_rest(struct json_scan *j)
{
    struct json_value v;
    bool closed;
    for (bool first = false; json_next_element(j, first, &closed); first = false)
        if (!json_read_value(j, &v))
            return false;
    return closed;
}

static bool read_meta(struct heap_snapshot *s, struct json_scan *j)
{
    struct str key;
    bool closed;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        bool node = str_eq(key, STR("node_types")), edge = str_eq(key, STR("edge_types"));
        bool good;
        if (str_eq(key, STR("node_fields")) && json_take(j, '['))
            good = read_fields(j, &s->node_layout);
        else if (str_eq(key, STR("edge_fields")) && json_take(j, '['))
            good = read_fields(j, &s->edge_layout);
        else if ((node || edge) && json_take(j, '['))
            good =
                read_types(s->trace, j, node ? &s->node_layout : &s->edge_layout) && read_rest(j);
        else
            good = json_skip_value(j);
        if (!good)
            return false;
    }
    return closed;
}

static bool read_snapshot(struct heap_snapshot *s, struct json_scan *j)
{
    struct str key;
    bool closed;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        bool meta = str_eq(key, STR("meta")) && json_take(j, '{');
        if (meta ? !read_meta(s, j) : !json_skip_value(j))
            return false;
    }
    return closed;
}

static uint8_t type_of(const struct snapshot_layout *l, int64_t number)
{
    return number >= 0 && (uint64_t)number < l->type_count ? (uint8_t)number : UNKNOWN_TYPE;
}

static uint32_t to_u32(int64_t number)
{
    return number >= 0 && number < UINT32_MAX ? (uint32_t)number : NULL_U32;
}

static void add_node(struct heap_snapshot *s, const int64_t numbers[FIELDS_MAX + 1])
{
    const struct snapshot_layout *l = &s->node_layout;
    *vec_push(&s->nodes) = (struct node){
        .type = type_of(l, numbers[l->type]),
        .name = to_u32(numbers[l->name]),
        .size = numbers[l->size],
        .edge_count = numbers[l->edges] > 0 ? to_u32(numbers[l->edges]) : 0,
    };
}

static void add_edge(struct heap_snapshot *s, const int64_t numbers[FIELDS_MAX + 1])
{
    const struct snapshot_layout *l = &s->edge_layout;
    uint32_t to = to_u32(numbers[l->to]);
    *vec_push(&s->edges) = (struct edge){
        .type = type_of(l, numbers[l->type]),
        .name = to_u32(numbers[l->name]),
        .to = to == NULL_U32 ? to : (uint32_t)(to / s->node_layout.fields),
    };
}

/* An array of numbers, as many of which as there are fields describe one thing. */
static bool read_numbers(struct heap_snapshot *s, struct json_scan *j,
                         const struct snapshot_layout *l,
                         void (*add)(struct heap_snapshot *, const int64_t[FIELDS_MAX + 1]))
{
    int64_t numbers[FIELDS_MAX + 1] = {0}; /* the last one is what a missing field is */
    struct json_value v;
    size_t at = 0;
    bool closed;
    for (bool first = true; json_next_element(j, first, &closed); first = false) {
        if (!json_read_value(j, &v))
            return false;
        if (!json_to_i64(v, &numbers[at]))
            numbers[at] = -1;
        if (++at < l->fields)
            continue;
        at = 0;
        add(s, numbers);
    }
    return closed;
}

static bool read_strings(struct heap_snapshot *s, struct json_scan *j)
{
    struct json_value v;
    bool closed;
    for (bool first = true; json_next_element(j, first, &closed); first = false) {
        if (!json_read_value(j, &v))
            return false;
        *vec_push(&s->strings) = trace_intern(s->trace, v.text);
    }
    return closed;
}

static bool read_file(struct heap_snapshot *s, struct str text)
{
    struct json_scan j = json_scan_from(text);
    struct str key;
    bool closed = false, good = json_take(&j, '{');
    for (bool first = true; good && json_next_key(&j, first, &key, &closed); first = false) {
        bool known = s->node_layout.fields > 0 && s->edge_layout.fields > 0;
        if (str_eq(key, STR("snapshot")) && json_take(&j, '{'))
            good = read_snapshot(s, &j);
        else if (known && str_eq(key, STR("nodes")) && json_take(&j, '['))
            good = read_numbers(s, &j, &s->node_layout, add_node);
        else if (known && str_eq(key, STR("edges")) && json_take(&j, '['))
            good = read_numbers(s, &j, &s->edge_layout, add_edge);
        else if (str_eq(key, STR("strings")) && json_take(&j, '['))
            good = read_strings(s, &j);
        else
            good = json_skip_value(&j);
    }
    json_scan_release(&j);
    return good && closed;
}

static bool is_type(const struct snapshot_layout *l, uint8_t type, struct str name)
{
    return type < l->type_count && str_eq(l->types[type], name);
}

/* What an edge leads to, or NULL_U32: nothing is kept alive by a weak one. */
static uint32_t target_of(const struct heap_snapshot *s, const struct edge *e)
{
    bool counts = e->to < s->nodes.count && !is_type(&s->edge_layout, e->type, STR("weak"));
    return counts ? e->to : NULL_U32;
}

/* Where each node's edges begin, and behind the last one's; the caller frees them. */
static size_t *edge_starts(const struct heap_snapshot *s)
{
    size_t *starts = alloc_array(s->nodes.count + 1, sizeof *starts), at = 0;
    for (size_t i = 0; i < s->nodes.count; i++) {
        starts[i] = at;
        size_t left = s->edges.count - at, n = s->nodes.items[i].edge_count;
        at += n < left ? n : left;
    }
    starts[s->nodes.count] = at;
    return starts;
}

/* Breadth first from the first node, which is the root. */
static void find_distances(struct heap_snapshot *s, const size_t *starts)
{
    VEC(uint32_t) queue = {0};
    vec_reserve(&s->distances, s->nodes.count);
    for (size_t i = 0; i < s->nodes.count; i++)
        *vec_push(&s->distances) = i == 0 ? 0 : -1;
    *vec_push(&queue) = 0;
    for (size_t i = 0; i < queue.count; i++) {
        uint32_t node = queue.items[i];
        for (size_t e = starts[node]; e < starts[node + 1]; e++) {
            uint32_t to = target_of(s, &s->edges.items[e]);
            if (to == NULL_U32 || s->distances.items[to] >= 0)
                continue;
            s->distances.items[to] = s->distances.items[node] + 1;
            *vec_push(&queue) = to;
        }
    }
    vec_release(&queue);
}

static string_id string_at(const struct heap_snapshot *s, uint32_t at)
{
    return at < s->strings.count ? s->strings.items[at] : NULL_STRING;
}

/* Objects are of the class that constructed them, what has none is called after its type, as in
 * DevTools. */
static string_id class_name(struct heap_snapshot *s, const struct node *n)
{
    const struct snapshot_layout *l = &s->node_layout;
    struct trace *t = s->trace;
    char room[64];
    if (is_type(l, n->type, STR("object")) || is_type(l, n->type, STR("native")))
        return string_at(s, n->name) ? string_at(s, n->name) : trace_intern(t, STR("Object"));
    if (is_type(l, n->type, STR("closure")))
        return trace_intern(t, STR("Function"));
    if (is_type(l, n->type, STR("regexp")))
        return trace_intern(t, STR("RegExp"));
    if (is_type(l, n->type, STR("code")))
        return trace_intern(t, STR("(compiled code)"));
    if (is_type(l, n->type, STR("hidden")))
        return trace_intern(t, STR("(system)"));
    struct str type = n->type < l->type_count ? l->types[n->type] : STR("unknown");
    int length = type.n < sizeof room - 4 ? (int)type.n : (int)sizeof room - 4;
    snprintf(room, sizeof room, "(%.*s)", length, type.p);
    return trace_intern_c(t, room);
}

static uint32_t class_of(struct heap_snapshot *s, const struct node *n)
{
    string_id name = class_name(s, n);
    bool inserted;
    uint32_t *row = map_insert(&s->class_of_name, name, &inserted);
    if (inserted) {
        struct heap_graph_class_row r = heap_graph_class_row_null();
        r.name = name;
        r.kind = trace_intern(s->trace, STR("KIND_NORMAL"));
        *row = heap_graph_class_append(&s->trace->tables.heap_graph_class, &r);
    }
    return *row;
}

/* The text of what is not an object of a class: of strings, the names of functions. */
static uint32_t add_data(struct heap_snapshot *s, const struct node *n)
{
    const struct snapshot_layout *l = &s->node_layout;
    string_id text = string_at(s, n->name);
    if (is_type(l, n->type, STR("object")) || is_type(l, n->type, STR("native")) ||
        text == NULL_STRING)
        return NULL_U32;
    struct heap_graph_object_data_row row = heap_graph_object_data_row_null();
    row.value_string = text;
    return heap_graph_object_data_append(&s->trace->tables.heap_graph_object_data, &row);
}

static string_id edge_name(struct heap_snapshot *s, const struct edge *e)
{
    char room[16];
    if (!is_type(&s->edge_layout, e->type, STR("element")) &&
        !is_type(&s->edge_layout, e->type, STR("hidden")))
        return string_at(s, e->name);
    snprintf(room, sizeof room, "[%u]", e->name);
    return trace_intern_c(s->trace, room);
}

/* A node's references; their set, or NULL_U32. `first` is the row of the first node's object. */
static uint32_t add_references(struct heap_snapshot *s, uint32_t first, uint32_t node,
                               const size_t *starts)
{
    struct table *table = &s->trace->tables.heap_graph_reference;
    const struct snapshot_layout *l = &s->edge_layout;
    uint32_t set = table->rows;
    for (size_t i = starts[node]; i < starts[node + 1]; i++) {
        const struct edge *e = &s->edges.items[i];
        uint32_t to = target_of(s, e);
        if (to == NULL_U32)
            continue;
        struct heap_graph_reference_row row = heap_graph_reference_row_null();
        row.reference_set_id = set;
        row.owner_id = first + node;
        row.owned_id = first + to;
        row.field_name = edge_name(s, e);
        if (e->type < l->type_count)
            row.field_type_name = trace_intern(s->trace, l->types[e->type]);
        heap_graph_reference_append(table, &row);
    }
    return table->rows > set ? set : NULL_U32;
}

static bool add_objects(struct heap_snapshot *s, int64_t ts, const size_t *starts,
                        struct load_progress *progress)
{
    struct trace *t = s->trace;
    uint32_t first = t->tables.heap_graph_object.rows;
    progress_begin(progress, LOAD_SORTING, s->nodes.count);
    for (size_t i = 0; i < s->nodes.count; i++) {
        const struct node *n = &s->nodes.items[i];
        struct heap_graph_object_row row = heap_graph_object_row_null();
        row.upid = s->upid;
        row.graph_sample_ts = ts;
        row.self_size = n->size;
        row.root_distance = s->distances.items[i];
        row.reachable = row.root_distance >= 0;
        row.type_id = class_of(s, n);
        row.object_data_id = add_data(s, n);
        row.reference_set_id = add_references(s, first, (uint32_t)i, starts);
        if (i == 0)
            row.root_type = trace_intern(t, STR("ROOT_VM_INTERNAL"));
        heap_graph_object_append(&t->tables.heap_graph_object, &row);
        if (i % NODES_PER_CHECK == 0 && !progress_report(progress, i))
            return false;
    }
    return true;
}

static void add_graph(struct heap_snapshot *s, int64_t ts, bool whole)
{
    struct heap_graph_row row = heap_graph_row_null();
    row.ts = ts;
    row.upid = s->upid;
    row.heap_size = 0;
    for (size_t i = 0; i < s->nodes.count; i++)
        if (__builtin_add_overflow(row.heap_size, s->nodes.items[i].size, &row.heap_size))
            row.heap_size = INT64_MAX;
    row.truncated = !whole;
    heap_graph_append(&s->trace->tables.heap_graph, &row);
}

static bool add_rows(struct heap_snapshot *s, bool whole, struct load_progress *progress)
{
    struct trace *t = s->trace;
    int64_t ts = 0;
    uint32_t utid = samples_new_thread(t, 0, trace_intern(t, STR("JavaScript")));
    s->upid = table_u32(&t->tables.thread, thread_col_upid)[utid];
    clock_file_time(t, 0, &ts);
    size_t *starts = edge_starts(s);
    find_distances(s, starts);
    add_graph(s, ts, whole);
    bool done = add_objects(s, ts, starts, progress);
    free(starts);
    return done;
}

static struct status heap_snapshot_import(struct trace *t, const char *name,
                                          struct byte_source *source)
{
    struct heap_snapshot s = {.trace = t};
    bool whole = byte_source_all(source, SNAPSHOT_BYTES_MAX);
    struct str text = {(const char *)source->window.p, source->window.n};
    struct status status = status_ok_value();
    whole = read_file(&s, text) && whole;
    if (!whole)
        stats_count(t, STAT_json_tokenizer_failure);
    if (source->cut)
        stats_count(t, STAT_decompression_errors);
    if (s.nodes.count == 0 || s.nodes.count >= INT32_MAX)
        status = status_error(STATUS_FORMAT, "%s: expected a heap snapshot with nodes, found %zu",
                              name, s.nodes.count);
    else if (!add_rows(&s, whole, source->progress) || !byte_source_done(source, source->window.n))
        status = progress_cancelled(name);
    release(&s);
    return status;
}

static bool sniff_heap_snapshot(struct bytes data)
{
    return json_kind(data) == JSON_KIND_HEAP_SNAPSHOT;
}

const struct trace_format heap_snapshot_trace_format = {
    .name = "V8 heap snapshot",
    .type = "heapsnapshot",
    .about = ".heapsnapshot of Node and DevTools: a JSON object with snapshot and its node_fields",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .sniff = sniff_heap_snapshot,
    .is_text = true,
    .read_source = heap_snapshot_import,
};
