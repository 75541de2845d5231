#include <stdlib.h>
#include <string.h>

#include "core/trace/trace.h"
#include "sql/batches/operations.h"

int compare_texts(const struct plan *p, string_id a, string_id b)
{
    const struct string_pool *pool = &p->session->trace->strings;
    struct str x = string_pool_get(pool, a), y = string_pool_get(pool, b);
    size_t n = x.n < y.n ? x.n : y.n;
    int order = n ? memcmp(x.p, y.p, n) : 0;
    return order ? order : (x.n > y.n) - (x.n < y.n);
}

int compare_mixed(int64_t i, double d)
{
    if (d < -9223372036854775808.0)
        return 1;
    if (d >= 9223372036854775808.0)
        return -1;
    int64_t whole = (int64_t)d;
    if (i != whole)
        return i < whole ? -1 : 1;
    double back = (double)i;
    return back < d ? -1 : back > d;
}

#define COMPARE_LOOP(expression)                                                                   \
    do {                                                                                           \
        for (uint32_t i = 0; i < n; i++)                                                           \
            out[i] = (expression);                                                                 \
    } while (0)

#define COMPARE_BY_OP(x, y)                                                                        \
    do {                                                                                           \
        switch (op) {                                                                              \
        case EXPR_EQ:                                                                              \
            COMPARE_LOOP((x) == (y));                                                              \
            break;                                                                                 \
        case EXPR_NE:                                                                              \
            COMPARE_LOOP((x) != (y));                                                              \
            break;                                                                                 \
        case EXPR_LT:                                                                              \
            COMPARE_LOOP((x) < (y));                                                               \
            break;                                                                                 \
        case EXPR_LE:                                                                              \
            COMPARE_LOOP((x) <= (y));                                                              \
            break;                                                                                 \
        case EXPR_GT:                                                                              \
            COMPARE_LOOP((x) > (y));                                                               \
            break;                                                                                 \
        default:                                                                                   \
            COMPARE_LOOP((x) >= (y));                                                              \
            break;                                                                                 \
        }                                                                                          \
    } while (0)

static void compare_text_values(struct plan *p, enum expr_op op, const string_id *x,
                                const string_id *y, int64_t *out, uint32_t n)
{
    if (op == EXPR_EQ || op == EXPR_NE)
        COMPARE_LOOP((x[i] == y[i]) == (op == EXPR_EQ));
    else
        COMPARE_BY_OP(compare_texts(p, x[i], y[i]), 0);
}

/* IS and IS NOT compare as = and <>, and then look at the nulls. */
static enum expr_op plain_op(enum expr_op op)
{
    return op == EXPR_IS ? EXPR_EQ : op == EXPR_IS_NOT ? EXPR_NE : op;
}

static struct values settle_is(struct expr *e, struct values a, struct values b, uint32_t n)
{
    int64_t *out = e->buffer;
    enum value_type x = e->args[0]->type, y = e->args[1]->type;
    for (uint32_t i = 0; i < n; i++) {
        bool null_a = value_is_null(a, x, i), null_b = value_is_null(b, y, i);
        if (null_a || null_b)
            out[i] = (null_a == null_b) == (e->op == EXPR_IS);
    }
    return (struct values){out, NULL};
}

static const uint8_t *null_texts(struct expr *e, const string_id *x, const string_id *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        e->null_buffer[i] = x[i] == NULL_STRING || y[i] == NULL_STRING;
    return some_null(e->null_buffer, n) ? e->null_buffer : NULL;
}

struct values operate_comparison(struct plan *p, struct expr *e, struct values a, struct values b,
                                 uint32_t n)
{
    enum value_type left = e->args[0]->type, right = e->args[1]->type;
    enum expr_op op = plain_op(e->op);
    int64_t *out = e->buffer;
    const int64_t *xi = a.data, *yi = b.data;
    const double *xr = a.data, *yr = b.data;
    if (left == VALUE_TEXT)
        compare_text_values(p, op, a.data, b.data, out, n);
    else if (left == VALUE_INT && right == VALUE_INT)
        COMPARE_BY_OP(xi[i], yi[i]);
    else if (left == VALUE_REAL && right == VALUE_REAL)
        COMPARE_BY_OP(xr[i], yr[i]);
    else if (left == VALUE_INT)
        COMPARE_BY_OP(compare_mixed(xi[i], yr[i]), 0);
    else
        COMPARE_BY_OP(0, compare_mixed(yi[i], xr[i]));
    if (op != e->op)
        return settle_is(e, a, b, n);
    if (left == VALUE_TEXT)
        return clear_nulls(e, null_texts(e, a.data, b.data, n), n);
    return clear_nulls(e, either_null(e, a, b, n), n);
}

struct values operate_logic(struct expr *e, struct values a, struct values b, uint32_t n)
{
    const int64_t *x = a.data, *y = b.data;
    int64_t *out = e->buffer;
    bool is_and = e->op == EXPR_AND;
    uint8_t any = 0;
    if (!a.null && !b.null) {
        for (uint32_t i = 0; i < n; i++)
            out[i] = is_and ? (x[i] != 0) & (y[i] != 0) : (x[i] | y[i]) != 0;
        return (struct values){out, NULL};
    }
    for (uint32_t i = 0; i < n; i++) {
        bool null_x = a.null && a.null[i], null_y = b.null && b.null[i];
        /* What decides alone: a 0 for AND, a 1 for OR. */
        bool decided = (!null_x && (x[i] != 0) != is_and) || (!null_y && (y[i] != 0) != is_and);
        bool null = !decided && (null_x || null_y);
        e->null_buffer[i] = null;
        any |= null;
        out[i] = !null && decided != is_and;
    }
    return (struct values){out, any ? e->null_buffer : NULL};
}

struct values operate_not(struct expr *e, struct values a, uint32_t n)
{
    const int64_t *x = a.data;
    int64_t *out = e->buffer;
    for (uint32_t i = 0; i < n; i++)
        out[i] = x[i] == 0;
    return clear_nulls(e, a.null, n);
}

struct values operate_null_test(struct expr *e, struct values a, uint32_t n)
{
    int64_t *out = e->buffer;
    for (uint32_t i = 0; i < n; i++)
        out[i] = value_is_null(a, e->args[0]->type, i) == (e->op == EXPR_IS_NULL);
    return (struct values){out, NULL};
}

static bool is_one_of(const struct expr *e, struct values a, uint32_t i)
{
    for (uint32_t k = 1; k < e->count; k++) {
        const struct expr *c = e->args[k];
        if (e->args[0]->type == VALUE_TEXT ? ((const string_id *)a.data)[i] == c->text
                                           : ((const int64_t *)a.data)[i] == c->number)
            return true;
    }
    return false;
}

struct values operate_in(struct expr *e, struct values a, uint32_t n)
{
    int64_t *out = e->buffer;
    uint8_t any = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool null = value_is_null(a, e->args[0]->type, i);
        e->null_buffer[i] = null;
        any |= null;
        out[i] = !null && is_one_of(e, a, i);
    }
    return (struct values){out, any ? e->null_buffer : NULL};
}

static bool text_matches(const struct plan *p, const struct expr *e, string_id id)
{
    const struct string_pool *pool = &p->session->trace->strings;
    const char *pattern = string_pool_get(pool, e->args[1]->text).p;
    const char *text = string_pool_get(pool, id).p;
    return e->op == EXPR_LIKE ? sqlite3_strlike(pattern, text, 0) == 0
                              : sqlite3_strglob(pattern, text) == 0;
}

/* A text is looked at once. */
struct values operate_match(struct plan *p, struct expr *e, struct values a, uint32_t n)
{
    const string_id *x = a.data;
    int64_t *out = e->buffer;
    uint8_t any = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *known = x[i] < e->memo_size ? &e->memo[x[i]] : NULL;
        uint8_t result = known ? *known : 0;
        bool null = x[i] == NULL_STRING;
        if (!result && !null)
            result = text_matches(p, e, x[i]) ? 2 : 1;
        if (known)
            *known = result;
        e->null_buffer[i] = null;
        any |= null;
        out[i] = result == 2;
    }
    return (struct values){out, any ? e->null_buffer : NULL};
}
