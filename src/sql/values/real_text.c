#include "sql/values/real_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char LARGEST_63_BITS[] = "9223372036854775807";

/* Infinity has the digits of 9e999 where it is filled with zeros. */
enum { INFINITY_POINT = 1000 };
enum { DIGITS_MAX = 16, DIGITS_MAX_EXACT = 26, PRECISION_MAX = 500 };

/* A number's decimal digits: 0.d1d2d3... times 10 to `point`. */
struct decimal {
    char digits[32];
    int count, point;
};

/* Rounds half up to `keep` digits, which may be none. */
static void round_decimal(struct decimal *d, int keep)
{
    if (keep < 0) {
        d->count = 0;
        return;
    }
    if (keep >= d->count)
        return;
    bool up = d->digits[keep] >= '5';
    d->count = keep;
    for (int i = keep; up && i-- > 0;) {
        up = d->digits[i] == '9';
        d->digits[i] = up ? '0' : (char)(d->digits[i] + 1);
    }
    if (up) {
        d->digits[0] = '1';
        d->count = keep ? keep : 1;
        d->point++;
    }
}

static struct decimal decimal_of(double v, int max_digits)
{
    struct decimal d = {.count = 0};
    char text[48];
    if (v == 0) {
        d.point = 1;
        return d;
    }
    if (isinf(v)) {
        d.digits[d.count++] = '9';
        d.point = INFINITY_POINT;
        return d;
    }
    int precision = max_digits > DIGITS_MAX ? max_digits - 1 : 17;
    snprintf(text, sizeof text, "%.*e", precision, v);
    d.digits[d.count++] = text[0];
    memcpy(d.digits + 1, text + 2, (size_t)precision);
    d.count += precision;
    d.point = (int)strtol(strchr(text, 'e') + 1, NULL, 10) + 1;
    /* Trace Processor's SQLite scales a number into 63 bits before it writes digits. */
    bool long_one = memcmp(d.digits, LARGEST_63_BITS, sizeof LARGEST_63_BITS - 1) <= 0;
    int significant = (int)sizeof LARGEST_63_BITS - (long_one ? 1 : 2);
    round_decimal(&d, max_digits < significant ? max_digits : significant);
    return d;
}

static char digit_at(const struct decimal *d, int i)
{
    return i >= 0 && i < d->count ? d->digits[i] : '0';
}

static void put_whole(sqlite3_str *out, const struct decimal *d, bool comma)
{
    if (d->point <= 0)
        sqlite3_str_appendchar(out, 1, '0');
    for (int i = 0; i < d->point; i++) {
        sqlite3_str_appendchar(out, 1, digit_at(d, i));
        int left = d->point - 1 - i;
        if (comma && left > 0 && left % 3 == 0)
            sqlite3_str_appendchar(out, 1, ',');
    }
}

/* Digits behind the point from digit `first` on; `trim` drops zeros at the end. */
static void put_fraction(sqlite3_str *out, const struct decimal *d, int first, int count, bool trim,
                         const struct printf_conversion *c)
{
    while (trim && count > 0 && digit_at(d, first + count - 1) == '0')
        count--;
    if (count > 0 || c->alternate || c->exact)
        sqlite3_str_appendchar(out, 1, '.');
    for (int i = 0; i < count; i++)
        sqlite3_str_appendchar(out, 1, digit_at(d, first + i));
    if (count == 0 && c->exact)
        sqlite3_str_appendchar(out, 1, '0');
}

static void put_scientific(sqlite3_str *out, struct decimal d, int precision, bool trim,
                           const struct printf_conversion *c, char e)
{
    round_decimal(&d, precision + 1);
    sqlite3_str_appendchar(out, 1, digit_at(&d, 0));
    put_fraction(out, &d, 1, precision, trim, c);
    int exponent = d.count ? d.point - 1 : 0;
    sqlite3_str_appendf(out, "%c%c%02d", e, exponent < 0 ? '-' : '+', abs(exponent));
}

static void put_fixed(sqlite3_str *out, struct decimal d, int precision, bool trim,
                      const struct printf_conversion *c)
{
    round_decimal(&d, d.point + precision);
    put_whole(out, &d, c->comma);
    put_fraction(out, &d, d.point, precision, trim, c);
}

/* %g: scientific where the exponent is below -4 or not below the precision. */
static void put_general(sqlite3_str *out, struct decimal d, int precision,
                        const struct printf_conversion *c)
{
    precision = precision > 0 ? precision : 1;
    round_decimal(&d, precision);
    int exponent = d.count ? d.point - 1 : 0;
    char e = c->letter == 'G' ? 'E' : 'e';
    if (exponent < -4 || exponent >= precision)
        put_scientific(out, d, precision - 1, !c->alternate, c, e);
    else
        put_fixed(out, d, precision - 1 - exponent, !c->alternate, c);
}

static char *digits_of(double v, const struct printf_conversion *c)
{
    int precision = c->precision < 0               ? 6
                    : c->precision > PRECISION_MAX ? PRECISION_MAX
                                                   : c->precision;
    struct decimal d = decimal_of(fabs(v), c->exact ? DIGITS_MAX_EXACT : DIGITS_MAX);
    sqlite3_str *out = sqlite3_str_new(NULL);
    if (c->letter == 'f')
        put_fixed(out, d, precision, false, c);
    else if (c->letter == 'e' || c->letter == 'E')
        put_scientific(out, d, precision, false, c, c->letter);
    else
        put_general(out, d, precision, c);
    return sqlite3_str_finish(out);
}

void real_append(sqlite3_str *out, double v, const struct printf_conversion *c)
{
    char *text = isnan(v)               ? sqlite3_mprintf("NaN")
                 : isinf(v) && !c->zero ? sqlite3_mprintf("Inf")
                                        : digits_of(v, c);
    const char *sign = signbit(v) && v != 0 && !isnan(v) ? "-"
                       : c->plus                         ? "+"
                       : c->space                        ? " "
                                                         : "";
    int n = (int)(strlen(text) + strlen(sign)), pad = c->width > n ? c->width - n : 0;
    bool zeros = c->zero && !c->left;
    if (!c->left && !zeros)
        sqlite3_str_appendchar(out, pad, ' ');
    sqlite3_str_appendall(out, sign);
    if (zeros)
        sqlite3_str_appendchar(out, pad, '0');
    sqlite3_str_appendall(out, text);
    if (c->left)
        sqlite3_str_appendchar(out, pad, ' ');
    sqlite3_free(text);
}

char *real_text(double v)
{
    struct printf_conversion c = {.precision = 15, .exact = true, .letter = 'g'};
    sqlite3_str *out = sqlite3_str_new(NULL);
    real_append(out, v, &c);
    return sqlite3_str_finish(out);
}
