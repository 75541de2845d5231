#include "parsers/art/hprof_file.h"

#include <string.h>

#include "parsers/input/trace_format.h"

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

static const char *const type_names[HPROF_TYPES] = {
    [HPROF_OBJECT] = "object", [HPROF_BOOLEAN] = "boolean", [HPROF_CHAR] = "char",
    [HPROF_FLOAT] = "float",   [HPROF_DOUBLE] = "double",   [HPROF_BYTE] = "byte",
    [HPROF_SHORT] = "short",   [HPROF_INT] = "int",         [HPROF_LONG] = "long",
};

const char *hprof_type_name(uint8_t type)
{
    return type < HPROF_TYPES && type_names[type] ? type_names[type] : "unknown";
}

uint8_t hprof_type_size(const struct hprof_file *f, uint8_t type)
{
    static const uint8_t sizes[HPROF_TYPES] = {
        [HPROF_BOOLEAN] = 1, [HPROF_CHAR] = 2,  [HPROF_FLOAT] = 4, [HPROF_DOUBLE] = 8,
        [HPROF_BYTE] = 1,    [HPROF_SHORT] = 2, [HPROF_INT] = 4,   [HPROF_LONG] = 8,
    };
    if (type == HPROF_OBJECT)
        return (uint8_t)f->id_size;
    return type < HPROF_TYPES ? sizes[type] : 0;
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

/* Its slot, or the empty one where it would go. Of ids of 4 bytes a slot has all, so that the
 * object need not be read; but that of a class that is made for arrays has more. */
static struct hprof_slot *slot_of(const struct hprof_file *f, uint64_t id)
{
    size_t i = (size_t)(hprof_slot_of(f, id) - f->slots);
    bool is_whole = f->id_size == sizeof f->slots->id && id <= UINT32_MAX;
    while (f->slots[i].number != 0 &&
           (f->slots[i].id != (uint32_t)id ||
            (!is_whole && f->objects.items[f->slots[i].number - 1].id != id)))
        i = (i + 1) & f->slot_mask;
    return &f->slots[i];
}

uint32_t hprof_find(const struct hprof_file *f, uint64_t id)
{
    uint32_t number = slot_of(f, id)->number;
    return number ? number - 1 : NULL_U32;
}

/* Of objects with the same id the last one is left, at the place of the first. */
static void index_objects(struct hprof_file *f)
{
    enum { AHEAD = 16 };
    size_t cap = 16, count = 0;
    while (cap / 2 < f->objects.count)
        cap *= 2;
    f->slots = alloc_array(cap, sizeof *f->slots);
    f->slot_mask = cap - 1;
    for (size_t i = 0; i < f->objects.count; i++) {
        struct hprof_object *o = &f->objects.items[i];
        struct hprof_slot *slot = slot_of(f, o->id);
        if (i + AHEAD < f->objects.count)
            __builtin_prefetch(hprof_slot_of(f, f->objects.items[i + AHEAD].id), 1);
        if (slot->number == 0)
            *slot = (struct hprof_slot){(uint32_t)o->id, (uint32_t)++count};
        f->objects.items[slot->number - 1] = *o;
    }
    f->objects.count = count;
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
    struct hprof_object *o = vec_push(&f->objects);
    *o = (struct hprof_object){.id = id,
                               .class_index = class_index,
                               .kind = (uint8_t)kind,
                               .heap = f->heap,
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
        *vec_push(&f->roots) = (struct hprof_root){id, tag};
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
        *vec_push(&f->fields) = (struct hprof_field){take_text(f), type, hprof_type_size(f, type)};
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
    uint16_t statics = perf_u16(r);
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
    o->statics = statics;
    o->count = (uint32_t)data.n;
    o->data = data.p;
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
    struct hprof_object *o = add_object(f, id, find_class(f, class), HPROF_INSTANCE);
    o->count = n;
    o->data = data.p;
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
    o->data = data.p;
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
    o->data = has_data ? data.p : NULL;
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
    index_objects(f);
    return whole;
}

void hprof_file_release(struct hprof_file *f)
{
    map_release(&f->strings);
    map_release(&f->class_of);
    vec_release(&f->roots);
    free(f->slots);
    vec_release(&f->classes);
    vec_release(&f->fields);
    vec_release(&f->objects);
    vec_release(&f->text);
}

bool hprof_walk_static(struct hprof_walk *w, struct hprof_value *v)
{
    struct hprof_file *f = w->file;
    struct perf_reader r = perf_reader_make((struct bytes){w->at, (size_t)(w->end - w->at)}, true);
    if (w->next++ >= w->object->statics)
        return false;
    uint64_t name = read_id(f, &r);
    v->type = read_u8(&r);
    v->size = hprof_type_size(f, v->type);
    struct bytes value = perf_take(&r, v->size);
    v->at = value.n ? value.p : NULL;
    if (r.failed)
        return false;
    if (v->type == HPROF_OBJECT) {
        append(f,
               string_pool_get(&f->trace->strings, f->classes.items[w->object->class_index].name));
        append(f, STR("."));
    }
    append(f, string_of(f, name));
    v->name = take_text(f);
    w->at = r.left.p;
    return true;
}
