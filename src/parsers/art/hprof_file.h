/* What a dump holds, before it becomes rows. Objects point into the file's bytes. Numbers of types
 * and tags are those of the JDK's heap dumps (HPROF) and of Android's, runtime/hprof/hprof.cc. */
#ifndef TPTUI_PARSERS_ART_HPROF_FILE_H
#define TPTUI_PARSERS_ART_HPROF_FILE_H

#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/input/bytes.h"
#include "parsers/input/progress.h"

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

struct hprof_object {
    uint64_t id;
    uint32_t class_index; /* NULL_U32: unknown. Of a class: itself */
    uint8_t kind;         /* enum hprof_kind */
    uint8_t element;      /* enum hprof_type of arrays */
    uint8_t root;         /* its tag; 0: none */
    string_id heap;
    uint32_t count;    /* elements; static fields of a class */
    struct bytes data; /* fields, elements, static fields with their names and types */
    int64_t native_size;
    int32_t distance; /* from the nearest root; -1: not reached */
    uint32_t row;     /* of heap_graph_object; NULL_U32: none */
};

struct hprof_file {
    struct trace *trace;
    uint32_t id_size;
    int64_t timestamp;   /* as the header says it: ms since 1970 */
    struct map strings;  /* id -> string_id */
    struct map class_of; /* id -> index */
    VEC(struct hprof_class) classes;
    VEC(struct hprof_field) fields;
    struct map object_of; /* id -> index */
    VEC(struct hprof_object) objects;
    struct map roots; /* id -> tag */
    string_id heap;   /* of the objects that are read */
    VEC(char) text;
    bool cut;
};

/* Bytes of a value; 0: no such type. */
uint32_t hprof_type_size(const struct hprof_file *f, uint8_t type);
const char *hprof_type_name(uint8_t type);
/* A value as it stands in the file; numbers of less than 64 bits are not extended. */
uint64_t hprof_value(const uint8_t *p, uint32_t size);

/* The index of the object, or NULL_U32. */
uint32_t hprof_find(const struct hprof_file *f, uint64_t id);

/* False where the header makes no sense, or loading was cancelled. */
bool hprof_file_read(struct hprof_file *f, struct trace *t, struct bytes data,
                     struct load_progress *progress);
void hprof_file_release(struct hprof_file *f);

/* A value of an object: of its class's and the inherited fields, or static ones. */
struct hprof_value {
    string_id name; /* as of hprof_field; of a static field that is no object, the field's alone */
    uint8_t type;
    uint64_t bits;
};

/* Walks over the values of an instance or a class:
 *
 *     struct hprof_walk w = hprof_walk_begin(f, object);
 *     for (struct hprof_value v; hprof_walk_next(&w, &v);)
 *         ... */
struct hprof_walk {
    struct hprof_file *file;
    const struct hprof_object *object;
    struct bytes left;
    uint32_t class_index, next, depth;
    bool cut; /* the instance ends within the last value, which is 0 then */
};
struct hprof_walk hprof_walk_begin(struct hprof_file *f, const struct hprof_object *o);
bool hprof_walk_next(struct hprof_walk *w, struct hprof_value *v);

#endif
