#define PB_READS_LITTLE
#include "sql/functions/proto_functions.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/field_write.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

#define PACKAGE "perfetto.protos."

/* One message's function. */
struct builder {
    struct sql_session *session;
    uint32_t type;
    char *name; /* full, owned */
};

/* One call of it. `problem` is a message for sqlite3_free once something is wrong. */
struct build {
    struct descriptors *d;
    const struct builder *builder;
    struct pb_bytes out;
    char *problem;
};

/* A value, of SQL or of an element of a repeated field. */
struct value {
    int type; /* SQLITE_INTEGER ... */
    int64_t i;
    double d;
    struct str s;
};

static void fail(struct build *b, const struct field_descriptor *f, const char *what)
{
    if (!b->problem)
        b->problem =
            sqlite3_mprintf("%s: field %.*s %s", b->builder->name, (int)f->name.n, f->name.p, what);
}

static void put_int(struct build *b, const struct field_descriptor *f, int64_t v)
{
    field_put_number(&b->out, f, field_int_bits(f, v));
}

static void put_real(struct build *b, const struct field_descriptor *f, const struct value *v)
{
    double d = v->type == SQLITE_INTEGER ? (double)v->i : v->d;
    if (v->type == SQLITE_INTEGER || v->type == SQLITE_FLOAT)
        field_put_number(&b->out, f, field_real_bits(f, d));
    else
        fail(b, f, "takes a number");
}

static void put_enum(struct build *b, const struct field_descriptor *f, const struct value *v)
{
    int32_t number;
    if (v->type == SQLITE_INTEGER)
        put_int(b, f, v->i);
    else if (v->type != SQLITE_TEXT)
        fail(b, f, "takes the name of an enum's value");
    else if (descriptors_enum_number(b->d, f->type_index, v->s, &number))
        put_int(b, f, number);
    else
        fail(b, f, "is an enum that has no value of that name");
}

/* The parts of a ProtoBuilderResult. */
struct built {
    bool ok, repeated;
    struct str type_name, bytes; /* of a message, or of a RepeatedBuilderResult */
};

static struct built read_built(struct str s)
{
    struct built out = {.type_name = {"", 0}, .bytes = {"", 0}};
    struct pb_reader r = pb_reader_from(s.p, s.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        struct pb_reader single = pb_message(&f);
        if (f.number == PB_ProtoBuilderResult_is_repeated) {
            out.repeated = pb_bool(&f);
        } else if (f.number == PB_ProtoBuilderResult_repeated) {
            out.bytes = pb_str(&f);
            out.ok = f.data != NULL;
        } else if (f.number == PB_ProtoBuilderResult_single) {
            while (pb_next(&single, &f)) {
                if (f.number == PB_SingleBuilderResult_type_name)
                    out.type_name = pb_str(&f);
                if (f.number == PB_SingleBuilderResult_protobuf)
                    out.bytes = pb_str(&f);
            }
            out.ok = !single.error;
        }
    }
    out.ok = out.ok && !r.error;
    return out;
}

static void put_message(struct build *b, const struct field_descriptor *f, const struct value *v)
{
    const struct type_descriptor *type = descriptors_type(b->d, f->type_index);
    struct built message = v->type == SQLITE_BLOB ? read_built(v->s) : (struct built){0};
    if (v->type == SQLITE_BLOB && v->s.n == 0)
        pb_put_str(&b->out, f->number, v->s);
    else if (!message.ok || message.repeated || !str_eq(message.type_name, type->name))
        fail(b, f, "takes a message of its own type, made by that message's function");
    else
        pb_put_str(&b->out, f->number, message.bytes);
}

static void put_value(struct build *b, const struct field_descriptor *f, const struct value *v)
{
    switch (f->type) {
    case PB_FieldDescriptorProto_Type_TYPE_DOUBLE:
    case PB_FieldDescriptorProto_Type_TYPE_FLOAT:
        put_real(b, f, v);
        break;
    case PB_FieldDescriptorProto_Type_TYPE_ENUM:
        put_enum(b, f, v);
        break;
    case PB_FieldDescriptorProto_Type_TYPE_MESSAGE:
        put_message(b, f, v);
        break;
    case PB_FieldDescriptorProto_Type_TYPE_STRING:
        if (v->type == SQLITE_TEXT)
            pb_put_str(&b->out, f->number, v->s);
        else
            fail(b, f, "takes a text");
        break;
    case PB_FieldDescriptorProto_Type_TYPE_BYTES:
        if (v->type == SQLITE_BLOB)
            pb_put_str(&b->out, f->number, v->s);
        else
            fail(b, f, "takes bytes");
        break;
    default:
        if (v->type == SQLITE_INTEGER)
            put_int(b, f, v->i);
        else
            fail(b, f, "takes an integer");
    }
}

/* The elements that one field of a RepeatedBuilderResult holds. */
static void put_elements(struct build *b, const struct field_descriptor *f,
                         const struct pb_field *values)
{
    static const int types[] = {
        [PB_RepeatedBuilderResult_int_values] = SQLITE_INTEGER,
        [PB_RepeatedBuilderResult_double_values] = SQLITE_FLOAT,
        [PB_RepeatedBuilderResult_string_values] = SQLITE_TEXT,
        [PB_RepeatedBuilderResult_byte_values] = SQLITE_BLOB,
    };
    if (values->number == 0 || values->number >= sizeof types / sizeof *types)
        return;
    struct value v = {.type = types[values->number], .s = pb_str(values)};
    if (v.type == SQLITE_TEXT || v.type == SQLITE_BLOB) {
        put_value(b, f, &v);
        return;
    }
    bool real = v.type == SQLITE_FLOAT;
    struct pb_packed it = pb_packed_begin(values, real ? PB_WIRE_I64 : PB_WIRE_VARINT);
    for (uint64_t bits; !b->problem && pb_packed_next(&it, &bits);) {
        v.i = (int64_t)bits;
        if (real)
            memcpy(&v.d, &bits, sizeof v.d);
        put_value(b, f, &v);
    }
}

static void put_repeated(struct build *b, const struct field_descriptor *f, const struct value *v)
{
    struct built list = v->type == SQLITE_BLOB ? read_built(v->s) : (struct built){0};
    if (v->type == SQLITE_BLOB && v->s.n == 0)
        return;
    if (!list.ok || !list.repeated) {
        fail(b, f, "is repeated: it takes what RepeatedField(value) gives");
        return;
    }
    struct pb_reader r = pb_reader_from(list.bytes.p, list.bytes.n);
    struct pb_field values;
    while (!b->problem && pb_next(&r, &values))
        put_elements(b, f, &values);
}

static struct value value_from(sqlite3_value *v)
{
    struct value out = {.type = sqlite3_value_type(v)};
    if (out.type == SQLITE_INTEGER)
        out.i = sqlite3_value_int64(v);
    else if (out.type == SQLITE_FLOAT)
        out.d = sqlite3_value_double(v);
    else
        out.s = value_str(v);
    return out;
}

static void put_argument(struct build *b, sqlite3_value *name, sqlite3_value *value)
{
    struct str n = value_str(name);
    const struct field_descriptor *f = sqlite3_value_type(name) == SQLITE_TEXT
                                           ? descriptors_field_named(b->d, b->builder->type, n)
                                           : NULL;
    struct value v = value_from(value);
    if (!f)
        b->problem = sqlite3_mprintf("%s has no field %.*s", b->builder->name, (int)n.n, n.p);
    else if (v.type == SQLITE_NULL)
        return;
    else if (f->repeated)
        put_repeated(b, f, &v);
    else
        put_value(b, f, &v);
}

/* A message without fields gives no bytes, for null_if_empty. */
static void result_message(sqlite3_context *ctx, const struct build *b)
{
    struct pb_bytes single = {0}, result = {0};
    if (b->out.v.count > 0) {
        pb_put_uint(&single, PB_SingleBuilderResult_type,
                    PB_FieldDescriptorProto_Type_TYPE_MESSAGE);
        pb_put_str(&single, PB_SingleBuilderResult_type_name, str_from(b->builder->name));
        pb_put_message(&single, PB_SingleBuilderResult_protobuf, &b->out);
        pb_put_uint(&result, PB_ProtoBuilderResult_is_repeated, false);
        pb_put_message(&result, PB_ProtoBuilderResult_single, &single);
    }
    pb_bytes_release(&single);
    result_bytes(ctx, &result);
}

static void fn_build(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const struct builder *builder = sqlite3_user_data(ctx);
    struct build b = {.d = &builder->session->descriptors, .builder = builder};
    if (argc % 2 != 0)
        b.problem = sqlite3_mprintf("%s takes pairs of 'field', value", builder->name);
    for (int i = 0; i + 1 < argc && !b.problem; i += 2)
        put_argument(&b, argv[i], argv[i + 1]);
    if (b.problem)
        result_error(ctx, "%s", b.problem);
    else
        result_message(ctx, &b);
    sqlite3_free(b.problem);
    pb_bytes_release(&b.out);
}

static void free_builder(void *p)
{
    struct builder *b = p;
    free(b->name);
    free(b);
}

/* Where SQLite's last error is a missing function that has a message's name (its full name below
 * perfetto.protos, '_' in place of '.'), makes the function. There are thousands of messages. */
static bool define_builder(struct sql_session *s)
{
    static const char missing[] = "no such function: ";
    const char *message = sqlite3_errmsg(s->db);
    if (strncmp(message, missing, sizeof missing - 1) != 0)
        return false;
    const char *function = message + sizeof missing - 1;
    char *name = sqlite3_mprintf(PACKAGE "%s", function);
    for (char *p = name; *p; p++)
        *p = *p == '_' ? '.' : *p;
    uint32_t type = descriptors_find(&s->descriptors, str_from(name));
    bool found = type != DESCRIPTOR_NONE &&
                 descriptors_type(&s->descriptors, type)->kind == DESCRIPTOR_MESSAGE;
    if (found) {
        struct builder *b = alloc_array(1, sizeof *b);
        *b = (struct builder){s, type, alloc_copy(name, strlen(name))};
        char *copy = alloc_copy(function, strlen(function)); /* the message changes */
        found = sqlite3_create_function_v2(s->db, copy, -1, SQLITE_UTF8 | PURE, b, fn_build, NULL,
                                           NULL, free_builder) == SQLITE_OK;
        free(copy);
    }
    sqlite3_free(name);
    return found;
}

/* unwrap_metric_proto(built, 'type'): the message alone. */
static void fn_unwrap(SQL_FUNCTION_ARGS)
{
    struct str wanted = value_str(argv[1]);
    if (sqlite3_value_type(argv[0]) != SQLITE_BLOB || sqlite3_value_type(argv[1]) != SQLITE_TEXT) {
        result_error(ctx, "unwrap_metric_proto takes what a message's function gave, and its type");
        return;
    }
    struct built b = read_built(value_str(argv[0]));
    if (sqlite3_value_bytes(argv[0]) == 0) {
        sqlite3_result_zeroblob(ctx, 0);
        return;
    }
    if (str_starts(wanted, STR(".")))
        wanted = str_skip(wanted, 1);
    struct str type = b.type_name;
    bool short_name = !str_starts(wanted, STR(PACKAGE)) && str_starts(type, STR(PACKAGE));
    if (short_name)
        type = str_skip(type, sizeof PACKAGE - 1);
    if (!b.ok || b.repeated || !str_eq(type, wanted)) {
        if (b.ok && !b.repeated)
            result_error(ctx, "unwrap_metric_proto: the message is of type %.*s",
                         (int)b.type_name.n, b.type_name.p);
        else
            result_error(ctx, "unwrap_metric_proto: the bytes are no message that a function "
                              "built");
        return;
    }
    sqlite3_result_blob64(ctx, b.bytes.p, b.bytes.n, SQLITE_TRANSIENT);
}

/* RepeatedField(value) */
struct repeated {
    int type; /* SQLITE_...; 0 before the first value */
    struct pb_bytes out;
};

static void repeated_step(SQL_FUNCTION_ARGS)
{
    struct repeated *r = sqlite3_aggregate_context(ctx, sizeof *r);
    if (!r)
        return;
    struct value v = value_from(argv[0]);
    uint64_t bits;
    if (v.type == SQLITE_NULL) { /* an empty message */
        v.type = SQLITE_BLOB;
        v.s = STR("");
    }
    if (r->type && r->type != v.type) {
        result_error(ctx, "RepeatedField: the values are of different types");
        return;
    }
    r->type = v.type;
    switch (v.type) {
    case SQLITE_INTEGER:
        pb_put_varint(&r->out, (uint64_t)v.i);
        break;
    case SQLITE_FLOAT:
        memcpy(&bits, &v.d, sizeof bits);
        for (int i = 0; i < 8; i++)
            *vec_push(&r->out.v) = (uint8_t)(bits >> i * 8);
        break;
    case SQLITE_TEXT:
        pb_put_str(&r->out, PB_RepeatedBuilderResult_string_values, v.s);
        break;
    default:
        pb_put_str(&r->out, PB_RepeatedBuilderResult_byte_values, v.s);
    }
}

/* Numbers become one packed field. */
static void repeated_final(sqlite3_context *ctx)
{
    struct repeated *r = sqlite3_aggregate_context(ctx, 0);
    if (!r || !r->type)
        return;
    struct pb_bytes list = {0}, result = {0};
    if (r->type == SQLITE_INTEGER)
        pb_put_message(&list, PB_RepeatedBuilderResult_int_values, &r->out);
    else if (r->type == SQLITE_FLOAT)
        pb_put_message(&list, PB_RepeatedBuilderResult_double_values, &r->out);
    else
        pb_put_raw(&list, r->out.v.items, r->out.v.count);
    pb_put_uint(&result, PB_ProtoBuilderResult_is_repeated, true);
    pb_put_message(&result, PB_ProtoBuilderResult_repeated, &list);
    pb_bytes_release(&list);
    pb_bytes_release(&r->out);
    result_bytes(ctx, &result);
}

bool built_message(struct str result, struct str *type, struct str *bytes)
{
    struct built b = read_built(result);
    *type = b.type_name;
    *bytes = b.bytes;
    return b.ok && !b.repeated;
}

bool repeated_field_ints(struct str bytes, struct int_list *out)
{
    struct built list = read_built(bytes);
    struct pb_reader r = pb_reader_from(list.bytes.p, list.bytes.n);
    struct pb_field values;
    if (bytes.n > 0 && !(list.ok && list.repeated))
        return false;
    while (pb_next(&r, &values)) {
        if (values.number != PB_RepeatedBuilderResult_int_values)
            return false;
        struct pb_packed it = pb_packed_begin(&values, PB_WIRE_VARINT);
        for (uint64_t v; pb_packed_next(&it, &v);)
            *vec_push(&out->v) = (int64_t)v;
    }
    return !r.error;
}

static const struct native_function functions[] = {
    SQL_AGGREGATE("repeatedfield", 1, repeated),
    SQL_PURE("unwrap_metric_proto", 2, fn_unwrap),
    {0},
};

const struct sql_family proto_functions_family = {.functions = functions, .define = define_builder};
