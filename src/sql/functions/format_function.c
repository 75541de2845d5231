/* printf() and format(): SQLite's own, except for reals (engine/real_text.h). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/values/values.h"
#include "sql/values/real_text.h"

enum { NUMBER_MAX = 1000000000 }; /* of widths and precisions */

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
static const char *read_conversion(const char *p, struct arguments *a,
                                   struct printf_conversion *out)
{
    *out = (struct printf_conversion){.precision = -1};
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

/* The conversion as SQLite's own function takes it. */
static void put_by_sqlite(sqlite3_str *out, const struct printf_conversion *c, struct arguments *a)
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

static bool put_conversion(sqlite3_str *out, const struct printf_conversion *c, struct arguments *a)
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
        real_append(out, next_real(a), c);
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
        struct printf_conversion c;
        p = read_conversion(p + 1, &a, &c);
        if (!put_conversion(out, &c, &a))
            break;
    }
    result_built(ctx, out);
}

static const struct native_function functions[] = {
    SQL_PURE("printf", -1, fn_format),
    SQL_PURE("format", -1, fn_format),
    {0},
};

const struct sql_family format_function_family = {.functions = functions};
