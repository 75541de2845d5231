/* Descriptors of messages and enums by full name: those of protos/, which are in the binary, and
 * those that a trace carries for its own extensions.
 *
 * The built-in ones are inflated and indexed at the first look-up that needs them. Nothing here
 * locks: one thread at a time, or a lock of the caller's. */
#ifndef TPTUI_PARSERS_PROTO_DESCRIPTORS_H
#define TPTUI_PARSERS_PROTO_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

/* Indexes of types and members. */
#define DESCRIPTOR_NONE UINT32_MAX

enum descriptor_kind {
    DESCRIPTOR_UNKNOWN, /* named by a field, defined nowhere */
    DESCRIPTOR_MESSAGE,
    DESCRIPTOR_ENUM
};

struct field_descriptor {
    struct str name;
    struct str scope; /* of an extension: the package or message that defines it, else empty */
    uint32_t number;
    uint32_t type_index; /* of messages and enums, else DESCRIPTOR_NONE */
    uint32_t next;       /* the next field of its message, or DESCRIPTOR_NONE */
    uint8_t type;        /* PB_FieldDescriptorProto_Type_TYPE_... */
    bool repeated;
    bool extension;
    bool packed; /* its numbers stand one behind the other in one field */
};

struct enum_value_descriptor {
    struct str name;
    int32_t number;
    uint32_t next; /* the next value of its enum, or DESCRIPTOR_NONE */
};

struct type_descriptor {
    struct str name; /* "perfetto.protos.TrackEvent.Type" */
    enum descriptor_kind kind;
    uint32_t first_member, last_member; /* fields, of an enum values */
    uint32_t next_same_hash;
};

struct descriptors {
    struct descriptors *base; /* what is there besides, or NULL */
    struct arena arena;       /* the sets, and names put together from them */
    VEC(struct type_descriptor) types;
    VEC(struct field_descriptor) fields;
    VEC(struct enum_value_descriptor) values;
    struct map types_by_name; /* hash of the full name -> index, first of a chain */
    struct map members;       /* type index << 32 | number -> index of a field or value */
    VEC(struct type_descriptor)
    changed;                /* types of the base's as they are here: with the members
                             * that come behind the base's */
    struct map changes;     /* type index -> index in changed */
    VEC(struct str) added;  /* the sets of descriptors_add, as they are in the arena */
    uint32_t embedded_read; /* of the built-in sets (embedded.h), each once a name is looked for
                             * that those before it lack */
};

/* An all-zero struct is an empty registry, too. */
void descriptors_init(struct descriptors *d);
/* A registry that shares the built-in types with others: `base`, to which nothing is added, has
 * them and must outlive it. It takes no more memory than what is added. */
void descriptors_init_on(struct descriptors *d, struct descriptors *base);
void descriptors_release(struct descriptors *d);

/* Adds the types and extensions of a serialised FileDescriptorSet, which is copied. What is there
 * already stays as it is: fields and enum values with new numbers are added to known types.
 * A malformed set is an error; what stands before the malformed part may have been added. */
struct status descriptors_add(struct descriptors *d, const uint8_t *set, size_t size);

/* The index of a message or enum by its full name, with or without a dot in front; DESCRIPTOR_NONE
 * where it is defined nowhere. */
uint32_t descriptors_find(struct descriptors *d, struct str full_name);

/* Types have numbers from 0 to this. */
size_t descriptors_type_count(const struct descriptors *d);
/* Valid until the next descriptors_add, as its members are. */
const struct type_descriptor *descriptors_type(const struct descriptors *d, uint32_t type);
/* The fields of a message or values of an enum, in the order of their definitions; DESCRIPTOR_NONE
 * behind the last. */
uint32_t descriptors_first_member(const struct descriptors *d, uint32_t type);
uint32_t descriptors_next_member(const struct descriptors *d, uint32_t type, uint32_t member);
const struct field_descriptor *descriptors_field_at(const struct descriptors *d, uint32_t index);
const struct enum_value_descriptor *descriptors_value_at(const struct descriptors *d,
                                                         uint32_t index);

/* The field of a message, extensions included, or NULL. Valid until the next descriptors_add. */
const struct field_descriptor *descriptors_field(const struct descriptors *d, uint32_t type,
                                                 uint32_t number);
/* The same by name. */
const struct field_descriptor *descriptors_field_named(const struct descriptors *d, uint32_t type,
                                                       struct str name);
/* The extension of a message that is defined in `scope`, else the first of that name, or NULL:
 * Perfetto's own .proto files define some extensions inside of messages, protos/ all in the
 * package. */
const struct field_descriptor *descriptors_extension_named(const struct descriptors *d,
                                                           uint32_t type, struct str scope,
                                                           struct str name);

/* The name of an enum value, the first one where several share the number; `p` is NULL where there
 * is none. */
struct str descriptors_enum_name(const struct descriptors *d, uint32_t type, int32_t number);
/* The number of an enum value; false where the enum has none of that name. */
bool descriptors_enum_number(const struct descriptors *d, uint32_t type, struct str name,
                             int32_t *number);

#endif
