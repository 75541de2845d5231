/* printf() and format(): SQLite's own, except that reals are written digit by digit from their
 * exact decimal value. SQLite 3.40 scales them in floating point, which turns 4294967295 with 9
 * digits into 4.29496729e+09; its later versions, which queries are written for, round as here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/internal.h"

enum { DIGITS_MAX = 16, DIGITS_MAX_EXACT = 26, PRECISION_MAX = 500, NUMBER_MAX = 1000000000 };

/* One conversion: %[flags][width][.precision]letter */
struct conversion {
    bool left, plus, space, zero, alternate, exact, comma;
    int width, precision; /* up to NUMBER_MAX; precision -1: not given */
    char letter;
};

struct arguments {
    sqlite3_value **v;
    int count, used;
};

static sqlite3_value *next_argument(struct arguments *a)
{
    return a->used < a->count ? a->v[a->used++] : NULL;
}

static int64_t next_int(struct arguments *a)
{
    sqlite3_value *v = next_argument(a);
    return v ? sqlite3_value_int64(v) : 0;
}

static double next_real(struct arguments *a)
{
    sqlite3_value *v = next_argument(a);
    return v ? sqlite3_value_double(v) : 0;
}

static const char *read_number(const char *p, struct arguments *a, bool *negative, int *out)
{
    int64_t v = 0;
    if (*p == '*') {
        v = next_int(a);
        *negative = v < 0;
        v = v < 0 ? (v == INT64_MIN ? INT64_MAX : -v) : v;
        p++;
    } else {
        for (; *p >= '0' && *p <= '9'; p++)
            v = v < NUMBER_MAX ? v * 10 + (*p - '0') : v;
    }
    *out = v > NUMBER_MAX ? NUMBER_MAX : (int)v;
    return p;
}

/* `p` stands behind the %. Returns the place behind the letter; letter 0 where the text ends. */
static const char *read_conversion(const char *p, struct arguments *a, struct conversion *out)
{
    *out = (struct conversion){.precision = -1};
    for (;; p++) {
        if (*p == '-')
            out->left = true;
        else if (*p == '+')
            out->plus = true;
        else if (*p == ' ')
            out->space = true;
        else if (*p == '0')
            out->zero = true;
        else if (*p == '#')
            out->alternate = true;
        else if (*p == '!')
            out->exact = true;
        else if (*p == ',')
            out->comma = true;
        else
            break;
    }
    bool negative = false;
    p = read_number(p, a, &negative, &out->width);
    out->left |= negative;
    if (*p == '.') {
        negative = false;
        p = read_number(p + 1, a, &negative, &out->precision);
        if (negative)
            out->precision = -1;
    }
    while (*p == 'l')
        p++;
    out->letter = *p;
    return *p ? p + 1 : p;
}

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
    int precision = max_digits > DIGITS_MAX ? max_digits - 1 : 17;
    snprintf(text, sizeof text, "%.*e", precision, v);
    d.digits[d.count++] = text[0];
    memcpy(d.digits + 1, text + 2, (size_t)precision);
    d.count += precision;
    d.point = (int)strtol(strchr(text, 'e') + 1, NULL, 10) + 1;
    round_decimal(&d, max_digits);
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
                         const struct conversion *c)
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
                           const struct conversion *c, char e)
{
    round_decimal(&d, precision + 1);
    sqlite3_str_appendchar(out, 1, digit_at(&d, 0));
    put_fraction(out, &d, 1, precision, trim, c);
    int exponent = d.count ? d.point - 1 : 0;
    sqlite3_str_appendf(out, "%c%c%02d", e, exponent < 0 ? '-' : '+', abs(exponent));
}

static void put_fixed(sqlite3_str *out, struct decimal d, int precision, bool trim,
                      const struct conversion *c)
{
    round_decimal(&d, d.point + precision);
    put_whole(out, &d, c->comma);
    put_fraction(out, &d, d.point, precision, trim, c);
}

/* %g: scientific where the exponent is below -4 or not below the precision. */
static void put_general(sqlite3_str *out, struct decimal d, int precision,
                        const struct conversion *c)
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

static char *real_text(double v, const struct conversion *c)
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

static void put_real(sqlite3_str *out, double v, const struct conversion *c)
{
    bool infinite = isinf(v);
    char *text = infinite ? sqlite3_mprintf(c->zero ? "9.0e+999" : "Inf") : real_text(v, c);
    const char *sign = signbit(v) && v != 0 ? "-" : c->plus ? "+" : c->space ? " " : "";
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

char *sql_real_text(double v)
{
    struct conversion c = {.precision = 15, .exact = true, .letter = 'g'};
    sqlite3_str *out = sqlite3_str_new(NULL);
    put_real(out, v, &c);
    return sqlite3_str_finish(out);
}

/* The conversion as SQLite's own function takes it. */
static void put_by_sqlite(sqlite3_str *out, const struct conversion *c, struct arguments *a)
{
    char format[64], precision[16] = "";
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    bool number = strchr("diuxXo", c->letter) != NULL;
    snprintf(format, sizeof format, "%%%s%s%s%s%s%s%s%.0d%s%s%c", c->left ? "-" : "",
             c->plus ? "+" : "", c->space ? " " : "", c->zero ? "0" : "", c->alternate ? "#" : "",
             c->exact ? "!" : "", c->comma ? "," : "", c->width, precision, number ? "ll" : "",
             c->letter == 'i' ? 'd' : c->letter);
    sqlite3_value *v = next_argument(a);
    if (number) {
        sqlite3_str_appendf(out, format, v ? sqlite3_value_int64(v) : (sqlite3_int64)0);
    } else if (c->letter == 'c') {
        const unsigned char *text = v ? sqlite3_value_text(v) : NULL;
        char one[5] = {0};
        for (int i = 0; text && i < 4 && text[i] && (i == 0 || (text[i] & 0xc0) == 0x80); i++)
            one[i] = (char)text[i];
        int times = c->precision > 1 ? c->precision : 1;
        int padding = c->width > times ? c->width - times : 0;
        sqlite3_str_appendchar(out, c->left ? 0 : padding, ' ');
        if (one[0] & 0x80)
            for (int i = 0; i < times && sqlite3_str_errcode(out) == SQLITE_OK; i++)
                sqlite3_str_appendall(out, one);
        else if (one[0])
            sqlite3_str_appendchar(out, times, one[0]);
        sqlite3_str_appendchar(out, c->left ? padding : 0, ' ');
    } else {
        sqlite3_str_appendf(out, format, v ? (const char *)sqlite3_value_text(v) : NULL);
    }
}

static bool put_conversion(sqlite3_str *out, const struct conversion *c, struct arguments *a)
{
    switch (c->letter) {
    case '%':
        sqlite3_str_appendchar(out, 1, '%');
        return true;
    case 'f':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
        put_real(out, next_real(a), c);
        return true;
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'c':
    case 's':
    case 'z':
    case 'q':
    case 'Q':
    case 'w':
        put_by_sqlite(out, c, a);
        return true;
    default:
        return false; /* SQLite ends the text at what it does not know */
    }
}

static void fn_format(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const char *p = argc > 0 ? (const char *)sqlite3_value_text(argv[0]) : NULL;
    if (!p)
        return;
    struct arguments a = {argv + 1, argc - 1, 0};
    sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(ctx));
    while (*p) {
        size_t plain = strcspn(p, "%");
        sqlite3_str_append(out, p, (int)plain);
        p += plain;
        if (!*p)
            break;
        struct conversion c;
        p = read_conversion(p + 1, &a, &c);
        if (!put_conversion(out, &c, &a))
            break;
    }
    int n = sqlite3_str_length(out), rc = sqlite3_str_errcode(out);
    char *text = sqlite3_str_finish(out);
    if (rc != SQLITE_OK) {
        sqlite3_free(text);
        sqlite3_result_error_code(ctx, rc);
        return;
    }
    sqlite3_result_text(ctx, text ? text : "", text ? n : 0, SQLITE_TRANSIENT);
    sqlite3_free(text);
}

int format_function_register(struct sql_session *s)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int rc =
        sqlite3_create_function_v2(s->db, "printf", -1, flags, NULL, fn_format, NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return rc;
    return sqlite3_create_function_v2(s->db, "format", -1, flags, NULL, fn_format, NULL, NULL,
                                      NULL);
}
