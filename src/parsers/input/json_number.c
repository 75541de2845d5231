#include "parsers/input/json_number.h"

#include <math.h>
#include <string.h>

#include "base/little_endian.h"

enum { DIGITS_MAX = 18 }; /* fit into 64 bits */

static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* A bit 0x80 for each byte that is no digit, where the text has the first byte lowest; those above
 * the first may be wrong. */
static inline uint64_t other_than_digits(uint64_t text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    return ((text - ones * '0') | (text + ones * (0x7f - '9')) | text) & ones << 7;
}

/* The number that eight digits make, the first one lowest, each as its value. */
static inline uint64_t eight_digits(uint64_t digits)
{
    digits = digits * 10 + (digits >> 8);
    return ((digits & UINT64_C(0x000000ff000000ff)) * (100 + (UINT64_C(1000000) << 32)) +
            (digits >> 16 & UINT64_C(0x000000ff000000ff)) * (1 + (UINT64_C(10000) << 32))) >>
           32;
}

/* Up to eight digits at `p`, where eight bytes are; how many there are. */
static inline size_t read_eight(const char *p, uint64_t *out)
{
    uint64_t text = load_le64(p);
    uint64_t others = other_than_digits(text);
    size_t n = others ? (size_t)__builtin_ctzll(others) / 8 : 8;
    if (n > 0) {
        uint64_t digits = (text & UINT64_C(0x0f0f0f0f0f0f0f0f)) << (64 - 8 * n);
        *out = *out * powers[n] + eight_digits(digits);
    }
    return n;
}

/* Up to one more than DIGITS_MAX. */
static inline size_t read_digits(const char *p, const char *end, uint64_t *out)
{
    const char *start = p;
    size_t n = 8;
    *out = 0;
    while (n == 8 && end - p >= 8 && p - start <= DIGITS_MAX - 8) {
        n = read_eight(p, out);
        p += n;
    }
    if (n < 8)
        return (size_t)(p - start);
    for (; p < end && p - start <= DIGITS_MAX && *p >= '0' && *p <= '9'; p++)
        *out = *out * 10 + (uint64_t)(*p - '0');
    return (size_t)(p - start);
}

const char *json_decimal_read(const char *p, const char *end, struct json_decimal *out)
{
    out->negative = p < end && *p == '-';
    p += out->negative;
    size_t n = read_digits(p, end, &out->whole);
    p += n;
    out->has_fraction = p < end && *p == '.';
    if (n == 0 || n > DIGITS_MAX)
        return NULL;
    if (!out->has_fraction)
        return p;
    n = read_digits(++p, end, &out->fraction);
    out->digits = (uint32_t)n;
    return n > 0 && n <= DIGITS_MAX ? p + n : NULL;
}

double json_decimal_to_f64(const struct json_decimal *d)
{
    static const double scales[DIGITS_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                  1e14, 1e15, 1e16, 1e17, 1e18};
    double value = (double)d->whole;
    if (d->has_fraction)
        value += (double)d->fraction / scales[d->digits];
    return d->negative ? -value : value;
}

/* False where the text is of another form. */
static bool read_whole_text(struct str text, struct json_decimal *d)
{
    const char *end = text.p + text.n;
    return text.n > 0 && json_decimal_read(text.p, end, d) == end;
}

bool json_text_to_f64(struct str text, double *out)
{
    struct json_decimal d;
    bool digits = false;
    if (read_whole_text(text, &d)) {
        *out = json_decimal_to_f64(&d);
        return true;
    }
    for (size_t i = 0; i < text.n && text.p[i] != 'e' && text.p[i] != 'E'; i++)
        digits = digits || (text.p[i] >= '0' && text.p[i] <= '9');
    return digits && str_to_f64(text, out);
}

bool json_text_to_i64(struct str text, int64_t *out)
{
    double d;
    if (str_to_i64(text, out))
        return true;
    if (!json_text_to_f64(text, &d) || !(d > -9e18 && d < 9e18))
        return false;
    *out = (int64_t)d;
    return true;
}

static bool us_to_ns(double us, int64_t *out)
{
    if (!(us > -9e15 && us < 9e15))
        return false;
    *out = us == trunc(us) ? (int64_t)us * 1000 : (int64_t)llround(us * 1000.0);
    return true;
}

bool json_decimal_us_to_ns(const struct json_decimal *d, int64_t *out)
{
    return d->has_fraction ? us_to_ns(json_decimal_to_f64(d), out)
                           : !__builtin_mul_overflow(json_decimal_whole(d), 1000, out);
}

/* "1597071955562795666e-3": whole ns, which are more digits than a double holds, as a cutter writes
 * them. */
static bool exact_ns(struct str text, int64_t *out)
{
    struct str end = STR(JSON_NS_AS_US);
    if (text.n <= end.n || memcmp(text.p + text.n - end.n, end.p, end.n) != 0)
        return false;
    return str_to_i64((struct str){text.p, text.n - end.n}, out);
}

bool json_text_us_to_ns(struct str text, int64_t *out)
{
    struct json_decimal d;
    double us;
    if (exact_ns(text, out))
        return true;
    if (read_whole_text(text, &d))
        return json_decimal_us_to_ns(&d, out);
    return json_text_to_f64(text, &us) && us_to_ns(us, out);
}
