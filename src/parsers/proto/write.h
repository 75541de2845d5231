/* Writing protobuf messages: fields are appended to bytes.
 *
 *     struct pb_bytes line = {0}, location = {0};
 *     pb_put_uint(&line, PB_Line_function_id, 7);
 *     pb_put_message(&location, PB_Location_line, &line);
 *     pb_bytes_release(&line); */
#ifndef TPTUI_PARSERS_PROTO_WRITE_H
#define TPTUI_PARSERS_PROTO_WRITE_H

#include <string.h>

#include "base/vec.h"
#include "parsers/proto/wire.h"

/* A message under construction; all zero is an empty one. */
struct pb_bytes {
    VEC(uint8_t) v;
};

static inline void pb_bytes_release(struct pb_bytes *b)
{
    vec_release(&b->v);
}

enum { PB_VARINT_MOST = 10 };

static inline void pb_put_varint(struct pb_bytes *b, uint64_t v)
{
    vec_reserve(&b->v, b->v.count + PB_VARINT_MOST);
    uint8_t *p = b->v.items + b->v.count;
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    b->v.count = (size_t)(p - b->v.items);
}

static inline size_t pb_varint_size(uint64_t v)
{
    size_t n = 1;
    for (; v >= 0x80; v >>= 7)
        n++;
    return n;
}

static inline size_t pb_tag_size(uint32_t field)
{
    return pb_varint_size((uint64_t)field << 3);
}

static inline void pb_put_tag(struct pb_bytes *b, uint32_t field, enum pb_wire_type type)
{
    pb_put_varint(b, (uint64_t)field << 3 | type);
}

/* Appends bytes as they are: encoded fields. */
static inline void pb_put_raw(struct pb_bytes *b, const void *p, size_t n)
{
    vec_append(&b->v, p, n);
}

/* All integers but sint and fixed; bool and enums. Negative ones are sign-extended to 64 bits. */
static inline void pb_put_uint(struct pb_bytes *b, uint32_t field, uint64_t v)
{
    pb_put_tag(b, field, PB_WIRE_VARINT);
    pb_put_varint(b, v);
}

static inline void pb_put_fixed64(struct pb_bytes *b, uint32_t field, uint64_t v)
{
    pb_put_tag(b, field, PB_WIRE_I64);
    for (int i = 0; i < 8; i++)
        *vec_push(&b->v) = (uint8_t)(v >> i * 8);
}

static inline void pb_put_fixed32(struct pb_bytes *b, uint32_t field, uint32_t v)
{
    pb_put_tag(b, field, PB_WIRE_I32);
    for (int i = 0; i < 4; i++)
        *vec_push(&b->v) = (uint8_t)(v >> i * 8);
}

static inline void pb_put_double(struct pb_bytes *b, uint32_t field, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    pb_put_fixed64(b, field, bits);
}

/* string and bytes */
static inline void pb_put_str(struct pb_bytes *b, uint32_t field, struct str s)
{
    pb_put_tag(b, field, PB_WIRE_LEN);
    pb_put_varint(b, s.n);
    pb_put_raw(b, s.p, s.n);
}

/* A nested message, or the varints of a packed field. */
static inline void pb_put_message(struct pb_bytes *b, uint32_t field,
                                  const struct pb_bytes *message)
{
    pb_put_str(b, field, (struct str){(const char *)message->v.items, message->v.count});
}

/* A nested message that is written in its place: what is appended until it ends is its fields. */
static inline size_t pb_begin_message(struct pb_bytes *b, uint32_t field)
{
    pb_put_tag(b, field, PB_WIRE_LEN);
    *vec_push(&b->v) = 0;
    return b->v.count;
}

/* `at` is what its begin returned. */
static inline void pb_end_message(struct pb_bytes *b, size_t at)
{
    size_t n = b->v.count - at;
    if (n < 0x80) {
        b->v.items[at - 1] = (uint8_t)n;
        return;
    }
    pb_put_varint(b, n); /* behind it first: for its bytes, and the room */
    uint8_t length[PB_VARINT_MOST];
    size_t bytes = b->v.count - at - n;
    memcpy(length, b->v.items + at + n, bytes);
    memmove(b->v.items + at - 1 + bytes, b->v.items + at, n);
    memcpy(b->v.items + at - 1, length, bytes);
    b->v.count = at - 1 + bytes + n;
}

#endif
