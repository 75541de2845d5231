/* Writing a FlatBuffer. It grows from its end to its front, so what others refer to is made first;
 * a place is the distance of its first byte from the end, which stays the same. */
#ifndef TPTUI_PARSERS_ARCHIVE_FLATBUFFER_H
#define TPTUI_PARSERS_ARCHIVE_FLATBUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* All zero is an empty one. */
struct flatbuffer {
    uint8_t *bytes; /* the last `used` of `cap` are written */
    size_t cap, used;
};

/* A field of a table, in the order of the schema. */
struct flatbuffer_field {
    enum { FLATBUFFER_ABSENT, FLATBUFFER_SCALAR, FLATBUFFER_PLACE } kind;
    uint8_t size;   /* of a scalar: 1, 2, 4 or 8 bytes */
    uint64_t value; /* the scalar, or the place of a table, vector or string */
};

enum { FLATBUFFER_FIELDS = 8 };

/* These append, and return the place to which others refer. */

uint32_t flatbuffer_string(struct flatbuffer *b, struct str s);
/* Structs of so many whole numbers of 64 bits each. */
uint32_t flatbuffer_vector(struct flatbuffer *b, const int64_t *words, size_t count, size_t each);
/* A vector of the tables at these places. */
uint32_t flatbuffer_places(struct flatbuffer *b, const uint32_t *places, size_t count);
/* At most FLATBUFFER_FIELDS fields. */
uint32_t flatbuffer_table(struct flatbuffer *b, const struct flatbuffer_field *fields,
                          size_t count);
/* Ends the buffer with its root. Returns its bytes, a multiple of 8, valid until it is released. */
struct str flatbuffer_finish(struct flatbuffer *b, uint32_t root);
void flatbuffer_release(struct flatbuffer *b);

#endif
