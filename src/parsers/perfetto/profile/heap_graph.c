#include "parsers/perfetto/profile/heap_graph.h"

#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/profile/heap_bitmap.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum { SUPERCLASS_DEPTH_MAX = 256 };

/* A class as the dump describes it. */
struct graph_type {
    uint64_t id, location, superclass, classloader, object_size;
    string_id name;
    uint32_t kind;
    uint32_t first_field, field_count; /* in `type_fields` */
    uint32_t row;                      /* of heap_graph_class */
    bool described;
};

/* An object that was seen, perhaps only as the target of a reference. */
struct graph_object {
    uint32_t row;
    uint32_t type; /* index in types, NULL_U32 while it was only referred to */
    bool has_field_ids, has_size, permanent;
    int64_t registered_size; /* of a NativeAllocationRegistry, else 0 */
};

struct graph_reference {
    uint32_t row;
    uint64_t field; /* id of the field's name, 0 for none */
};

struct graph_root {
    uint64_t object;
    uint32_t type;
};

struct graph_string {
    string_id name, type;
};

/* One dump under construction. */
struct heap_graph {
    uint32_t machine, upid;
    int64_t ts, heap_size;
    bool started, has_index, truncated, has_heap_size;
    uint64_t next_index, last_object;
    uint32_t last_heap_type;
    struct map type_index, object_index; /* id -> index */
    VEC(struct graph_type) types;
    VEC(uint64_t) type_fields;
    VEC(struct graph_object) objects;
    VEC(struct graph_reference) references;
    VEC(struct graph_root) roots;
    struct map fields, locations; /* id -> index in strings */
    VEC(struct graph_string) strings;
};

struct graph_state {
    VEC(struct heap_graph) graphs;
    struct map by_sequence; /* machine << 32 | sequence -> index */
    struct map rows;        /* hash of upid and time -> row of heap_graph */
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

static void add_reference(struct import *im, struct heap_graph *g, uint32_t set, uint32_t owner,
                          uint64_t target, uint64_t field, string_id name)
{
    struct heap_graph_reference_row row = heap_graph_reference_row_null();
    row.reference_set_id = set;
    row.owner_id = owner;
    if (target != 0) {
        uint32_t owned = object_of(im, g, target); /* may move the objects */
        row.owned_id = g->objects.items[owned].row;
    }
    row.field_name = name;
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
    for (size_t i = 0; i < o->targets.count; i++) {
        uint64_t target = o->targets.items[i], field = o->fields.count ? o->fields.items[i] : 0;
        add_reference(im, g, set, row, target ? target + o->target_base : 0, field, NULL_STRING);
    }
    string_id internal = trace_intern(t, STR("runtimeInternalObjects"));
    for (size_t i = 0; i < o->internal.count; i++)
        add_reference(im, g, set, row, o->internal.items[i], 0, internal);
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

static const char *root_name(uint32_t type)
{
    static const char *const names[] = {
        "ROOT_UNKNOWN",           "ROOT_JNI_GLOBAL",      "ROOT_JNI_LOCAL",    "ROOT_JAVA_FRAME",
        "ROOT_NATIVE_STACK",      "ROOT_STICKY_CLASS",    "ROOT_THREAD_BLOCK", "ROOT_MONITOR_USED",
        "ROOT_THREAD_OBJECT",     "ROOT_INTERNED_STRING", "ROOT_FINALIZING",   "ROOT_DEBUGGER",
        "ROOT_REFERENCE_CLEANUP", "ROOT_VM_INTERNAL",     "ROOT_JNI_MONITOR"};
    return type < sizeof names / sizeof names[0] ? names[type] : names[0];
}

static const char *kind_name(uint32_t kind)
{
    static const char *const names[] = {"KIND_UNKNOWN",
                                        "KIND_NORMAL",
                                        "KIND_NOREFERENCES",
                                        "KIND_STRING",
                                        "KIND_ARRAY",
                                        "KIND_CLASS",
                                        "KIND_CLASSLOADER",
                                        "KIND_DEXCACHE",
                                        "KIND_SOFT_REFERENCE",
                                        "KIND_WEAK_REFERENCE",
                                        "KIND_FINALIZER_REFERENCE",
                                        "KIND_PHANTOM_REFERENCE"};
    return kind < sizeof names / sizeof names[0] ? names[kind] : names[0];
}

/* A reference object does not keep alive what it refers to. */
static bool kind_is_weak(uint32_t kind)
{
    return kind == PB_HeapGraphType_Kind_KIND_SOFT_REFERENCE ||
           kind == PB_HeapGraphType_Kind_KIND_WEAK_REFERENCE ||
           kind == PB_HeapGraphType_Kind_KIND_FINALIZER_REFERENCE ||
           kind == PB_HeapGraphType_Kind_KIND_PHANTOM_REFERENCE;
}

static const struct graph_type *superclass_of(const struct heap_graph *g,
                                              const struct graph_type *type)
{
    const uint32_t *at = type->superclass ? map_find(&g->type_index, type->superclass) : NULL;
    return at && g->types.items[*at].described ? &g->types.items[*at] : NULL;
}

static void write_classes(struct import *im, struct heap_graph *g)
{
    struct trace *t = im->trace;
    struct table *table = &t->tables.heap_graph_class;
    for (size_t i = 0; i < g->types.count; i++) {
        struct graph_type *type = &g->types.items[i];
        if (!type->described)
            continue;
        table_set_str(table, heap_graph_class_col_name, type->row, type->name);
        table_set_str(table, heap_graph_class_col_kind, type->row,
                      trace_intern_c(t, kind_name(type->kind)));
        const struct graph_type *super = superclass_of(g, type);
        if (super)
            table_set_u32(table, heap_graph_class_col_superclass_id, type->row, super->row);
        if (type->classloader) {
            const uint32_t *loader = map_find(&g->object_index, type->classloader);
            if (loader)
                table_set_u32(table, heap_graph_class_col_classloader_id, type->row,
                              g->objects.items[*loader].row);
        }
        if (!type->location)
            continue;
        const uint32_t *location = map_find(&g->locations, type->location);
        if (location)
            table_set_str(table, heap_graph_class_col_location, type->row,
                          g->strings.items[*location].name);
        else
            stats_add(t, STAT_heap_graph_invalid_string_id, g->upid, 1);
    }
}

/* References [first, end) of an object's row; equal where it has none. */
struct reference_range {
    uint32_t first, end;
};

static struct reference_range references_of(const struct trace *t, uint32_t object)
{
    const struct table *refs = &t->tables.heap_graph_reference;
    uint32_t set =
        table_u32(&t->tables.heap_graph_object, heap_graph_object_col_reference_set_id)[object];
    if (set == NULL_U32)
        return (struct reference_range){0, 0};
    const uint32_t *sets = table_u32(refs, heap_graph_reference_col_reference_set_id);
    uint32_t end = set;
    while (end < refs->rows && sets[end] == set)
        end++;
    return (struct reference_range){set, end};
}

/* Newer dumps list the fields once a class: an object's references are in that order, those of its
 * superclass behind its own. False where there are more references than fields. */
static bool assign_fields(struct heap_graph *g, const struct graph_object *object,
                          struct reference_range range, uint32_t first_reference)
{
    const struct graph_type *type = &g->types.items[object->type];
    uint32_t field = 0, depth = 0;
    for (uint32_t row = range.first; row < range.end; row++) {
        while (type && field >= type->field_count) {
            field -= type->field_count;
            type = ++depth < SUPERCLASS_DEPTH_MAX ? superclass_of(g, type) : NULL;
        }
        if (!type)
            return false;
        g->references.items[row - first_reference].field =
            g->type_fields.items[type->first_field + field++];
    }
    return true;
}

static void write_objects(struct import *im, struct heap_graph *g)
{
    struct trace *t = im->trace;
    uint32_t first = g->references.count ? g->references.items[0].row : 0;
    /* Other sequences' dumps may have put rows between: then positions are searched. */
    bool dense =
        g->references.count && vec_last(&g->references).row - first + 1 == g->references.count;
    for (size_t i = 0; i < g->objects.count; i++) {
        struct graph_object *object = &g->objects.items[i];
        if (object->type == NULL_U32)
            continue;
        const struct graph_type *type = &g->types.items[object->type];
        if (!object->has_size && type->object_size)
            table_set_i64(&t->tables.heap_graph_object, heap_graph_object_col_self_size,
                          object->row, (int64_t)type->object_size);
        struct reference_range range = references_of(t, object->row);
        if (object->has_field_ids || range.first == range.end || !dense)
            continue;
        while (
            range.end > range.first &&
            column_str(&t->tables.heap_graph_reference.columns[heap_graph_reference_col_field_name],
                       range.end - 1) != NULL_STRING)
            range.end--; /* the runtime's own references have names already */
        if (!assign_fields(g, object, range, first))
            stats_add(t, STAT_heap_graph_malformed_packet, g->upid, 1);
    }
    for (size_t i = 0; i < g->references.count; i++) {
        const struct graph_reference *ref = &g->references.items[i];
        const uint32_t *at = ref->field ? map_find(&g->fields, ref->field) : NULL;
        if (!at)
            continue;
        struct table *table = &t->tables.heap_graph_reference;
        table_set_str(table, heap_graph_reference_col_field_name, ref->row,
                      g->strings.items[*at].name);
        string_id type = g->strings.items[*at].type;
        if (string_pool_get(&t->strings, type).n > 0)
            table_set_str(table, heap_graph_reference_col_field_type_name, ref->row, type);
    }
}

/* The search for what is reachable; each root that is found is searched from at once. */
struct reach {
    struct trace *t;
    struct map weak_classes; /* rows of classes whose referent does not count */
    string_id referent;
    VEC(uint32_t) queue;
};

static int32_t *object_column(const struct trace *t, uint32_t column)
{
    return t->tables.heap_graph_object.columns[column].data;
}

static void add_root_object(struct reach *r, uint32_t row, uint32_t root_type)
{
    struct table *objects = &r->t->tables.heap_graph_object;
    if (column_str(&objects->columns[heap_graph_object_col_root_type], row))
        return;
    table_set_str(objects, heap_graph_object_col_root_type, row,
                  trace_intern_c(r->t, root_name(root_type)));
    r->t->heap_root_distances.items[row] = 0;
    object_column(r->t, heap_graph_object_col_reachable)[row] = 1;
    *vec_push(&r->queue) = row;
}

/* Breadth first from what is in the queue: the distance is that to the nearest root. */
static void search_from_roots(struct reach *r)
{
    const struct trace *t = r->t;
    const struct table *refs = &t->tables.heap_graph_reference;
    const uint32_t *owned = table_u32(refs, heap_graph_reference_col_owned_id);
    const uint32_t *types = table_u32(&t->tables.heap_graph_object, heap_graph_object_col_type_id);
    int32_t *distance = t->heap_root_distances.items;
    int32_t *reachable = object_column(t, heap_graph_object_col_reachable);
    for (size_t next = 0; next < r->queue.count; next++) {
        uint32_t row = r->queue.items[next];
        bool weak = map_find(&r->weak_classes, types[row]) != NULL;
        struct reference_range range = references_of(t, row);
        for (uint32_t i = range.first; i < range.end; i++) {
            if (owned[i] == NULL_U32 || reachable[owned[i]])
                continue;
            if (weak &&
                column_str(&refs->columns[heap_graph_reference_col_field_name], i) == r->referent)
                continue;
            reachable[owned[i]] = 1;
            distance[owned[i]] = distance[row] + 1;
            *vec_push(&r->queue) = owned[i];
        }
    }
    r->queue.count = 0;
}

static void mark_reachable(struct import *im, struct heap_graph *g)
{
    struct trace *t = im->trace;
    while (t->heap_root_distances.count < t->tables.heap_graph_object.rows)
        *vec_push(&t->heap_root_distances) = -1;
    struct reach r = {.t = t, .referent = trace_intern(t, STR("java.lang.ref.Reference.referent"))};
    for (size_t i = 0; i < g->types.count; i++)
        if (kind_is_weak(g->types.items[i].kind))
            map_set(&r.weak_classes, g->types.items[i].row, 1);
    for (size_t i = 0; i < g->roots.count; i++) {
        const uint32_t *at = map_find(&g->object_index, g->roots.items[i].object);
        if (at)
            add_root_object(&r, g->objects.items[*at].row, g->roots.items[i].type);
    }
    search_from_roots(&r);
    /* What the zygote and the boot image left is never freed. */
    for (size_t i = 0; i < g->objects.count; i++)
        if (g->objects.items[i].permanent &&
            !object_column(t, heap_graph_object_col_reachable)[g->objects.items[i].row])
            add_root_object(&r, g->objects.items[i].row, PB_HeapGraphRoot_Type_ROOT_VM_INTERNAL);
    search_from_roots(&r);
    vec_release(&r.queue);
    map_release(&r.weak_classes);
}

/* The target of a field, NULL_U32 where there is none. */
static uint32_t follow(const struct trace *t, uint32_t object, string_id field)
{
    const struct table *refs = &t->tables.heap_graph_reference;
    struct reference_range range = references_of(t, object);
    for (uint32_t r = range.first; r < range.end; r++)
        if (column_str(&refs->columns[heap_graph_reference_col_field_name], r) == field)
            return table_u32(refs, heap_graph_reference_col_owned_id)[r];
    return NULL_U32;
}

/* A Cleaner that is still linked frees native memory when its referent dies; how much stands in the
 * registry that its thunk belongs to. */
static void add_native_sizes(struct import *im, struct heap_graph *g)
{
    struct trace *t = im->trace;
    string_id referent = trace_intern(t, STR("java.lang.ref.Reference.referent"));
    string_id thunk = trace_intern(t, STR("sun.misc.Cleaner.thunk"));
    string_id next = trace_intern(t, STR("sun.misc.Cleaner.next"));
    string_id registry =
        trace_intern(t, STR("libcore.util.NativeAllocationRegistry$CleanerThunk.this$0"));
    string_id cleaner = trace_intern(t, STR("sun.misc.Cleaner"));
    struct map sizes = {0}; /* row -> index of the object */
    for (uint32_t i = 0; i < g->objects.count; i++)
        if (g->objects.items[i].registered_size)
            map_set(&sizes, g->objects.items[i].row, i);
    for (size_t i = 0; i < g->objects.count && sizes.count; i++) {
        const struct graph_object *object = &g->objects.items[i];
        if (object->type == NULL_U32 || g->types.items[object->type].name != cleaner ||
            follow(t, object->row, next) == object->row)
            continue;
        uint32_t target = follow(t, object->row, referent);
        uint32_t by = follow(t, object->row, thunk);
        uint32_t owner = by == NULL_U32 ? NULL_U32 : follow(t, by, registry);
        const uint32_t *at = owner == NULL_U32 ? NULL : map_find(&sizes, owner);
        if (!at || target == NULL_U32)
            continue;
        struct table *objects = &t->tables.heap_graph_object;
        int64_t old = table_i64(objects, heap_graph_object_col_native_size)[target];
        table_set_i64(objects, heap_graph_object_col_native_size, target,
                      old + g->objects.items[*at].registered_size);
    }
    map_release(&sizes);
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
    uint32_t row = heap_graph_row_of(im, g->upid, g->ts);
    if (g->has_heap_size)
        table_set_i64(table, heap_graph_col_heap_size, row, g->heap_size);
    table_set_u32(table, heap_graph_col_truncated, row, g->truncated);
}

/* The dump is complete: resolves what its parts said of each other, and forgets it. */
static void graph_finish(struct import *im, struct heap_graph *g)
{
    write_classes(im, g);
    write_objects(im, g);
    mark_reachable(im, g);
    add_native_sizes(im, g);
    if (g->upid || g->ts)
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
    {PB_TracePacket_heap_graph, .parse = heap_graph_parse},
    {0},
};
