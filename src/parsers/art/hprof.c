/* Dumps of a Java heap (hprof, of Android's runtime and of others): classes, objects, references,
 * roots and values as rows of the heap graph. What stands where is in hprof_file.h. */
#include <stdio.h>
#include <string.h>

#include "base/little_endian.h"
#include "base/utf8.h"
#include "parsers/art/hprof_file.h"
#include "parsers/input/trace_format.h"
#include "core/store/rows.h"

enum { OBJECTS_PER_CHECK = 1 << 14, SUPERS_MAX = 256 };

struct hprof {
    struct hprof_file file;
    struct load_progress *progress;
    uint32_t upid;
    string_id referent, thunk, outer, registry_size, value, offset, count;
    VEC(char) text;
};

/* What an object refers to. */
struct heap_reference {
    string_id name;
    uint32_t to; /* index of the object; NULL_U32: the dump does not have it */
    bool is_weak;
};

struct reference_walk {
    struct hprof *h;
    const struct hprof_object *object;
    struct hprof_walk values;
    uint32_t next; /* element of an array */
};

static struct reference_walk references_of(struct hprof *h, const struct hprof_object *o)
{
    return (struct reference_walk){.h = h, .object = o, .values = hprof_walk_begin(&h->file, o)};
}

/* The name is made only where it is `wanted`. */
static bool next_element(struct reference_walk *w, struct heap_reference *ref, bool wanted)
{
    struct hprof_file *f = &w->h->file;
    while (w->next < w->object->count) {
        uint32_t i = w->next++;
        uint64_t id = hprof_value(w->object->data.p + (size_t)i * f->id_size, f->id_size);
        uint32_t to = id ? hprof_find(f, id) : NULL_U32;
        if (to == NULL_U32)
            continue;
        *ref = (struct heap_reference){.name = NULL_STRING, .to = to};
        if (wanted) {
            char name[24];
            snprintf(name, sizeof name, "[%u]", i);
            ref->name = trace_intern_c(f->trace, name);
        }
        return true;
    }
    return false;
}

static bool next_reference(struct reference_walk *w, struct heap_reference *ref, bool wanted)
{
    struct hprof_file *f = &w->h->file;
    if (w->object->kind == HPROF_OBJECT_ARRAY)
        return next_element(w, ref, wanted);
    for (struct hprof_value v; hprof_walk_next(&w->values, &v);) {
        if (v.type != HPROF_OBJECT || v.bits == 0)
            continue;
        uint32_t to = hprof_find(f, v.bits);
        if (to == NULL_U32 && w->object->kind == HPROF_CLASS)
            continue;
        *ref = (struct heap_reference){.name = v.name, .to = to};
        ref->is_weak = v.name == w->h->referent && w->object->kind == HPROF_INSTANCE &&
                       f->classes.items[w->object->class_index].reference > HPROF_SOFT;
        return true;
    }
    return false;
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

/* Breadth first from the roots. */
static void find_distances(struct hprof *h)
{
    struct hprof_file *f = &h->file;
    VEC(uint32_t) queue = {0};
    for (size_t i = 0; i < f->objects.count; i++) {
        struct hprof_object *o = &f->objects.items[i];
        const uint32_t *tag = map_find(&f->roots, o->id);
        if (!tag)
            continue;
        o->root = (uint8_t)*tag;
        o->distance = 0;
        *vec_push(&queue) = (uint32_t)i;
    }
    for (size_t i = 0; i < queue.count; i++) {
        const struct hprof_object *o = &f->objects.items[queue.items[i]];
        struct reference_walk w = references_of(h, o);
        for (struct heap_reference ref; next_reference(&w, &ref, false);) {
            if (ref.to == NULL_U32 || ref.is_weak || f->objects.items[ref.to].distance >= 0)
                continue;
            f->objects.items[ref.to].distance = o->distance + 1;
            *vec_push(&queue) = ref.to;
        }
    }
    vec_release(&queue);
}

static uint32_t referred_by(struct hprof *h, uint32_t object, string_id name)
{
    struct reference_walk w = references_of(h, &h->file.objects.items[object]);
    for (struct heap_reference ref; next_reference(&w, &ref, false);)
        if (ref.name == name)
            return ref.to;
    return NULL_U32;
}

/* What is allocated outside of the heap for an object, and freed with it: the object's cleaner
 * leads by its thunk to a registry, which has the size. */
static void add_native_size(struct hprof *h, uint32_t cleaner)
{
    struct hprof_file *f = &h->file;
    uint32_t object = referred_by(h, cleaner, h->referent);
    uint32_t thunk = referred_by(h, cleaner, h->thunk);
    if (object == NULL_U32 || thunk == NULL_U32 ||
        !class_is(f, f->objects.items[thunk].class_index,
                  STR("libcore.util.NativeAllocationRegistry$CleanerThunk")))
        return;
    uint32_t registry = referred_by(h, thunk, h->outer);
    if (registry == NULL_U32)
        return;
    struct hprof_walk w = hprof_walk_begin(f, &f->objects.items[registry]);
    for (struct hprof_value v; hprof_walk_next(&w, &v);)
        if (v.name == h->registry_size && v.type == HPROF_LONG)
            f->objects.items[object].native_size =
                time_plus(f->objects.items[object].native_size, (int64_t)v.bits);
}

static void add_native_sizes(struct hprof *h)
{
    struct hprof_file *f = &h->file;
    for (size_t i = 0; i < f->objects.count; i++)
        if (f->objects.items[i].kind == HPROF_INSTANCE &&
            class_is(f, f->objects.items[i].class_index, STR("sun.misc.Cleaner")))
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
    uint32_t size = o->class_index != NULL_U32 ? f->classes.items[o->class_index].instance_size : 0;
    switch ((enum hprof_kind)o->kind) {
    case HPROF_OBJECT_ARRAY:
    case HPROF_PRIMITIVE_ARRAY:
        return (int64_t)size + (int64_t)o->count * hprof_type_size(f, o->element);
    case HPROF_CLASS: /* the values of its static fields: their names and types are not counted */
        return (int64_t)size_of_class + (int64_t)o->data.n - (int64_t)o->count * (f->id_size + 1);
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

static bool add_objects(struct hprof *h)
{
    struct hprof_file *f = &h->file;
    struct trace *t = f->trace;
    uint32_t size_of_class = 0;
    for (size_t i = 0; i < f->classes.count; i++)
        if (class_is(f, (uint32_t)i, STR("java.lang.Class")))
            size_of_class = f->classes.items[i].instance_size;
    progress_begin(h->progress, LOAD_SORTING, f->objects.count);
    for (size_t i = 0; i < f->objects.count; i++) {
        struct hprof_object *o = &f->objects.items[i];
        if (o->class_index == NULL_U32) {
            stats_count(t, STAT_hprof_class_errors);
            continue;
        }
        struct heap_graph_object_row row = heap_graph_object_row_null();
        row.upid = h->upid;
        row.graph_sample_ts = f->timestamp;
        row.self_size = size_of(f, o, size_of_class);
        row.native_size = o->native_size;
        row.reachable = o->distance >= 0;
        row.heap_type = o->heap;
        row.type_id = type_row(f, o);
        row.root_type = o->root ? root_name(t, o->root) : NULL_STRING;
        row.root_distance = o->distance;
        o->row = heap_graph_object_append(&t->tables.heap_graph_object, &row);
        if (i % OBJECTS_PER_CHECK == 0 && !progress_report(h->progress, i))
            return false;
    }
    return true;
}

static bool add_references(struct hprof *h)
{
    struct hprof_file *f = &h->file;
    struct trace *t = f->trace;
    struct table *table = &t->tables.heap_graph_reference;
    string_id unknown = trace_intern(t, STR("unknown"));
    progress_begin(h->progress, LOAD_SORTING, f->objects.count);
    for (size_t i = 0; i < f->objects.count; i++) {
        const struct hprof_object *o = &f->objects.items[i];
        uint32_t set = table->rows;
        struct reference_walk w = references_of(h, o);
        for (struct heap_reference ref; o->row != NULL_U32 && next_reference(&w, &ref, true);) {
            const struct hprof_object *to = ref.to == NULL_U32 ? NULL : &f->objects.items[ref.to];
            struct heap_graph_reference_row row = heap_graph_reference_row_null();
            row.reference_set_id = set;
            row.owner_id = o->row;
            row.owned_id = to ? to->row : NULL_U32;
            row.field_name = ref.name;
            row.field_type_name = to && to->class_index != NULL_U32
                                      ? f->classes.items[to->class_index].name
                                      : unknown;
            heap_graph_reference_append(table, &row);
        }
        if (table->rows > set)
            table_set_u32(&t->tables.heap_graph_object, heap_graph_object_col_reference_set_id,
                          o->row, set);
        if (i % OBJECTS_PER_CHECK == 0 && !progress_report(h->progress, i))
            return false;
    }
    stats_add(t, STAT_hprof_reference_counter, STAT_SINGLE, table->rows);
    return true;
}

static void add_primitive(struct hprof *h, uint32_t set, const struct hprof_value *v)
{
    struct trace *t = h->file.trace;
    struct heap_graph_primitive_row row = heap_graph_primitive_row_null();
    uint32_t bits = (uint32_t)v->bits;
    float single;
    row.field_set_id = set;
    row.field_name = v->name;
    row.field_type = trace_intern_c(t, hprof_type_name(v->type));
    switch (v->type) {
    case HPROF_BOOLEAN:
        row.bool_value = v->bits != 0;
        break;
    case HPROF_BYTE:
        row.byte_value = (int64_t)v->bits;
        break;
    case HPROF_CHAR:
        row.char_value = (int64_t)v->bits;
        break;
    case HPROF_SHORT:
        row.short_value = (int16_t)v->bits;
        break;
    case HPROF_INT:
        row.int_value = (int32_t)v->bits;
        break;
    case HPROF_LONG:
        row.long_value = (int64_t)v->bits;
        break;
    case HPROF_FLOAT:
        memcpy(&single, &bits, sizeof single);
        row.float_value = (double)single;
        break;
    default:
        memcpy(&row.double_value, &v->bits, sizeof row.double_value);
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
        return trace_intern(t, (struct str){(const char *)array->data.p + from, count});
    h->text.count = 0;
    vec_reserve(&h->text, (size_t)count * 4 + 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *p = array->data.p + ((size_t)from + i) * 2;
        h->text.count += utf8_encode((char32_t)(p[0] << 8 | p[1]), h->text.items + h->text.count);
    }
    return trace_intern(t, (struct str){h->text.items, h->text.count});
}

static string_id string_value(struct hprof *h, const struct hprof_object *o)
{
    struct hprof_file *f = &h->file;
    uint64_t array_id = 0;
    int64_t from = 0, count = -1;
    if (o->kind != HPROF_INSTANCE || !class_is(f, o->class_index, STR("java.lang.String")))
        return NULL_STRING;
    struct hprof_walk w = hprof_walk_begin(f, o);
    for (struct hprof_value v; hprof_walk_next(&w, &v);) {
        if (v.name == h->value && v.type == HPROF_OBJECT)
            array_id = v.bits;
        else if (v.name == h->offset && v.type == HPROF_INT)
            from = (int32_t)v.bits;
        else if (v.name == h->count && v.type == HPROF_INT)
            count = (int32_t)v.bits;
    }
    uint32_t at = array_id ? hprof_find(f, array_id) : NULL_U32;
    const struct hprof_object *array = at == NULL_U32 ? NULL : &f->objects.items[at];
    if (!array || array->kind != HPROF_PRIMITIVE_ARRAY ||
        (array->data.n == 0 && array->count > 0) ||
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
    size_t size = hprof_type_size(&h->file, o->element), n = o->data.n;
    uint8_t *to = trace_add_heap_array(t, o->element, n);
    if (size == 1)
        memcpy(to, o->data.p, n);
    for (size_t i = 0; size > 1 && i + size <= n; i += size)
        for (size_t k = 0; k < size; k++)
            to[i + k] = o->data.p[i + size - 1 - k];
    row->array_data_id = (uint32_t)t->heap_arrays.count - 1;
    row->array_data_hash = (int64_t)murmur_hash(to, n);
}

static void add_data(struct hprof *h, const struct hprof_object *o)
{
    struct trace *t = h->file.trace;
    uint32_t set = t->tables.heap_graph_primitive.rows;
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
    bool has_elements = o->kind == HPROF_PRIMITIVE_ARRAY && o->data.n > 0;
    string_id text = string_value(h, o);
    if (!has_fields && !has_elements && !text)
        return;
    struct heap_graph_object_data_row row = heap_graph_object_data_row_null();
    row.value_string = text;
    row.field_set_id = has_fields ? set : NULL_U32;
    if (has_elements) {
        row.array_element_type = trace_intern_c(t, hprof_type_name(o->element));
        row.array_element_count = o->count;
        add_array(h, o, &row);
    }
    table_set_u32(&t->tables.heap_graph_object, heap_graph_object_col_object_data_id, o->row,
                  heap_graph_object_data_append(&t->tables.heap_graph_object_data, &row));
}

static bool add_values(struct hprof *h)
{
    const struct hprof_file *f = &h->file;
    for (size_t i = 0; i < f->objects.count; i++) {
        if (f->objects.items[i].row != NULL_U32)
            add_data(h, &f->objects.items[i]);
        if (i % OBJECTS_PER_CHECK == 0 && !progress_report(h->progress, i))
            return false;
    }
    return true;
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
    find_distances(h);
    add_native_sizes(h);
    add_classes(h);
    add_graph(h);
    return add_objects(h) && add_references(h) && add_values(h);
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
