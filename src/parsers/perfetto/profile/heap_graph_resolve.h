/* What the packets of a Java heap dump say of each other: which field a
 * reference is, what is reachable and how far from a root. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_HEAP_GRAPH_RESOLVE_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_HEAP_GRAPH_RESOLVE_H

#include "base/map.h"
#include "base/vec.h"
#include "parsers/perfetto/packets/import.h"

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

/* A dump as far as its packets have come. */
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

/* Fills in the rows of a complete dump's classes, objects and references. */
void heap_graph_resolve(struct import *im, struct heap_graph *g);
/* The row of heap_graph_object that a field of an object's row refers to, NULL_U32 where there is
 * none. */
uint32_t heap_graph_follow(const struct trace *t, uint32_t object, string_id field);

#endif
