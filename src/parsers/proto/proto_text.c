#include "parsers/proto/proto_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "parsers/proto/field_write.h"

enum { NUMBER_MAX = 512 };

static void put(struct text *out, const char *p, size_t n)
{
    vec_reserve(&out->v, out->v.count + n);
    if (n)
        memcpy(out->v.items + out->v.count, p, n);
    out->v.count += n;
}

static void put_str(struct text *out, struct str s)
{
    put(out, s.p, s.n);
}

__attribute__((format(printf, 2, 3))) static void put_format(struct text *out, const char *format,
                                                             ...)
{
    char buffer[NUMBER_MAX];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    put(out, buffer, n < 0 ? 0 : n < NUMBER_MAX ? (size_t)n : NUMBER_MAX - 1);
}

/* A new line, unless it is the first, indented. */
static void put_line(struct text *out, size_t depth)
{
    if (out->v.count)
        put(out, "\n", 1);
    for (size_t i = 0; i < depth; i++)
        put(out, "  ", 2);
}

/* Bytes that are no text are octal in a field of bytes; in a string they stay what they are. */
static void put_quoted(struct text *out, struct str s, bool is_bytes)
{
    static const char plain[] = "\a\b\f\n\r\t\v'\"\\", named[] = "abfnrtv'\"\\";
    put(out, "\"", 1);
    for (size_t i = 0; i < s.n; i++) {
        const char *hit = s.p[i] ? memchr(plain, s.p[i], sizeof plain - 1) : NULL;
        unsigned char byte = (unsigned char)s.p[i];
        if (is_bytes && !hit && (byte < ' ' || byte > '~')) {
            put_format(out, "\\%03o", byte);
            continue;
        }
        if (hit)
            put(out, "\\", 1);
        put(out, hit ? &named[hit - plain] : &s.p[i], 1);
    }
    put(out, "\"", 1);
}

static void put_enum(struct text *out, const struct descriptors *d, uint32_t type, int32_t value)
{
    struct str name = descriptors_enum_name(d, type, value);
    if (name.p)
        put_str(out, name);
    else
        put_format(out, "%" PRId32, value);
}

static void put_number(struct text *out, const struct descriptors *d,
                       const struct field_descriptor *field, const struct pb_field *f)
{
    switch (field->type) {
    case PB_FieldDescriptorProto_Type_TYPE_BOOL:
        put_str(out, pb_bool(f) ? STR("true") : STR("false"));
        return;
    case PB_FieldDescriptorProto_Type_TYPE_ENUM:
        put_enum(out, d, field->type_index, pb_i32(f));
        return;
    case PB_FieldDescriptorProto_Type_TYPE_DOUBLE:
    case PB_FieldDescriptorProto_Type_TYPE_FLOAT:
        put_format(out, "%f", pb_real(f));
        return;
    case PB_FieldDescriptorProto_Type_TYPE_SINT32:
    case PB_FieldDescriptorProto_Type_TYPE_SINT64:
        put_format(out, "%" PRId64, pb_sint(f));
        return;
    case PB_FieldDescriptorProto_Type_TYPE_INT32:
    case PB_FieldDescriptorProto_Type_TYPE_SFIXED32:
        put_format(out, "%" PRId32, pb_i32(f));
        return;
    case PB_FieldDescriptorProto_Type_TYPE_INT64:
    case PB_FieldDescriptorProto_Type_TYPE_SFIXED64:
        put_format(out, "%" PRId64, pb_i64(f));
        return;
    default:
        put_format(out, "%" PRIu64, pb_u64(f));
        return;
    }
}

static void put_field(struct text *out, const struct descriptors *d, size_t depth,
                      const struct field_descriptor *field, const struct pb_field *f)
{
    bool is_string = field->type == PB_FieldDescriptorProto_Type_TYPE_STRING;
    if (is_string || field->type == PB_FieldDescriptorProto_Type_TYPE_BYTES) {
        put_line(out, depth);
        put_str(out, field->name);
        put(out, ": ", 2);
        put_quoted(out, pb_str(f), !is_string);
        return;
    }
    struct pb_packed it = pb_packed_begin(f, field_wire_type(field));
    for (struct pb_field element = *f; pb_packed_next(&it, &element.value);) {
        element.wire_type = it.element;
        put_line(out, depth);
        put_str(out, field->name);
        put(out, ": ", 2);
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
            put(out, "}", 1);
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
        put_str(out, field->name);
        put(out, " {", 2);
        levels[++depth] = (struct text_level){pb_message(&f), field->type_index};
    }
}
