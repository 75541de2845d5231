#include "sql/arg_value.h"

#include <inttypes.h>
#include <stdio.h>

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

/* As CAST(x AS TEXT) writes it. */
static void result_real(sqlite3_context *ctx, double d)
{
    char buffer[40];
    sqlite3_snprintf(sizeof buffer, buffer, "%!.15g", d);
    sqlite3_result_text(ctx, buffer, -1, SQLITE_TRANSIENT);
}

void arg_result_display(sqlite3_context *ctx, const struct string_pool *strings,
                        const struct arg *a)
{
    char buffer[32];
    int n = 0;
    switch (a->type) {
    case ARG_NULL:
        return;
    case ARG_INT:
        n = snprintf(buffer, sizeof buffer, "%" PRId64, a->i);
        break;
    case ARG_UINT:
        n = snprintf(buffer, sizeof buffer, "%" PRIu64, (uint64_t)a->i);
        break;
    case ARG_POINTER:
        n = snprintf(buffer, sizeof buffer, "0x%" PRIx64, (uint64_t)a->i);
        break;
    case ARG_BOOL:
        result_static(ctx, a->i ? STR("true") : STR("false"));
        return;
    case ARG_REAL:
        result_real(ctx, a->d);
        return;
    case ARG_STRING:
    case ARG_JSON:
        arg_result(ctx, strings, a);
        return;
    }
    sqlite3_result_text(ctx, buffer, n, SQLITE_TRANSIENT);
}
