/* What a dump holds, before it becomes rows. Objects point into the file's bytes. Numbers of types
 * and tags are those of the JDK's heap dumps (HPROF) and of Android's, runtime/hprof/hprof.cc. */
#ifndef TPTUI_PARSERS_ART_HPROF_FILE_H
#define TPTUI_PARSERS_ART_HPROF_FILE_H

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/input/bytes.h"
#include "parsers/input/progress.h"
#include "parsers/perf/wire.h"

enum hprof_type {
    HPROF_OBJECT = 2,
    HPROF_BOOLEAN = 4,
    HPROF_CHAR,
    HPROF_FLOAT,
    HPROF_DOUBLE,
    HPROF_BYTE,
    HPROF_SHORT,
    HPROF_INT,
    HPROF_LONG,
    HPROF_TYPES,
};

struct hprof_field {
    string_id name; /* with that of the class in front: "java.lang.String.value" */
    uint8_t type;   /* enum hprof_type, or another number in a damaged file */
    uint8_t size;   /* hprof_type_size of it */
};

/* What a class is whose instances refer to something in a special way. */
enum hprof_reference {
    HPROF_STRONG,
    HPROF_SOFT,
    HPROF_WEAK,
    HPROF_PHANTOM,
    HPROF_FINALIZER,
    HPROF_REFERENCES,
};

struct hprof_class {
    uint64_t id;
    uint32_t super; /* index; NULL_U32: none */
    uint64_t super_id;
    string_id name;
    uint32_t instance_size;
    size_t first_field;
    uint32_t field_count;     /* of its own */
    uint8_t reference;        /* enum hprof_reference */
    uint32_t row, object_row; /* of heap_graph_class: of instances, and of the class as an object */
};

enum hprof_kind { HPROF_INSTANCE, HPROF_CLASS, HPROF_OBJECT_ARRAY, HPROF_PRIMITIVE_ARRAY };

/* There are a million in a heap: 40 bytes. */
struct hprof_object {
    uint64_t id;
    const uint8_t *data;  /* fields, elements, static fields with their names and types; NULL: of an
                             array without them */
    uint32_t count;       /* elements of an array, bytes of `data` of others */
    uint32_t class_index; /* NULL_U32: unknown. Of a class: itself */
    string_id heap;
    uint32_t row;     /* of heap_graph_object; NULL_U32: none, as its class is unknown */
    uint16_t statics; /* fields of a class */
    uint8_t kind;     /* enum hprof_kind */
    uint8_t element;  /* enum hprof_type of arrays */
    uint8_t root;     /* its tag; 0: none */
};

struct hprof_root {
    uint64_t id;
    uint8_t tag;
};

/* Where an object is: its id's lower half, and its index + 1; 0: none. */
struct hprof_slot {
    uint32_t id, number;
};

struct hprof_file {
    struct trace *trace;
    uint32_t id_size;
    int64_t timestamp;   /* as the header says it: ms since 1970 */
    struct map strings;  /* id -> string_id */
    struct map class_of; /* id -> index */
    VEC(struct hprof_class) classes;
    VEC(struct hprof_field) fields;
    VEC(struct hprof_object) objects; /* once all is read, one of each id: the last */
    struct hprof_slot *slots;         /* a power of two of them, more than objects */
    size_t slot_mask;
    VEC(struct hprof_root) roots; /* of an object, the last counts */
    string_id heap;               /* of the objects that are read */
    VEC(char) text;
    bool cut;
};

/* Bytes of a value; 0: no such type. */
uint8_t hprof_type_size(const struct hprof_file *f, uint8_t type);
const char *hprof_type_name(uint8_t type);

/* A value of 1, 2, 4 or 8 bytes as it stands in the file; numbers of less than 64 bits are not
 * extended. */
static inline uint64_t hprof_value(const uint8_t *p, uint32_t size)
{
    if (size == sizeof(uint32_t))
        return perf_load32(p, true);
    if (size == sizeof(uint64_t))
        return perf_load64(p, true);
    return size == sizeof(uint16_t) ? perf_load16(p, true) : *p;
}

/* An object's bytes. */
static inline struct bytes hprof_data(const struct hprof_file *f, const struct hprof_object *o)
{
    bool is_array = o->kind == HPROF_OBJECT_ARRAY || o->kind == HPROF_PRIMITIVE_ARRAY;
    size_t size = is_array ? hprof_type_size(f, o->element) : 1;
    return (struct bytes){o->data, o->data ? o->count * size : 0};
}

/* For who looks for many: where the search for an id begins. */
static inline const struct hprof_slot *hprof_slot_of(const struct hprof_file *f, uint64_t id)
{
    return &f->slots[(size_t)hash_u64(id) & f->slot_mask];
}

/* The index of the object, or NULL_U32. */
uint32_t hprof_find(const struct hprof_file *f, uint64_t id);

/* False where the header makes no sense, or loading was cancelled. */
bool hprof_file_read(struct hprof_file *f, struct trace *t, struct bytes data,
                     struct load_progress *progress);
void hprof_file_release(struct hprof_file *f);

/* A value of an object: of its class's and the inherited fields, or static ones. */
struct hprof_value {
    string_id name; /* as of hprof_field; of a static field that is no object, the field's alone */
    uint8_t type, size;
    const uint8_t *at; /* NULL: the file ends before it */
};

static inline uint64_t hprof_bits(const struct hprof_value *v)
{
    return v->at ? hprof_value(v->at, v->size) : 0;
}

/* Walks over the values of an instance or a class:
 *
 *     struct hprof_walk w = hprof_walk_begin(f, object);
 *     for (struct hprof_value v; hprof_walk_next(&w, &v);)
 *         ... */
struct hprof_walk {
    struct hprof_file *file;
    const struct hprof_object *object;
    const uint8_t *at, *end;
    const struct hprof_field *field, *field_end; /* of the class that is walked over */
    uint32_t super, depth;                       /* the class that comes next */
    uint32_t next;                               /* static field */
    bool cut; /* the instance ends within the last value, which is 0 then */
};

bool hprof_walk_static(struct hprof_walk *w, struct hprof_value *v);

static inline void hprof_walk_class(struct hprof_walk *w, uint32_t index)
{
    const struct hprof_class *c = &w->file->classes.items[index];
    w->field = c->field_count > 0 ? w->file->fields.items + c->first_field : NULL;
    w->field_end = c->field_count > 0 ? w->field + c->field_count : NULL;
    w->super = c->super;
}

static inline struct hprof_walk hprof_walk_begin(struct hprof_file *f, const struct hprof_object *o)
{
    struct bytes data = hprof_data(f, o);
    struct hprof_walk w = {.file = f, .object = o, .at = data.p, .end = data.p, .super = NULL_U32};
    if (data.n > 0)
        w.end += data.n;
    if (o->kind == HPROF_INSTANCE && o->class_index != NULL_U32)
        hprof_walk_class(&w, o->class_index);
    return w;
}

/* The fields of the class itself come first, then those that it inherits. */
static inline bool hprof_walk_next(struct hprof_walk *w, struct hprof_value *v)
{
    enum { DEPTH_MAX = 256 };
    if (w->object->kind == HPROF_CLASS)
        return hprof_walk_static(w, v);
    while (w->field == w->field_end) {
        if (w->super == NULL_U32 || w->depth++ == DEPTH_MAX)
            return false;
        hprof_walk_class(w, w->super);
    }
    const struct hprof_field *field = w->field++;
    if (field->size == 0 || w->at == w->end)
        return false;
    w->cut = field->size > w->end - w->at;
    *v = (struct hprof_value){field->name, field->type, field->size, w->cut ? NULL : w->at};
    w->at = w->cut ? w->end : w->at + field->size;
    return true;
}

#endif
