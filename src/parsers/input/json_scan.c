#include "parsers/input/json_scan.h"

#include <math.h>

#include "base/utf8.h"

void json_scan_release(struct json_scan *j)
{
    vec_release(&j->text);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

void json_skip_space(struct json_scan *j)
{
    while (j->p < j->end && is_space(*j->p))
        j->p++;
}

static bool run_out(struct json_scan *j)
{
    j->ran_out = true;
    return false;
}

bool json_take(struct json_scan *j, char c)
{
    json_skip_space(j);
    if (j->p >= j->end)
        return run_out(j);
    if (*j->p != c)
        return false;
    j->p++;
    return true;
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
    vec_reserve(&j->text, j->text.count + n);
    memcpy(j->text.items + j->text.count, p, n);
    j->text.count += n;
}

bool json_read_string(struct json_scan *j, struct str *out)
{
    const char *start = j->p;
    j->text.count = 0;
    for (bool escaped = false; j->p < j->end;) {
        char c = *j->p;
        if (c != '"' && c != '\\') {
            j->p++;
            continue;
        }
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
    while (p > start && is_space(p[-1]))
        p--;
    return p[-1] == ':' || p[-1] == ',' || p[-1] == '[' || p[-1] == '{';
}

static bool may_follow_string(const char *p, const char *end)
{
    while (p < end && is_space(*p))
        p++;
    return p == end || *p == ':' || *p == ',' || *p == '}' || *p == ']';
}

/* Behind the first bracket: up to behind the one that closes it. */
static bool skip_nested(struct json_scan *j)
{
    const char *p = j->p, *end = j->end;
    for (size_t depth = 1; p < end;) {
        char c = *p++;
        if (c == '"') {
            for (; p < end && *p != '"'; p++)
                if (*p == '\\' && ++p == end)
                    return run_out(j);
            if (p < end && !may_follow_string(++p, end))
                return false;
        } else if (c == '{' || c == '[') {
            if (!may_open(j->p, p - 1))
                return false;
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            j->p = p;
            return true;
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
    *v = (struct json_value){type, {j->p, word.n}};
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
    *v = (struct json_value){JSON_NUMBER, {start, (size_t)(j->p - start)}};
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
        if (!skip_nested(j))
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

bool json_to_f64(struct json_value v, double *out)
{
    bool digits = false;
    for (size_t i = 0; i < v.text.n && v.text.p[i] != 'e' && v.text.p[i] != 'E'; i++)
        digits = digits || (v.text.p[i] >= '0' && v.text.p[i] <= '9');
    return (v.type == JSON_NUMBER || v.type == JSON_STRING) && digits && str_to_f64(v.text, out);
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

/* The first three digits of a fraction, rounded by the fourth; -1 where it is none. */
static int64_t thousandths(struct str digits)
{
    int64_t value = 0;
    for (size_t i = 0; i < digits.n; i++)
        if (digits.p[i] < '0' || digits.p[i] > '9')
            return -1;
    for (size_t i = 0; i < 3; i++)
        value = value * 10 + (i < digits.n ? digits.p[i] - '0' : 0);
    return value + (digits.n > 3 && digits.p[3] >= '5');
}

bool json_us_to_ns(struct json_value v, int64_t *out)
{
    if (v.type != JSON_NUMBER && v.type != JSON_STRING)
        return false;
    size_t point = str_find(v.text, '.');
    struct str whole = str_from_to(v.text, 0, point);
    struct str fraction = point < v.text.n ? str_skip(v.text, point + 1) : (struct str){"", 0};
    bool negative = whole.n > 0 && whole.p[0] == '-';
    int64_t us = 0, ns = thousandths(fraction);
    bool plain = ns >= 0 && whole.n + fraction.n > (size_t)negative;
    if (plain && (whole.n == (size_t)negative || str_to_i64(whole, &us)))
        return !__builtin_mul_overflow(us, 1000, &us) &&
               !__builtin_add_overflow(us, negative ? -ns : ns, out);
    double d;
    if (!json_to_f64(v, &d) || !(d > -9e15 && d < 9e15))
        return false;
    *out = (int64_t)llround(d * 1000);
    return true;
}
