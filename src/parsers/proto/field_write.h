/* Values of fields as their descriptors have them on the wire. */
#ifndef TPTUI_PARSERS_PROTO_FIELD_WRITE_H
#define TPTUI_PARSERS_PROTO_FIELD_WRITE_H

#include "parsers/proto/descriptors.h"
#include "parsers/proto/write.h"
#include "pb_fields.h"

/* Of one element, packed or not. */
static inline enum pb_wire_type field_wire_type(const struct field_descriptor *f)
{
    switch (f->type) {
    case PB_FieldDescriptorProto_Type_TYPE_DOUBLE:
    case PB_FieldDescriptorProto_Type_TYPE_FIXED64:
    case PB_FieldDescriptorProto_Type_TYPE_SFIXED64:
        return PB_WIRE_I64;
    case PB_FieldDescriptorProto_Type_TYPE_FLOAT:
    case PB_FieldDescriptorProto_Type_TYPE_FIXED32:
    case PB_FieldDescriptorProto_Type_TYPE_SFIXED32:
        return PB_WIRE_I32;
    case PB_FieldDescriptorProto_Type_TYPE_STRING:
    case PB_FieldDescriptorProto_Type_TYPE_BYTES:
    case PB_FieldDescriptorProto_Type_TYPE_MESSAGE:
        return PB_WIRE_LEN;
    default:
        return PB_WIRE_VARINT;
    }
}

/* What an integer is on the wire, for field_put_bits, which cuts it to the field's size where that
 * is fixed. */
static inline uint64_t field_int_bits(const struct field_descriptor *f, int64_t v)
{
    bool zigzag = f->type == PB_FieldDescriptorProto_Type_TYPE_SINT32 ||
                  f->type == PB_FieldDescriptorProto_Type_TYPE_SINT64;
    return zigzag ? (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0) : (uint64_t)v;
}

static inline uint64_t field_real_bits(const struct field_descriptor *f, double v)
{
    uint64_t bits;
    uint32_t single_bits;
    float single = (float)v;
    memcpy(&bits, &v, sizeof bits);
    memcpy(&single_bits, &single, sizeof single_bits);
    return f->type == PB_FieldDescriptorProto_Type_TYPE_FLOAT ? single_bits : bits;
}

/* One number behind another, as in a packed field. `type` is not PB_WIRE_LEN. */
static inline void field_put_bits(struct pb_bytes *b, enum pb_wire_type type, uint64_t bits)
{
    if (type == PB_WIRE_VARINT) {
        pb_put_varint(b, bits);
        return;
    }
    for (int i = 0; i < (type == PB_WIRE_I64 ? 8 : 4); i++)
        *vec_push(&b->v) = (uint8_t)(bits >> i * 8);
}

/* A field that is a number. */
static inline void field_put_number(struct pb_bytes *b, const struct field_descriptor *f,
                                    uint64_t bits)
{
    enum pb_wire_type type = field_wire_type(f);
    pb_put_tag(b, f->number, type);
    field_put_bits(b, type, bits);
}

#endif
