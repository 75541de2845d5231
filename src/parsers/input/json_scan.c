#include "parsers/input/json_scan.h"

#include <math.h>

#include "base/utf8.h"

void json_scan_release(struct json_scan *j)
{
    vec_release(&j->text);
}

static bool run_out(struct json_scan *j)
{
    j->ran_out = true;
    return false;
}

static void put_utf8(struct json_scan *j, uint32_t c)
{
    char bytes[4];
    size_t n = utf8_encode(c, bytes);
    for (size_t i = 0; i < n; i++)
        *vec_push(&j->text) = bytes[i];
}

static bool read_hex4(struct json_scan *j, uint32_t *out)
{
    uint64_t v;
    if (j->end - j->p < 4)
        return run_out(j);
    if (!str_to_u64((struct str){j->p, 4}, 16, &v))
        return false;
    j->p += 4;
    *out = (uint32_t)v;
    return true;
}

static bool read_unicode(struct json_scan *j)
{
    uint32_t c, low;
    if (!read_hex4(j, &c))
        return false;
    if (c >= 0xd800 && c < 0xdc00 && j->end - j->p >= 2 && j->p[0] == '\\' && j->p[1] == 'u') {
        j->p += 2;
        if (!read_hex4(j, &low) || low < 0xdc00 || low >= 0xe000)
            return false;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    put_utf8(j, c);
    return true;
}

static bool read_escape(struct json_scan *j)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (j->p >= j->end)
        return run_out(j);
    char c = *j->p++;
    if (c == 'u')
        return read_unicode(j);
    const char *at = c ? strchr(names, c) : NULL;
    if (!at)
        return false;
    *vec_push(&j->text) = values[at - names];
    return true;
}

static void add_text(struct json_scan *j, const char *p, size_t n)
{
    if (n == 0)
        return;
    vec_append(&j->text, p, n);
}

/* Eight bytes at a time: a byte of `hits` is not 0 where one is; those above it may be wrong. */
const char *json_find_special(const char *p, const char *end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    for (uint64_t word; end - p >= 8; p += 8) {
        memcpy(&word, p, 8);
        uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
        uint64_t hits = (((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops;
        if (hits)
            return p + __builtin_ctzll(hits) / 8;
    }
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

bool json_read_string(struct json_scan *j, struct str *out)
{
    const char *start = j->p;
    j->text.count = 0;
    for (bool escaped = false; (j->p = json_find_special(j->p, j->end)) < j->end;) {
        char c = *j->p;
        size_t n = (size_t)(j->p - start);
        if (c == '"' && !escaped) {
            *out = (struct str){start, n};
            j->p++;
            return true;
        }
        add_text(j, start, n);
        j->p++;
        if (c == '"') {
            *out = (struct str){j->text.items, j->text.count};
            return true;
        }
        escaped = true;
        if (!read_escape(j))
            return false;
        start = j->p;
    }
    return run_out(j);
}

/* Whether a bracket may open at `p`: damage is found where it is, not where brackets fail to match
 * at the end of the file. `start` is behind another bracket. */
static bool may_open(const char *start, const char *p)
{
    while (p > start && json_is_space(p[-1]))
        p--;
    return p[-1] == ':' || p[-1] == ',' || p[-1] == '[' || p[-1] == '{';
}

static bool may_follow_string(const char *p, const char *end)
{
    while (p < end && json_is_space(*p))
        p++;
    return p == end || *p == ':' || *p == ',' || *p == '}' || *p == ']';
}

const char *json_behind_string(const char *p, const char *end)
{
    while ((p = json_find_special(p, end)) < end && *p == '\\')
        p = end - p > 2 ? p + 2 : end;
    return p < end ? p + 1 : NULL;
}

/* Behind the first bracket: up to behind the one that closes it. */
static bool skip_nested(struct json_scan *j, bool *spaced)
{
    const char *p = j->p, *end = j->end;
    *spaced = false;
    for (size_t depth = 1; p < end;) {
        char c = *p++;
        if (c == '"') {
            p = json_behind_string(p, end);
            if (!p)
                return run_out(j);
            if (!may_follow_string(p, end))
                return false;
        } else if (c == '{' || c == '[') {
            if (!may_open(j->p, p - 1))
                return false;
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            j->p = p;
            return true;
        } else if (json_is_space(c)) {
            *spaced = true;
            p = json_behind_space(p, end);
        }
    }
    return run_out(j);
}

static bool read_word(struct json_scan *j, struct str word, enum json_type type,
                      struct json_value *v)
{
    size_t left = (size_t)(j->end - j->p), n = left < word.n ? left : word.n;
    if (memcmp(j->p, word.p, n) != 0)
        return false;
    if (n < word.n)
        return run_out(j);
    *v = (struct json_value){.type = type, .text = {j->p, word.n}};
    j->p += word.n;
    return true;
}

static bool is_number_character(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

/* A number ends where something else begins: at the window's end, more may follow. */
static bool read_number(struct json_scan *j, struct json_value *v)
{
    const char *start = j->p;
    while (j->p < j->end && is_number_character(*j->p))
        j->p++;
    if (j->p >= j->end && !j->last)
        return run_out(j);
    *v = (struct json_value){.type = JSON_NUMBER, .text = {start, (size_t)(j->p - start)}};
    return v->text.n > 0;
}

bool json_read_value(struct json_scan *j, struct json_value *v)
{
    json_skip_space(j);
    if (j->p >= j->end)
        return run_out(j);
    const char *start = j->p;
    switch (*start) {
    case '"':
        v->type = JSON_STRING;
        j->p++;
        return json_read_string(j, &v->text);
    case '{':
    case '[':
        j->p++;
        if (!skip_nested(j, &v->spaced))
            return false;
        v->type = *start == '{' ? JSON_OBJECT : JSON_ARRAY;
        v->text = (struct str){start, (size_t)(j->p - start)};
        return true;
    case 't':
        return read_word(j, STR("true"), JSON_BOOL, v);
    case 'f':
        return read_word(j, STR("false"), JSON_BOOL, v);
    case 'n':
        return read_word(j, STR("null"), JSON_NULL, v);
    case 'N': /* not JSON, but what Python writes */
        return read_word(j, STR("NaN"), JSON_NULL, v);
    case 'I':
        return read_word(j, STR("Infinity"), JSON_NULL, v);
    case '-':
        if (j->end - start > 1 && start[1] == 'I')
            return read_word(j, STR("-Infinity"), JSON_NULL, v);
        return read_number(j, v);
    default:
        return read_number(j, v);
    }
}

bool json_next_key(struct json_scan *j, bool first, struct str *key, bool *closed)
{
    bool comma = !first && json_take(j, ',');
    *closed = json_take(j, '}');
    if (*closed || (!first && !comma))
        return false;
    return json_take(j, '"') && json_read_string(j, key) && json_take(j, ':');
}

bool json_next_element(struct json_scan *j, bool first, bool *closed)
{
    bool comma = !first && json_take(j, ',');
    *closed = json_take(j, ']');
    return !*closed && (first || comma);
}

/* A number in its plain form: a sign, digits, a point and digits. */
struct decimal {
    bool negative, has_fraction;
    uint64_t whole, fraction;
    size_t digits; /* of the fraction */
};

enum { DIGITS_MAX = 18 }; /* fit into 64 bits */

static size_t read_digits(struct str s, uint64_t *out)
{
    size_t n = 0;
    *out = 0;
    for (; n < s.n && n <= DIGITS_MAX && s.p[n] >= '0' && s.p[n] <= '9'; n++)
        *out = *out * 10 + (uint64_t)(s.p[n] - '0');
    return n;
}

/* False where it is another form, or too long. */
static bool read_decimal(struct str s, struct decimal *d)
{
    d->negative = s.n > 0 && *s.p == '-';
    s = str_skip(s, d->negative);
    size_t n = read_digits(s, &d->whole);
    if (n == 0 || n > DIGITS_MAX)
        return false;
    s = str_skip(s, n);
    d->has_fraction = s.n > 0;
    if (s.n == 0)
        return true;
    if (*s.p != '.')
        return false;
    d->digits = read_digits(str_skip(s, 1), &d->fraction);
    return d->digits > 0 && d->digits <= DIGITS_MAX && d->digits == s.n - 1;
}

static double decimal_to_f64(const struct decimal *d)
{
    static const double powers[DIGITS_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                  1e14, 1e15, 1e16, 1e17, 1e18};
    double value = (double)d->whole;
    if (d->has_fraction)
        value += (double)d->fraction / powers[d->digits];
    return d->negative ? -value : value;
}

bool json_to_f64(struct json_value v, double *out)
{
    struct decimal d;
    bool digits = false;
    if (v.type != JSON_NUMBER && v.type != JSON_STRING)
        return false;
    if (read_decimal(v.text, &d)) {
        *out = decimal_to_f64(&d);
        return true;
    }
    for (size_t i = 0; i < v.text.n && v.text.p[i] != 'e' && v.text.p[i] != 'E'; i++)
        digits = digits || (v.text.p[i] >= '0' && v.text.p[i] <= '9');
    return digits && str_to_f64(v.text, out);
}

bool json_to_i64(struct json_value v, int64_t *out)
{
    double d;
    if (v.type != JSON_NUMBER && v.type != JSON_STRING)
        return false;
    if (str_to_i64(v.text, out))
        return true;
    if (!json_to_f64(v, &d) || !(d > -9e18 && d < 9e18))
        return false;
    *out = (int64_t)d;
    return true;
}

bool json_us_to_ns(struct json_value v, int64_t *out)
{
    struct decimal d;
    double us;
    if (v.type != JSON_NUMBER && v.type != JSON_STRING)
        return false;
    bool plain = read_decimal(v.text, &d);
    if (plain && !d.has_fraction) {
        int64_t whole = d.negative ? -(int64_t)d.whole : (int64_t)d.whole;
        return !__builtin_mul_overflow(whole, 1000, out);
    }
    if (plain)
        us = decimal_to_f64(&d);
    else if (!json_to_f64(v, &us))
        return false;
    if (!(us > -9e15 && us < 9e15))
        return false;
    *out = us == trunc(us) ? (int64_t)us * 1000 : (int64_t)llround(us * 1000.0);
    return true;
}
