#define PB_READS_LITTLE
#include "parsers/proto/annotation.h"

#include "base/hash.h"
#include "parsers/proto/reflect_internal.h"
#include "pb_fields.h"

/* The last occurrence of each field of an annotation or nested value. */
enum { FIELDS = 32 };

struct fields {
    struct pb_reader message;
    uint32_t present; /* bit: field number */
    struct pb_field at[FIELDS];
};

static void read_fields(struct fields *fields, struct pb_reader message)
{
    struct pb_field f;
    fields->message = message;
    fields->present = 0;
    while (pb_next(&message, &f)) {
        if (f.number >= FIELDS)
            continue;
        fields->present |= UINT32_C(1) << f.number;
        fields->at[f.number] = f;
    }
}

static bool has(const struct fields *fields, uint32_t number)
{
    return fields->present >> number & 1;
}

static struct str interned(struct reflect *r, uint32_t field, uint64_t iid)
{
    return r->hooks.interned ? r->hooks.interned(r->hooks.self, field, iid) : (struct str){NULL, 0};
}

/* Dots and brackets would read as structure of the key. */
static void enter_sanitized(struct reflect *r, struct str name)
{
    r->scratch.count = 0;
    vec_reserve(&r->scratch, name.n + 1);
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        r->scratch.items[i] = c == '.' || c == '[' || c == ']' ? '_' : c;
    }
    reflect_enter(r, (struct str){r->scratch.items, name.n});
}

static bool enter_name(struct reflect *r, const struct fields *fields)
{
    struct str name = {NULL, 0};
    if (has(fields, PB_DebugAnnotation_name_iid) &&
        pb_u64(&fields->at[PB_DebugAnnotation_name_iid]) != 0)
        name = interned(r, PB_InternedData_debug_annotation_names,
                        pb_u64(&fields->at[PB_DebugAnnotation_name_iid]));
    else if (has(fields, PB_DebugAnnotation_name))
        name = pb_str(&fields->at[PB_DebugAnnotation_name]);
    if (!name.p)
        return false;
    enter_sanitized(r, name);
    return true;
}

/* Something was added to the innermost annotation or nested value, if that is what it is. */
static void note_added(struct reflect *r)
{
    if (r->frames.count == 0)
        return;
    struct reflect_frame *frame = &vec_last(&r->frames);
    frame->added = true;
    if (frame->kind != FRAME_ARRAY && frame->kind != FRAME_NESTED_ARRAY)
        return;
    frame->index++;
    map_set(&r->array_sizes, frame->array_key, frame->index);
}

/* Dicts count as shown even when they are empty. Arrays of the same key go on counting. */
static bool push_container(struct reflect *r, enum frame_kind kind, struct pb_reader message,
                           struct reflect_mark leave_to)
{
    struct reflect_frame frame = {.kind = kind,
                                  .r = message,
                                  .keys = message,
                                  .leave_to = leave_to};
    frame.added = kind == FRAME_DICT || kind == FRAME_NESTED_DICT;
    if (!frame.added) {
        frame.array_key = hash_bytes(r->key.items, r->key.count, 0);
        const uint32_t *size = map_find(&r->array_sizes, frame.array_key);
        frame.index = size ? *size : 0;
    }
    return reflect_push_frame(r, frame);
}

/* What a scalar says: true where one was there. `*ok` turns false where it refers to nothing. */
static bool add_scalar(struct reflect *r, const struct fields *fields, bool *ok)
{
    const struct pb_field *at = fields->at;
    if (has(fields, PB_DebugAnnotation_bool_value)) {
        reflect_add_bool(r, pb_bool(&at[PB_DebugAnnotation_bool_value]));
    } else if (has(fields, PB_DebugAnnotation_uint_value)) {
        reflect_add_uint(r, pb_u64(&at[PB_DebugAnnotation_uint_value]));
    } else if (has(fields, PB_DebugAnnotation_int_value)) {
        reflect_add_int(r, pb_i64(&at[PB_DebugAnnotation_int_value]));
    } else if (has(fields, PB_DebugAnnotation_double_value)) {
        reflect_add_real(r, pb_real(&at[PB_DebugAnnotation_double_value]));
    } else if (has(fields, PB_DebugAnnotation_string_value)) {
        reflect_add_str(r, pb_str(&at[PB_DebugAnnotation_string_value]));
    } else if (has(fields, PB_DebugAnnotation_string_value_iid)) {
        struct str text = interned(r, PB_InternedData_debug_annotation_string_values,
                                   pb_u64(&at[PB_DebugAnnotation_string_value_iid]));
        *ok = text.p != NULL;
        if (*ok)
            reflect_add_str(r, text);
    } else if (has(fields, PB_DebugAnnotation_pointer_value)) {
        reflect_add_pointer(r, pb_u64(&at[PB_DebugAnnotation_pointer_value]));
    } else if (has(fields, PB_DebugAnnotation_legacy_json_value)) {
        if (r->hooks.json)
            r->hooks.json(r->hooks.self, r, pb_str(&at[PB_DebugAnnotation_legacy_json_value]));
    } else {
        return false;
    }
    return true;
}

static bool push_proto_value(struct reflect *r, const struct fields *fields,
                             struct reflect_mark leave_to)
{
    struct str name = {NULL, 0};
    if (has(fields, PB_DebugAnnotation_proto_type_name))
        name = pb_str(&fields->at[PB_DebugAnnotation_proto_type_name]);
    else if (has(fields, PB_DebugAnnotation_proto_type_name_iid))
        name = interned(r, PB_InternedData_debug_annotation_value_type_names,
                        pb_u64(&fields->at[PB_DebugAnnotation_proto_type_name_iid]));
    if (!name.p)
        return false;
    struct pb_reader value = pb_message(&fields->at[PB_DebugAnnotation_proto_value]);
    return reflect_push_message(r, descriptors_find(r->descriptors, name), value, leave_to);
}

static uint32_t count_fields(struct pb_reader message, uint32_t number)
{
    struct pb_field f;
    uint32_t count = 0;
    while (pb_next(&message, &f))
        count += f.number == number;
    return count;
}

static bool add_nested_scalar(struct reflect *r, const struct fields *fields)
{
    const struct pb_field *at = fields->at;
    if (has(fields, PB_DebugAnnotation_NestedValue_bool_value))
        reflect_add_bool(r, pb_bool(&at[PB_DebugAnnotation_NestedValue_bool_value]));
    else if (has(fields, PB_DebugAnnotation_NestedValue_int_value))
        reflect_add_int(r, pb_i64(&at[PB_DebugAnnotation_NestedValue_int_value]));
    else if (has(fields, PB_DebugAnnotation_NestedValue_double_value))
        reflect_add_real(r, pb_real(&at[PB_DebugAnnotation_NestedValue_double_value]));
    else if (has(fields, PB_DebugAnnotation_NestedValue_string_value))
        reflect_add_str(r, pb_str(&at[PB_DebugAnnotation_NestedValue_string_value]));
    else
        return false;
    return true;
}

/* A nested value under the current key, which goes back to `leave_to` when it is done. */
static bool push_nested(struct reflect *r, struct pb_reader message, struct reflect_mark leave_to)
{
    struct fields fields;
    read_fields(&fields, message);
    uint64_t type = has(&fields, PB_DebugAnnotation_NestedValue_nested_type)
                        ? pb_u64(&fields.at[PB_DebugAnnotation_NestedValue_nested_type])
                        : PB_DebugAnnotation_NestedValue_NestedType_UNSPECIFIED;
    if (type == PB_DebugAnnotation_NestedValue_NestedType_ARRAY)
        return push_container(r, FRAME_NESTED_ARRAY, message, leave_to);
    if (type == PB_DebugAnnotation_NestedValue_NestedType_DICT)
        return count_fields(message, PB_DebugAnnotation_NestedValue_dict_keys) ==
                   count_fields(message, PB_DebugAnnotation_NestedValue_dict_values) &&
               push_container(r, FRAME_NESTED_DICT, message, leave_to);
    bool added = type == PB_DebugAnnotation_NestedValue_NestedType_UNSPECIFIED &&
                 add_nested_scalar(r, &fields);
    reflect_leave(r, leave_to);
    if (added)
        note_added(r);
    return true;
}

/* The value of an annotation whose name or index ends the current key. */
static bool push_value(struct reflect *r, const struct fields *fields, struct reflect_mark leave_to)
{
    if (has(fields, PB_DebugAnnotation_dict_entries))
        return push_container(r, FRAME_DICT, fields->message, leave_to);
    if (has(fields, PB_DebugAnnotation_array_values))
        return push_container(r, FRAME_ARRAY, fields->message, leave_to);
    bool ok = true;
    if (add_scalar(r, fields, &ok)) {
        reflect_leave(r, leave_to);
        note_added(r);
        return ok;
    }
    if (has(fields, PB_DebugAnnotation_proto_value)) {
        note_added(r);
        return push_proto_value(r, fields, leave_to);
    }
    if (has(fields, PB_DebugAnnotation_nested_value))
        return push_nested(r, pb_message(&fields->at[PB_DebugAnnotation_nested_value]), leave_to);
    reflect_leave(r, leave_to);
    return true;
}

bool annotation_push(struct reflect *r, struct pb_reader annotation)
{
    struct fields fields;
    read_fields(&fields, annotation);
    struct reflect_mark leave_to = reflect_mark_here(r);
    return enter_name(r, &fields) && push_value(r, &fields, leave_to);
}

/* The key that belongs to the next value of a nested dict; there are as many of each. */
static void enter_next_key(struct reflect *r, struct reflect_frame *frame)
{
    struct pb_field f;
    while (pb_next(&frame->keys, &f)) {
        if (f.number != PB_DebugAnnotation_NestedValue_dict_keys)
            continue;
        enter_sanitized(r, pb_str(&f));
        return;
    }
}

/* One element of the innermost container, from the field that holds it. */
static bool push_element(struct reflect *r, struct reflect_frame *frame, const struct pb_field *f)
{
    struct reflect_mark leave_to = reflect_mark_here(r);
    struct fields fields;
    switch (frame->kind) {
    case FRAME_DICT:
        return annotation_push(r, pb_message(f));
    case FRAME_ARRAY:
        read_fields(&fields, pb_message(f));
        reflect_enter_array(r, frame->index);
        return push_value(r, &fields, leave_to);
    case FRAME_NESTED_ARRAY:
        reflect_enter_array(r, frame->index);
        return push_nested(r, pb_message(f), leave_to);
    default:
        enter_next_key(r, frame);
        return push_nested(r, pb_message(f), leave_to);
    }
}

static uint32_t element_field(enum frame_kind kind)
{
    switch (kind) {
    case FRAME_DICT:
        return PB_DebugAnnotation_dict_entries;
    case FRAME_ARRAY:
        return PB_DebugAnnotation_array_values;
    case FRAME_NESTED_DICT:
        return PB_DebugAnnotation_NestedValue_dict_values;
    default:
        return PB_DebugAnnotation_NestedValue_array_values;
    }
}

bool annotation_step(struct reflect *r)
{
    struct reflect_frame *frame = &vec_last(&r->frames);
    size_t depth = r->frames.count;
    uint32_t wanted = element_field(frame->kind);
    struct pb_field f;
    while (pb_next(&frame->r, &f)) {
        if (f.number != wanted)
            continue;
        if (!push_element(r, frame, &f))
            return false;
        if (r->frames.count > depth)
            return true;
    }
    bool added = frame->added;
    reflect_leave(r, frame->leave_to);
    r->frames.count--;
    if (added)
        note_added(r);
    return true;
}
