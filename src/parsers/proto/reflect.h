/* Messages as args, by their descriptors: field a of message m is the arg "m.a", the second element
 * of a repeated field has the key "m.a[1]" and the flat key "m.a". Enums are shown by name, bytes
 * as base64, a message without fields as one null. Debug annotations, which name themselves, are
 * known wherever they occur.
 *
 *     reflect_begin(r, &list);
 *     reflect_annotation(r, bytes, size);             -- under the current key: none
 *     struct reflect_mark mark = reflect_enter(r, STR("debug"));
 *     reflect_annotation(r, bytes, size);             -- "debug.NAME"
 *     reflect_leave(r, mark);
 *     reflect_message(r, type, bytes, size, NULL);
 *
 * Nesting costs no stack; below REFLECT_DEPTH_MAX levels nothing is shown. */
#ifndef TPTUI_PARSERS_PROTO_REFLECT_H
#define TPTUI_PARSERS_PROTO_REFLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/store/args.h"
#include "core/store/string_pool.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/wire.h"

enum { REFLECT_DEPTH_MAX = 128 };

struct reflect;

/* What only the reader of the packet knows. A member that is NULL finds nothing. */
struct reflect_hooks {
    /* The text of an interned string or name: `field` is a field number of InternedData. `p` is
     * NULL where the id is unknown. */
    struct str (*interned)(void *self, uint32_t field, uint64_t iid);
    /* Adds the args of a JSON text under the current key. */
    void (*json)(void *self, struct reflect *r, struct str text);
    void *self;
};

/* Called instead of adding an arg, with the field's key as the current key. Returns false to have
 * the field shown as usual. */
typedef bool reflect_override_fn(void *self, struct reflect *r, const struct pb_field *f);

struct reflect_override {
    struct str flat_key;
    reflect_override_fn *fn;
    void *self;
};

struct reflect_options {
    /* Fields of the outermost message that are shown, by bit of their number, which is below 64;
     * extensions always are. 0: all. */
    uint64_t allowed;
    /* Field numbers of the outermost message that are never shown. */
    const uint32_t *hidden;
    size_t hidden_count;
    bool add_defaults; /* fields that are absent are shown with their default values */
};

/* Lengths of the current keys, to go back to. */
struct reflect_mark {
    uint32_t flat_key, key;
};

struct reflect_frame;

struct reflect {
    struct descriptors *descriptors;
    struct string_pool *strings;
    struct reflect_hooks hooks; /* set by the owner */
    struct arg_list *out;
    VEC(char) flat_key;
    VEC(char) key;
    VEC(char) scratch;
    VEC(struct reflect_frame) frames; /* reflect_internal.h */
    VEC(struct reflect_override) overrides;
    struct map overrides_by_key; /* hash of the flat key -> index */
    struct map seen;             /* message's serial << 32 | field number -> occurrences so far */
    struct map array_sizes;      /* hash of the key of an array of annotations -> its size so far */
    uint32_t serial;
    uint32_t annotation_type;
    uint64_t unknown_fields; /* counted up; the owner may reset it */
};

/* The registry and the pool must outlive `r`. */
void reflect_init(struct reflect *r, struct descriptors *descriptors, struct string_pool *strings);
void reflect_release(struct reflect *r);

/* Fields whose flat key is `flat_key` (which must live as long as `r`) go through `fn`. */
void reflect_override(struct reflect *r, const char *flat_key, reflect_override_fn *fn, void *self);

/* Starts an arg set: args go to `out` from here on, arrays of annotations count from 0, and the
 * current key is empty. */
void reflect_begin(struct reflect *r, struct arg_list *out);

/* Where `out` holds args already: their arrays of annotations go on instead of counting from 0. */
void reflect_continue_arrays(struct reflect *r);

/* Puts a name behind the current key, and takes it away again. */
struct reflect_mark reflect_enter(struct reflect *r, struct str name);
void reflect_leave(struct reflect *r, struct reflect_mark mark);

/* Adds a message of this type (from descriptors_find) under the current key. `options` may be NULL.
 * False where a part cannot be shown (a type without descriptor, an annotation without name,
 * nesting too deep): what comes before it has been added. Malformed bytes end their message
 * silently. */
bool reflect_message(struct reflect *r, uint32_t type, struct pb_reader message,
                     const struct reflect_options *options);

/* Adds one DebugAnnotation under the current key. As reflect_message. */
bool reflect_annotation(struct reflect *r, struct pb_reader annotation);

/* One arg with the current key, for hooks and overrides. */
void reflect_add_null(struct reflect *r);
void reflect_add_int(struct reflect *r, int64_t v);
void reflect_add_uint(struct reflect *r, uint64_t v);
void reflect_add_real(struct reflect *r, double v);
void reflect_add_bool(struct reflect *r, bool v);
void reflect_add_pointer(struct reflect *r, uint64_t v);
/* Up to the first NUL: that is all of a text that SQL shows. */
void reflect_add_str(struct reflect *r, struct str v);

#endif
