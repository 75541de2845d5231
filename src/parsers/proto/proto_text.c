#include "parsers/proto/proto_text.h"

#include <inttypes.h>

#include "parsers/proto/field_write.h"
#include "parsers/proto/text_put.h"

/* A new line, unless it is the first, indented. */
static void put_line(struct text *out, size_t depth)
{
    if (out->v.count)
        text_put(out, "\n", 1);
    text_put_indent(out, depth);
}

/* Bytes that are no text are octal in a field of bytes; in a string they stay what they are. */
static void put_quoted(struct text *out, struct str s, bool is_bytes)
{
    static const char plain[] = "\a\b\f\n\r\t\v'\"\\", named[] = "abfnrtv'\"\\";
    text_put(out, "\"", 1);
    for (size_t i = 0; i < s.n; i++) {
        const char *hit = s.p[i] ? memchr(plain, s.p[i], sizeof plain - 1) : NULL;
        unsigned char byte = (unsigned char)s.p[i];
        if (is_bytes && !hit && (byte < ' ' || byte > '~')) {
            text_put_format(out, "\\%03o", byte);
            continue;
        }
        if (hit)
            text_put(out, "\\", 1);
        text_put(out, hit ? &named[hit - plain] : &s.p[i], 1);
    }
    text_put(out, "\"", 1);
}

static void put_enum(struct text *out, const struct descriptors *d, uint32_t type, int32_t value)
{
    struct str name = descriptors_enum_name(d, type, value);
    if (name.p)
        text_put_str(out, name);
    else
        text_put_format(out, "%" PRId32, value);
}

static void put_number(struct text *out, const struct descriptors *d,
                       const struct field_descriptor *field, const struct pb_field *f)
{
    switch (field->type) {
    case PB_FieldDescriptorProto_Type_TYPE_BOOL:
        text_put_str(out, pb_bool(f) ? STR("true") : STR("false"));
        return;
    case PB_FieldDescriptorProto_Type_TYPE_ENUM:
        put_enum(out, d, field->type_index, pb_i32(f));
        return;
    case PB_FieldDescriptorProto_Type_TYPE_DOUBLE:
    case PB_FieldDescriptorProto_Type_TYPE_FLOAT:
        text_put_format(out, "%f", pb_real(f));
        return;
    default:
        text_put_int(out, field, f);
    }
}

/* Extensions stand in brackets with where they are defined. */
static void put_name(struct text *out, const struct field_descriptor *field)
{
    if (field->extension) {
        text_put(out, "[", 1);
        text_put_str(out, field->scope);
        text_put(out, ".", field->scope.n > 0);
    }
    text_put_str(out, field->name);
    text_put(out, "]", field->extension);
}

static void put_field(struct text *out, const struct descriptors *d, size_t depth,
                      const struct field_descriptor *field, const struct pb_field *f)
{
    bool is_string = field->type == PB_FieldDescriptorProto_Type_TYPE_STRING;
    if (is_string || field->type == PB_FieldDescriptorProto_Type_TYPE_BYTES) {
        put_line(out, depth);
        put_name(out, field);
        text_put(out, ": ", 2);
        put_quoted(out, pb_str(f), !is_string);
        return;
    }
    struct pb_packed it = pb_packed_begin(f, field_wire_type(field));
    for (struct pb_field element = *f; pb_packed_next(&it, &element.value);) {
        element.wire_type = it.element;
        put_line(out, depth);
        put_name(out, field);
        text_put(out, ": ", 2);
        put_number(out, d, field, &element);
    }
}

struct text_level {
    struct pb_reader r;
    uint32_t type;
};

void proto_text_append(struct text *out, struct descriptors *d, uint32_t type, const uint8_t *bytes,
                       size_t size)
{
    struct text_level levels[PROTO_TEXT_DEPTH_MAX] = {{pb_reader_from(bytes, size), type}};
    size_t depth = 0;
    for (;;) {
        struct pb_field f;
        if (!pb_next(&levels[depth].r, &f)) {
            if (depth == 0)
                return;
            put_line(out, --depth);
            text_put(out, "}", 1);
            continue;
        }
        const struct field_descriptor *field = descriptors_field(d, levels[depth].type, f.number);
        if (!field)
            continue;
        if (field->type != PB_FieldDescriptorProto_Type_TYPE_MESSAGE) {
            put_field(out, d, depth, field, &f);
            continue;
        }
        if (depth + 1 == PROTO_TEXT_DEPTH_MAX || field->type_index == DESCRIPTOR_NONE)
            continue;
        put_line(out, depth);
        put_name(out, field);
        text_put(out, " {", 2);
        levels[++depth] = (struct text_level){pb_message(&f), field->type_index};
    }
}
