#include "sql/batches/operations.h"

#include <math.h>

#define INT_LOOP(operation)                                                                        \
    do {                                                                                           \
        for (uint32_t i = 0; i < n; i++)                                                           \
            bad |= operation(x[i], y[i], &out[i]);                                                 \
    } while (0)

static bool divide(int64_t a, int64_t b, int64_t *out)
{
    *out = 0;
    if (b == 0)
        return false; /* is null */
    if (a == INT64_MIN && b == -1)
        return true;
    *out = a / b;
    return false;
}

static bool remainder_of(int64_t a, int64_t b, int64_t *out)
{
    *out = b == 0 || b == -1 ? 0 : a % b;
    return false;
}

static const uint8_t *null_where_zero(struct expr *e, const int64_t *y, const uint8_t *null,
                                      uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        e->null_buffer[i] = (null && null[i]) || y[i] == 0;
    return some_null(e->null_buffer, n) ? e->null_buffer : NULL;
}

/* Without a jump for each: whether one has overflowed shows in the sign. */
static bool add_ints(const int64_t *x, const int64_t *y, int64_t *out, uint32_t n)
{
    uint64_t bad = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t a = (uint64_t)x[i], b = (uint64_t)y[i], sum = a + b;
        bad |= (a ^ sum) & (b ^ sum);
        out[i] = (int64_t)sum;
    }
    return bad >> 63;
}

static bool subtract_ints(const int64_t *x, const int64_t *y, int64_t *out, uint32_t n)
{
    uint64_t bad = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t a = (uint64_t)x[i], b = (uint64_t)y[i], rest = a - b;
        bad |= (a ^ b) & (a ^ rest);
        out[i] = (int64_t)rest;
    }
    return bad >> 63;
}

static struct values int_arithmetic(struct plan *p, struct expr *e, struct values a,
                                    struct values b, uint32_t n)
{
    const int64_t *x = a.data, *y = b.data;
    int64_t *out = e->buffer;
    const uint8_t *null = either_null(e, a, b, n);
    bool bad = false;
    switch (e->op) {
    case EXPR_ADD:
        bad = add_ints(x, y, out, n);
        break;
    case EXPR_SUBTRACT:
        bad = subtract_ints(x, y, out, n);
        break;
    case EXPR_MULTIPLY:
        INT_LOOP(__builtin_mul_overflow);
        break;
    case EXPR_DIVIDE:
        INT_LOOP(divide);
        null = null_where_zero(e, y, null, n);
        break;
    case EXPR_REMAINDER:
        INT_LOOP(remainder_of);
        null = null_where_zero(e, y, null, n);
        break;
    case EXPR_BIT_AND:
        for (uint32_t i = 0; i < n; i++)
            out[i] = x[i] & y[i];
        break;
    default:
        for (uint32_t i = 0; i < n; i++)
            out[i] = x[i] | y[i];
        break;
    }
    p->refused |= bad;
    return clear_nulls(e, null, n);
}

/* As doubles; `out` is memory of ours where they have to be made. */
static const double *as_reals(struct values v, enum value_type type, double *out, uint32_t n)
{
    if (type == VALUE_REAL)
        return v.data;
    for (uint32_t i = 0; i < n; i++)
        out[i] = (double)((const int64_t *)v.data)[i];
    return out;
}

static double real_result(enum expr_op op, double x, double y)
{
    switch (op) {
    case EXPR_ADD:
        return x + y;
    case EXPR_SUBTRACT:
        return x - y;
    case EXPR_MULTIPLY:
        return x * y;
    default:
        return y == 0 ? (double)NAN : x / y;
    }
}

/* What is no number is NULL. */
static struct values real_arithmetic(struct expr *e, struct values a, struct values b, uint32_t n)
{
    double mx[BATCH], my[BATCH];
    const double *x = as_reals(a, e->args[0]->type, mx, n);
    const double *y = as_reals(b, e->args[1]->type, my, n);
    const uint8_t *null = either_null(e, a, b, n);
    double *out = e->buffer;
    uint8_t any = 0;
    for (uint32_t i = 0; i < n; i++) {
        double v = real_result(e->op, x[i], y[i]);
        bool gone = isnan(v) || (null && null[i]);
        e->null_buffer[i] = gone;
        any |= gone;
        out[i] = gone ? 0 : v;
    }
    return (struct values){out, any ? e->null_buffer : NULL};
}

struct values operate_arithmetic(struct plan *p, struct expr *e, struct values a, struct values b,
                                 uint32_t n)
{
    return e->type == VALUE_REAL ? real_arithmetic(e, a, b, n) : int_arithmetic(p, e, a, b, n);
}
