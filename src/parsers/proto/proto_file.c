#include "parsers/proto/proto_file.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "parsers/proto/write.h"
#include "pb_fields.h"

enum { NAME_MAX_BYTES = 1024 }; /* of a type with everything around it */

enum block { BLOCK_FILE, BLOCK_MESSAGE, BLOCK_ENUM, BLOCK_EXTEND, BLOCK_ONEOF };

/* A definition whose end has not been read. */
struct proto_file_level {
    enum block block;
    struct pb_bytes out; /* of files, messages and enums */
    size_t scope;        /* how much of the scope's name is what stands around it */
    struct str extendee; /* of BLOCK_EXTEND, as it is written */
};

struct proto_file_parse {
    struct descriptors *d;
    const struct proto_file *file;
    size_t at;
    struct str token; /* the one that has been read; empty at the end */
    bool with_fields; /* else types only, for the fields of other files to find them */
    bool proto3;
    struct proto_file_level levels[PROTO_FILE_DEPTH_MAX];
    size_t depth; /* of the innermost level */
    char scope[NAME_MAX_BYTES];
    size_t scope_size;
    struct status status;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct proto_file_parse *p,
                                                       const char *format, ...)
{
    if (!status_ok(p->status))
        return false;
    size_t line = 1;
    for (size_t i = 0; i + p->token.n < p->at; i++)
        line += p->file->text.p[i] == '\n';
    va_list args;
    va_start(args, format);
    p->status =
        status_prefix(status_verror(STATUS_FORMAT, format, args), "%s:%zu", p->file->path, line);
    va_end(args);
    return false;
}

/* How much of a text a message quotes. */
static int shown(struct str s)
{
    return (int)(s.n < 100 ? s.n : 100);
}

static bool fail_expected(struct proto_file_parse *p, const char *what)
{
    if (p->token.n == 0)
        return fail(p, "expected %s at the end", what);
    return fail(p, "expected %s, not '%.*s'", what, shown(p->token), p->token.p);
}

static void skip_blank(struct proto_file_parse *p)
{
    struct str text = p->file->text;
    while (p->at < text.n) {
        struct str rest = str_skip(text, p->at);
        if (str_starts(rest, STR("//"))) {
            p->at += str_find(rest, '\n');
        } else if (str_starts(rest, STR("/*"))) {
            const char *end = memmem(rest.p + 2, rest.n - 2, "*/", 2);
            p->at += end ? (size_t)(end - rest.p) + 2 : rest.n;
        } else if (isspace((unsigned char)*rest.p)) {
            p->at++;
        } else {
            return;
        }
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* How long the token in front of `s` is: a name with its dots or a number, a text in quotes, or one
 * character. */
static size_t token_size(struct str s)
{
    size_t n = 1;
    if (is_word(*s.p)) {
        while (n < s.n && is_word(s.p[n]))
            n++;
    } else if (*s.p == '"' || *s.p == '\'') {
        while (n < s.n && s.p[n] != *s.p && s.p[n] != '\n')
            n += s.p[n] == '\\' && n + 1 < s.n ? 2 : 1;
        n += n < s.n;
    }
    return n;
}

static void advance(struct proto_file_parse *p)
{
    skip_blank(p);
    struct str rest = str_skip(p->file->text, p->at);
    p->token = rest.n > 0 ? str_from_to(rest, 0, token_size(rest)) : rest;
    p->at += p->token.n;
}

static bool is_token(const struct proto_file_parse *p, const char *token)
{
    return str_eq(p->token, str_from(token));
}

static bool take(struct proto_file_parse *p, const char *token)
{
    if (!is_token(p, token))
        return false;
    advance(p);
    return true;
}

static bool need(struct proto_file_parse *p, const char *token)
{
    char what[8];
    snprintf(what, sizeof what, "'%s'", token);
    return take(p, token) || fail_expected(p, what);
}

static bool need_name(struct proto_file_parse *p, const char *what, struct str *out)
{
    if (p->token.n == 0 || !is_word(*p->token.p) || isdigit((unsigned char)*p->token.p))
        return fail_expected(p, what);
    *out = p->token;
    advance(p);
    return true;
}

static bool need_plain_name(struct proto_file_parse *p, const char *what, struct str *out)
{
    if (str_find(p->token, '.') < p->token.n)
        return fail_expected(p, what);
    return need_name(p, what, out);
}

/* Octal numbers do not occur. */
static bool need_number(struct proto_file_parse *p, int64_t min, int64_t max, int64_t *out)
{
    bool minus = take(p, "-");
    bool hex = p->token.n > 2 && (p->token.p[1] | 0x20) == 'x';
    uint64_t v;
    if (!str_to_u64(p->token, hex ? 16 : 10, &v) || v > INT64_MAX)
        return fail_expected(p, "a number");
    *out = minus ? -(int64_t)v : (int64_t)v;
    if (*out < min || *out > max)
        return fail(p, "the number is out of its range");
    advance(p);
    return true;
}

/* Up to the ';' that ends a statement, or the '}' that ends the block of a service. */
static bool skip_statement(struct proto_file_parse *p)
{
    size_t depth = 0;
    for (; p->token.n > 0; advance(p)) {
        if (is_token(p, "{"))
            depth++;
        else if (is_token(p, "}") && depth == 0)
            return fail_expected(p, "';'");
        else if (is_token(p, "}") && --depth == 0)
            return take(p, "}") && (take(p, ";") || true);
        else if (is_token(p, ";") && depth == 0)
            return take(p, ";");
    }
    return fail_expected(p, "';'");
}

/* "[packed = true, ...]", if there is one. */
static bool take_options(struct proto_file_parse *p, bool *packed)
{
    if (!take(p, "["))
        return true;
    for (size_t depth = 0; p->token.n > 0;) {
        if (is_token(p, "]") && depth-- == 0)
            return take(p, "]");
        depth += is_token(p, "[");
        if (!take(p, "packed"))
            advance(p);
        else if (take(p, "="))
            *packed = is_token(p, "true");
    }
    return fail_expected(p, "']'");
}

/* The level that definitions here are part of. */
static struct proto_file_level *definition(struct proto_file_parse *p)
{
    size_t i = p->depth;
    while (p->levels[i].block == BLOCK_ONEOF || p->levels[i].block == BLOCK_EXTEND)
        i--;
    return &p->levels[i];
}

static bool enter(struct proto_file_parse *p, enum block block)
{
    if (p->depth + 1 == PROTO_FILE_DEPTH_MAX)
        return fail(p, "more than %d definitions within each other", PROTO_FILE_DEPTH_MAX);
    p->levels[++p->depth] = (struct proto_file_level){.block = block, .scope = p->scope_size};
    return true;
}

static bool extend_scope(struct proto_file_parse *p, struct str name)
{
    if (p->scope_size + 1 + name.n > sizeof p->scope)
        return fail(p, "the name is too long");
    if (p->scope_size > 0)
        p->scope[p->scope_size++] = '.';
    memcpy(p->scope + p->scope_size, name.p, name.n);
    p->scope_size += name.n;
    return true;
}

static bool enter_type(struct proto_file_parse *p, enum block block)
{
    struct str name;
    if (!need_plain_name(p, "a name", &name) || !enter(p, block) || !extend_scope(p, name))
        return false;
    pb_put_str(&p->levels[p->depth].out,
               block == BLOCK_MESSAGE ? PB_DescriptorProto_name : PB_EnumDescriptorProto_name,
               name);
    return need(p, "{");
}

static bool enter_extend(struct proto_file_parse *p)
{
    struct str name;
    if (!need_name(p, "a message", &name) || !enter(p, BLOCK_EXTEND))
        return false;
    p->levels[p->depth].extendee = name;
    return need(p, "{");
}

static bool enter_oneof(struct proto_file_parse *p)
{
    struct str name;
    return need_name(p, "a name", &name) && enter(p, BLOCK_ONEOF) && need(p, "{");
}

/* The end of the innermost definition, which becomes part of the one around it. */
static void leave(struct proto_file_parse *p)
{
    struct proto_file_level *level = &p->levels[p->depth--];
    struct proto_file_level *around = &p->levels[p->depth];
    bool nested = around->block == BLOCK_MESSAGE;
    if (level->block == BLOCK_MESSAGE)
        pb_put_message(&around->out,
                       nested ? PB_DescriptorProto_nested_type
                              : PB_FileDescriptorProto_message_type,
                       &level->out);
    if (level->block == BLOCK_ENUM)
        pb_put_message(&around->out,
                       nested ? PB_DescriptorProto_enum_type : PB_FileDescriptorProto_enum_type,
                       &level->out);
    p->scope_size = level->scope;
    pb_bytes_release(&level->out);
}

/* The type that a name means here: that of the innermost scope that has it. */
static uint32_t resolve(struct proto_file_parse *p, struct str name)
{
    char full[2 * NAME_MAX_BYTES];
    if (name.n > NAME_MAX_BYTES || *name.p == '.')
        return descriptors_find(p->d, name);
    for (size_t scope = p->scope_size;; scope--) {
        if (scope == p->scope_size || scope == 0 || p->scope[scope] == '.') {
            size_t n = scope > 0 ? scope + 1 : 0;
            memcpy(full, p->scope, scope);
            if (n > 0)
                full[scope] = '.';
            memcpy(full + n, name.p, name.n);
            uint32_t type = descriptors_find(p->d, (struct str){full, n + name.n});
            if (type != DESCRIPTOR_NONE || scope == 0)
                return type;
        }
    }
}

static uint64_t scalar_type(struct str name)
{
    static const struct {
        const char *name;
        uint64_t type;
    } scalars[] = {
        {"double", PB_FieldDescriptorProto_Type_TYPE_DOUBLE},
        {"float", PB_FieldDescriptorProto_Type_TYPE_FLOAT},
        {"int64", PB_FieldDescriptorProto_Type_TYPE_INT64},
        {"uint64", PB_FieldDescriptorProto_Type_TYPE_UINT64},
        {"int32", PB_FieldDescriptorProto_Type_TYPE_INT32},
        {"fixed64", PB_FieldDescriptorProto_Type_TYPE_FIXED64},
        {"fixed32", PB_FieldDescriptorProto_Type_TYPE_FIXED32},
        {"bool", PB_FieldDescriptorProto_Type_TYPE_BOOL},
        {"string", PB_FieldDescriptorProto_Type_TYPE_STRING},
        {"bytes", PB_FieldDescriptorProto_Type_TYPE_BYTES},
        {"uint32", PB_FieldDescriptorProto_Type_TYPE_UINT32},
        {"sfixed32", PB_FieldDescriptorProto_Type_TYPE_SFIXED32},
        {"sfixed64", PB_FieldDescriptorProto_Type_TYPE_SFIXED64},
        {"sint32", PB_FieldDescriptorProto_Type_TYPE_SINT32},
        {"sint64", PB_FieldDescriptorProto_Type_TYPE_SINT64},
    };
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (str_eq(name, str_from(scalars[i].name)))
            return scalars[i].type;
    return 0;
}

/* The number of the field's type; `index` is that of a message or an enum. */
static bool find_type(struct proto_file_parse *p, struct str name, uint64_t *type, uint32_t *index)
{
    *index = DESCRIPTOR_NONE;
    *type = scalar_type(name);
    if (*type)
        return true;
    *index = resolve(p, name);
    if (*index == DESCRIPTOR_NONE)
        return fail(p, "there is no type %.*s", shown(name), name.p);
    *type = descriptors_type(p->d, *index)->kind == DESCRIPTOR_ENUM
                ? PB_FieldDescriptorProto_Type_TYPE_ENUM
                : PB_FieldDescriptorProto_Type_TYPE_MESSAGE;
    return true;
}

static bool can_be_packed(uint64_t type)
{
    return type != PB_FieldDescriptorProto_Type_TYPE_STRING &&
           type != PB_FieldDescriptorProto_Type_TYPE_BYTES &&
           type != PB_FieldDescriptorProto_Type_TYPE_MESSAGE;
}

static bool put_extendee(struct proto_file_parse *p, struct pb_bytes *field)
{
    struct str name = p->levels[p->depth].extendee;
    uint32_t type = resolve(p, name);
    if (type == DESCRIPTOR_NONE)
        return fail(p, "there is no message %.*s", shown(name), name.p);
    struct str full = descriptors_type(p->d, type)->name;
    char absolute[2 * NAME_MAX_BYTES];
    snprintf(absolute, sizeof absolute, ".%.*s", (int)full.n, full.p);
    pb_put_str(field, PB_FieldDescriptorProto_extendee, str_from(absolute));
    return true;
}

/* What a statement says of a field. */
struct field_text {
    struct str name, type;
    int64_t number;
    bool repeated, packed;
};

static bool put_field(struct proto_file_parse *p, const struct field_text *f, struct pb_bytes *out)
{
    uint64_t type;
    uint32_t index;
    bool extension = p->levels[p->depth].block == BLOCK_EXTEND;
    if (!find_type(p, f->type, &type, &index) || (extension && !put_extendee(p, out)))
        return false;
    pb_put_str(out, PB_FieldDescriptorProto_name, f->name);
    pb_put_uint(out, PB_FieldDescriptorProto_number, (uint64_t)f->number);
    pb_put_uint(out, PB_FieldDescriptorProto_label,
                f->repeated ? PB_FieldDescriptorProto_Label_LABEL_REPEATED
                            : PB_FieldDescriptorProto_Label_LABEL_OPTIONAL);
    pb_put_uint(out, PB_FieldDescriptorProto_type, type);
    if (index != DESCRIPTOR_NONE)
        pb_put_str(out, PB_FieldDescriptorProto_type_name, descriptors_type(p->d, index)->name);
    if (f->packed && f->repeated && can_be_packed(type)) {
        struct pb_bytes options = {0};
        pb_put_uint(&options, PB_FieldOptions_packed, 1);
        pb_put_message(out, PB_FieldDescriptorProto_options, &options);
        pb_bytes_release(&options);
    }
    struct proto_file_level *in = definition(p);
    uint32_t member = PB_DescriptorProto_field;
    if (extension)
        member = in->block == BLOCK_FILE ? PB_FileDescriptorProto_extension
                                         : PB_DescriptorProto_extension;
    pb_put_message(&in->out, member, out);
    return true;
}

/* "optional int32 name = 1;" */
static bool read_field(struct proto_file_parse *p)
{
    if (p->levels[p->depth].block == BLOCK_FILE)
        return fail_expected(p, "a definition");
    struct field_text f = {.packed = p->proto3};
    struct pb_bytes out = {0};
    f.repeated = take(p, "repeated");
    if (!f.repeated && !take(p, "optional"))
        (void)take(p, "required");
    if (is_token(p, "map") || is_token(p, "group"))
        return fail(p, "a %.*s is not understood", shown(p->token), p->token.p);
    bool ok = need_name(p, "a type", &f.type) && need_plain_name(p, "a name", &f.name) &&
              need(p, "=") && need_number(p, 1, (1 << 29) - 1, &f.number) &&
              take_options(p, &f.packed) && (!p->with_fields || put_field(p, &f, &out)) &&
              need(p, ";");
    pb_bytes_release(&out);
    return ok;
}

static bool read_enum_value(struct proto_file_parse *p)
{
    struct str name;
    int64_t number;
    bool packed;
    if (!need_plain_name(p, "a name", &name) || !need(p, "=") ||
        !need_number(p, INT32_MIN, INT32_MAX, &number) || !take_options(p, &packed) ||
        !need(p, ";"))
        return false;
    struct pb_bytes value = {0};
    pb_put_str(&value, PB_EnumValueDescriptorProto_name, name);
    pb_put_uint(&value, PB_EnumValueDescriptorProto_number, (uint64_t)number);
    pb_put_message(&p->levels[p->depth].out, PB_EnumDescriptorProto_value, &value);
    pb_bytes_release(&value);
    return true;
}

static bool read_package(struct proto_file_parse *p)
{
    struct str name = STR("");
    if (!need_name(p, "a name", &name) || p->scope_size > 0)
        return fail_expected(p, "one package");
    pb_put_str(&p->levels[0].out, PB_FileDescriptorProto_package, name);
    return extend_scope(p, name) && need(p, ";");
}

static bool read_syntax(struct proto_file_parse *p)
{
    bool ok = need(p, "=");
    p->proto3 = is_token(p, "\"proto3\"") || is_token(p, "'proto3'");
    return ok && skip_statement(p);
}

static bool read_message(struct proto_file_parse *p)
{
    return enter_type(p, BLOCK_MESSAGE);
}

static bool read_enum(struct proto_file_parse *p)
{
    return enter_type(p, BLOCK_ENUM);
}

enum {
    IN_FILE = 1 << BLOCK_FILE,
    IN_MESSAGE = 1 << BLOCK_MESSAGE,
    IN_ENUM = 1 << BLOCK_ENUM,
    IN_ONEOF = 1 << BLOCK_ONEOF,
};

static const struct keyword {
    const char *word;
    unsigned blocks; /* where it is one */
    bool (*read)(struct proto_file_parse *p);
} keywords[] = {
    {"syntax", IN_FILE, read_syntax},
    {"package", IN_FILE, read_package},
    {"import", IN_FILE, skip_statement},
    {"service", IN_FILE, skip_statement},
    {"option", IN_FILE | IN_MESSAGE | IN_ENUM | IN_ONEOF, skip_statement},
    {"reserved", IN_MESSAGE | IN_ENUM, skip_statement},
    {"extensions", IN_MESSAGE, skip_statement},
    {"message", IN_FILE | IN_MESSAGE, read_message},
    {"enum", IN_FILE | IN_MESSAGE, read_enum},
    {"extend", IN_FILE | IN_MESSAGE, enter_extend},
    {"oneof", IN_MESSAGE, enter_oneof},
};

static bool read_statement(struct proto_file_parse *p)
{
    enum block block = p->levels[p->depth].block;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (keywords[i].blocks & 1U << block && take(p, keywords[i].word))
            return keywords[i].read(p);
    return block == BLOCK_ENUM ? read_enum_value(p) : read_field(p);
}

static bool read_file(struct proto_file_parse *p)
{
    bool ok = true;
    for (advance(p); ok && p->token.n > 0;) {
        if (take(p, ";"))
            continue;
        if (p->depth > 0 && take(p, "}"))
            leave(p);
        else
            ok = read_statement(p);
    }
    return ok && (p->depth == 0 || fail_expected(p, "'}'"));
}

/* Appends the file's descriptor to the set. */
static struct status parse_file(struct descriptors *d, const struct proto_file *file,
                                bool with_fields, struct pb_bytes *set)
{
    struct proto_file_parse p = {.d = d, .file = file, .with_fields = with_fields};
    if (read_file(&p))
        pb_put_message(set, PB_FileDescriptorSet_file, &p.levels[0].out);
    for (size_t i = 0; i <= p.depth; i++)
        pb_bytes_release(&p.levels[i].out);
    return p.status;
}

static struct status add_pass(struct descriptors *d, const struct proto_file *files, size_t count,
                              bool with_fields)
{
    struct pb_bytes set = {0};
    struct status status = status_ok_value();
    for (size_t i = 0; i < count && status_ok(status); i++)
        status = parse_file(d, &files[i], with_fields, &set);
    if (status_ok(status))
        status = descriptors_add(d, set.v.items, set.v.count);
    pb_bytes_release(&set);
    return status;
}

struct status proto_files_add(struct descriptors *d, const struct proto_file *files, size_t count)
{
    struct status status = add_pass(d, files, count, false);
    return status_ok(status) ? add_pass(d, files, count, true) : status;
}
