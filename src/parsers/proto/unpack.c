#include "parsers/proto/unpack.h"

#include "parsers/proto/wire.h"

/* A message of two bytes may become a struct of some hundred: so much room for each byte, and for
 * the largest struct, is enough for what writers write. */
enum { ROOM_PER_BYTE = 256, ROOM_AT_LEAST = 64 << 10 };

struct room {
    struct arena *arena;
    size_t left;
};

static void *take(void *self, size_t size)
{
    struct room *room = self;
    if (size > room->left)
        return NULL;
    room->left -= size;
    return arena_alloc(room->arena, size);
}

static void give_back(void *self, void *p)
{
    (void)self, (void)p;
}

static void *try_unpack(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t size,
                        struct arena *arena)
{
    struct room room = {arena, ROOM_AT_LEAST};
    size_t more;
    if (__builtin_mul_overflow(size, ROOM_PER_BYTE, &more) ||
        __builtin_add_overflow(room.left, more, &room.left))
        room.left = SIZE_MAX;
    ProtobufCAllocator allocator = {take, give_back, &room};
    return protobuf_c_message_unpack(type, &allocator, size, bytes);
}

static uint32_t wire_type_of(const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return PB_WIRE_I32;
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return PB_WIRE_I64;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return PB_WIRE_LEN;
    default:
        return PB_WIRE_VARINT;
    }
}

/* The bytes up to the last whole element. */
static size_t whole_elements(const struct pb_field *f, uint32_t element)
{
    struct pb_packed it = pb_packed_begin(f, (enum pb_wire_type)element);
    uint64_t ignored;
    while (pb_packed_next(&it, &ignored))
        continue;
    return (size_t)(it.r.p - f->data);
}

static uint8_t *write_varint(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

/* `value` has the size of the field's payload, which stands before `end`: behind where it goes. */
static uint8_t *move_field(uint8_t *out, const struct pb_field *f, const uint8_t *end, size_t size)
{
    out = write_varint(out, (uint64_t)f->number << 3 | f->wire_type);
    if (f->wire_type == PB_WIRE_VARINT)
        return write_varint(out, f->value);
    const uint8_t *value = f->data ? f->data : end - (f->wire_type == PB_WIRE_I64 ? 8 : 4);
    if (f->data)
        out = write_varint(out, size);
    else
        size = (size_t)(end - value);
    memmove(out, value, size);
    return out + size;
}

/* Leaves of the bytes what protobuf-c takes and returns their size: nothing becomes longer. Calls
 * itself as deep as the type is, which does not contain itself. */
static size_t keep_readable(const ProtobufCMessageDescriptor *type, uint8_t *bytes, size_t size)
{
    struct pb_reader r = pb_reader_from(bytes, size);
    struct pb_field f;
    uint8_t *out = bytes;
    while (pb_next(&r, &f)) {
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(type, f.number);
        if (!field)
            continue;
        uint32_t expected = wire_type_of(field);
        size_t n = (size_t)f.value;
        if (f.wire_type == expected && field->type == PROTOBUF_C_TYPE_MESSAGE)
            n = keep_readable(field->descriptor, bytes + (f.data - bytes), n);
        else if (f.wire_type == PB_WIRE_LEN && field->label == PROTOBUF_C_LABEL_REPEATED &&
                 expected != PB_WIRE_LEN)
            n = whole_elements(&f, expected);
        else if (f.wire_type != expected)
            continue;
        out = move_field(out, &f, r.p, n);
    }
    return (size_t)(out - bytes);
}

const void *unpack(const ProtobufCMessageDescriptor *type, const void *bytes, size_t size,
                   struct arena *arena)
{
    /* A file may change while protobuf-c reads the bytes a second time. */
    uint8_t *copy = arena_alloc_bytes(arena, size);
    if (size)
        memcpy(copy, bytes, size);
    const void *message = try_unpack(type, copy, size, arena);
    if (!message)
        message = try_unpack(type, copy, keep_readable(type, copy, size), arena);
    return message ? message : try_unpack(type, copy, 0, arena);
}
