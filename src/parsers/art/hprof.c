/* Dumps of a Java heap (hprof, of Android's runtime and of others): classes, objects, references,
 * roots and values as rows of the heap graph. What stands where is in hprof_file.h. */
#include <stdio.h>
#include <string.h>

#include "base/little_endian.h"
#include "base/utf8.h"
#include "parsers/art/hprof_file.h"
#include "parsers/input/trace_format.h"
#include "core/store/rows.h"

enum { OBJECTS_PER_CHECK = 1 << 14, SUPERS_MAX = 256, LOOKED_UP = 128, NAMED_ELEMENTS = 1024 };
enum { AHEAD = 6 }; /* objects of a queue */

/* A reference whose object is still to be found. */
struct sought_reference {
    uint64_t id;
    uint32_t owner;   /* index of the object */
    uint32_t element; /* of an array; NULL_U32: a field */
    string_id name;   /* of the field */
};

struct hprof {
    struct hprof_file file;
    struct load_progress *progress;
    uint32_t upid;
    string_id unknown;
    string_id referent, thunk, outer, registry_size, value, offset, count;
    string_id string_class, cleaner_class, thunk_class;
    /* Ids in random order miss all caches: some references are looked up at a time. */
    struct sought_reference waiting[LOOKED_UP];
    size_t waiting_count;
    string_id elements[NAMED_ELEMENTS]; /* "[0]" and so on, once they are needed */
    /* Rows of heap_graph_reference of the object i: [first[i], first[i + 1]). */
    VEC(uint32_t) first;
    VEC(string_id) classes; /* by object, the name of its class: apart, as each reference asks */
    VEC(uint64_t) weak;     /* bit n: of the row n, which keeps nothing alive */
    bool has_nameless;      /* there are objects whose class is unknown */
    VEC(int32_t) distances; /* by object: from the nearest root; -1: not reached */
    VEC(uint32_t) queue;
    string_id type_names[HPROF_TYPES];
    VEC(char) text;
};

static string_id class_of(const struct hprof_file *f, const struct hprof_object *o)
{
    return o->class_index == NULL_U32 ? NULL_STRING : f->classes.items[o->class_index].name;
}

static string_id element_name(struct hprof *h, uint32_t i)
{
    char name[24];
    if (i < NAMED_ELEMENTS && h->elements[i])
        return h->elements[i];
    snprintf(name, sizeof name, "[%u]", i);
    string_id id = trace_intern_c(h->file.trace, name);
    if (i < NAMED_ELEMENTS)
        h->elements[i] = id;
    return id;
}

/* References of objects up to `owner`, this one not included, are rows. */
static void close_objects(struct hprof *h, size_t owner)
{
    while (h->first.count <= owner)
        *vec_push(&h->first) = h->file.trace->tables.heap_graph_reference.rows;
}

static void set_weak(struct hprof *h, uint32_t row)
{
    while (h->weak.count <= row / 64)
        *vec_push(&h->weak) = 0;
    h->weak.items[row / 64] |= UINT64_C(1) << row % 64;
}

static bool is_weak(const struct hprof *h, uint32_t row)
{
    return row / 64 < h->weak.count && h->weak.items[row / 64] >> row % 64 & 1;
}

/* Until objects have become rows, owned_id is the object's index. What a class or an array refers
 * to and the dump does not have is no row. */
static void add_reference(struct hprof *h, const struct sought_reference *r, uint32_t to)
{
    struct hprof_file *f = &h->file;
    struct heap_graph_reference_row row = heap_graph_reference_row_null();
    const struct hprof_object *owner = &f->objects.items[r->owner];
    close_objects(h, r->owner);
    if (to == NULL_U32 && owner->kind != HPROF_INSTANCE)
        return;
    string_id type = to == NULL_U32 ? NULL_STRING : h->classes.items[to];
    row.reference_set_id = vec_last(&h->first);
    row.owner_id = owner->row;
    row.owned_id = to;
    row.field_name = r->element == NULL_U32 ? r->name : element_name(h, r->element);
    row.field_type_name = type ? type : h->unknown;
    uint32_t number = heap_graph_reference_append(&f->trace->tables.heap_graph_reference, &row);
    if (row.field_name == h->referent && owner->kind == HPROF_INSTANCE &&
        f->classes.items[owner->class_index].reference > HPROF_SOFT)
        set_weak(h, number);
}

/* Slots first; where these have only half of the id, the objects that they lead to. */
static void add_waiting(struct hprof *h)
{
    const struct hprof_file *f = &h->file;
    for (size_t i = 0; i < h->waiting_count; i++) {
        uint32_t number = hprof_slot_of(f, h->waiting[i].id)->number;
        if (number && f->id_size > sizeof(uint32_t))
            __builtin_prefetch(&f->objects.items[number - 1]);
    }
    for (size_t i = 0; i < h->waiting_count; i++)
        add_reference(h, &h->waiting[i], hprof_find(f, h->waiting[i].id));
    h->waiting_count = 0;
}

static void look_up(struct hprof *h, struct sought_reference r)
{
    __builtin_prefetch(hprof_slot_of(&h->file, r.id));
    h->waiting[h->waiting_count++] = r;
    if (h->waiting_count == LOOKED_UP)
        add_waiting(h);
}

static uint64_t element_of(const struct hprof_file *f, const struct hprof_object *array, uint32_t i)
{
    return hprof_value(array->data + (size_t)i * f->id_size, f->id_size);
}

static void find_references(struct hprof *h, uint32_t owner)
{
    struct hprof_file *f = &h->file;
    const struct hprof_object *o = &f->objects.items[owner];
    if (o->row == NULL_U32)
        return;
    for (uint32_t i = 0; o->kind == HPROF_OBJECT_ARRAY && i < o->count; i++) {
        uint64_t id = element_of(f, o, i);
        if (id)
            look_up(h, (struct sought_reference){id, owner, i, NULL_STRING});
    }
    struct hprof_walk w = hprof_walk_begin(f, o);
    for (struct hprof_value v; hprof_walk_next(&w, &v);) {
        uint64_t id = v.type == HPROF_OBJECT ? hprof_bits(&v) : 0;
        if (id)
            look_up(h, (struct sought_reference){id, owner, NULL_U32, v.name});
    }
}

static bool add_references(struct hprof *h)
{
    const struct hprof_file *f = &h->file;
    struct trace *t = f->trace;
    progress_begin(h->progress, LOAD_SORTING, f->objects.count);
    vec_reserve(&h->first, f->objects.count + 1);
    for (size_t i = 0; i < f->objects.count; i++) {
        find_references(h, (uint32_t)i);
        if (i % OBJECTS_PER_CHECK == 0 && !progress_report(h->progress, i))
            return false;
    }
    add_waiting(h);
    close_objects(h, f->objects.count);
    stats_add(t, STAT_hprof_reference_counter, STAT_SINGLE, t->tables.heap_graph_reference.rows);
    return true;
}

static bool class_is(const struct hprof_file *f, uint32_t index, struct str name)
{
    return index != NULL_U32 &&
           str_eq(string_pool_get(&f->trace->strings, f->classes.items[index].name), name);
}

static const struct reference_kind {
    const char *class, *kind;
} reference_kinds[HPROF_REFERENCES] = {
    [HPROF_STRONG] = {"", "[unknown class kind]"},
    [HPROF_SOFT] = {"java.lang.ref.SoftReference", "KIND_SOFT_REFERENCE"},
    [HPROF_WEAK] = {"java.lang.ref.WeakReference", "KIND_WEAK_REFERENCE"},
    [HPROF_PHANTOM] = {"java.lang.ref.PhantomReference", "KIND_PHANTOM_REFERENCE"},
    [HPROF_FINALIZER] = {"java.lang.ref.FinalizerReference", "KIND_FINALIZER_REFERENCE"},
};

static uint8_t reference_of_name(struct str name)
{
    uint8_t kind = HPROF_REFERENCES - 1;
    while (kind > HPROF_STRONG && !str_eq(name, str_from(reference_kinds[kind].class)))
        kind--;
    return kind;
}

/* Those classes and what extends them. */
static void find_reference_classes(struct hprof_file *f)
{
    for (size_t i = 0; i < f->classes.count; i++) {
        struct str name = string_pool_get(&f->trace->strings, f->classes.items[i].name);
        f->classes.items[i].reference = reference_of_name(name);
    }
    for (size_t i = 0; i < f->classes.count; i++) {
        uint32_t c = f->classes.items[i].super;
        uint8_t *kind = &f->classes.items[i].reference;
        for (int depth = 0; c != NULL_U32 && *kind == HPROF_STRONG && depth < SUPERS_MAX; depth++) {
            *kind = f->classes.items[c].reference;
            c = f->classes.items[c].super;
        }
    }
}

/* Without a jump: which objects were reached before is hard to predict. */
static void reach(struct hprof *h, uint32_t object, int32_t distance)
{
    int32_t *known = &h->distances.items[object];
    bool is_new = *known < 0;
    h->queue.items[h->queue.count] = object;
    h->queue.count += is_new;
    *known = is_new ? distance : *known;
}

/* Arrays of a class that the dump does not have are no rows, and neither are their references. */
static void reach_elements(struct hprof *h, const struct hprof_object *array, int32_t distance)
{
    for (uint32_t i = 0; i < array->count; i++) {
        uint64_t id = element_of(&h->file, array, i);
        uint32_t to = id ? hprof_find(&h->file, id) : NULL_U32;
        if (to != NULL_U32)
            reach(h, to, distance);
    }
}

static void reach_referred(struct hprof *h, uint32_t object, int32_t distance)
{
    const struct hprof_object *o = &h->file.objects.items[object];
    const uint32_t *owned =
        table_u32(&h->file.trace->tables.heap_graph_reference, heap_graph_reference_col_owned_id);
    if (h->has_nameless && o->row == NULL_U32 && o->kind == HPROF_OBJECT_ARRAY)
        reach_elements(h, o, distance);
    for (uint32_t row = h->first.items[object]; row < h->first.items[object + 1]; row++)
        if (owned[row] != NULL_U32 && !is_weak(h, row))
            reach(h, owned[row], distance);
}

/* What is read soon: of the objects that come in the queue, where their references are, then
 * these, then the distances of what they lead to. */
static void expect(const struct hprof *h, size_t next)
{
    const uint32_t *owned =
        table_u32(&h->file.trace->tables.heap_graph_reference, heap_graph_reference_col_owned_id);
    const uint32_t *queue = h->queue.items + next, *first = h->first.items;
    size_t count = h->queue.count - next;
    if (count > 3 * AHEAD)
        __builtin_prefetch(&first[queue[3 * AHEAD]]);
    if (count > 2 * AHEAD && first[queue[2 * AHEAD]] < first[queue[2 * AHEAD] + 1])
        __builtin_prefetch(&owned[first[queue[2 * AHEAD]]]);
    uint32_t from = count > AHEAD ? first[queue[AHEAD]] : 0;
    uint32_t end = count > AHEAD ? first[queue[AHEAD] + 1] : 0;
    for (uint32_t row = from; row < end && row - from < AHEAD; row++)
        if (owned[row] != NULL_U32)
            __builtin_prefetch(&h->distances.items[owned[row]]);
}

/* Breadth first from the roots. */
static void find_distances(struct hprof *h)
{
    struct hprof_file *f = &h->file;
    vec_reserve(&h->distances, f->objects.count);
    vec_reserve(&h->queue, f->objects.count + 1); /* reach writes behind the last, too */
    while (h->distances.count < f->objects.count)
        *vec_push(&h->distances) = -1;
    for (size_t i = 0; i < f->roots.count; i++) {
        uint32_t object = hprof_find(f, f->roots.items[i].id);
        if (object == NULL_U32)
            continue;
        f->objects.items[object].root = f->roots.items[i].tag;
        reach(h, object, 0);
    }
    for (size_t i = 0; i < h->queue.count; i++) {
        expect(h, i);
        reach_referred(h, h->queue.items[i], h->distances.items[h->queue.items[i]] + 1);
    }
    vec_release(&h->queue);
}

/* The object that the first field of that name which is not null refers to. */
static uint32_t referred_by(struct hprof *h, uint32_t object, string_id name)
{
    struct hprof_walk w = hprof_walk_begin(&h->file, &h->file.objects.items[object]);
    for (struct hprof_value v; hprof_walk_next(&w, &v);)
        if (v.name == name && v.type == HPROF_OBJECT && hprof_bits(&v))
            return hprof_find(&h->file, hprof_bits(&v));
    return NULL_U32;
}

/* What is allocated outside of the heap for an object, and freed with it: the object's cleaner
 * leads by its thunk to a registry, which has the size. */
static void add_native_size(struct hprof *h, uint32_t cleaner)
{
    struct hprof_file *f = &h->file;
    struct table *table = &f->trace->tables.heap_graph_object;
    uint32_t object = referred_by(h, cleaner, h->referent);
    uint32_t thunk = referred_by(h, cleaner, h->thunk);
    if (object == NULL_U32 || thunk == NULL_U32 ||
        class_of(f, &f->objects.items[thunk]) != h->thunk_class)
        return;
    uint32_t registry = referred_by(h, thunk, h->outer), row = f->objects.items[object].row;
    if (registry == NULL_U32 || row == NULL_U32)
        return;
    struct hprof_walk w = hprof_walk_begin(f, &f->objects.items[registry]);
    for (struct hprof_value v; hprof_walk_next(&w, &v);)
        if (v.name == h->registry_size && v.type == HPROF_LONG)
            table_set_i64(table, heap_graph_object_col_native_size, row,
                          time_plus(table_i64(table, heap_graph_object_col_native_size)[row],
                                    (int64_t)hprof_bits(&v)));
}

static void add_native_sizes(struct hprof *h)
{
    const struct hprof_file *f = &h->file;
    for (size_t i = 0; i < f->objects.count; i++)
        if (f->objects.items[i].kind == HPROF_INSTANCE &&
            class_of(f, &f->objects.items[i]) == h->cleaner_class)
            add_native_size(h, (uint32_t)i);
}

static uint32_t class_row(struct hprof *h, string_id name, enum hprof_reference kind)
{
    struct trace *t = h->file.trace;
    struct heap_graph_class_row row = heap_graph_class_row_null();
    row.name = name;
    row.classloader_id = 0;
    row.kind = trace_intern_c(t, reference_kinds[kind].kind);
    return heap_graph_class_append(&t->tables.heap_graph_class, &row);
}

/* A class has a row for what is of it, and one as an object of its own. */
static void add_classes(struct hprof *h)
{
    struct hprof_file *f = &h->file;
    struct table *table = &f->trace->tables.heap_graph_class;
    for (size_t i = 0; i < f->classes.count; i++)
        f->classes.items[i].row =
            class_row(h, f->classes.items[i].name, f->classes.items[i].reference);
    for (size_t i = 0; i < f->classes.count; i++) {
        struct hprof_class *c = &f->classes.items[i];
        if (c->super != NULL_U32)
            table_set_u32(table, heap_graph_class_col_superclass_id, c->row,
                          f->classes.items[c->super].row);
        if (hprof_find(f, c->id) == NULL_U32)
            continue;
        char before[] = "java.lang.Class<";
        struct str name = string_pool_get(&f->trace->strings, c->name);
        h->text.count = 0;
        vec_reserve(&h->text, name.n + sizeof before + 1);
        memcpy(h->text.items, before, sizeof before - 1);
        memcpy(h->text.items + sizeof before - 1, name.p, name.n);
        h->text.items[sizeof before - 1 + name.n] = '>';
        c->object_row =
            class_row(h,
                      trace_intern(f->trace, (struct str){h->text.items, name.n + sizeof before}),
                      HPROF_STRONG);
    }
}

static int64_t size_of(const struct hprof_file *f, const struct hprof_object *o,
                       uint32_t size_of_class)
{
    uint32_t size = f->classes.items[o->class_index].instance_size;
    switch ((enum hprof_kind)o->kind) {
    case HPROF_OBJECT_ARRAY:
    case HPROF_PRIMITIVE_ARRAY:
        return (int64_t)size + (int64_t)o->count * hprof_type_size(f, o->element);
    case HPROF_CLASS: /* the values of its static fields: their names and types are not counted */
        return (int64_t)size_of_class + o->count - (int64_t)o->statics * (f->id_size + 1);
    default:
        return size;
    }
}

static string_id root_name(struct trace *t, uint8_t tag)
{
    static const struct {
        uint8_t tag;
        const char *name;
    } names[] = {
        {0x01, "JNI_GLOBAL"},   {0x02, "JNI_LOCAL"},     {0x03, "JAVA_FRAME"},
        {0x04, "NATIVE_STACK"}, {0x05, "STICKY_CLASS"},  {0x06, "THREAD_BLOCK"},
        {0x07, "MONITOR_USED"}, {0x08, "THREAD_OBJECT"}, {0x89, "INTERNED_STRING"},
        {0x8a, "FINALIZING"},   {0x8b, "DEBUGGER"},      {0x8d, "VM_INTERNAL"},
        {0x8e, "JNI_MONITOR"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].tag == tag)
            return trace_intern_c(t, names[i].name);
    return trace_intern(t, STR("UNKNOWN"));
}

static uint32_t type_row(const struct hprof_file *f, const struct hprof_object *o)
{
    const struct hprof_class *c = &f->classes.items[o->class_index];
    return o->kind == HPROF_CLASS ? c->object_row : c->row;
}

static uint32_t add_data(struct hprof *h, size_t i);

static void add_object(struct hprof *h, size_t i, uint32_t size_of_class)
{
    const struct hprof_file *f = &h->file;
    const struct hprof_object *o = &f->objects.items[i];
    struct heap_graph_object_row row = heap_graph_object_row_null();
    row.upid = h->upid;
    row.graph_sample_ts = f->timestamp;
    row.self_size = size_of(f, o, size_of_class);
    if (h->first.items[i] < h->first.items[i + 1])
        row.reference_set_id = h->first.items[i];
    row.reachable = h->distances.items[i] >= 0;
    row.heap_type = o->heap;
    row.type_id = type_row(f, o);
    row.root_type = o->root ? root_name(f->trace, o->root) : NULL_STRING;
    row.root_distance = h->distances.items[i];
    row.object_data_id = add_data(h, i);
    heap_graph_object_append(&f->trace->tables.heap_graph_object, &row);
}

static bool add_objects(struct hprof *h)
{
    const struct hprof_file *f = &h->file;
    uint32_t size_of_class = 0;
    for (size_t i = 0; i < f->classes.count; i++)
        if (class_is(f, (uint32_t)i, STR("java.lang.Class")))
            size_of_class = f->classes.items[i].instance_size;
    table_reserve(&f->trace->tables.heap_graph_object, (uint32_t)f->objects.count);
    progress_begin(h->progress, LOAD_SORTING, f->objects.count);
    for (size_t i = 0; i < f->objects.count; i++) {
        if (f->objects.items[i].row != NULL_U32)
            add_object(h, i, size_of_class);
        if (i % OBJECTS_PER_CHECK == 0 && !progress_report(h->progress, i))
            return false;
    }
    return true;
}

/* Objects of classes that the dump has are rows, in the order of the file. */
static void number_objects(struct hprof *h)
{
    struct hprof_file *f = &h->file;
    uint32_t rows = f->trace->tables.heap_graph_object.rows;
    vec_reserve(&h->classes, f->objects.count);
    for (size_t i = 0; i < f->objects.count; i++) {
        *vec_push(&h->classes) = class_of(f, &f->objects.items[i]);
        if (f->objects.items[i].class_index == NULL_U32) {
            stats_count(f->trace, STAT_hprof_class_errors);
            h->has_nameless = true;
        } else {
            f->objects.items[i].row = rows++;
        }
    }
}

/* Indexes become rows. */
static void number_owned(struct hprof *h)
{
    struct table *table = &h->file.trace->tables.heap_graph_reference;
    uint32_t *owned = table->columns[heap_graph_reference_col_owned_id].data;
    for (uint32_t row = h->first.items[0]; row < table->rows; row++)
        if (owned[row] != NULL_U32)
            owned[row] = h->file.objects.items[owned[row]].row;
}

static string_id type_name(struct hprof *h, uint8_t type)
{
    uint8_t i = type < HPROF_TYPES ? type : 0;
    if (!h->type_names[i])
        h->type_names[i] = trace_intern_c(h->file.trace, hprof_type_name(i));
    return h->type_names[i];
}

static void add_primitive(struct hprof *h, uint32_t set, const struct hprof_value *v)
{
    struct trace *t = h->file.trace;
    struct heap_graph_primitive_row row = heap_graph_primitive_row_null();
    uint64_t value = hprof_bits(v);
    uint32_t bits = (uint32_t)value;
    float single;
    row.field_set_id = set;
    row.field_name = v->name;
    row.field_type = type_name(h, v->type);
    switch (v->type) {
    case HPROF_BOOLEAN:
        row.bool_value = value != 0;
        break;
    case HPROF_BYTE:
        row.byte_value = (int64_t)value;
        break;
    case HPROF_CHAR:
        row.char_value = (int64_t)value;
        break;
    case HPROF_SHORT:
        row.short_value = (int16_t)value;
        break;
    case HPROF_INT:
        row.int_value = (int32_t)value;
        break;
    case HPROF_LONG:
        row.long_value = (int64_t)value;
        break;
    case HPROF_FLOAT:
        memcpy(&single, &bits, sizeof single);
        row.float_value = (double)single;
        break;
    default:
        memcpy(&row.double_value, &value, sizeof row.double_value);
    }
    heap_graph_primitive_append(&t->tables.heap_graph_primitive, &row);
}

/* The characters of a string's array: of bytes, or of 16 bits each. */
static string_id text_of(struct hprof *h, const struct hprof_object *array, uint32_t from,
                         uint32_t count)
{
    struct trace *t = h->file.trace;
    if (count == 0)
        return trace_intern(t, STR(""));
    if (array->element == HPROF_BYTE)
        return trace_intern(t, (struct str){(const char *)array->data + from, count});
    h->text.count = 0;
    vec_reserve(&h->text, (size_t)count * 4 + 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *p = array->data + ((size_t)from + i) * 2;
        h->text.count += utf8_encode((char32_t)(p[0] << 8 | p[1]), h->text.items + h->text.count);
    }
    return trace_intern(t, (struct str){h->text.items, h->text.count});
}

/* Of fields that are not null, the references are rows in their order. */
static string_id string_value(struct hprof *h, const struct hprof_object *o, uint32_t reference)
{
    struct hprof_file *f = &h->file;
    const uint32_t *owned =
        table_u32(&f->trace->tables.heap_graph_reference, heap_graph_reference_col_owned_id);
    uint32_t at = NULL_U32;
    int64_t from = 0, count = -1;
    if (o->kind != HPROF_INSTANCE || class_of(f, o) != h->string_class)
        return NULL_STRING;
    struct hprof_walk w = hprof_walk_begin(f, o);
    for (struct hprof_value v; hprof_walk_next(&w, &v);) {
        bool refers = v.type == HPROF_OBJECT && hprof_bits(&v);
        if (v.name == h->value && v.type == HPROF_OBJECT)
            at = refers ? owned[reference] : NULL_U32;
        else if (v.name == h->offset && v.type == HPROF_INT)
            from = (int32_t)hprof_bits(&v);
        else if (v.name == h->count && v.type == HPROF_INT)
            count = (int32_t)hprof_bits(&v);
        reference += refers;
    }
    const struct hprof_object *array = at == NULL_U32 ? NULL : &f->objects.items[at];
    if (!array || array->kind != HPROF_PRIMITIVE_ARRAY || (!array->data && array->count > 0) ||
        (array->element != HPROF_BYTE && array->element != HPROF_CHAR))
        return NULL_STRING;
    if (count < 0)
        count = (int64_t)array->count - from;
    if (from < 0 || count < 0 || from + count > array->count)
        return NULL_STRING;
    return text_of(h, array, (uint32_t)from, (uint32_t)count);
}

/* MurmurHash64A, with the seed that Trace Processor has. */
static uint64_t murmur_hash(const uint8_t *p, size_t n)
{
    const uint64_t factor = UINT64_C(0xc6a4a7935bd1e995);
    uint64_t h = UINT64_C(0xe17a1465) ^ (n * factor);
    uint64_t last = 0;
    for (; n >= sizeof(uint64_t); p += sizeof(uint64_t), n -= sizeof(uint64_t)) {
        uint64_t k = load_le64(p) * factor;
        k ^= k >> 47;
        h = (h ^ (k * factor)) * factor;
    }
    memcpy(&last, p, n);
    if (n > 0)
        h = (h ^ le64(last)) * factor;
    h = (h ^ h >> 47) * factor;
    return h ^ h >> 47;
}

/* The lowest byte first; in the file the highest comes first. */
static void add_array(struct hprof *h, const struct hprof_object *o,
                      struct heap_graph_object_data_row *row)
{
    struct trace *t = h->file.trace;
    struct bytes data = hprof_data(&h->file, o);
    size_t size = hprof_type_size(&h->file, o->element), n = data.n;
    uint8_t *to = trace_add_heap_array(t, o->element, n);
    if (size == 1)
        memcpy(to, data.p, n);
    for (size_t i = 0; size == sizeof(uint16_t) && i < n; i += size)
        memcpy(to + i, &(uint16_t){perf_load16(data.p + i, true)}, size);
    for (size_t i = 0; size == sizeof(uint32_t) && i < n; i += size)
        memcpy(to + i, &(uint32_t){perf_load32(data.p + i, true)}, size);
    for (size_t i = 0; size == sizeof(uint64_t) && i < n; i += size)
        memcpy(to + i, &(uint64_t){perf_load64(data.p + i, true)}, size);
    row->array_data_id = (uint32_t)t->heap_arrays.count - 1;
    row->array_data_hash = (int64_t)murmur_hash(to, n);
}

static uint32_t add_data(struct hprof *h, size_t i)
{
    struct trace *t = h->file.trace;
    uint32_t set = t->tables.heap_graph_primitive.rows;
    const struct hprof_object *o = &h->file.objects.items[i];
    struct hprof_walk w = hprof_walk_begin(&h->file, o);
    for (struct hprof_value v; hprof_walk_next(&w, &v);) {
        if (v.type != HPROF_OBJECT)
            add_primitive(h, set, &v);
        if (w.cut)
            stats_count(t, STAT_hprof_field_value_errors);
        if (w.cut && v.type == HPROF_OBJECT)
            stats_count(t, STAT_hprof_reference_errors);
    }
    bool has_fields = t->tables.heap_graph_primitive.rows > set;
    bool has_elements = o->kind == HPROF_PRIMITIVE_ARRAY && hprof_data(&h->file, o).n > 0;
    string_id text = string_value(h, o, h->first.items[i]);
    if (!has_fields && !has_elements && !text)
        return NULL_U32;
    struct heap_graph_object_data_row row = heap_graph_object_data_row_null();
    row.value_string = text;
    row.field_set_id = has_fields ? set : NULL_U32;
    if (has_elements) {
        row.array_element_type = type_name(h, o->element);
        row.array_element_count = o->count;
        add_array(h, o, &row);
    }
    return heap_graph_object_data_append(&t->tables.heap_graph_object_data, &row);
}

static void add_graph(struct hprof *h)
{
    struct trace *t = h->file.trace;
    struct heap_graph_row row = heap_graph_row_null();
    row.ts = h->file.timestamp;
    row.upid = h->upid;
    row.heap_size = NULL_I64;
    row.truncated = h->file.cut;
    heap_graph_append(&t->tables.heap_graph, &row);
}

static bool add_rows(struct hprof *h)
{
    find_reference_classes(&h->file);
    add_classes(h);
    add_graph(h);
    number_objects(h);
    if (!add_references(h))
        return false;
    vec_release(&h->classes);
    find_distances(h);
    if (!add_objects(h))
        return false;
    number_owned(h);
    add_native_sizes(h);
    return true;
}

static void init(struct hprof *h, struct trace *t, struct load_progress *progress)
{
    *h = (struct hprof){
        .progress = progress,
        .referent = trace_intern(t, STR("java.lang.ref.Reference.referent")),
        .thunk = trace_intern(t, STR("sun.misc.Cleaner.thunk")),
        .outer = trace_intern(t, STR("libcore.util.NativeAllocationRegistry$CleanerThunk.this$0")),
        .registry_size = trace_intern(t, STR("libcore.util.NativeAllocationRegistry.size")),
        .value = trace_intern(t, STR("java.lang.String.value")),
        .offset = trace_intern(t, STR("java.lang.String.offset")),
        .count = trace_intern(t, STR("java.lang.String.count")),
        .unknown = trace_intern(t, STR("unknown")),
        .string_class = trace_intern(t, STR("java.lang.String")),
        .cleaner_class = trace_intern(t, STR("sun.misc.Cleaner")),
        .thunk_class = trace_intern(t, STR("libcore.util.NativeAllocationRegistry$CleanerThunk")),
    };
}

static struct status import(struct trace *t, const char *name, struct bytes data,
                            struct load_progress *progress)
{
    struct hprof h;
    struct status s = status_ok_value();
    init(&h, t, progress);
    bool whole = hprof_file_read(&h.file, t, data, progress);
    if (!whole && h.file.id_size != 4 && h.file.id_size != 8) {
        s = status_error(STATUS_FORMAT, "%s: expected ids of 4 or 8 bytes, found %u", name,
                         h.file.id_size);
    } else if (!whole) {
        s = progress_cancelled(name);
    } else {
        h.upid = process_tracker_process(t, stats_scope(t)->machine, 0);
        if (h.file.classes.count > 0 && h.file.objects.count > 0 && !add_rows(&h))
            s = progress_cancelled(name);
    }
    hprof_file_release(&h.file);
    vec_release(&h.first);
    vec_release(&h.classes);
    vec_release(&h.weak);
    vec_release(&h.distances);
    vec_release(&h.queue);
    vec_release(&h.text);
    return s;
}

static bool sniff(struct bytes data)
{
    return str_starts(trace_format_head(data), STR("JAVA PROFILE"));
}

const struct trace_format hprof_trace_format = {
    .name = "Java heap dump",
    .type = "art_hprof",
    .about =
        "hprof dumps of a Java heap, of Android's runtime and others: begins with JAVA PROFILE",
    .sniff = sniff,
    .read = import,
};
