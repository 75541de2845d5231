/* sum, avg and total: SQLite's, but the same with every version of it (engine/real_sum.h), so that
 * batches and rows give the same reals. Whole numbers are added exactly; where they do not fit, or
 * with reals among them, as reals. */
#include "sql/engine/family.h"
#include "sql/values/values.h"
#include "sql/values/real_sum.h"

struct sum_state {
    struct real_sum reals;
    int64_t whole, count;
    bool is_real, overflown;
};

static void become_real(struct sum_state *s)
{
    if (s->is_real)
        return;
    s->is_real = true;
    real_sum_add_int(&s->reals, s->whole);
}

static void add_int(struct sum_state *s, int64_t x)
{
    int64_t sum;
    if (!s->is_real && !__builtin_add_overflow(s->whole, x, &sum)) {
        s->whole = sum;
        return;
    }
    s->overflown |= !s->is_real;
    become_real(s);
    real_sum_add_int(&s->reals, x);
}

static void sum_step(SQL_FUNCTION_ARGS)
{
    struct sum_state *s = sqlite3_aggregate_context(ctx, sizeof *s);
    int type = sqlite3_value_numeric_type(argv[0]);
    if (!s || type == SQLITE_NULL)
        return;
    s->count++;
    if (type == SQLITE_INTEGER) {
        add_int(s, sqlite3_value_int64(argv[0]));
        return;
    }
    become_real(s);
    s->overflown = false;
    real_sum_add(&s->reals, sqlite3_value_double(argv[0]));
}

static void sum_inverse(SQL_FUNCTION_ARGS)
{
    struct sum_state *s = sqlite3_aggregate_context(ctx, sizeof *s);
    int type = sqlite3_value_numeric_type(argv[0]);
    if (!s || type == SQLITE_NULL)
        return;
    s->count--;
    int64_t x = type == SQLITE_INTEGER ? sqlite3_value_int64(argv[0]) : 0, rest;
    if (type != SQLITE_INTEGER) {
        become_real(s);
        real_sum_add(&s->reals, -sqlite3_value_double(argv[0]));
    } else if (!s->is_real && !__builtin_sub_overflow(s->whole, x, &rest)) {
        s->whole = rest;
    } else {
        s->overflown |= !s->is_real;
        become_real(s);
        real_sum_add_int(&s->reals, x == INT64_MIN ? INT64_MAX : -x);
        if (x == INT64_MIN)
            real_sum_add_int(&s->reals, 1);
    }
}

static double total_of(const struct sum_state *s)
{
    return s->is_real ? real_sum_result(&s->reals) : (double)s->whole;
}

static void sum_value(sqlite3_context *ctx)
{
    const struct sum_state *s = sqlite3_aggregate_context(ctx, 0);
    if (!s || s->count <= 0)
        return;
    if (s->overflown)
        result_error(ctx, "integer overflow");
    else if (s->is_real)
        sqlite3_result_double(ctx, total_of(s));
    else
        sqlite3_result_int64(ctx, s->whole);
}

static void avg_value(sqlite3_context *ctx)
{
    const struct sum_state *s = sqlite3_aggregate_context(ctx, 0);
    if (s && s->count > 0)
        sqlite3_result_double(ctx, total_of(s) / (double)s->count);
}

static void total_value(sqlite3_context *ctx)
{
    const struct sum_state *s = sqlite3_aggregate_context(ctx, 0);
    sqlite3_result_double(ctx, s ? total_of(s) : 0);
}

#define SUM(function, result)                                                                      \
    {                                                                                              \
        .name = function, .argc = 1, .flags = PURE, .step = sum_step, .final = result,             \
        .value = result, .inverse = sum_inverse                                                    \
    }

static const struct native_function functions[] = {
    SUM("sum", sum_value),
    SUM("avg", avg_value),
    SUM("total", total_value),
    {0},
};

const struct sql_family sums_family = {.functions = functions};
