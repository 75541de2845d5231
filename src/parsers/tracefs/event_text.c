#include "parsers/tracefs/event_text.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "parsers/proto/ftrace_args.h"
#include "parsers/proto/ftrace_kinds.h"
#include "parsers/tracefs/event_forms.h"
#include "pb_fields.h"

enum { FIELDS_MAX = 64, NO_FIELD = -1 };

enum how { HOW_USUAL, HOW_HEX, HOW_DEVICE, HOW_LIST, HOW_WORDS };

/* The text `before` a value, and what the value is. */
struct step {
    struct str before;
    bool has_value; /* false only in a form's last step */
    int field;      /* index, or NO_FIELD */
    enum how how;
    struct str words;
};

struct form {
    VEC(struct step) steps;
};

struct event_text {
    const struct ftrace_event_kind *kind;
    uint32_t event, symbol_field;
    struct str names[FIELDS_MAX];
    int field_count;
    VEC(struct form) forms;
};

/* A message under construction. */
struct message {
    struct event_text *e;
    struct string_pool *strings;
    struct pb_bytes *out;
    uint64_t set; /* fields, by index */
};

static bool is_blank(char c)
{
    return str_is_blank(c);
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The search begins at `first`, as fields mostly follow each other in their order. */
static int find_field_from(const struct event_text *e, struct str name, int first)
{
    for (int i = 0; i < e->field_count; i++) {
        int at = first + i < e->field_count ? first + i : first + i - e->field_count;
        if (str_eq(e->names[at], name))
            return at;
    }
    return NO_FIELD;
}

static int find_field(const struct event_text *e, struct str name)
{
    return find_field_from(e, name, 0);
}

/* "field:how", up to the closing bracket. */
static struct step read_step(const struct event_text *e, struct str before, struct str value)
{
    size_t colon = str_find(value, ':');
    struct step s = {.before = before,
                     .has_value = true,
                     .field = find_field(e, str_from_to(value, 0, colon))};
    if (colon == value.n)
        return s;
    s.words = str_skip(value, colon + 1);
    s.how = str_eq(s.words, STR("x"))   ? HOW_HEX
            : str_eq(s.words, STR("d")) ? HOW_DEVICE
            : str_eq(s.words, STR("l")) ? HOW_LIST
                                        : HOW_WORDS;
    return s;
}

static void add_form(struct event_text *e, struct str text)
{
    struct form *f = vec_push(&e->forms);
    *f = (struct form){0};
    while (text.n > 0) {
        size_t open = str_find(text, '{');
        struct str before = str_from_to(text, 0, open), value = str_skip(text, open);
        if (value.n == 0) {
            *vec_push(&f->steps) = (struct step){.before = before, .field = NO_FIELD};
            return;
        }
        size_t close = str_find(value, '}');
        *vec_push(&f->steps) = read_step(e, before, str_from_to(value, 1, close));
        text = str_skip(value, close + 1);
    }
}

struct event_text *event_text_new(struct str name)
{
    uint32_t event = 0;
    while (
        event < ftrace_event_kind_count &&
        !(ftrace_event_kinds[event].name && str_eq(str_from(ftrace_event_kinds[event].name), name)))
        event++;
    if (event == ftrace_event_kind_count || event == PB_FtraceEvent_generic)
        return NULL;
    struct event_text *e = alloc_array(1, sizeof *e);
    e->kind = &ftrace_event_kinds[event];
    e->event = event;
    e->symbol_field = ftrace_event_symbol_field(event);
    e->field_count = e->kind->field_count < FIELDS_MAX ? (int)e->kind->field_count : FIELDS_MAX;
    for (int i = 0; i < e->field_count; i++)
        e->names[i] = str_from(e->kind->fields[i].name);
    for (const struct event_form *f = event_forms; f->event; f++)
        if (str_eq(str_from(f->event), name))
            add_form(e, str_from(f->form));
    return e;
}

void event_text_free(struct event_text *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->forms.count; i++)
        vec_release(&e->forms.items[i].steps);
    vec_release(&e->forms);
    free(e);
}

uint32_t event_text_event(const struct event_text *e)
{
    return e->event;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Up to 16 hexadecimal digits; what follows them is no digit or letter. */
static bool read_hex(struct str text, int64_t *out)
{
    enum { DIGITS = 16 };
    uint64_t v = 0;
    size_t i = 0;
    for (; i < text.n && hex_digit(text.p[i]) >= 0; i++)
        v = v << 4 | (unsigned)hex_digit(text.p[i]);
    *out = (int64_t)v;
    return i > 0 && i <= DIGITS && (i == text.n || !is_name(text.p[i]));
}

bool event_text_number(struct str text, int64_t *out)
{
    enum { ADDRESS_DIGITS = 16, DECIMAL_MAX = 20 };
    if (str_starts(text, STR("0x")))
        return read_hex(str_skip(text, 2), out);
    bool negative = text.n > 0 && *text.p == '-';
    uint64_t v = 0;
    size_t i = negative;
    for (; i < text.n && i <= DECIMAL_MAX && text.p[i] >= '0' && text.p[i] <= '9'; i++)
        v = v * 10 + (uint64_t)(text.p[i] - '0');
    size_t digits = i - negative;
    if (!negative && (digits == ADDRESS_DIGITS || (i < text.n && hex_digit(text.p[i]) >= 0)) &&
        read_hex(text, out))
        return true;
    bool unit = i < text.n && (text.p[i] == 'B' || text.p[i] == 'k');
    if (digits == 0 || digits > DECIMAL_MAX || (i < text.n && is_name(text.p[i]) && !unit))
        return false;
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

/* "254,0" or "254:0", perhaps in brackets, as userspace numbers devices. */
static bool read_device(struct str text, int64_t *out)
{
    if (text.n && *text.p == '(')
        text = str_skip(text, 1);
    size_t n = 0, end;
    while (n < text.n && text.p[n] != ',' && text.p[n] != ':')
        n++;
    if (n == text.n)
        return false;
    for (end = n + 1; end < text.n && text.p[end] >= '0' && text.p[end] <= '9';)
        end++;
    uint64_t major, minor;
    if (!str_to_u64(str_from_to(text, 0, n), 10, &major) ||
        !str_to_u64(str_from_to(text, n + 1, end), 10, &minor) || major > 0xfff || minor > 0xfffff)
        return false;
    *out = (int64_t)((minor & 0xff) | major << 8 | (minor & 0xfff00) << 12);
    return true;
}

static bool read_word(struct str text, struct str words, int64_t *out)
{
    for (*out = 0; words.n > 0; ++*out) {
        if (str_eq(text, str_cut(&words, '|')))
            return true;
    }
    return false;
}

static bool is_text(uint8_t type)
{
    return type == PB_FieldDescriptorProto_Type_TYPE_STRING ||
           type == PB_FieldDescriptorProto_Type_TYPE_BYTES;
}

static void put_list(const struct message *m, uint32_t number, struct str text)
{
    while (text.n > 0) {
        int64_t v;
        if (read_hex(str_trim(str_cut(&text, ',')), &v))
            pb_put_uint(m->out, number, (uint64_t)v);
    }
}

static bool read_number(const struct step *s, struct str text, int64_t *out)
{
    switch (s->how) {
    case HOW_HEX:
        return read_hex(str_starts(text, STR("0x")) ? str_skip(text, 2) : text, out);
    case HOW_DEVICE:
        return read_device(text, out);
    case HOW_WORDS:
        return read_word(text, s->words, out);
    default:
        return event_text_number(text, out);
    }
}

static void put_value(struct message *m, const struct step *s, struct str text)
{
    if (s->field == NO_FIELD || m->set >> s->field & 1)
        return;
    const struct ftrace_field_kind *field = &m->e->kind->fields[s->field];
    m->set |= UINT64_C(1) << s->field;
    int64_t v;
    if (is_text(field->type)) {
        pb_put_str(m->out, field->number, text);
    } else if (s->how == HOW_LIST) {
        put_list(m, field->number, text);
    } else if (field->number == m->e->symbol_field) {
        pb_put_uint(m->out, field->number, string_pool_intern(m->strings, text));
    } else if (read_number(s, text, &v)) {
        pb_put_uint(m->out, field->number, (uint64_t)v);
    }
}

/* Whether `text` begins with `form`, whose blanks are one or more; its length there in `*n`. */
static bool begins_with(struct str text, struct str form, size_t *n)
{
    size_t at = 0;
    for (size_t i = 0; i < form.n; i++) {
        if (at == text.n || (form.p[i] == ' ' ? !is_blank(text.p[at]) : text.p[at] != form.p[i]))
            return form.p[i] == ' ' && at == text.n && i + 1 == form.n && (*n = at, true);
        at++;
        while (form.p[i] == ' ' && at < text.n && is_blank(text.p[at]))
            at++;
    }
    *n = at;
    return true;
}

/* The values of a form's steps, where the text has that form; what follows it in `*rest`. */
static bool match_form(const struct form *f, struct str text, struct str values[FIELDS_MAX],
                       struct str *rest)
{
    size_t n;
    if (f->steps.count > FIELDS_MAX || !begins_with(text, f->steps.items[0].before, &n))
        return false;
    text = str_skip(text, n);
    for (size_t i = 0; i < f->steps.count && f->steps.items[i].has_value; i++) {
        const struct step *next = i + 1 < f->steps.count ? &f->steps.items[i + 1] : NULL;
        size_t end = 0;
        n = 0;
        while (next && !begins_with(str_skip(text, end), next->before, &n))
            if (end++ == text.n)
                return false;
        values[i] = next ? str_from_to(text, 0, end) : text;
        text = str_skip(text, next ? end + n : text.n);
    }
    *rest = text;
    return true;
}

/* Of "field=some words other=1" the text up to what is the next field. */
static struct str words_of(struct str text)
{
    size_t equals = str_find(text, '='), end = equals;
    if (equals == text.n)
        return str_trim(text);
    while (end > 0 && is_name(text.p[end - 1]))
        end--;
    struct str words = end > 0 ? str_trim(str_from_to(text, 0, end)) : text;
    while (words.n && words.p[words.n - 1] == ',')
        words.n--;
    return words;
}

static struct str word_of(struct str text)
{
    size_t n = 0;
    while (n < text.n && !is_blank(text.p[n]))
        n++;
    return str_from_to(text, 0, n);
}

/* "field=value", "field = value,", "field: value" and "field value" in any order. */
static void encode_fields(struct message *m, struct str text)
{
    size_t at = 0;
    int expected = 0;
    while (at < text.n) {
        if (!is_name(text.p[at])) {
            at++;
            continue;
        }
        size_t start = at;
        while (at < text.n && is_name(text.p[at]))
            at++;
        struct step s = {.field = find_field_from(m->e, str_from_to(text, start, at), expected)};
        size_t value = at;
        while (value < text.n && is_blank(text.p[value]))
            value++;
        bool equals = value < text.n && text.p[value] == '=';
        if (equals || (value < text.n && text.p[value] == ':'))
            value++;
        while (value < text.n && is_blank(text.p[value]))
            value++;
        if (s.field == NO_FIELD) {
            at = equals ? value + word_of(str_skip(text, value)).n : at;
            continue;
        }
        expected = s.field + 1 < m->e->field_count ? s.field + 1 : 0;
        struct str rest = str_skip(text, value);
        bool words = equals && is_text(m->e->kind->fields[s.field].type);
        struct str v = words ? words_of(rest) : word_of(rest);
        int64_t device;
        s.how = !words && read_device(v, &device) ? HOW_DEVICE : HOW_USUAL;
        put_value(m, &s, v);
        at = value + v.n;
    }
}

void event_text_encode(struct event_text *e, struct str text, struct string_pool *strings,
                       struct pb_bytes *out)
{
    struct message m = {.e = e, .strings = strings, .out = out};
    struct str values[FIELDS_MAX], rest = text;
    for (size_t i = 0; i < e->forms.count; i++) {
        const struct form *f = &e->forms.items[i];
        if (!match_form(f, text, values, &rest)) {
            rest = text;
            continue;
        }
        for (size_t k = 0; k < f->steps.count && f->steps.items[k].has_value; k++)
            put_value(&m, &f->steps.items[k], values[k]);
        break;
    }
    encode_fields(&m, rest);
}
