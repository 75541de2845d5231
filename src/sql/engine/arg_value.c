#include "sql/engine/arg_value.h"

#include <math.h>
#include <string.h>

#include "sql/values/real_text.h"
#include "sql/values/values.h"

void arg_result(sqlite3_context *ctx, const struct string_pool *strings, const struct arg *a)
{
    switch (a->type) {
    case ARG_NULL:
        break;
    case ARG_INT:
    case ARG_UINT:
    case ARG_POINTER:
    case ARG_BOOL:
        sqlite3_result_int64(ctx, a->i);
        break;
    case ARG_REAL:
        sqlite3_result_double(ctx, a->d);
        break;
    case ARG_STRING:
    case ARG_JSON:
        if (a->s != NULL_STRING)
            result_static(ctx, string_pool_get(strings, a->s));
        break;
    }
}

enum { NUMBER_MAX = 24 };

/* The digits from `at` on, with a NUL behind them. */
static void result_number(sqlite3_context *ctx, const char *buffer, size_t at)
{
    sqlite3_result_text(ctx, buffer + at, -1, SQLITE_TRANSIENT); /* -1: the NUL is known */
}

/* Scans of args print millions of these: two digits a division. */
static void result_decimal(sqlite3_context *ctx, uint64_t v, bool negative)
{
    char buffer[NUMBER_MAX];
    size_t at = sizeof buffer - 1;
    buffer[at] = '\0';
    for (; v >= 100; v /= 100) {
        unsigned two = (unsigned)(v % 100);
        buffer[--at] = (char)('0' + two % 10);
        buffer[--at] = (char)('0' + two / 10);
    }
    if (v >= 10) {
        buffer[--at] = (char)('0' + v % 10);
        v /= 10;
    }
    buffer[--at] = (char)('0' + v);
    if (negative)
        buffer[--at] = '-';
    result_number(ctx, buffer, at);
}

static void result_hexadecimal(sqlite3_context *ctx, uint64_t v)
{
    char buffer[NUMBER_MAX];
    size_t at = sizeof buffer - 1;
    buffer[at] = '\0';
    do {
        buffer[--at] = "0123456789abcdef"[v & 15];
        v >>= 4;
    } while (v);
    buffer[--at] = 'x';
    buffer[--at] = '0';
    result_number(ctx, buffer, at);
}

void arg_result_display(sqlite3_context *ctx, const struct string_pool *strings,
                        const struct arg *a)
{
    switch (a->type) {
    case ARG_NULL:
        return;
    case ARG_INT:
        result_decimal(ctx, a->i < 0 ? 0 - (uint64_t)a->i : (uint64_t)a->i, a->i < 0);
        return;
    case ARG_UINT:
        result_decimal(ctx, (uint64_t)a->i, false);
        return;
    case ARG_POINTER:
        result_hexadecimal(ctx, (uint64_t)a->i);
        return;
    case ARG_BOOL:
        result_static(ctx, a->i ? STR("true") : STR("false"));
        return;
    case ARG_REAL:
        if (!isnan(a->d)) /* which is NULL in SQL */
            sqlite3_result_text(ctx, real_text(a->d), -1, sqlite3_free);
        return;
    case ARG_STRING:
    case ARG_JSON:
        arg_result(ctx, strings, a);
        return;
    }
}
