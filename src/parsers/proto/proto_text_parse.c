#define PB_READS_LITTLE
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "parsers/proto/field_write.h"
#include "parsers/proto/member_hint.h"
#include "parsers/proto/proto_text.h"

/* A message whose end has not been read. */
struct parse_level {
    struct pb_bytes out;
    uint32_t type;
    uint32_t field; /* what it is in the message around it */
    char close;     /* what ends it; 0: the end of the text */
    bool in_list;   /* "field: [{...}, {...}]" */
};

struct text_parse {
    struct descriptors *d;
    const char *source;
    struct str text;
    size_t at;
    struct parse_level levels[PROTO_TEXT_DEPTH_MAX];
    size_t depth; /* of the innermost level */
    /* Numbers of a packed field of the innermost level, which end where another field begins. */
    struct pb_bytes packed;
    uint32_t packed_field; /* 0: none */
    struct pb_bytes piece; /* a text's bytes */
    struct status status;
};

/* The error of the position `at`; only the first one stays. */
__attribute__((format(printf, 3, 4))) static bool fail(struct text_parse *p, size_t at,
                                                       const char *format, ...)
{
    if (!status_ok(p->status))
        return false;
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at && i < p->text.n; i++) {
        column = p->text.p[i] == '\n' ? 1 : column + 1;
        line += p->text.p[i] == '\n';
    }
    va_list args;
    va_start(args, format);
    p->status = status_prefix(status_verror(STATUS_FORMAT, format, args), "%s:%zu:%zu", p->source,
                              line, column);
    va_end(args);
    return false;
}

static bool at_end(const struct text_parse *p)
{
    return p->at >= p->text.n;
}

/* The next character, 0 at the end. */
static char peek(const struct text_parse *p)
{
    return at_end(p) ? 0 : p->text.p[p->at];
}

static void skip_blank(struct text_parse *p)
{
    while (!at_end(p)) {
        if (peek(p) == '#')
            p->at += str_find(str_skip(p->text, p->at), '\n');
        else if (isspace((unsigned char)peek(p)))
            p->at++;
        else
            return;
    }
}

/* Takes `c` if it comes next, and what is blank behind it. */
static bool take(struct text_parse *p, char c)
{
    if (at_end(p) || peek(p) != c)
        return false;
    p->at++;
    skip_blank(p);
    return true;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A name or a number, without its sign; empty where none is. Nothing is skipped behind it. */
static struct str take_word(struct text_parse *p)
{
    size_t from = p->at;
    while (!at_end(p)) {
        char c = peek(p), before = p->at > from ? p->text.p[p->at - 1] : 0;
        bool hex = p->at > from + 1 && (p->text.p[from + 1] | 0x20) == 'x';
        bool exponent = (c == '+' || c == '-') && (before | 0x20) == 'e' && !hex &&
                        (isdigit((unsigned char)p->text.p[from]) || p->text.p[from] == '.');
        if (!is_word(c) && c != '.' && !exponent)
            break;
        p->at++;
    }
    return str_from_to(p->text, from, p->at);
}

/* How much of a name a message quotes. */
static int shown(struct str s)
{
    return (int)(s.n < 100 ? s.n : 100);
}

static void flush_packed(struct text_parse *p)
{
    if (p->packed_field)
        pb_put_message(&p->levels[p->depth].out, p->packed_field, &p->packed);
    p->packed.v.count = 0;
    p->packed_field = 0;
}

static void put_number(struct text_parse *p, const struct field_descriptor *f, uint64_t bits)
{
    if (!f->packed || !f->repeated) {
        field_put_number(&p->levels[p->depth].out, f, bits);
        return;
    }
    p->packed_field = f->number;
    field_put_bits(&p->packed, field_wire_type(f), bits);
}

/* Digits in base 8 (behind a 0), 10 or 16 (behind 0x). */
static bool read_magnitude(struct str word, uint64_t *out)
{
    bool hex = word.n > 2 && word.p[0] == '0' && (word.p[1] | 0x20) == 'x';
    if (hex || word.n < 2 || word.p[0] != '0')
        return str_to_u64(word, hex ? 16 : 10, out);
    *out = 0;
    for (size_t i = 1; i < word.n; i++) {
        if (word.p[i] < '0' || word.p[i] > '7' || *out >> 61)
            return false;
        *out = *out << 3 | (uint64_t)(word.p[i] - '0');
    }
    return true;
}

/* The largest number of a field; the smallest one is -limit - 1 where it has a sign, else 0. */
static uint64_t limit_of(const struct field_descriptor *f)
{
    switch (f->type) {
    case PB_FieldDescriptorProto_Type_TYPE_UINT32:
    case PB_FieldDescriptorProto_Type_TYPE_FIXED32:
        return UINT32_MAX;
    case PB_FieldDescriptorProto_Type_TYPE_UINT64:
    case PB_FieldDescriptorProto_Type_TYPE_FIXED64:
        return UINT64_MAX;
    case PB_FieldDescriptorProto_Type_TYPE_INT64:
    case PB_FieldDescriptorProto_Type_TYPE_SINT64:
    case PB_FieldDescriptorProto_Type_TYPE_SFIXED64:
        return INT64_MAX;
    default:
        return INT32_MAX;
    }
}

static bool parse_int(struct text_parse *p, const struct field_descriptor *f, size_t at,
                      bool negative, struct str word)
{
    uint64_t magnitude = 0, limit = limit_of(f);
    bool has_sign = limit == INT32_MAX || limit == INT64_MAX;
    if (!read_magnitude(word, &magnitude))
        return fail(p, at, "%.*s takes an integer, not '%.*s'", shown(f->name), f->name.p,
                    shown(word), word.p);
    if (magnitude > (negative && has_sign ? limit + 1 : negative ? 0 : limit))
        return fail(p, at, "%s%.*s is out of the range of %.*s", negative ? "-" : "", shown(word),
                    word.p, shown(f->name), f->name.p);
    put_number(p, f, field_int_bits(f, (int64_t)(negative ? 0 - magnitude : magnitude)));
    return true;
}

/* Whether two words are equal but for the case of letters; `name` is in small ones. */
static bool is_name(struct str word, const char *name)
{
    if (word.n != strlen(name))
        return false;
    for (size_t i = 0; i < word.n; i++)
        if (lower_case(word.p[i]) != name[i])
            return false;
    return true;
}

static bool parse_real(struct text_parse *p, const struct field_descriptor *f, size_t at,
                       bool negative, struct str word)
{
    double v = 0;
    uint64_t magnitude;
    struct str digits = word;
    if (is_name(word, "inf") || is_name(word, "infinity"))
        v = INFINITY;
    else if (is_name(word, "nan"))
        v = NAN;
    else if (word.n > 2 && (word.p[1] | 0x20) == 'x' && read_magnitude(word, &magnitude))
        v = (double)magnitude;
    else {
        if (digits.n > 1 && (digits.p[digits.n - 1] | 0x20) == 'f')
            digits.n--;
        if (!str_to_f64(digits, &v))
            return fail(p, at, "%.*s takes a number, not '%.*s'", shown(f->name), f->name.p,
                        shown(word), word.p);
    }
    put_number(p, f, field_real_bits(f, negative ? -v : v));
    return true;
}

static bool parse_bool(struct text_parse *p, const struct field_descriptor *f, size_t at,
                       struct str word)
{
    static const char *const names[] = {"false", "true", "f", "t", "False", "True", "0", "1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!str_eq(word, str_from(names[i])))
            continue;
        put_number(p, f, i % 2);
        return true;
    }
    return fail(p, at, "%.*s takes true or false, not '%.*s'", shown(f->name), f->name.p,
                shown(word), word.p);
}

static bool parse_enum(struct text_parse *p, const struct field_descriptor *f, size_t at,
                       bool negative, struct str word)
{
    int32_t number;
    if (word.n > 0 && isdigit((unsigned char)word.p[0]))
        return parse_int(p, f, at, negative, word);
    if (negative || !descriptors_enum_number(p->d, f->type_index, word, &number)) {
        char *hint = member_hint(p->d, f->type_index, word);
        fail(p, at, "%.*s has no value '%.*s'%s", shown(f->name), f->name.p, shown(word), word.p,
             hint);
        free(hint);
        return false;
    }
    put_number(p, f, field_int_bits(f, number));
    return true;
}

static unsigned digit_of(char c)
{
    if (isdigit((unsigned char)c))
        return (unsigned)(c - '0');
    return isxdigit((unsigned char)c) ? (unsigned)(tolower((unsigned char)c) - 'a') + 10 : 16;
}

/* Up to `most` digits of a base; how many there were is in `count`. */
static uint32_t take_digits(struct text_parse *p, unsigned base, int most, int *count)
{
    uint32_t value = 0;
    *count = 0;
    for (; *count < most && !at_end(p) && digit_of(peek(p)) < base; ++*count, p->at++)
        value = value * base + digit_of(peek(p));
    return value;
}

/* What stands behind a backslash. */
static bool parse_escape(struct text_parse *p)
{
    static const char names[] = "abfnrtv'\"\\?", meant[] = "\a\b\f\n\r\t\v'\"\\?";
    size_t at = p->at;
    char c = peek(p);
    const char *hit = c ? strchr(names, c) : NULL;
    int count;
    if (hit) {
        *vec_push(&p->piece.v) = (uint8_t)meant[hit - names];
        p->at++;
        return true;
    }
    if (c >= '0' && c <= '7') {
        *vec_push(&p->piece.v) = (uint8_t)take_digits(p, 8, 3, &count);
        return true;
    }
    if (c != 'x' && c != 'X' && c != 'u' && c != 'U')
        return fail(p, at, "unknown escape in a text");
    p->at++;
    int wanted = c == 'u' ? 4 : c == 'U' ? 8 : 2;
    uint32_t code = take_digits(p, 16, wanted, &count);
    if (count == 0 || (wanted > 2 && (count < wanted || code > 0x10ffff)))
        return fail(p, at, "malformed escape in a text");
    if (wanted == 2) {
        *vec_push(&p->piece.v) = (uint8_t)code;
        return true;
    }
    char utf8[4];
    pb_put_raw(&p->piece, utf8, utf8_encode(code, utf8));
    return true;
}

/* Texts in quotes, one behind the other, are one. */
static bool parse_text(struct text_parse *p, const struct field_descriptor *f)
{
    p->piece.v.count = 0;
    if (peek(p) != '"' && peek(p) != '\'')
        return fail(p, p->at, "%.*s takes a text in quotes", shown(f->name), f->name.p);
    while (peek(p) == '"' || peek(p) == '\'') {
        size_t from = p->at;
        char quote = p->text.p[p->at++];
        while (!at_end(p) && peek(p) != quote && peek(p) != '\n') {
            char c = p->text.p[p->at++];
            if (c != '\\')
                *vec_push(&p->piece.v) = (uint8_t)c;
            else if (!parse_escape(p))
                return false;
        }
        if (at_end(p) || peek(p) == '\n')
            return fail(p, from, "the text has no end on its line");
        p->at++;
        skip_blank(p);
    }
    pb_put_message(&p->levels[p->depth].out, f->number, &p->piece);
    return true;
}

static bool parse_scalar(struct text_parse *p, const struct field_descriptor *f)
{
    if (f->type == PB_FieldDescriptorProto_Type_TYPE_STRING ||
        f->type == PB_FieldDescriptorProto_Type_TYPE_BYTES)
        return parse_text(p, f);
    size_t at = p->at;
    bool negative = take(p, '-');
    struct str word = take_word(p);
    if (word.n == 0)
        return fail(p, at, "%.*s has no value", shown(f->name), f->name.p);
    skip_blank(p);
    switch (f->type) {
    case PB_FieldDescriptorProto_Type_TYPE_DOUBLE:
    case PB_FieldDescriptorProto_Type_TYPE_FLOAT:
        return parse_real(p, f, at, negative, word);
    case PB_FieldDescriptorProto_Type_TYPE_BOOL:
        return negative ? fail(p, at, "%.*s takes true or false", shown(f->name), f->name.p)
                        : parse_bool(p, f, at, word);
    case PB_FieldDescriptorProto_Type_TYPE_ENUM:
        return parse_enum(p, f, at, negative, word);
    default:
        return parse_int(p, f, at, negative, word);
    }
}

/* Enters the message that begins here. */
static bool open_message(struct text_parse *p, const struct field_descriptor *f, bool in_list)
{
    size_t at = p->at;
    char close = peek(p) == '<' ? '>' : '}';
    if (!take(p, '{') && !take(p, '<'))
        return fail(p, at, "%.*s takes a message in braces", shown(f->name), f->name.p);
    if (f->type_index == DESCRIPTOR_NONE ||
        descriptors_type(p->d, f->type_index)->kind != DESCRIPTOR_MESSAGE)
        return fail(p, at, "the message of %.*s is not known", shown(f->name), f->name.p);
    if (p->depth + 1 == PROTO_TEXT_DEPTH_MAX)
        return fail(p, at, "more than %d messages within each other", PROTO_TEXT_DEPTH_MAX);
    flush_packed(p);
    p->levels[++p->depth] = (struct parse_level){.type = f->type_index,
                                                 .field = f->number,
                                                 .close = close,
                                                 .in_list = in_list};
    return true;
}

static bool is_message(const struct field_descriptor *f)
{
    return f->type == PB_FieldDescriptorProto_Type_TYPE_MESSAGE;
}

/* The elements of a list of numbers or texts, behind its '['. */
static bool parse_list(struct text_parse *p, const struct field_descriptor *f)
{
    if (take(p, ']'))
        return true;
    do {
        if (!parse_scalar(p, f))
            return false;
    } while (take(p, ','));
    return take(p, ']') ||
           fail(p, p->at, "expected ',' or ']' in the list of %.*s", shown(f->name), f->name.p);
}

static bool has_field(const struct pb_bytes *message, uint32_t number)
{
    struct pb_reader r = pb_reader_from(message->v.items, message->v.count);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == number)
            return true;
    return false;
}

/* By "name" or, in brackets, "package.name". */
static const struct field_descriptor *find_field(const struct text_parse *p, struct str name,
                                                 bool in_brackets)
{
    uint32_t type = p->levels[p->depth].type;
    const char *dot = in_brackets ? memrchr(name.p, '.', name.n) : NULL;
    if (!in_brackets)
        return descriptors_field_named(p->d, type, name);
    size_t n = dot ? (size_t)(dot - name.p) : 0;
    return descriptors_extension_named(p->d, type, str_from_to(name, 0, n),
                                       str_skip(name, dot ? n + 1 : 0));
}

/* NULL is an error. */
static const struct field_descriptor *parse_field_name(struct text_parse *p)
{
    size_t at = p->at;
    bool in_brackets = take(p, '[');
    struct str name = take_word(p);
    skip_blank(p);
    if (in_brackets && !take(p, ']')) {
        fail(p, p->at, "expected ']' behind the extension's name");
        return NULL;
    }
    if (name.n == 0) {
        fail(p, at, "expected a field's name");
        return NULL;
    }
    const struct field_descriptor *f = find_field(p, name, in_brackets);
    if (!f) {
        uint32_t type = p->levels[p->depth].type;
        struct str owner = descriptors_type(p->d, type)->name;
        char *hint = member_hint(p->d, in_brackets ? DESCRIPTOR_NONE : type, name);
        fail(p, at, "%.*s has no %s '%.*s'%s", shown(owner), owner.p,
             in_brackets ? "extension" : "field", shown(name), name.p, hint);
        free(hint);
        return NULL;
    }
    if (!f->repeated && has_field(&p->levels[p->depth].out, f->number)) {
        fail(p, at, "%.*s is not repeated, but here twice", shown(name), name.p);
        return NULL;
    }
    return f;
}

static void skip_separator(struct text_parse *p)
{
    if (!take(p, ','))
        take(p, ';');
}

static bool parse_field(struct text_parse *p)
{
    const struct field_descriptor *f = parse_field_name(p);
    if (!f)
        return false;
    if (p->packed_field != f->number)
        flush_packed(p);
    bool colon = take(p, ':');
    if (!colon && !is_message(f))
        return fail(p, p->at, "expected ':' behind %.*s", shown(f->name), f->name.p);
    bool list = colon && f->repeated && take(p, '[');
    if (is_message(f) && !(list && take(p, ']')))
        return open_message(p, f, list);
    if (!is_message(f) && !(list ? parse_list(p, f) : parse_scalar(p, f)))
        return false;
    skip_separator(p);
    return true;
}

/* Behind the end of a message: it becomes a field of the one around it, and the next one of a list
 * begins. */
static bool close_message(struct text_parse *p)
{
    flush_packed(p);
    struct parse_level done = p->levels[p->depth--];
    struct parse_level *around = &p->levels[p->depth];
    pb_put_message(&around->out, done.field, &done.out);
    pb_bytes_release(&done.out);
    if (!done.in_list || take(p, ']')) {
        skip_separator(p);
        return true;
    }
    const struct field_descriptor *f = descriptors_field(p->d, around->type, done.field);
    if (!take(p, ','))
        return fail(p, p->at, "expected ',' or ']' in the list of %.*s", shown(f->name), f->name.p);
    return open_message(p, f, true);
}

static bool parse_all(struct text_parse *p)
{
    skip_blank(p);
    for (;;) {
        const struct parse_level *level = &p->levels[p->depth];
        if (p->depth > 0 && take(p, level->close)) {
            if (!close_message(p))
                return false;
        } else if (at_end(p)) {
            return p->depth == 0 || fail(p, p->at, "'%c' is missing at the end", level->close);
        } else if (!parse_field(p)) {
            return false;
        }
    }
}

struct status proto_text_parse(struct pb_bytes *out, struct descriptors *d, uint32_t type,
                               const char *source, struct str text)
{
    struct text_parse p = {.d = d, .source = source, .text = text, .levels = {{.type = type}}};
    if (parse_all(&p)) {
        flush_packed(&p);
        pb_put_raw(out, p.levels[0].out.v.items, p.levels[0].out.v.count);
    }
    for (size_t i = 0; i <= p.depth; i++)
        pb_bytes_release(&p.levels[i].out);
    pb_bytes_release(&p.packed);
    pb_bytes_release(&p.piece);
    return p.status;
}
