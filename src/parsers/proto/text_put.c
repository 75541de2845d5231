#include "parsers/proto/text_put.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pb_fields.h"

enum { FORMATTED_MAX = 512 };

void text_put(struct text *out, const char *p, size_t n)
{
    vec_append(&out->v, p, n);
}

void text_put_str(struct text *out, struct str s)
{
    text_put(out, s.p, s.n);
}

void text_put_format(struct text *out, const char *format, ...)
{
    char buffer[FORMATTED_MAX];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    text_put(out, buffer, n < 0 ? 0 : n < FORMATTED_MAX ? (size_t)n : FORMATTED_MAX - 1);
}

void text_put_indent(struct text *out, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        text_put(out, "  ", 2);
}

void text_put_int(struct text *out, const struct field_descriptor *field, const struct pb_field *f)
{
    switch (field->type) {
    case PB_FieldDescriptorProto_Type_TYPE_SINT32:
    case PB_FieldDescriptorProto_Type_TYPE_SINT64:
        text_put_format(out, "%" PRId64, pb_sint(f));
        return;
    case PB_FieldDescriptorProto_Type_TYPE_INT32:
    case PB_FieldDescriptorProto_Type_TYPE_SFIXED32:
        text_put_format(out, "%" PRId32, pb_i32(f));
        return;
    case PB_FieldDescriptorProto_Type_TYPE_INT64:
    case PB_FieldDescriptorProto_Type_TYPE_SFIXED64:
        text_put_format(out, "%" PRId64, pb_i64(f));
        return;
    default:
        text_put_format(out, "%" PRIu64, pb_u64(f));
        return;
    }
}
