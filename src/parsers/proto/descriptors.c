#define PB_READS_LITTLE
#include "parsers/proto/descriptors.h"

#include "base/hash.h"
#include "parsers/input/decompress.h"
#include "parsers/proto/embedded.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum {
    DEPTH_MAX = 64,       /* protoc itself refuses to nest messages deeper than 32 */
    FIELD_NAME_MAX = 512, /* longer names would make keys that cost more than the trace ... */
    TYPE_NAME_MAX = 2048, /* ... as would those of the types in a type; with everything around it */
    BYTES_OF_A_MEMBER = 32, /* of our own set a field or enum value takes about that much */
};

/* A definition that is being read: its fields from here on, and the type that they belong to. */
struct name_scope {
    struct pb_reader r;
    uint32_t type;
};

struct reading {
    struct descriptors *d;
    struct str package;
    struct name_scope stack[DEPTH_MAX];
    size_t depth;
    bool malformed;
};

void descriptors_init(struct descriptors *d)
{
    *d = (struct descriptors){0};
    arena_init(&d->arena);
}

void descriptors_init_on(struct descriptors *d, struct descriptors *base)
{
    descriptors_init(d);
    d->base = base;
}

void descriptors_release(struct descriptors *d)
{
    arena_release(&d->arena);
    vec_release(&d->types);
    vec_release(&d->fields);
    vec_release(&d->values);
    map_release(&d->types_by_name);
    map_release(&d->members);
    vec_release(&d->changed);
    map_release(&d->changes);
    vec_release(&d->added);
}

/* How many of each are the base's: numbers go on behind those. */
static uint32_t base_types(const struct descriptors *d)
{
    return d->base ? (uint32_t)d->base->types.count : 0;
}

static uint32_t base_fields(const struct descriptors *d)
{
    return d->base ? (uint32_t)d->base->fields.count : 0;
}

static uint32_t base_values(const struct descriptors *d)
{
    return d->base ? (uint32_t)d->base->values.count : 0;
}

size_t descriptors_type_count(const struct descriptors *d)
{
    return base_types(d) + d->types.count;
}

/* What is changed of a type of the base's; NULL: nothing. */
static const struct type_descriptor *change_of(const struct descriptors *d, uint32_t type)
{
    const uint32_t *change = d->changed.count ? map_find(&d->changes, type) : NULL;
    return change ? &d->changed.items[*change] : NULL;
}

const struct type_descriptor *descriptors_type(const struct descriptors *d, uint32_t type)
{
    uint32_t base = base_types(d);
    if (type >= base)
        return &d->types.items[type - base];
    const struct type_descriptor *change = change_of(d, type);
    return change ? change : &d->base->types.items[type];
}

/* The type, to be changed here: of one of the base's the members here and its kind. */
static struct type_descriptor *own_type(struct descriptors *d, uint32_t type)
{
    uint32_t base = base_types(d);
    if (type >= base)
        return &d->types.items[type - base];
    bool is_new;
    uint32_t *change = map_insert(&d->changes, type, &is_new);
    if (is_new) {
        *change = (uint32_t)d->changed.count;
        struct type_descriptor *t = vec_push(&d->changed);
        *t = d->base->types.items[type];
        t->first_member = t->last_member = DESCRIPTOR_NONE;
    }
    return &d->changed.items[*change];
}

const struct field_descriptor *descriptors_field_at(const struct descriptors *d, uint32_t index)
{
    uint32_t base = base_fields(d);
    return index < base ? &d->base->fields.items[index] : &d->fields.items[index - base];
}

const struct enum_value_descriptor *descriptors_value_at(const struct descriptors *d,
                                                         uint32_t index)
{
    uint32_t base = base_values(d);
    return index < base ? &d->base->values.items[index] : &d->values.items[index - base];
}

uint32_t descriptors_first_member(const struct descriptors *d, uint32_t type)
{
    uint32_t first =
        type < base_types(d) ? d->base->types.items[type].first_member : DESCRIPTOR_NONE;
    return first != DESCRIPTOR_NONE ? first : descriptors_type(d, type)->first_member;
}

uint32_t descriptors_next_member(const struct descriptors *d, uint32_t type, uint32_t member)
{
    bool is_value = descriptors_type(d, type)->kind == DESCRIPTOR_ENUM;
    uint32_t next =
        is_value ? descriptors_value_at(d, member)->next : descriptors_field_at(d, member)->next;
    if (next != DESCRIPTOR_NONE || member >= (is_value ? base_values(d) : base_fields(d)))
        return next;
    const struct type_descriptor *change = change_of(d, type);
    return change ? change->first_member : DESCRIPTOR_NONE;
}

static uint64_t hash_name(struct str name)
{
    return hash_bytes(name.p, name.n, 0);
}

static uint64_t member_key(uint32_t type, uint32_t number)
{
    return (uint64_t)type << 32 | number;
}

static uint32_t find_own_type(const struct descriptors *d, struct str name)
{
    const uint32_t *head = map_find(&d->types_by_name, hash_name(name));
    for (uint32_t i = head ? *head : DESCRIPTOR_NONE; i != DESCRIPTOR_NONE;
         i = d->types.items[i].next_same_hash)
        if (str_eq(d->types.items[i].name, name))
            return i;
    return DESCRIPTOR_NONE;
}

static uint32_t find_type(const struct descriptors *d, struct str name)
{
    uint32_t found = d->base ? find_own_type(d->base, name) : DESCRIPTOR_NONE;
    if (found == DESCRIPTOR_NONE) {
        found = find_own_type(d, name);
        found += found == DESCRIPTOR_NONE ? 0 : base_types(d);
    }
    return found;
}

/* Types are used before they are defined: the first mention makes the entry. `name` must live as
 * long as the registry. */
static uint32_t intern_type(struct descriptors *d, struct str name)
{
    uint32_t found = find_type(d, name);
    if (found != DESCRIPTOR_NONE)
        return found;
    bool inserted;
    uint32_t index = (uint32_t)d->types.count;
    uint32_t *head = map_insert(&d->types_by_name, hash_name(name), &inserted);
    *vec_push(&d->types) = (struct type_descriptor){
        .name = name,
        .kind = DESCRIPTOR_UNKNOWN,
        .first_member = DESCRIPTOR_NONE,
        .last_member = DESCRIPTOR_NONE,
        .next_same_hash = inserted ? DESCRIPTOR_NONE : *head,
    };
    *head = index;
    return base_types(d) + index;
}

static struct str without_leading_dot(struct str name)
{
    return name.n > 0 && name.p[0] == '.' ? str_skip(name, 1) : name;
}

/* "scope.name" */
static struct str join_names(struct descriptors *d, struct str scope, struct str name)
{
    if (scope.n == 0)
        return name;
    char *p = arena_alloc_bytes(&d->arena, scope.n + 1 + name.n);
    memcpy(p, scope.p, scope.n);
    p[scope.n] = '.';
    memcpy(p + scope.n + 1, name.p, name.n);
    return (struct str){p, scope.n + 1 + name.n};
}

static void check(struct reading *reading, const struct pb_reader *r)
{
    reading->malformed |= r->error;
}

static struct str read_str(struct reading *reading, struct pb_reader message, uint32_t number)
{
    struct pb_field f = pb_last(message, number);
    struct str found = pb_str(&f);
    check(reading, &message);
    return found;
}

/* The member of that number, or NULL. */
static const uint32_t *find_member(const struct descriptors *d, uint32_t type, uint32_t number)
{
    uint64_t key = member_key(type, number);
    const uint32_t *index = type < base_types(d) ? map_find(&d->base->members, key) : NULL;
    return index || d->members.count == 0 ? index : map_find(&d->members, key);
}

static void append_field(struct descriptors *d, uint32_t type, struct field_descriptor field)
{
    if (find_member(d, type, field.number))
        return;
    uint32_t base = base_fields(d), index = base + (uint32_t)d->fields.count;
    map_set(&d->members, member_key(type, field.number), index);
    *vec_push(&d->fields) = field;
    struct type_descriptor *t = own_type(d, type);
    if (t->last_member == DESCRIPTOR_NONE)
        t->first_member = index;
    else
        d->fields.items[t->last_member - base].next = index;
    t->last_member = index;
}

static bool read_packed(struct pb_reader options)
{
    struct pb_field f = pb_last(options, PB_FieldOptions_packed);
    return pb_bool(&f);
}

/* A field of `type`, or of the message it extends where `type` is DESCRIPTOR_NONE; `scope` is where
 * an extension is defined. */
static void read_field(struct reading *reading, struct pb_reader r, uint32_t type, struct str scope)
{
    struct descriptors *d = reading->d;
    struct str type_name = {"", 0}, extendee = {"", 0};
    struct field_descriptor field = {
        .name = {"", 0},
        .scope = scope,
        .type = PB_FieldDescriptorProto_Type_TYPE_MESSAGE,
        .type_index = DESCRIPTOR_NONE,
        .next = DESCRIPTOR_NONE,
        .extension = type == DESCRIPTOR_NONE,
    };
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_FieldDescriptorProto_name:
            field.name = pb_str(&f);
            break;
        case PB_FieldDescriptorProto_number:
            field.number = pb_u32(&f);
            break;
        case PB_FieldDescriptorProto_label:
            field.repeated = pb_u64(&f) == PB_FieldDescriptorProto_Label_LABEL_REPEATED;
            break;
        case PB_FieldDescriptorProto_type:
            field.type = pb_u64(&f) <= UINT8_MAX ? (uint8_t)pb_u64(&f) : 0;
            break;
        case PB_FieldDescriptorProto_type_name:
            type_name = pb_str(&f);
            break;
        case PB_FieldDescriptorProto_extendee:
            extendee = pb_str(&f);
            break;
        case PB_FieldDescriptorProto_options:
            field.packed = read_packed(pb_message(&f));
            break;
        default:
            break;
        }
    }
    check(reading, &r);
    if (r.error || field.number == 0 || field.name.n == 0 || field.name.n > FIELD_NAME_MAX)
        return;
    if (field.extension) {
        if (extendee.n == 0 || extendee.n > TYPE_NAME_MAX || reading->package.n > TYPE_NAME_MAX)
            return;
        type = intern_type(d, extendee.p[0] == '.' ? str_skip(extendee, 1)
                                                   : join_names(d, reading->package, extendee));
    }
    if (type_name.n > 0)
        field.type_index = intern_type(d, without_leading_dot(type_name));
    append_field(d, type, field);
}

static void read_enum_value(struct reading *reading, struct pb_reader r, uint32_t type)
{
    struct descriptors *d = reading->d;
    struct enum_value_descriptor value = {.name = {"", 0}, .next = DESCRIPTOR_NONE};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_EnumValueDescriptorProto_name)
            value.name = pb_str(&f);
        else if (f.number == PB_EnumValueDescriptorProto_number)
            value.number = pb_i32(&f);
    }
    check(reading, &r);
    if (find_member(d, type, (uint32_t)value.number))
        return;
    uint32_t base = base_values(d), index = base + (uint32_t)d->values.count;
    map_set(&d->members, member_key(type, (uint32_t)value.number), index);
    *vec_push(&d->values) = value;
    struct type_descriptor *t = own_type(d, type);
    if (t->last_member == DESCRIPTOR_NONE)
        t->first_member = index;
    else
        d->values.items[t->last_member - base].next = index;
    t->last_member = index;
}

/* The entry of a type that is defined here; DESCRIPTOR_NONE where its name is too long, or known as
 * something else. Messages without a name are there for the extensions that they hold. */
static uint32_t define_type(struct reading *reading, struct str scope, struct str name,
                            enum descriptor_kind kind)
{
    struct descriptors *d = reading->d;
    if (name.n > TYPE_NAME_MAX || scope.n > TYPE_NAME_MAX)
        return DESCRIPTOR_NONE;
    uint32_t type = intern_type(d, join_names(d, scope, name));
    enum descriptor_kind known = descriptors_type(d, type)->kind;
    if (known != DESCRIPTOR_UNKNOWN && known != kind)
        return DESCRIPTOR_NONE;
    if (known != kind)
        own_type(d, type)->kind = kind;
    return type;
}

static void read_enum(struct reading *reading, struct pb_reader r, struct str scope)
{
    struct str name = read_str(reading, r, PB_EnumDescriptorProto_name);
    uint32_t type = define_type(reading, scope, name, DESCRIPTOR_ENUM);
    if (type == DESCRIPTOR_NONE)
        return;
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_EnumDescriptorProto_value)
            read_enum_value(reading, pb_message(&f), type);
}

static void enter_message(struct reading *reading, struct pb_reader r, struct str scope)
{
    struct str name = read_str(reading, r, PB_DescriptorProto_name);
    uint32_t type = define_type(reading, scope, name, DESCRIPTOR_MESSAGE);
    if (type == DESCRIPTOR_NONE)
        return;
    if (reading->depth == DEPTH_MAX) {
        reading->malformed = true;
        return;
    }
    reading->stack[reading->depth++] = (struct name_scope){r, type};
}

/* A message with everything nested in it. */
static void read_message(struct reading *reading, struct pb_reader message)
{
    enter_message(reading, message, reading->package);
    while (reading->depth > 0) {
        struct name_scope *top = &reading->stack[reading->depth - 1];
        struct pb_field f;
        if (!pb_next(&top->r, &f)) {
            reading->depth--;
            continue;
        }
        struct str scope = descriptors_type(reading->d, top->type)->name;
        switch (f.number) {
        case PB_DescriptorProto_field:
            read_field(reading, pb_message(&f), top->type, (struct str){"", 0});
            break;
        case PB_DescriptorProto_extension:
            read_field(reading, pb_message(&f), DESCRIPTOR_NONE, scope);
            break;
        case PB_DescriptorProto_enum_type:
            read_enum(reading, pb_message(&f), scope);
            break;
        case PB_DescriptorProto_nested_type:
            enter_message(reading, pb_message(&f), scope);
            break;
        default:
            break;
        }
    }
}

static void read_file(struct reading *reading, struct pb_reader r)
{
    reading->package = read_str(reading, r, PB_FileDescriptorProto_package);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_FileDescriptorProto_message_type:
            read_message(reading, pb_message(&f));
            break;
        case PB_FileDescriptorProto_enum_type:
            read_enum(reading, pb_message(&f), reading->package);
            break;
        case PB_FileDescriptorProto_extension:
            read_field(reading, pb_message(&f), DESCRIPTOR_NONE, reading->package);
            break;
        default:
            break;
        }
    }
}

/* `set` must live as long as the registry: names point into it. */
static struct status read_set(struct descriptors *d, const uint8_t *set, size_t size)
{
    struct reading reading = {.d = d};
    struct pb_reader r = pb_reader_from(set, size);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_FileDescriptorSet_file)
            read_file(&reading, pb_message(&f));
        if (reading.malformed)
            return status_error(STATUS_FORMAT, "descriptor set: malformed file before byte %zu",
                                (size_t)(r.p - set));
    }
    if (r.error)
        return status_error(STATUS_FORMAT, "descriptor set: malformed field at byte %zu",
                            (size_t)(r.p - set));
    return status_ok_value();
}

/* Reads the next of the built-in sets, the base's if there is one; false where there is none. */
static bool add_embedded(struct descriptors *d)
{
    if (d->base)
        d = d->base;
    if (d->embedded_read >= EMBEDDED_SETS)
        return false;
    const struct embedded_set *e = &embedded_descriptors[d->embedded_read++];
    size_t size = e->inflated_size;
    uint8_t *set = arena_alloc_bytes(&d->arena, size);
    if (!inflate_into((struct bytes){e->packed, e->size}, set, size))
        return true;
    map_reserve(&d->members, d->members.count + size / BYTES_OF_A_MEMBER);
    struct status s = read_set(d, set, size);
    status_release(&s);
    return true;
}

struct status descriptors_add(struct descriptors *d, const uint8_t *set, size_t size)
{
    while (add_embedded(d)) {
    }
    if (size == 0)
        return status_ok_value();
    uint8_t *copy = arena_alloc_bytes(&d->arena, size);
    memcpy(copy, set, size);
    *vec_push(&d->added) = (struct str){(const char *)copy, size};
    return read_set(d, copy, size);
}

uint32_t descriptors_find(struct descriptors *d, struct str full_name)
{
    uint32_t type;
    do {
        type = find_type(d, without_leading_dot(full_name));
        if (type != DESCRIPTOR_NONE && descriptors_type(d, type)->kind == DESCRIPTOR_UNKNOWN)
            type = DESCRIPTOR_NONE;
    } while (type == DESCRIPTOR_NONE && add_embedded(d));
    return type;
}

const struct field_descriptor *descriptors_field(const struct descriptors *d, uint32_t type,
                                                 uint32_t number)
{
    if (type == DESCRIPTOR_NONE || descriptors_type(d, type)->kind == DESCRIPTOR_ENUM)
        return NULL;
    const uint32_t *index = find_member(d, type, number);
    return index ? descriptors_field_at(d, *index) : NULL;
}

/* DESCRIPTOR_NONE where the type is none or has no fields. */
static uint32_t first_field(const struct descriptors *d, uint32_t type)
{
    if (type == DESCRIPTOR_NONE || descriptors_type(d, type)->kind == DESCRIPTOR_ENUM)
        return DESCRIPTOR_NONE;
    return descriptors_first_member(d, type);
}

const struct field_descriptor *descriptors_field_named(const struct descriptors *d, uint32_t type,
                                                       struct str name)
{
    for (uint32_t i = first_field(d, type); i != DESCRIPTOR_NONE;
         i = descriptors_next_member(d, type, i))
        if (str_eq(descriptors_field_at(d, i)->name, name))
            return descriptors_field_at(d, i);
    return NULL;
}

const struct field_descriptor *descriptors_extension_named(const struct descriptors *d,
                                                           uint32_t type, struct str scope,
                                                           struct str name)
{
    const struct field_descriptor *found = NULL;
    for (uint32_t i = first_field(d, type); i != DESCRIPTOR_NONE;
         i = descriptors_next_member(d, type, i)) {
        const struct field_descriptor *f = descriptors_field_at(d, i);
        if (!f->extension || !str_eq(f->name, name))
            continue;
        if (str_eq(f->scope, scope))
            return f;
        if (!found)
            found = f;
    }
    return found;
}

static bool is_enum(const struct descriptors *d, uint32_t type)
{
    return type != DESCRIPTOR_NONE && descriptors_type(d, type)->kind == DESCRIPTOR_ENUM;
}

struct str descriptors_enum_name(const struct descriptors *d, uint32_t type, int32_t number)
{
    const uint32_t *index = is_enum(d, type) ? find_member(d, type, (uint32_t)number) : NULL;
    return index ? descriptors_value_at(d, *index)->name : (struct str){NULL, 0};
}

bool descriptors_enum_number(const struct descriptors *d, uint32_t type, struct str name,
                             int32_t *number)
{
    if (!is_enum(d, type))
        return false;
    for (uint32_t i = descriptors_first_member(d, type); i != DESCRIPTOR_NONE;
         i = descriptors_next_member(d, type, i)) {
        if (!str_eq(descriptors_value_at(d, i)->name, name))
            continue;
        *number = descriptors_value_at(d, i)->number;
        return true;
    }
    return false;
}
