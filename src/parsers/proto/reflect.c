#define PB_READS_LITTLE
#include "parsers/proto/reflect.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "parsers/proto/annotation.h"
#include "parsers/proto/reflect_internal.h"
#include "pb_fields.h"

/* Maps of more slots than this are given back rather than cleared. */
enum { KEPT_SLOTS = 4096 };
/* Longer keys are cut: a long name around many values would take the square of the trace's size. */
enum { KEY_MAX = 1024 };

void reflect_init(struct reflect *r, struct descriptors *descriptors, struct string_pool *strings)
{
    *r = (struct reflect){.descriptors = descriptors,
                          .strings = strings,
                          .annotation_type = DESCRIPTOR_NONE};
}

void reflect_release(struct reflect *r)
{
    vec_release(&r->flat_key);
    vec_release(&r->key);
    vec_release(&r->scratch);
    vec_release(&r->frames);
    vec_release(&r->overrides);
    map_release(&r->overrides_by_key);
    map_release(&r->seen);
    map_release(&r->array_sizes);
}

void reflect_override(struct reflect *r, const char *flat_key, reflect_override_fn *fn, void *self)
{
    struct str key = str_from(flat_key);
    map_set(&r->overrides_by_key, hash_bytes(key.p, key.n, 0), (uint32_t)r->overrides.count);
    *vec_push(&r->overrides) = (struct reflect_override){key, fn, self};
}

static void clear_map(struct map *m)
{
    if (m->cap > KEPT_SLOTS)
        map_release(m);
    if (m->count == 0)
        return;
    memset(m->slots, 0, m->cap * sizeof *m->slots);
    m->count = 0;
}

void reflect_begin(struct reflect *r, struct arg_list *out)
{
    r->out = out;
    r->flat_key.count = r->key.count = r->frames.count = 0;
    clear_map(&r->array_sizes);
}

#define append_bytes(text, bytes, size)                                                            \
    do {                                                                                           \
        vec_reserve((text), (text)->count + (size) + 1); /* not NULL, even where it is empty */    \
        memcpy((text)->items + (text)->count, (bytes), (size));                                    \
        (text)->count += (size);                                                                   \
    } while (0)

/* Notes the size of each array that the key goes through. */
static void continue_arrays_of(struct reflect *r, struct str key)
{
    for (size_t i = 0; i < key.n; i++) {
        struct str from = str_skip(key, i);
        uint64_t index;
        if (key.p[i] != '[' || !str_to_u64(str_from_to(from, 1, str_find(from, ']')), 10, &index) ||
            index >= UINT32_MAX)
            continue;
        bool inserted;
        uint32_t *size = map_insert(&r->array_sizes, hash_bytes(key.p, i, 0), &inserted);
        if (index >= *size)
            *size = (uint32_t)index + 1;
    }
}

void reflect_continue_arrays(struct reflect *r)
{
    for (size_t i = 0; i < r->out->v.count; i++)
        continue_arrays_of(r, string_pool_get(r->strings, r->out->v.items[i].key));
}

struct reflect_mark reflect_enter(struct reflect *r, struct str name)
{
    struct reflect_mark mark = reflect_mark_here(r);
    if (mark.key >= KEY_MAX)
        return mark;
    if (name.n > KEY_MAX - mark.key)
        name.n = KEY_MAX - mark.key;
    if (mark.flat_key > 0)
        *vec_push(&r->flat_key) = '.';
    if (mark.key > 0)
        *vec_push(&r->key) = '.';
    append_bytes(&r->flat_key, name.p, name.n);
    append_bytes(&r->key, name.p, name.n);
    return mark;
}

struct reflect_mark reflect_enter_array(struct reflect *r, uint32_t index)
{
    struct reflect_mark mark = reflect_mark_here(r);
    if (mark.key >= KEY_MAX)
        return mark;
    char text[12]; /* filled from the end; printf would take a third of all the time here */
    size_t at = sizeof text;
    text[--at] = ']';
    do {
        text[--at] = (char)('0' + index % 10);
        index /= 10;
    } while (index > 0);
    text[--at] = '[';
    append_bytes(&r->key, text + at, sizeof text - at);
    return mark;
}

void reflect_leave(struct reflect *r, struct reflect_mark mark)
{
    r->flat_key.count = mark.flat_key;
    r->key.count = mark.key;
}

static void add(struct reflect *r, struct arg a)
{
    struct str flat_key = {r->flat_key.items, r->flat_key.count};
    struct str key = {r->key.items, r->key.count};
    if (key.n == 0)
        flat_key = key = STR("");
    a.flat_key = string_pool_intern(r->strings, flat_key);
    /* A key is its flat key and the array indexes, so that equal lengths are equal texts. */
    a.key = key.n == flat_key.n ? a.flat_key : string_pool_intern(r->strings, key);
    arg_list_add(r->out, a);
}

void reflect_add_null(struct reflect *r)
{
    add(r, (struct arg){.type = ARG_NULL});
}

void reflect_add_int(struct reflect *r, int64_t v)
{
    add(r, (struct arg){.type = ARG_INT, .i = v});
}

void reflect_add_uint(struct reflect *r, uint64_t v)
{
    add(r, (struct arg){.type = ARG_UINT, .i = (int64_t)v});
}

void reflect_add_real(struct reflect *r, double v)
{
    add(r, (struct arg){.type = ARG_REAL, .d = v});
}

void reflect_add_bool(struct reflect *r, bool v)
{
    add(r, (struct arg){.type = ARG_BOOL, .i = v});
}

void reflect_add_pointer(struct reflect *r, uint64_t v)
{
    add(r, (struct arg){.type = ARG_POINTER, .i = (int64_t)v});
}

void reflect_add_str(struct reflect *r, struct str v)
{
    v.n = str_find(v, '\0');
    add(r, (struct arg){.type = ARG_STRING, .s = string_pool_intern(r->strings, v)});
}

static void add_base64(struct reflect *r, struct str bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    r->scratch.count = 0;
    vec_reserve(&r->scratch, bytes.n / 3 * 4 + 4);
    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t left = bytes.n - i;
        uint32_t group = (uint32_t)(uint8_t)bytes.p[i] << 16;
        if (left > 1)
            group |= (uint32_t)(uint8_t)bytes.p[i + 1] << 8;
        if (left > 2)
            group |= (uint8_t)bytes.p[i + 2];
        char *out = r->scratch.items + r->scratch.count;
        out[0] = digits[group >> 18];
        out[1] = digits[group >> 12 & 63];
        out[2] = left > 1 ? digits[group >> 6 & 63] : '=';
        out[3] = left > 2 ? digits[group & 63] : '=';
        r->scratch.count += 4;
    }
    reflect_add_str(r, (struct str){r->scratch.items, r->scratch.count});
}

/* By name; a value without one as digits, but still as a string, so that the arg has one type. */
static void add_enum(struct reflect *r, uint32_t type, int32_t value)
{
    struct str name = descriptors_enum_name(r->descriptors, type, value);
    if (name.p) {
        reflect_add_str(r, name);
        return;
    }
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%" PRId32, value);
    reflect_add_str(r, (struct str){digits, (size_t)n});
}

/* A field that is no message. */
static void add_scalar(struct reflect *r, const struct field_descriptor *field,
                       const struct pb_field *f)
{
    switch (field->type) {
    case PB_FieldDescriptorProto_Type_TYPE_INT32:
    case PB_FieldDescriptorProto_Type_TYPE_SFIXED32:
        reflect_add_int(r, pb_i32(f));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_INT64:
    case PB_FieldDescriptorProto_Type_TYPE_SFIXED64:
        reflect_add_int(r, pb_i64(f));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_SINT32:
        reflect_add_int(r, (int32_t)pb_sint(f));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_SINT64:
        reflect_add_int(r, pb_sint(f));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_UINT32:
    case PB_FieldDescriptorProto_Type_TYPE_FIXED32:
        reflect_add_uint(r, pb_u32(f));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_UINT64:
    case PB_FieldDescriptorProto_Type_TYPE_FIXED64:
        reflect_add_uint(r, pb_u64(f));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_BOOL:
        reflect_add_bool(r, pb_bool(f));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_DOUBLE:
    case PB_FieldDescriptorProto_Type_TYPE_FLOAT:
        reflect_add_real(r, pb_real(f));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_BYTES:
        add_base64(r, pb_str(f));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_STRING:
        reflect_add_str(r, pb_str(f));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_ENUM:
        add_enum(r, field->type_index, pb_i32(f));
        break;
    default:
        break;
    }
}

static bool is_overridden(struct reflect *r, const struct pb_field *f)
{
    if (r->overrides.count == 0)
        return false;
    uint64_t hash = hash_bytes(r->flat_key.items, r->flat_key.count, 0);
    const uint32_t *index = map_find(&r->overrides_by_key, hash);
    if (!index)
        return false;
    struct reflect_override o = r->overrides.items[*index];
    return str_eq(o.flat_key, (struct str){r->flat_key.items, r->flat_key.count}) &&
           o.fn(o.self, r, f);
}

/* How often the field has occurred in the message of this frame, and counts it. */
static uint32_t count_field(struct reflect *r, const struct reflect_frame *frame, uint32_t number)
{
    bool inserted;
    return (*map_insert(&r->seen, (uint64_t)frame->serial << 32 | number, &inserted))++;
}

static struct reflect_mark enter_field(struct reflect *r, const struct reflect_frame *frame,
                                       const struct field_descriptor *field)
{
    struct reflect_mark mark = reflect_enter(r, field->name);
    if (field->repeated)
        reflect_enter_array(r, count_field(r, frame, field->number));
    return mark;
}

static bool is_packable(const struct field_descriptor *field)
{
    return field->type != PB_FieldDescriptorProto_Type_TYPE_MESSAGE &&
           field->type != PB_FieldDescriptorProto_Type_TYPE_GROUP &&
           field->type != PB_FieldDescriptorProto_Type_TYPE_STRING &&
           field->type != PB_FieldDescriptorProto_Type_TYPE_BYTES;
}

static enum pb_wire_type element_wire_type(const struct field_descriptor *field)
{
    switch (field->type) {
    case PB_FieldDescriptorProto_Type_TYPE_FIXED32:
    case PB_FieldDescriptorProto_Type_TYPE_SFIXED32:
    case PB_FieldDescriptorProto_Type_TYPE_FLOAT:
        return PB_WIRE_I32;
    case PB_FieldDescriptorProto_Type_TYPE_FIXED64:
    case PB_FieldDescriptorProto_Type_TYPE_SFIXED64:
    case PB_FieldDescriptorProto_Type_TYPE_DOUBLE:
        return PB_WIRE_I64;
    default:
        return PB_WIRE_VARINT;
    }
}

/* Whether a field is packed shows on the wire; descriptors and writers may disagree on it. */
static void add_packed(struct reflect *r, const struct reflect_frame *frame,
                       const struct field_descriptor *field, const struct pb_field *f)
{
    enum pb_wire_type wire_type = element_wire_type(field);
    struct pb_packed elements = pb_packed_begin(f, wire_type);
    struct pb_field element = {.number = f->number, .wire_type = wire_type};
    while (pb_packed_next(&elements, &element.value)) {
        struct reflect_mark mark = enter_field(r, frame, field);
        if (!is_overridden(r, &element))
            add_scalar(r, field, &element);
        reflect_leave(r, mark);
    }
}

bool reflect_push_frame(struct reflect *r, struct reflect_frame frame)
{
    if (r->frames.count >= REFLECT_DEPTH_MAX)
        return false;
    *vec_push(&r->frames) = frame;
    return true;
}

bool reflect_push_message(struct reflect *r, uint32_t type, struct pb_reader message,
                          struct reflect_mark leave_to)
{
    if (type == DESCRIPTOR_NONE ||
        descriptors_type(r->descriptors, type)->kind != DESCRIPTOR_MESSAGE)
        return false;
    if (r->annotation_type == DESCRIPTOR_NONE)
        r->annotation_type =
            descriptors_find(r->descriptors, STR("perfetto.protos.DebugAnnotation"));
    return reflect_push_frame(r, (struct reflect_frame){.kind = FRAME_MESSAGE,
                                                        .r = message,
                                                        .leave_to = leave_to,
                                                        .type = type,
                                                        .serial = r->serial++,
                                                        .empty = true});
}

static bool is_listed(const uint32_t *numbers, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

static bool is_hidden(const struct reflect *r, uint32_t number,
                      const struct reflect_options *options)
{
    return r->frames.count == 1 && is_listed(options->hidden, options->hidden_count, number);
}

static bool is_shown(const struct reflect *r, const struct field_descriptor *field,
                     const struct reflect_options *options)
{
    if (is_hidden(r, field->number, options))
        return false;
    if (r->frames.count > 1 || field->extension || !options->allowed)
        return true;
    return field->number < 64 && options->allowed >> field->number & 1;
}

/* Adds one field of the innermost message, or pushes it where it is a message itself. */
static bool add_field(struct reflect *r, const struct field_descriptor *field,
                      const struct pb_field *f)
{
    const struct reflect_frame *frame = &vec_last(&r->frames);
    if (field->repeated && f->wire_type == PB_WIRE_LEN && is_packable(field)) {
        add_packed(r, frame, field, f);
        return true;
    }
    struct reflect_mark mark = enter_field(r, frame, field);
    if (!is_overridden(r, f)) {
        if (field->type == PB_FieldDescriptorProto_Type_TYPE_MESSAGE) {
            if (field->type_index != r->annotation_type)
                return reflect_push_message(r, field->type_index, pb_message(f), mark);
            reflect_leave(r, mark); /* an annotation goes by its own name */
            return annotation_push(r, pb_message(f));
        }
        add_scalar(r, field, f);
    }
    reflect_leave(r, mark);
    return true;
}

static void add_default(struct reflect *r, const struct field_descriptor *field)
{
    static const struct pb_field zero = {.wire_type = PB_WIRE_VARINT};
    struct reflect_mark mark = reflect_enter(r, field->name);
    if (field->repeated || field->type == PB_FieldDescriptorProto_Type_TYPE_MESSAGE ||
        field->type == PB_FieldDescriptorProto_Type_TYPE_STRING)
        reflect_add_null(r);
    else
        add_scalar(r, field, &zero);
    vec_last(&r->out->v).is_default = true;
    reflect_leave(r, mark);
}

static void add_defaults(struct reflect *r, const struct reflect_options *options)
{
    struct reflect_frame *frame = &vec_last(&r->frames);
    const struct descriptors *d = r->descriptors;
    for (uint32_t i = descriptors_first_member(d, frame->type); i != DESCRIPTOR_NONE;
         i = descriptors_next_member(d, frame->type, i)) {
        const struct field_descriptor *field = descriptors_field_at(d, i);
        if (map_find(&r->seen, (uint64_t)frame->serial << 32 | field->number) ||
            !is_shown(r, field, options))
            continue;
        add_default(r, field);
        frame->empty = false;
    }
}

/* The innermost message from where it stands, to its end or to a message in it. */
static bool step_message(struct reflect *r, const struct reflect_options *options)
{
    struct reflect_frame *frame = &vec_last(&r->frames);
    size_t depth = r->frames.count;
    struct pb_field f;
    while (pb_next(&frame->r, &f)) {
        frame->empty = false;
        const struct field_descriptor *field =
            descriptors_field(r->descriptors, frame->type, f.number);
        if (!field) {
            r->unknown_fields += !is_hidden(r, f.number, options);
            continue;
        }
        if (options->add_defaults && !field->repeated)
            count_field(r, frame, field->number);
        if (!is_shown(r, field, options))
            continue;
        if (!add_field(r, field, &f))
            return false;
        if (r->frames.count > depth)
            return true;
    }
    if (options->add_defaults)
        add_defaults(r, options);
    if (frame->empty)
        reflect_add_null(r);
    reflect_leave(r, frame->leave_to);
    r->frames.count--;
    return true;
}

/* Until the stack is empty again; false leaves nothing behind on it. */
static bool run(struct reflect *r, const struct reflect_options *options, struct reflect_mark mark)
{
    bool ok = true;
    while (ok && r->frames.count > 0)
        ok = vec_last(&r->frames).kind == FRAME_MESSAGE ? step_message(r, options)
                                                        : annotation_step(r);
    r->frames.count = 0;
    reflect_leave(r, mark);
    clear_map(&r->seen);
    r->serial = 0;
    return ok;
}

bool reflect_message(struct reflect *r, uint32_t type, struct pb_reader message,
                     const struct reflect_options *options)
{
    static const struct reflect_options defaults = {0};
    struct reflect_mark mark = reflect_mark_here(r);
    return reflect_push_message(r, type, message, mark) &&
           run(r, options ? options : &defaults, mark);
}

bool reflect_annotation(struct reflect *r, struct pb_reader annotation)
{
    static const struct reflect_options defaults = {0};
    struct reflect_mark mark = reflect_mark_here(r);
    if (!annotation_push(r, annotation)) {
        reflect_leave(r, mark);
        return false;
    }
    if (r->frames.count == 0)
        return true;
    return run(r, &defaults, mark);
}
