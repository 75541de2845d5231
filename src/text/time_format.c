#include "text/time_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static uint64_t magnitude(int64_t ns)
{
    return ns < 0 ? UINT64_C(0) - (uint64_t)ns : (uint64_t)ns;
}

static bool is_hours(int64_t ns)
{
    return magnitude(ns) / 1000000000 >= 3600;
}

int format_clock(char *out, size_t size, int64_t ns, int decimals)
{
    uint64_t m = magnitude(ns), seconds = m / 1000000000, part = m % 1000000000;
    for (int i = decimals; i < 9; i++)
        part /= 10;
    int n = snprintf(out, size, "%s%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, ns < 0 ? "-" : "",
                     seconds / 3600, seconds / 60 % 60, seconds % 60);
    if (decimals > 0 && n > 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, ".%0*" PRIu64, decimals, part);
    return n;
}

void format_ms(char *out, size_t size, int64_t ns)
{
    uint64_t m = magnitude(ns);
    if (is_hours(ns))
        format_clock(out, size, ns, 3);
    else
        snprintf(out, size, "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "", m / 1000000,
                 m / 1000 % 1000);
}

void format_ms_of(char *out, size_t size, int64_t ns, int64_t whole)
{
    if (is_hours(whole))
        format_clock(out, size, ns, 3);
    else
        format_ms(out, size, ns);
}

void format_ms_unit(char *out, size_t size, int64_t ns)
{
    format_ms(out, size, ns);
    size_t used = strlen(out);
    if (!is_hours(ns))
        snprintf(out + used, size - used, " ms");
}

void format_exact(char *out, size_t size, int64_t ns)
{
    uint64_t m = magnitude(ns);
    if (is_hours(ns)) {
        int n = format_clock(out, size, ns, 3);
        if (n > 0 && (size_t)n < size)
            snprintf(out + n, size - (size_t)n, " %03" PRIu64 " %03" PRIu64, m / 1000 % 1000,
                     m % 1000);
        return;
    }
    snprintf(out, size, "%s%" PRIu64 ".%03" PRIu64 " %03" PRIu64 " ms", ns < 0 ? "-" : "",
             m / 1000000, m / 1000 % 1000, m % 1000);
}

void format_value(char *out, size_t size, double value)
{
    if (!(fabs(value) < 1e15) || value != floor(value)) {
        snprintf(out, size, "%.6g", value);
        return;
    }
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%.0f", fabs(value));
    size_t used = 0;
    if (value < 0 && used + 1 < size)
        out[used++] = '-';
    for (int i = 0; i < n && used + 2 < size; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    if (size)
        out[used < size ? used : size - 1] = '\0';
}

void format_short_value(char *out, size_t size, double value, struct str unit)
{
    static const char *const decimal[] = {"", " k", " M", " G", " T", " P", " E"};
    static const char *const binary[] = {"", " Ki", " Mi", " Gi", " Ti", " Pi", " Ei"};
    bool bytes = str_eq(unit, STR("bytes")) || str_eq(unit, STR("B"));
    double step = bytes ? 1024 : 1000, left = fabs(value);
    int power = 0;
    if (left < 1e5 && value == floor(value)) {
        format_value(out, size, value);
        return;
    }
    for (; left >= step && power < 6; power++)
        left /= step;
    snprintf(out, size, "%s%.4g%s", value < 0 ? "-" : "", left,
             bytes ? binary[power] : decimal[power]);
}

void format_ordinal(char *out, size_t size, uint64_t n)
{
    const char *end = "th";
    if (n / 10 % 10 != 1)
        end = n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
    snprintf(out, size, "%" PRIu64 "%s", n, end);
}
