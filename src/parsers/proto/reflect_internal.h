/* What reflect.c and annotation.c share: the stack of messages and annotations that are being
 * shown. */
#ifndef TPTUI_PARSERS_PROTO_REFLECT_INTERNAL_H
#define TPTUI_PARSERS_PROTO_REFLECT_INTERNAL_H

#include "parsers/proto/reflect.h"

enum frame_kind {
    FRAME_MESSAGE,
    FRAME_DICT,         /* DebugAnnotation with dict_entries */
    FRAME_ARRAY,        /* DebugAnnotation with array_values */
    FRAME_NESTED_DICT,  /* DebugAnnotation.NestedValue of type DICT */
    FRAME_NESTED_ARRAY, /* DebugAnnotation.NestedValue of type ARRAY */
};

struct reflect_frame {
    enum frame_kind kind;
    struct pb_reader r;           /* what is left of the fields */
    struct pb_reader keys;        /* NESTED_DICT: r again, for the keys */
    struct reflect_mark leave_to; /* the keys outside */
    uint32_t type, serial;        /* MESSAGE */
    uint32_t index;               /* ARRAY, NESTED_ARRAY: of the next element */
    uint64_t array_key;           /* ARRAY, NESTED_ARRAY: in reflect.array_sizes */
    bool empty;                   /* MESSAGE: no field so far */
    bool added;                   /* others: something to show was in it */
};

static inline struct reflect_mark reflect_mark_here(const struct reflect *r)
{
    return (struct reflect_mark){(uint32_t)r->flat_key.count, (uint32_t)r->key.count};
}

/* False where the stack is as deep as it may be. */
bool reflect_push_frame(struct reflect *r, struct reflect_frame frame);
/* The same with a message; false also where its type has no descriptor. */
bool reflect_push_message(struct reflect *r, uint32_t type, struct pb_reader message,
                          struct reflect_mark leave_to);
/* Puts "[index]" behind the key, not the flat key. */
struct reflect_mark reflect_enter_array(struct reflect *r, uint32_t index);

#endif
