#include "proto.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

void proto_release(struct proto *w)
{
    free(w->data);
    *w = (struct proto){0};
}

void proto_clear(struct proto *w)
{
    assert(w->depth == 0);
    w->size = 0;
}

static uint8_t *proto_room(struct proto *w, size_t n)
{
    if (w->cap - w->size < n) {
        w->cap = w->cap * 2 + n + 64;
        w->data = realloc_array(w->data, w->cap, 1);
    }
    return w->data + w->size;
}

static size_t varint_put(uint8_t *p, uint64_t value)
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        p[n++] = (uint8_t)(value | 0x80);
    p[n++] = (uint8_t)value;
    return n;
}

void proto_varint(struct proto *w, uint64_t value)
{
    w->size += varint_put(proto_room(w, 10), value);
}

void proto_raw(struct proto *w, const void *data, size_t size)
{
    if (size == 0)
        return;
    memcpy(proto_room(w, size), data, size);
    w->size += size;
}

static void proto_tag(struct proto *w, uint32_t field, uint32_t wire)
{
    proto_varint(w, (uint64_t)field << 3 | wire);
}

void proto_u64(struct proto *w, uint32_t field, uint64_t value)
{
    proto_tag(w, field, WIRE_VARINT);
    proto_varint(w, value);
}

void proto_i64(struct proto *w, uint32_t field, int64_t value)
{
    proto_u64(w, field, (uint64_t)value);
}

void proto_fixed64(struct proto *w, uint32_t field, uint64_t value)
{
    proto_tag(w, field, WIRE_FIXED64);
    uint8_t *p = proto_room(w, 8);
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(value >> (8 * i));
    w->size += 8;
}

void proto_double(struct proto *w, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    proto_fixed64(w, field, bits);
}

void proto_bytes(struct proto *w, uint32_t field, const void *data, size_t size)
{
    proto_tag(w, field, WIRE_BYTES);
    proto_varint(w, size);
    proto_raw(w, data, size);
}

void proto_string(struct proto *w, uint32_t field, const char *text)
{
    proto_bytes(w, field, text, strlen(text));
}

void proto_begin(struct proto *w, uint32_t field)
{
    assert(w->depth < PROTO_DEPTH_MAX);
    proto_tag(w, field, WIRE_BYTES);
    proto_room(w, 1);
    w->size++; /* one byte of length; proto_end makes room where it needs more */
    w->starts[w->depth++] = w->size;
}

void proto_end(struct proto *w)
{
    assert(w->depth > 0);
    size_t start = w->starts[--w->depth], length = w->size - start;
    uint8_t bytes[10];
    size_t n = varint_put(bytes, length);
    if (n > 1) {
        proto_room(w, n - 1);
        memmove(w->data + start + n - 1, w->data + start, length);
        w->size += n - 1;
    }
    memcpy(w->data + start - 1, bytes, n);
}
