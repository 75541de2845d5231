#include "parsers/perfetto/profile/heap_graph.h"

#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/profile/heap_bitmap.h"
#include "parsers/perfetto/profile/heap_graph_resolve.h"
#include "parsers/perfetto/profile/heap_superclasses.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/store/rows.h"

struct graph_state {
    VEC(struct heap_graph) graphs;
    struct map by_sequence; /* machine << 32 | sequence -> index */
    struct map rows;        /* hash of upid and time -> row of heap_graph */
    struct heap_superclasses superclasses;
};

static void graph_release(struct heap_graph *g)
{
    map_release(&g->type_index);
    map_release(&g->object_index);
    map_release(&g->fields);
    map_release(&g->locations);
    vec_release(&g->types);
    vec_release(&g->type_fields);
    vec_release(&g->objects);
    vec_release(&g->references);
    vec_release(&g->roots);
    vec_release(&g->strings);
}

static void graph_state_release(void *state)
{
    struct graph_state *s = state;
    for (size_t i = 0; i < s->graphs.count; i++)
        graph_release(&s->graphs.items[i]);
    vec_release(&s->graphs);
    map_release(&s->by_sequence);
    map_release(&s->rows);
    heap_superclasses_release(&s->superclasses);
}

static void graph_finish(struct import *im, struct heap_graph *g);

static void graph_state_finish(struct import *im, void *state)
{
    struct graph_state *s = state;
    for (size_t i = 0; i < s->graphs.count; i++) {
        if (!s->graphs.items[i].started)
            continue;
        stats_count(im->trace, STAT_heap_graph_non_finalized_graph);
        graph_finish(im, &s->graphs.items[i]);
    }
    heap_superclasses_write(im->trace, &s->superclasses);
}

static const struct import_state_kind graph_kind = {.size = sizeof(struct graph_state),
                                                    .finish = graph_state_finish,
                                                    .release = graph_state_release};

static struct heap_graph *graph_of(struct import *im, const struct packet *p)
{
    struct graph_state *s = import_state(im, &graph_kind);
    bool inserted;
    uint32_t *at =
        map_insert(&s->by_sequence, (uint64_t)p->machine << 32 | p->sequence->id, &inserted);
    if (inserted) {
        *at = (uint32_t)s->graphs.count;
        *vec_push(&s->graphs) = (struct heap_graph){.machine = p->machine};
    }
    return &s->graphs.items[*at];
}

static struct graph_type *type_of(struct import *im, struct heap_graph *g, uint64_t id)
{
    bool inserted;
    uint32_t *at = map_insert(&g->type_index, id, &inserted);
    if (!inserted)
        return &g->types.items[*at];
    *at = (uint32_t)g->types.count;
    struct heap_graph_class_row row = heap_graph_class_row_null();
    row.name = row.kind = trace_intern(im->trace, STR(""));
    struct graph_type *type = vec_push(&g->types);
    *type = (struct graph_type){.id = id,
                                .row = heap_graph_class_append(&im->trace->tables.heap_graph_class,
                                                               &row)};
    return type;
}

static uint32_t object_of(struct import *im, struct heap_graph *g, uint64_t id)
{
    bool inserted;
    uint32_t *at = map_insert(&g->object_index, id, &inserted);
    if (!inserted)
        return *at;
    uint32_t index = *at = (uint32_t)g->objects.count;
    struct heap_graph_object_row row = heap_graph_object_row_null();
    row.upid = g->upid;
    row.graph_sample_ts = g->ts;
    row.root_distance = -1;
    *vec_push(&g->objects) =
        (struct graph_object){.row = heap_graph_object_append(&im->trace->tables.heap_graph_object,
                                                              &row),
                              .type = NULL_U32};
    return index;
}

static const char *heap_type_name(uint32_t type)
{
    switch (type) {
    case PB_HeapGraphObject_HeapType_HEAP_TYPE_APP:
        return "HEAP_TYPE_APP";
    case PB_HeapGraphObject_HeapType_HEAP_TYPE_ZYGOTE:
        return "HEAP_TYPE_ZYGOTE";
    case PB_HeapGraphObject_HeapType_HEAP_TYPE_BOOT_IMAGE:
        return "HEAP_TYPE_BOOT_IMAGE";
    default:
        return NULL;
    }
}

struct object_fields {
    uint64_t id, id_delta, type, target_base;
    int64_t size, registered_size;
    VEC(uint64_t) fields;
    VEC(uint64_t) targets;
    VEC(uint64_t) internal;
    struct heap_bitmap bitmap;
};

static void read_object(struct heap_graph *g, struct object_fields *o, struct pb_reader r)
{
    struct pb_field f;
    uint64_t v;
    o->id = o->id_delta = o->type = o->target_base = 0;
    o->size = o->registered_size = 0;
    o->fields.count = o->targets.count = o->internal.count = 0;
    o->bitmap = (struct heap_bitmap){0};
    while (pb_next(&r, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        switch (f.number) {
        case PB_HeapGraphObject_id:
            o->id = pb_u64(&f);
            break;
        case PB_HeapGraphObject_id_delta:
            o->id_delta = pb_u64(&f);
            break;
        case PB_HeapGraphObject_type_id:
            o->type = pb_u64(&f);
            break;
        case PB_HeapGraphObject_self_size:
            o->size = pb_i64(&f);
            break;
        case PB_HeapGraphObject_reference_field_id_base: /* named so, but of the object ids */
            o->target_base = pb_u64(&f);
            break;
        case PB_HeapGraphObject_reference_field_id:
            while (pb_packed_next(&it, &v))
                *vec_push(&o->fields) = v;
            break;
        case PB_HeapGraphObject_reference_object_id:
            while (pb_packed_next(&it, &v))
                *vec_push(&o->targets) = v;
            break;
        case PB_HeapGraphObject_runtime_internal_object_id:
            while (pb_packed_next(&it, &v))
                *vec_push(&o->internal) = v;
            break;
        case PB_HeapGraphObject_native_allocation_registry_size_field:
            o->registered_size = pb_i64(&f);
            break;
        case PB_HeapGraphObject_heap_type_delta:
            g->last_heap_type = pb_u32(&f);
            break;
        default:
            heap_bitmap_read(&o->bitmap, &f);
            break;
        }
    }
}

/* `row` says what is known of the reference but its target, an object's id; 0: none. */
static void add_reference(struct import *im, struct heap_graph *g,
                          struct heap_graph_reference_row row, uint64_t target, uint64_t field)
{
    if (target != 0) {
        uint32_t owned = object_of(im, g, target); /* may move the objects */
        row.owned_id = g->objects.items[owned].row;
    }
    uint32_t id = heap_graph_reference_append(&im->trace->tables.heap_graph_reference, &row);
    *vec_push(&g->references) = (struct graph_reference){id, field};
}

static void add_object(struct import *im, struct heap_graph *g, const struct object_fields *o)
{
    struct trace *t = im->trace;
    struct table *table = &t->tables.heap_graph_object;
    uint64_t id = o->id_delta ? g->last_object + o->id_delta : o->id;
    g->last_object = id;
    if (o->fields.count && o->fields.count != o->targets.count) {
        stats_add(t, STAT_heap_graph_malformed_packet, g->upid, 1);
        return;
    }
    uint32_t class_row = type_of(im, g, o->type)->row;
    uint32_t type = *map_find(&g->type_index, o->type);
    uint32_t index = object_of(im, g, id);
    struct graph_object *object = &g->objects.items[index];
    uint32_t row = object->row;
    object->type = type;
    object->has_field_ids = o->fields.count > 0;
    object->has_size = o->size != 0;
    object->registered_size = o->registered_size;
    object->permanent = g->last_heap_type == PB_HeapGraphObject_HeapType_HEAP_TYPE_ZYGOTE ||
                        g->last_heap_type == PB_HeapGraphObject_HeapType_HEAP_TYPE_BOOT_IMAGE;
    table_set_i64(table, heap_graph_object_col_self_size, row, o->size);
    table_set_u32(table, heap_graph_object_col_type_id, row, class_row);
    const char *heap = heap_type_name(g->last_heap_type);
    if (heap)
        table_set_str(table, heap_graph_object_col_heap_type, row, trace_intern_c(t, heap));
    uint32_t data = heap_bitmap_write(t, &o->bitmap);
    if (data != NULL_U32)
        table_set_u32(table, heap_graph_object_col_object_data_id, row, data);
    if (o->targets.count + o->internal.count == 0)
        return;
    uint32_t set = t->tables.heap_graph_reference.rows;
    struct heap_graph_reference_row reference = heap_graph_reference_row_null();
    reference.reference_set_id = set;
    reference.owner_id = row;
    for (size_t i = 0; i < o->targets.count; i++) {
        uint64_t target = o->targets.items[i], field = o->fields.count ? o->fields.items[i] : 0;
        add_reference(im, g, reference, target ? target + o->target_base : 0, field);
    }
    reference.field_name = trace_intern(t, STR("runtimeInternalObjects"));
    for (size_t i = 0; i < o->internal.count; i++)
        add_reference(im, g, reference, o->internal.items[i], 0);
    table_set_u32(table, heap_graph_object_col_reference_set_id, row, set);
}

static void add_type(struct import *im, struct heap_graph *g, struct pb_reader r)
{
    struct pb_reader again = r;
    struct pb_field f;
    uint64_t id = 0, v;
    while (pb_next(&r, &f))
        if (f.number == PB_HeapGraphType_id)
            id = pb_u64(&f);
    struct graph_type *type = type_of(im, g, id);
    type->described = true;
    type->name = trace_intern(im->trace, STR(""));
    type->first_field = (uint32_t)g->type_fields.count;
    while (pb_next(&again, &f)) {
        switch (f.number) {
        case PB_HeapGraphType_location_id:
            type->location = pb_u64(&f);
            break;
        case PB_HeapGraphType_class_name:
            type->name = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_HeapGraphType_object_size:
            type->object_size = pb_u64(&f);
            break;
        case PB_HeapGraphType_superclass_id:
            type->superclass = pb_u64(&f);
            break;
        case PB_HeapGraphType_classloader_id:
            type->classloader = pb_u64(&f);
            break;
        case PB_HeapGraphType_kind:
            type->kind = pb_u32(&f);
            break;
        case PB_HeapGraphType_reference_field_id: {
            struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
            while (pb_packed_next(&it, &v))
                *vec_push(&g->type_fields) = v;
            break;
        }
        default:
            break;
        }
    }
    type->field_count = (uint32_t)g->type_fields.count - type->first_field;
}

/* "java.lang.Object java.lang.ref.Reference.referent": type and name, the type may be missing. */
static void add_string(struct import *im, struct heap_graph *g, struct map *into,
                       struct pb_reader r, bool is_field)
{
    struct pb_field f;
    uint64_t iid = 0;
    struct str text = {"", 0}, type = {"", 0};
    while (pb_next(&r, &f)) {
        if (f.number == PB_InternedString_iid)
            iid = pb_u64(&f);
        else if (f.number == PB_InternedString_str)
            text = pb_str(&f);
    }
    size_t blank = is_field ? str_find(text, ' ') : text.n;
    if (blank < text.n) {
        type = str_from_to(text, 0, blank);
        text = str_skip(text, blank + 1);
    }
    map_set(into, iid, (uint32_t)g->strings.count);
    *vec_push(&g->strings) =
        (struct graph_string){trace_intern(im->trace, text), trace_intern(im->trace, type)};
}

static void add_root(struct heap_graph *g, struct pb_reader r)
{
    struct pb_reader again = r;
    struct pb_field f;
    uint32_t type = PB_HeapGraphRoot_Type_ROOT_UNKNOWN;
    uint64_t v;
    while (pb_next(&r, &f))
        if (f.number == PB_HeapGraphRoot_root_type)
            type = pb_u32(&f);
    while (pb_next(&again, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (f.number == PB_HeapGraphRoot_object_ids && pb_packed_next(&it, &v))
            *vec_push(&g->roots) = (struct graph_root){v, type};
    }
}

uint32_t heap_graph_row_of(struct import *im, uint32_t upid, int64_t ts)
{
    struct graph_state *s = import_state(im, &graph_kind);
    bool is_new;
    uint32_t *row = map_insert(&s->rows, hash_mix(upid, (uint64_t)ts), &is_new);
    if (is_new) {
        struct heap_graph_row graph = heap_graph_row_null();
        graph.ts = ts;
        graph.upid = upid;
        graph.truncated = 0;
        *row = heap_graph_append(&im->trace->tables.heap_graph, &graph);
    }
    return *row;
}

static void write_graph(struct import *im, struct heap_graph *g)
{
    struct table *table = &im->trace->tables.heap_graph;
    bool empty = g->objects.count + g->roots.count == 0; /* then it is nobody's */
    uint32_t row = empty ? heap_graph_row_of(im, 0, 0) : heap_graph_row_of(im, g->upid, g->ts);
    if (g->has_heap_size)
        table_set_i64(table, heap_graph_col_heap_size, row, g->heap_size);
    table_set_u32(table, heap_graph_col_truncated, row, g->truncated);
}

/* The dump is complete: resolves what its parts said of each other, and forgets it. */
static void graph_finish(struct import *im, struct heap_graph *g)
{
    heap_graph_resolve(im, g);
    struct graph_state *s = import_state(im, &graph_kind);
    heap_superclasses_read(im->trace, &s->superclasses, g);
    write_graph(im, g);
    uint32_t machine = g->machine;
    graph_release(g);
    *g = (struct heap_graph){.machine = machine};
}

static void check_index(struct import *im, struct heap_graph *g, uint64_t index)
{
    if (index != g->next_index) {
        stats_add(im->trace, STAT_heap_graph_missing_packet, g->started ? g->upid : 0, 1);
        g->truncated = true;
    }
    g->next_index = index + 1;
}

/* False where the packet is of another dump than the one that is not complete yet. */
static bool belongs_to_graph(struct import *im, struct heap_graph *g, uint32_t upid, int64_t ts)
{
    if (g->started && (g->upid != upid || g->ts != ts)) {
        stats_count(im->trace, STAT_heap_graph_non_finalized_graph);
        return false;
    }
    g->started = true;
    g->upid = upid;
    g->ts = ts;
    return true;
}

static void heap_graph_parse(struct import *im, const struct packet *p)
{
    struct heap_graph *g = graph_of(im, p);
    struct pb_reader r = bytes_reader(p->field), parts = r;
    struct pb_field f;
    int64_t pid = 0;
    uint64_t index = 0;
    bool continued = false;
    while (pb_next(&r, &f)) {
        if (f.number == PB_HeapGraph_pid)
            pid = pb_i32(&f);
        else if (f.number == PB_HeapGraph_index)
            index = pb_u64(&f);
        else if (f.number == PB_HeapGraph_continued)
            continued = pb_bool(&f);
    }
    check_index(im, g, index);
    uint32_t upid = process_tracker_process(im->trace, p->machine, pid);
    if (!belongs_to_graph(im, g, upid, p->ts))
        return;
    struct object_fields object = {0};
    while (pb_next(&parts, &f)) {
        switch (f.number) {
        case PB_HeapGraph_objects:
            read_object(g, &object, pb_message(&f));
            add_object(im, g, &object);
            break;
        case PB_HeapGraph_types:
            add_type(im, g, pb_message(&f));
            break;
        case PB_HeapGraph_field_names:
            add_string(im, g, &g->fields, pb_message(&f), true);
            break;
        case PB_HeapGraph_location_names:
            add_string(im, g, &g->locations, pb_message(&f), false);
            break;
        case PB_HeapGraph_roots:
            add_root(g, pb_message(&f));
            break;
        case PB_HeapGraph_heap_bytes_allocated:
            g->heap_size = pb_i64(&f);
            g->has_heap_size = true;
            break;
        default:
            break;
        }
    }
    vec_release(&object.fields);
    vec_release(&object.targets);
    vec_release(&object.internal);
    if (!continued)
        graph_finish(im, g);
}

const struct packet_module heap_graph_packets[] = {
    {PB_TracePacket_heap_graph, .parse = heap_graph_parse, .felt = PACKET_MOMENT},
    {0},
};
