#include "parsers/perfetto/profile/heap_graph_resolve.h"

#include "pb_fields.h"

enum { SUPERCLASS_DEPTH_MAX = 256 };

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

uint32_t heap_graph_follow(const struct trace *t, uint32_t object, string_id field)
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
            heap_graph_follow(t, object->row, next) == object->row)
            continue;
        uint32_t target = heap_graph_follow(t, object->row, referent);
        uint32_t by = heap_graph_follow(t, object->row, thunk);
        uint32_t owner = by == NULL_U32 ? NULL_U32 : heap_graph_follow(t, by, registry);
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

void heap_graph_resolve(struct import *im, struct heap_graph *g)
{
    write_classes(im, g);
    write_objects(im, g);
    mark_reachable(im, g);
    add_native_sizes(im, g);
}
