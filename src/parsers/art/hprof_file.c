#include "parsers/art/hprof_file.h"

#include <string.h>

#include "parsers/input/trace_format.h"
#include "parsers/perf/wire.h"

enum {
    RECORD_STRING = 0x01,
    RECORD_CLASS = 0x02,
    RECORD_SITES = 0x06,       /* where was allocated: */
    RECORD_CPU_SAMPLES = 0x0d, /* files of these may have no heap */
    RECORD_DUMP = 0x0c,
    RECORD_SEGMENT = 0x1c,
    RECORD_END = 0x2c
};

enum {
    DUMP_CLASS = 0x20,
    DUMP_INSTANCE,
    DUMP_OBJECTS,
    DUMP_PRIMITIVES,
    DUMP_PRIMITIVES_WITHOUT_DATA = 0xc3,
    DUMP_HEAP = 0xfe,
};

enum {
    ROOT_JNI_GLOBAL = 0x01,
    ROOT_JNI_LOCAL,
    ROOT_JAVA_FRAME,
    ROOT_NATIVE_STACK,
    ROOT_STICKY_CLASS,
    ROOT_THREAD_BLOCK,
    ROOT_MONITOR_USED,
    ROOT_THREAD_OBJECT,
    ROOT_JNI_MONITOR = 0x8e,
};

enum { DEPTH_MAX = 256 };

static const char *const type_names[HPROF_TYPES] = {
    [HPROF_OBJECT] = "object", [HPROF_BOOLEAN] = "boolean", [HPROF_CHAR] = "char",
    [HPROF_FLOAT] = "float",   [HPROF_DOUBLE] = "double",   [HPROF_BYTE] = "byte",
    [HPROF_SHORT] = "short",   [HPROF_INT] = "int",         [HPROF_LONG] = "long",
};

const char *hprof_type_name(uint8_t type)
{
    return type < HPROF_TYPES && type_names[type] ? type_names[type] : "unknown";
}

uint32_t hprof_type_size(const struct hprof_file *f, uint8_t type)
{
    switch (type) {
    case HPROF_OBJECT:
        return f->id_size;
    case HPROF_BOOLEAN:
    case HPROF_BYTE:
        return 1;
    case HPROF_CHAR:
    case HPROF_SHORT:
        return 2;
    case HPROF_FLOAT:
    case HPROF_INT:
        return 4;
    case HPROF_DOUBLE:
    case HPROF_LONG:
        return 8;
    default:
        return 0;
    }
}

uint64_t hprof_value(const uint8_t *p, uint32_t size)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < size; i++)
        v = v << 8 | p[i];
    return v;
}

static uint64_t read_id(const struct hprof_file *f, struct perf_reader *r)
{
    struct bytes b = perf_take(r, f->id_size);
    return b.n ? hprof_value(b.p, f->id_size) : 0;
}

static uint8_t read_u8(struct perf_reader *r)
{
    struct bytes b = perf_take(r, 1);
    return b.n ? *b.p : 0;
}

static void append(struct hprof_file *f, struct str s)
{
    vec_append(&f->text, s.p, s.n);
}

static string_id take_text(struct hprof_file *f)
{
    string_id id = trace_intern(f->trace, (struct str){f->text.items, f->text.count});
    f->text.count = 0;
    return id;
}

static struct str string_of(const struct hprof_file *f, uint64_t id)
{
    const uint32_t *s = map_find(&f->strings, id);
    return s ? string_pool_get(&f->trace->strings, *s) : STR("[unknown string]");
}

/* "[Ljava/lang/Class;" and "[B" become "java.lang.Class[]" and "byte[]", as Android writes them. */
static string_id class_name(struct hprof_file *f, struct str name)
{
    static const struct {
        char letter;
        uint8_t type;
    } letters[] = {{'Z', HPROF_BOOLEAN}, {'B', HPROF_BYTE},  {'C', HPROF_CHAR},
                   {'S', HPROF_SHORT},   {'I', HPROF_INT},   {'J', HPROF_LONG},
                   {'F', HPROF_FLOAT},   {'D', HPROF_DOUBLE}};
    struct str whole = name;
    size_t dimensions = 0;
    while (name.n > 0 && *name.p == '[') {
        name = str_skip(name, 1);
        dimensions++;
    }
    if (dimensions > 0 && name.n > 1 && *name.p == 'L' && str_ends(name, STR(";"))) {
        name = str_from_to(name, 1, name.n - 1);
    } else if (dimensions > 0) {
        size_t i = 0;
        while (name.n > 0 && i < sizeof letters / sizeof *letters && letters[i].letter != *name.p)
            i++;
        if (name.n == 0 || i == sizeof letters / sizeof *letters) {
            stats_count(f->trace, STAT_hprof_class_errors);
            return trace_intern(f->trace, whole);
        }
        name = str_from(hprof_type_name(letters[i].type));
    }
    append(f, name);
    for (size_t i = 0; i < f->text.count; i++)
        if (f->text.items[i] == '/')
            f->text.items[i] = '.';
    for (size_t i = 0; i < dimensions; i++)
        append(f, STR("[]"));
    return take_text(f);
}

static struct hprof_class *add_class(struct hprof_file *f, uint64_t id, string_id name)
{
    bool inserted;
    uint32_t *index = map_insert(&f->class_of, id, &inserted);
    if (inserted) {
        *index = (uint32_t)f->classes.count;
        *vec_push(&f->classes) = (struct hprof_class){.id = id,
                                                      .super = NULL_U32,
                                                      .row = NULL_U32,
                                                      .object_row = NULL_U32};
    }
    struct hprof_class *c = &f->classes.items[*index];
    c->name = name;
    return c;
}

static uint32_t find_class(const struct hprof_file *f, uint64_t id)
{
    const uint32_t *index = map_find(&f->class_of, id);
    return index ? *index : NULL_U32;
}

uint32_t hprof_find(const struct hprof_file *f, uint64_t id)
{
    const uint32_t *index = map_find(&f->object_of, id);
    return index ? *index : NULL_U32;
}

static void read_string(struct hprof_file *f, struct perf_reader *r)
{
    uint64_t id = read_id(f, r);
    if (r->failed)
        return;
    map_set(&f->strings, id,
            trace_intern(f->trace, (struct str){(const char *)r->left.p, r->left.n}));
    stats_count(f->trace, STAT_hprof_string_counter);
}

static void read_load_class(struct hprof_file *f, struct perf_reader *r)
{
    perf_u32(r); /* serial number */
    uint64_t id = read_id(f, r);
    perf_u32(r); /* stack trace */
    uint64_t name = read_id(f, r);
    if (r->failed)
        return;
    add_class(f, id, class_name(f, string_of(f, name)));
    stats_count(f->trace, STAT_hprof_class_counter);
}

static struct hprof_object *add_object(struct hprof_file *f, uint64_t id, uint32_t class_index,
                                       enum hprof_kind kind)
{
    bool inserted;
    uint32_t *index = map_insert(&f->object_of, id, &inserted);
    if (inserted) {
        *index = (uint32_t)f->objects.count;
        vec_push(&f->objects);
    }
    struct hprof_object *o = &f->objects.items[*index];
    *o = (struct hprof_object){.id = id,
                               .class_index = class_index,
                               .kind = (uint8_t)kind,
                               .heap = f->heap,
                               .distance = -1,
                               .row = NULL_U32};
    return o;
}

static bool read_root(struct hprof_file *f, struct perf_reader *r, uint8_t tag)
{
    uint64_t id = read_id(f, r);
    switch (tag) {
    case ROOT_JNI_GLOBAL:
        perf_take(r, f->id_size);
        break;
    case ROOT_JNI_LOCAL:
    case ROOT_JAVA_FRAME:
    case ROOT_THREAD_OBJECT:
    case ROOT_JNI_MONITOR:
        perf_take(r, 8);
        break;
    case ROOT_NATIVE_STACK:
    case ROOT_THREAD_BLOCK:
        perf_take(r, 4);
        break;
    default:
        break;
    }
    if (!r->failed) {
        map_set(&f->roots, id, tag);
        stats_count(f->trace, STAT_hprof_root_counter);
    }
    return !r->failed;
}

/* Names, types and values; their bytes. */
static struct bytes skip_static_fields(const struct hprof_file *f, struct perf_reader *r,
                                       uint32_t count)
{
    const uint8_t *start = r->left.p;
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        read_id(f, r);
        perf_take(r, hprof_type_size(f, read_u8(r)));
    }
    return (struct bytes){start, r->failed ? 0 : (size_t)(r->left.p - start)};
}

static void read_fields(struct hprof_file *f, struct perf_reader *r, struct hprof_class *c)
{
    struct str class = string_pool_get(&f->trace->strings, c->name);
    c->first_field = f->fields.count;
    c->field_count = perf_u16(r);
    /* Not as many as there may be, class by class. */
    r->failed |= (uint64_t)c->field_count * (f->id_size + 1) > r->left.n;
    for (uint32_t i = 0; i < c->field_count && !r->failed; i++) {
        struct str name = string_of(f, read_id(f, r));
        uint8_t type = read_u8(r);
        append(f, class);
        append(f, STR("."));
        append(f, name);
        *vec_push(&f->fields) = (struct hprof_field){take_text(f), type};
    }
    c->field_count = (uint32_t)(f->fields.count - c->first_field);
}

static bool read_class(struct hprof_file *f, struct perf_reader *r)
{
    enum { OTHER_IDS = 5 }; /* loader, signers, protection domain, two reserved */
    uint64_t id = read_id(f, r);
    perf_u32(r); /* stack trace */
    uint64_t super = read_id(f, r);
    perf_take(r, (uint64_t)OTHER_IDS * f->id_size);
    uint32_t size = perf_u32(r), constants = perf_u16(r);
    for (uint32_t i = 0; i < constants && !r->failed; i++) {
        perf_u16(r);
        perf_take(r, hprof_type_size(f, read_u8(r)));
    }
    uint32_t statics = perf_u16(r);
    struct bytes data = skip_static_fields(f, r, statics);
    uint32_t index = find_class(f, id);
    if (index == NULL_U32) {
        stats_count(f->trace, STAT_hprof_class_errors);
        add_class(f, id, trace_intern(f->trace, STR("[unknown class]")));
        index = find_class(f, id);
    }
    struct hprof_class *c = &f->classes.items[index];
    c->super_id = super;
    c->instance_size = size;
    read_fields(f, r, c);
    struct hprof_object *o = add_object(f, id, index, HPROF_CLASS);
    o->count = statics;
    o->data = data;
    return !r->failed;
}

static bool read_instance(struct hprof_file *f, struct perf_reader *r)
{
    uint64_t id = read_id(f, r);
    perf_u32(r); /* stack trace */
    uint64_t class = read_id(f, r);
    uint32_t n = perf_u32(r);
    struct bytes data = perf_take(r, n);
    if (r->failed)
        return false;
    add_object(f, id, find_class(f, class), HPROF_INSTANCE)->data = data;
    stats_count(f->trace, STAT_hprof_instance_counter);
    return true;
}

static bool read_object_array(struct hprof_file *f, struct perf_reader *r)
{
    uint64_t id = read_id(f, r);
    perf_u32(r); /* stack trace */
    uint32_t count = perf_u32(r);
    uint64_t class = read_id(f, r);
    struct bytes data = perf_take(r, (uint64_t)count * f->id_size);
    if (r->failed)
        return false;
    struct hprof_object *o = add_object(f, id, find_class(f, class), HPROF_OBJECT_ARRAY);
    o->element = HPROF_OBJECT;
    o->count = count;
    o->data = data;
    stats_count(f->trace, STAT_hprof_object_array_counter);
    return true;
}

/* The class of arrays of that type, which the file need not have. */
static uint32_t array_class(struct hprof_file *f, uint8_t type)
{
    append(f, str_from(hprof_type_name(type)));
    append(f, STR("[]"));
    string_id name = take_text(f);
    for (size_t i = 0; i < f->classes.count; i++)
        if (f->classes.items[i].name == name)
            return (uint32_t)i;
    add_class(f, UINT64_MAX - type, name);
    return (uint32_t)f->classes.count - 1;
}

static bool read_primitive_array(struct hprof_file *f, struct perf_reader *r, bool has_data,
                                 uint32_t classes[HPROF_TYPES])
{
    uint64_t id = read_id(f, r);
    perf_u32(r); /* stack trace */
    uint32_t count = perf_u32(r);
    uint8_t type = read_u8(r);
    uint32_t size = hprof_type_size(f, type);
    struct bytes data = perf_take(r, has_data ? (uint64_t)count * size : 0);
    if (r->failed || size == 0 || type == HPROF_OBJECT) {
        stats_count(f->trace, STAT_hprof_primitive_array_parsing_errors);
        return false;
    }
    if (classes[type] == NULL_U32)
        classes[type] = array_class(f, type);
    struct hprof_object *o = add_object(f, id, classes[type], HPROF_PRIMITIVE_ARRAY);
    o->element = type;
    o->count = count;
    o->data = data;
    stats_count(f->trace, STAT_hprof_primitive_array_counter);
    return true;
}

static bool read_heap(struct hprof_file *f, struct perf_reader *r)
{
    perf_u32(r); /* its number */
    uint64_t name = read_id(f, r);
    f->heap = trace_intern(f->trace, string_of(f, name));
    return !r->failed;
}

/* A segment, behind which are `after` bytes. What stands in it may reach beyond its end: some
 * writers begin a new one anywhere. */
static void read_dump(struct hprof_file *f, struct perf_reader *r, size_t after,
                      uint32_t classes[HPROF_TYPES])
{
    struct perf_reader end = *r;
    bool good = true;
    perf_take(&end, r->left.n - after);
    stats_count(f->trace, STAT_hprof_heap_dump_counter);
    while (good && r->left.n > after) {
        uint8_t tag = read_u8(r);
        switch (tag) {
        case DUMP_CLASS:
            good = read_class(f, r);
            break;
        case DUMP_INSTANCE:
            good = read_instance(f, r);
            break;
        case DUMP_OBJECTS:
            good = read_object_array(f, r);
            break;
        case DUMP_PRIMITIVES:
        case DUMP_PRIMITIVES_WITHOUT_DATA:
            good = read_primitive_array(f, r, tag == DUMP_PRIMITIVES, classes);
            break;
        case DUMP_HEAP:
            good = read_heap(f, r);
            break;
        default:
            good = read_root(f, r, tag);
        }
    }
    if (r->failed)
        stats_count(f->trace, STAT_hprof_heap_dump_errors);
    if (good && r->left.n < after)
        stats_count(f->trace, STAT_hprof_segment_overshoot_counter);
    else
        *r = end;
}

static bool read_records(struct hprof_file *f, struct perf_reader *r,
                         struct load_progress *progress)
{
    size_t all = r->left.n;
    uint32_t classes[HPROF_TYPES];
    bool ended = false, in_segments = false; /* of a dump, its end has not come */
    for (size_t i = 0; i < HPROF_TYPES; i++)
        classes[i] = NULL_U32;
    while (r->left.n > 0) {
        uint8_t tag = read_u8(r);
        perf_u32(r); /* microseconds since the dump began */
        uint32_t n = perf_u32(r);
        f->cut |= r->failed || n > r->left.n;
        size_t size = n < r->left.n ? n : r->left.n;
        in_segments = tag == RECORD_SEGMENT || (in_segments && tag != RECORD_END);
        ended |= tag == RECORD_DUMP || tag == RECORD_END || tag == RECORD_SITES ||
                 tag == RECORD_CPU_SAMPLES;
        if (tag == RECORD_DUMP || tag == RECORD_SEGMENT) {
            read_dump(f, r, r->left.n - size, classes);
        } else {
            struct perf_reader body = perf_reader_make(perf_take(r, size), true);
            if (tag == RECORD_STRING)
                read_string(f, &body);
            else if (tag == RECORD_CLASS)
                read_load_class(f, &body);
        }
        if (!progress_report(progress, all - r->left.n))
            return false;
    }
    if (f->cut || in_segments || !ended)
        trace_format_ends_early(f->trace);
    return true;
}

bool hprof_file_read(struct hprof_file *f, struct trace *t, struct bytes data,
                     struct load_progress *progress)
{
    *f = (struct hprof_file){.trace = t, .heap = trace_intern(t, STR("default"))};
    struct perf_reader r = perf_reader_make(data, true);
    perf_c_string(&r); /* "JAVA PROFILE 1.0.3" */
    f->id_size = perf_u32(&r);
    f->timestamp = (int64_t)perf_u64(&r);
    if (r.failed || (f->id_size != 4 && f->id_size != 8)) {
        stats_count(t, STAT_hprof_header_errors);
        return false;
    }
    bool whole = read_records(f, &r, progress);
    for (size_t i = 0; i < f->classes.count; i++)
        if (f->classes.items[i].super_id != 0)
            f->classes.items[i].super = find_class(f, f->classes.items[i].super_id);
    return whole;
}

void hprof_file_release(struct hprof_file *f)
{
    map_release(&f->strings);
    map_release(&f->class_of);
    map_release(&f->object_of);
    map_release(&f->roots);
    vec_release(&f->classes);
    vec_release(&f->fields);
    vec_release(&f->objects);
    vec_release(&f->text);
}

struct hprof_walk hprof_walk_begin(struct hprof_file *f, const struct hprof_object *o)
{
    return (
        struct hprof_walk){.file = f, .object = o, .left = o->data, .class_index = o->class_index};
}

static bool next_static(struct hprof_walk *w, struct hprof_value *v)
{
    struct hprof_file *f = w->file;
    struct perf_reader r = perf_reader_make(w->left, true);
    if (w->next++ >= w->object->count)
        return false;
    uint64_t name = read_id(f, &r);
    v->type = read_u8(&r);
    uint32_t size = hprof_type_size(f, v->type);
    struct bytes value = perf_take(&r, size);
    if (r.failed)
        return false;
    if (v->type == HPROF_OBJECT) {
        append(f, string_pool_get(&f->trace->strings, f->classes.items[w->class_index].name));
        append(f, STR("."));
    }
    append(f, string_of(f, name));
    v->name = take_text(f);
    v->bits = hprof_value(value.p, size);
    w->left = r.left;
    return true;
}

/* The fields of the class itself come first, then those that it inherits. */
static bool next_field(struct hprof_walk *w, struct hprof_value *v)
{
    struct hprof_file *f = w->file;
    while (w->class_index != NULL_U32 && w->next == f->classes.items[w->class_index].field_count) {
        w->class_index = w->depth++ < DEPTH_MAX ? f->classes.items[w->class_index].super : NULL_U32;
        w->next = 0;
    }
    if (w->class_index == NULL_U32)
        return false;
    const struct hprof_class *c = &f->classes.items[w->class_index];
    const struct hprof_field *field = &f->fields.items[c->first_field + w->next++];
    uint32_t size = hprof_type_size(f, field->type);
    if (size == 0 || w->left.n == 0)
        return false;
    *v = (struct hprof_value){.name = field->name, .type = field->type};
    w->cut = size > w->left.n;
    if (w->cut) {
        w->left.n = 0;
        return true;
    }
    v->bits = hprof_value(w->left.p, size);
    w->left = (struct bytes){w->left.p + size, w->left.n - size};
    return true;
}

bool hprof_walk_next(struct hprof_walk *w, struct hprof_value *v)
{
    if (w->class_index == NULL_U32)
        return false;
    if (w->object->kind == HPROF_CLASS)
        return next_static(w, v);
    return w->object->kind == HPROF_INSTANCE && next_field(w, v);
}
