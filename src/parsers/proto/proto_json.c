#include "parsers/proto/proto_json.h"

#include <inttypes.h>
#include <math.h>

#include "base/json_escape.h"
#include "base/utf8.h"
#include "parsers/proto/field_write.h"
#include "parsers/proto/text_put.h"

/* A message, or the array of one of its fields, that has not ended. */
struct json_level {
    struct pb_reader r;     /* what is left */
    struct pb_reader whole; /* all of the message */
    uint32_t type;
    uint32_t array;  /* the number of the field whose elements these are; 0: a message */
    uint32_t serial; /* of a message */
    bool empty;      /* nothing has been written */
};

struct json {
    struct text *out;
    struct descriptors *d;
    struct json_level levels[2 * PROTO_TEXT_DEPTH_MAX];
    size_t depth;
    uint32_t messages; /* so far */
    struct map seen;   /* serial << 32 | number of the fields that have been written */
};

/* The place for the next element or key. */
static void next_line(struct json *j)
{
    struct json_level *level = &j->levels[j->depth];
    text_put(j->out, level->empty ? "\n" : ",\n", level->empty ? 1 : 2);
    level->empty = false;
    text_put_indent(j->out, j->depth + 1);
}

/* All but ASCII is escaped. */
static void put_char(struct text *out, char32_t c)
{
    char shown[JSON_ESCAPE_MAX] = {(char)c};
    bool as_it_is = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    text_put(out, shown, as_it_is ? 1 : json_escape(c, shown));
}

/* What is no character of UTF-8 is one of its byte's number, and so are bytes. */
static void put_quoted(struct text *out, struct str s, bool is_text)
{
    text_put(out, "\"", 1);
    while (s.n > 0) {
        struct utf8_char c = {.ch = (unsigned char)s.p[0], .size = 1};
        if (is_text)
            c = utf8_decode(s);
        put_char(out, c.ch);
        s = str_skip(s, c.size);
    }
    text_put(out, "\"", 1);
}

static void put_enum(struct json *j, uint32_t type, int32_t value)
{
    struct str name = descriptors_enum_name(j->d, type, value);
    if (name.p)
        put_quoted(j->out, name, true);
    else
        text_put_format(j->out, "%" PRId32, value);
}

/* JSON has no infinities. */
static void put_real(struct text *out, double v)
{
    text_put_format(out, isfinite(v) ? "%f" : "\"%f\"", v);
}

static void put_number(struct json *j, const struct field_descriptor *field,
                       const struct pb_field *f)
{
    switch (field->type) {
    case PB_FieldDescriptorProto_Type_TYPE_BOOL:
        text_put_str(j->out, pb_bool(f) ? STR("true") : STR("false"));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_ENUM:
        put_enum(j, field->type_index, pb_i32(f));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_DOUBLE:
    case PB_FieldDescriptorProto_Type_TYPE_FLOAT:
        put_real(j->out, pb_real(f));
        break;
    default:
        text_put_int(j->out, field, f);
    }
}

static void open_level(struct json *j, struct json_level level)
{
    level.empty = true;
    level.serial = ++j->messages;
    text_put(j->out, level.array ? "[" : "{", 1);
    j->levels[++j->depth] = level;
}

static void close_level(struct json *j)
{
    struct json_level done = j->levels[j->depth--];
    if (!done.empty) {
        text_put(j->out, "\n", 1);
        text_put_indent(j->out, j->depth + 1);
    }
    text_put(j->out, done.array ? "]" : "}", 1);
}

/* Opens a message, or writes all numbers of one occurrence of a field. */
static void put_value(struct json *j, const struct field_descriptor *field,
                      const struct pb_field *f, bool in_array)
{
    bool is_text = field->type == PB_FieldDescriptorProto_Type_TYPE_STRING;
    struct pb_reader message = pb_message(f);
    if (field->type == PB_FieldDescriptorProto_Type_TYPE_MESSAGE) {
        if (in_array)
            next_line(j);
        open_level(j,
                   (struct json_level){.r = message, .whole = message, .type = field->type_index});
        return;
    }
    if (is_text || field->type == PB_FieldDescriptorProto_Type_TYPE_BYTES) {
        if (in_array)
            next_line(j);
        put_quoted(j->out, pb_str(f), is_text);
        return;
    }
    struct pb_packed it = pb_packed_begin(f, field_wire_type(field));
    bool first = true;
    for (struct pb_field e = *f; (in_array || first) && pb_packed_next(&it, &e.value);) {
        e.wire_type = it.element;
        if (in_array)
            next_line(j);
        put_number(j, field, &e);
        first = false;
    }
    if (first && !in_array)
        text_put(j->out, "null", 4);
}

static void put_key(struct json *j, const struct field_descriptor *field)
{
    next_line(j);
    text_put(j->out, "\"", 1);
    if (field->extension && j->depth == 0 && field->scope.n > 0) {
        text_put_str(j->out, field->scope);
        text_put(j->out, ".", 1);
    }
    text_put_str(j->out, field->name);
    text_put(j->out, "\": ", 3);
}

/* Whether this is the field's first appearance in the innermost message. */
static bool is_first(struct json *j, uint32_t number)
{
    bool inserted;
    map_insert(&j->seen, (uint64_t)j->levels[j->depth].serial << 32 | number, &inserted);
    return inserted;
}

static bool has_room(const struct json *j, const struct field_descriptor *field)
{
    bool deeper = field->repeated || field->type == PB_FieldDescriptorProto_Type_TYPE_MESSAGE;
    bool known = field->type != PB_FieldDescriptorProto_Type_TYPE_MESSAGE ||
                 field->type_index != DESCRIPTOR_NONE;
    return known && (!deeper || j->depth + 2 < sizeof j->levels / sizeof *j->levels);
}

static void put_field(struct json *j, const struct pb_field *f)
{
    struct json_level *level = &j->levels[j->depth];
    const struct field_descriptor *field = descriptors_field(j->d, level->type, f->number);
    if (!field || !has_room(j, field))
        return;
    if (level->array) {
        if (level->array == f->number)
            put_value(j, field, f, true);
    } else if (is_first(j, f->number)) {
        struct json_level elements = *level;
        elements.array = f->number;
        elements.r = level->whole;
        put_key(j, field);
        if (field->repeated)
            open_level(j, elements);
        else
            put_value(j, field, f, false);
    }
}

void proto_json_append(struct text *out, struct descriptors *d, uint32_t type, const uint8_t *bytes,
                       size_t size)
{
    struct json j = {.out = out, .d = d};
    struct pb_reader whole = pb_reader_from(bytes, size);
    j.levels[0] = (struct json_level){.r = whole, .whole = whole, .type = type, .empty = true};
    text_put(out, "{", 1);
    for (;;) {
        struct pb_field f;
        if (pb_next(&j.levels[j.depth].r, &f))
            put_field(&j, &f);
        else if (j.depth > 0)
            close_level(&j);
        else
            break;
    }
    text_put(out, j.levels[0].empty ? "}" : "\n}", j.levels[0].empty ? 1 : 2);
    map_release(&j.seen);
}
