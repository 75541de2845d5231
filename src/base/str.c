#include "base/str.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

bool str_to_u64(struct str s, int base, uint64_t *out)
{
    if (base == 16 && s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X'))
        s = str_skip(s, 2);
    if (s.n == 0)
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        unsigned digit;
        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if (base == 16 && c >= 'a' && c <= 'f')
            digit = (unsigned)(c - 'a') + 10;
        else if (base == 16 && c >= 'A' && c <= 'F')
            digit = (unsigned)(c - 'A') + 10;
        else
            return false;
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    *out = value;
    return true;
}

bool str_to_i64(struct str s, int64_t *out)
{
    bool negative = s.n > 0 && s.p[0] == '-';
    if (negative || (s.n > 0 && s.p[0] == '+'))
        s = str_skip(s, 1);
    uint64_t magnitude;
    if (!str_to_u64(s, 10, &magnitude))
        return false;
    uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    if (magnitude > limit)
        return false;
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool str_to_f64(struct str s, double *out)
{
    char copy[512]; /* "%f" of the largest has 316 */
    if (s.n == 0 || s.n >= sizeof copy)
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!strchr("0123456789+-.eE", s.p[i]) || s.p[i] == '\0')
            return false;
    memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    /* strtod reads the locale's decimal point; only LC_NUMERIC "C" is ever set, see main(). */
    char *end;
    double value = strtod(copy, &end);
    if (end != copy + s.n || !isfinite(value))
        return false;
    *out = value;
    return true;
}
