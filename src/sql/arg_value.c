#include "sql/arg_value.h"

#include <string.h>

#include "sql/internal.h"

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

/* Scans of args print millions of these. */
static void result_number(sqlite3_context *ctx, const char *prefix, uint64_t v, unsigned base)
{
    char buffer[32];
    size_t at = sizeof buffer;
    do {
        buffer[--at] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v);
    for (size_t i = strlen(prefix); i-- > 0;)
        buffer[--at] = prefix[i];
    sqlite3_result_text(ctx, buffer + at, (int)(sizeof buffer - at), SQLITE_TRANSIENT);
}

void arg_result_display(sqlite3_context *ctx, const struct string_pool *strings,
                        const struct arg *a)
{
    switch (a->type) {
    case ARG_NULL:
        return;
    case ARG_INT:
        result_number(ctx, a->i < 0 ? "-" : "", a->i < 0 ? 0 - (uint64_t)a->i : (uint64_t)a->i, 10);
        return;
    case ARG_UINT:
        result_number(ctx, "", (uint64_t)a->i, 10);
        return;
    case ARG_POINTER:
        result_number(ctx, "0x", (uint64_t)a->i, 16);
        return;
    case ARG_BOOL:
        result_static(ctx, a->i ? STR("true") : STR("false"));
        return;
    case ARG_REAL:
        sqlite3_result_text(ctx, sql_real_text(a->d), -1, sqlite3_free);
        return;
    case ARG_STRING:
    case ARG_JSON:
        arg_result(ctx, strings, a);
        return;
    }
}
