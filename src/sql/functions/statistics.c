/* Variance, deviation, correlation and histograms, by rows: sql/values/statistics.h lists them. */
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
                   const struct statistic *statistic, bool removes)
{
    sqlite3_value *x = argv[0], *y = argv[argc - 1];
    if (sqlite3_value_type(x) == SQLITE_NULL || sqlite3_value_type(y) == SQLITE_NULL)
        return;
    if (!is_number(x) || !is_number(y)) {
        result_error(ctx, "statistics are of numbers");
        return;
    }
    void *state = group_state(ctx, statistic->size);
    if (state)
        (removes ? statistic->remove : statistic->add)(state, sqlite3_value_double(x),
                                                       sqlite3_value_double(y));
}

static void show(sqlite3_context *ctx, const struct statistic *statistic)
{
    const void *state = group_state_made(ctx);
    if (!state)
        return;
    struct statistic_result result = statistic->result(state);
    if (statistic->is_text)
        sqlite3_result_text(ctx, result.text, -1, sqlite3_free);
    else
        sqlite3_result_double(ctx, result.real);
}

static void end(sqlite3_context *ctx, const struct statistic *statistic)
{
    void *state = group_state_made(ctx);
    show(ctx, statistic);
    if (state && statistic->release)
        statistic->release(state);
    free(state);
}

/* SQLite does not say of which function a group is. */
#define CALLS(name, arguments, state)                                                              \
    static void name##_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)                  \
    {                                                                                              \
        change(ctx, argc, argv, &statistics[STATISTIC_##name], false);                             \
    }                                                                                              \
    static void name##_inverse(sqlite3_context *ctx, int argc, sqlite3_value **argv)               \
    {                                                                                              \
        change(ctx, argc, argv, &statistics[STATISTIC_##name], true);                              \
    }                                                                                              \
    static void name##_value(sqlite3_context *ctx)                                                 \
    {                                                                                              \
        show(ctx, &statistics[STATISTIC_##name]);                                                  \
    }                                                                                              \
    static void name##_final(sqlite3_context *ctx)                                                 \
    {                                                                                              \
        end(ctx, &statistics[STATISTIC_##name]);                                                   \
    }
STATISTICS(CALLS)

#define FUNCTION(called, arguments, state)                                                         \
    {.name = #called,                                                                              \
     .argc = arguments,                                                                            \
     .flags = PURE,                                                                                \
     .step = called##_step,                                                                        \
     .final = called##_final,                                                                      \
     .value = called##_value,                                                                      \
     .inverse = called##_inverse},
static const struct native_function functions[] = {STATISTICS(FUNCTION){0}};

const struct sql_family statistics_family = {.functions = functions};
