/* Variance, deviation and correlation of samples, by rows: sql/values/statistics.h says what each
 * is. */
#include <stdlib.h>

#include "sql/engine/family.h"
#include "sql/values/statistics.h"
#include "sql/values/values.h"

static bool is_number(sqlite3_value *v)
{
    int type = sqlite3_value_numeric_type(v);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* A pair of which one is NULL does not count. */
static void change(sqlite3_context *ctx, int argc, sqlite3_value **argv,
                   void (*how)(struct moments *m, double x, double y))
{
    sqlite3_value *x = argv[0], *y = argv[argc - 1];
    if (sqlite3_value_type(x) == SQLITE_NULL || sqlite3_value_type(y) == SQLITE_NULL)
        return;
    if (!is_number(x) || !is_number(y)) {
        sqlite3_result_error(ctx, "statistics are of numbers", -1);
        return;
    }
    struct moments *m = group_state(ctx, sizeof *m);
    if (m)
        how(m, sqlite3_value_double(x), sqlite3_value_double(y));
}

static void step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    change(ctx, argc, argv, moments_add);
}

static void inverse(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    change(ctx, argc, argv, moments_remove);
}

/* SQLite does not say of which function a group ends. */
#define ENDS(name, arguments)                                                                      \
    static void name##_value(sqlite3_context *ctx)                                                 \
    {                                                                                              \
        const struct moments *m = group_state_made(ctx);                                           \
        if (m)                                                                                     \
            sqlite3_result_double(ctx, statistic_##name(m));                                       \
    }                                                                                              \
    static void name##_final(sqlite3_context *ctx)                                                 \
    {                                                                                              \
        name##_value(ctx);                                                                         \
        free(group_state_made(ctx));                                                               \
    }
STATISTICS(ENDS)

#define FUNCTION(called, arguments)                                                                \
    {.name = #called,                                                                              \
     .argc = arguments,                                                                            \
     .flags = PURE,                                                                                \
     .step = step,                                                                                 \
     .final = called##_final,                                                                      \
     .value = called##_value,                                                                      \
     .inverse = inverse},
static const struct native_function functions[] = {STATISTICS(FUNCTION){0}};

const struct sql_family statistics_family = {.functions = functions};
