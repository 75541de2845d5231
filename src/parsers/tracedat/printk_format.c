#include "parsers/tracedat/printk_format.h"

#include <stdio.h>
#include <string.h>

#include "parsers/perf/wire.h"

enum { SPEC_MOST = 24, TEXT_MOST = 128, NUMBER_MOST = 99, DIGITS_MOST = 2 };

struct printk_values {
    struct bytes left;
    const uint8_t *start; /* what values are aligned to */
    bool big, missing;
};

/* A number of 1, 2, 4 or 8 bytes; longer ones than 4 lie at multiples of 4. */
static uint64_t take_number(struct printk_values *v, size_t size)
{
    size_t align = size < 4 ? size : 4, used = (size_t)(v->left.p - v->start);
    size_t pad = (align - used % align) % align;
    v->missing |= pad + size > v->left.n;
    if (v->missing)
        return 0;
    const uint8_t *p = v->left.p + pad;
    v->left = (struct bytes){p + size, v->left.n - pad - size};
    return size == 1   ? *p
           : size == 2 ? perf_load16(p, v->big)
           : size == 4 ? perf_load32(p, v->big)
                       : perf_load64(p, v->big);
}

static struct str take_text(struct printk_values *v)
{
    struct str text = perf_text(v->left);
    v->missing |= text.n >= v->left.n;
    if (!v->missing)
        v->left = (struct bytes){v->left.p + text.n + 1, v->left.n - text.n - 1};
    return text;
}

static void put(struct byte_list *out, struct str text)
{
    byte_list_add(out, text.p, text.n);
}

static int64_t extended(uint64_t value, size_t size)
{
    return size == 1   ? (int8_t)value
           : size == 2 ? (int16_t)value
           : size == 4 ? (int32_t)value
                       : (int64_t)value;
}

/* What stands between '%' and the letter of a conversion. */
struct spec {
    char text[SPEC_MOST]; /* with room for "ll" and the letter */
    size_t n, size;       /* of its value */
    size_t digits;        /* one behind the other, which make a width or a precision */
    char letter;
};

/* Takes a conversion off `format`, behind its '%'; widths and precisions that are values, too. */
static bool take_spec(struct str *format, struct printk_values *v, struct spec *s)
{
    enum { MORE = 4 }; /* "ll", the letter and the end */
    *s = (struct spec){.text = "%", .n = 1, .size = 4};
    for (; format->n > 0; *format = str_skip(*format, 1)) {
        char c = *format->p;
        bool is_flag = memchr("-+ #0.", c, 6) != NULL || str_is_digit(c);
        s->digits = str_is_digit(c) ? s->digits + 1 : 0;
        if (is_flag && s->digits <= DIGITS_MOST && s->n + MORE < SPEC_MOST) {
            s->text[s->n++] = c;
        } else if (c == '*') {
            int64_t width = extended(take_number(v, 4), 4);
            int n = width < 0 || width > NUMBER_MOST || s->n + MORE + 4 > SPEC_MOST
                        ? 0
                        : snprintf(s->text + s->n, SPEC_MOST - s->n, "%d", (int)width);
            s->n += (size_t)n;
        } else if (c == 'l' || c == 'z' || c == 't' || c == 'L' || c == 'q' || c == 'j') {
            s->size = 8;
        } else if (c == 'h') {
            s->size = s->size == 2 ? 1 : 2;
        } else if (!is_flag) {
            s->letter = c;
            *format = str_skip(*format, 1);
            return true;
        }
    }
    return false;
}

static void put_number(struct byte_list *out, struct spec *s, uint64_t value)
{
    char text[TEXT_MOST];
    bool is_signed = s->letter == 'd' || s->letter == 'i';
    memcpy(s->text + s->n, "ll", 2);
    s->text[s->n + 2] = s->letter;
    s->text[s->n + 3] = '\0';
    long long number = is_signed ? extended(value, s->size) : (long long)value;
    /* The format was made above: flags, digits and one of these letters. */
    int n = snprintf(text, sizeof text, s->text, number);
    put(out, (struct str){text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1});
}

/* Pointers of some kinds are texts already; those of functions are addresses. */
static void put_pointer(struct byte_list *out, struct str *format, struct printk_values *v)
{
    char text[TEXT_MOST];
    char kind = format->n ? *format->p : 0;
    bool has_kind = (kind >= 'a' && kind <= 'z') || (kind >= 'A' && kind <= 'Z');
    bool is_address = !has_kind || memchr("SsBxeKf", kind, 7) != NULL;
    while (format->n > 0 &&
           ((*format->p >= 'a' && *format->p <= 'z') || (*format->p >= 'A' && *format->p <= 'Z')))
        *format = str_skip(*format, 1);
    if (!is_address) {
        put(out, take_text(v));
        return;
    }
    int n = snprintf(text, sizeof text, "0x%llx", (unsigned long long)take_number(v, 8));
    if (!v->missing)
        put(out, (struct str){text, (size_t)n});
}

static void put_value(struct byte_list *out, struct str *format, struct printk_values *v)
{
    struct spec s;
    char c;
    if (!take_spec(format, v, &s))
        return;
    switch (s.letter) {
    case '%':
        put(out, STR("%"));
        return;
    case 's':
        put(out, take_text(v));
        return;
    case 'p':
        put_pointer(out, format, v);
        return;
    case 'c':
        c = (char)take_number(v, 1);
        if (!v->missing)
            put(out, (struct str){&c, 1});
        return;
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
        uint64_t value = take_number(v, s.size);
        if (!v->missing)
            put_number(out, &s, value);
        return;
    }
    default: /* no letter of the kernel's: how much it takes is not known */
        v->missing = true;
    }
}

void printk_format(struct str format, struct bytes values, bool big, struct byte_list *out)
{
    struct printk_values v = {.left = values, .start = values.p, .big = big};
    if (str_ends(format, STR("\\n")))
        format.n -= 2;
    while (format.n > 0 && !v.missing) {
        size_t n = str_find(format, '%');
        put(out, str_from_to(format, 0, n));
        if (n == format.n)
            return;
        format = str_skip(format, n + 1);
        put_value(out, &format, &v);
    }
}
