#include "sql/vector/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/trace.h"
#include "sql/engine/arg_cache.h"
#include "sql/engine/state_ends.h"
#include "sql/vector/memory.h"

struct expr *expr_new(struct plan *p, enum expr_op op, enum value_type type, uint32_t args)
{
    struct expr *e = arena_alloc(&p->arena, sizeof *e);
    *e = (struct expr){.op = op, .type = type, .count = args, .depth = 1};
    if (args > 0)
        e->args = arena_alloc(&p->arena, args * sizeof(struct expr *));
    p->refused |= ++p->nodes > NODES_MAX;
    return e;
}

struct expr *expr_column(struct plan *p, uint32_t table, uint32_t column, enum value_type type)
{
    struct expr *e = expr_new(p, EXPR_COLUMN, type, 0);
    e->table = table;
    e->column = column;
    return e;
}

static void need_buffers(struct plan *p, struct expr *e)
{
    if (e->buffer)
        return;
    e->buffer = arena_alloc(&p->arena, BATCH * sizeof(int64_t));
    e->null_buffer = arena_alloc(&p->arena, BATCH);
}

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

/* Those that are null in either. */
static const uint8_t *either_null(struct expr *e, struct values a, struct values b, uint32_t n)
{
    if (!a.null || !b.null)
        return a.null ? a.null : b.null;
    for (uint32_t i = 0; i < n; i++)
        e->null_buffer[i] = a.null[i] | b.null[i];
    return e->null_buffer;
}

/* Results that are null are 0. */
static struct values clear_nulls(struct expr *e, const uint8_t *null, uint32_t n)
{
    int64_t *out = e->buffer;
    for (uint32_t i = 0; null && i < n; i++)
        if (null[i])
            out[i] = 0;
    return (struct values){out, null};
}

static bool some(const uint8_t *flags, uint32_t n)
{
    return n > 0 && memchr(flags, 1, n);
}

/* Columns. */

#define GATHER(type, out_type, value, is_null)                                                     \
    do {                                                                                           \
        const type *data = c->data;                                                                \
        out_type *out = e->buffer;                                                                 \
        uint8_t any = 0;                                                                           \
        for (uint32_t i = 0; i < b->n; i++) {                                                      \
            uint32_t row = rows ? rows[i] : b->first + i;                                          \
            bool gone = outer && row == NULL_U32;                                                  \
            type v = gone ? (type)0 : data[row];                                                   \
            bool null = gone || (is_null);                                                         \
            e->null_buffer[i] = null;                                                              \
            any |= null;                                                                           \
            out[i] = null ? (out_type)0 : (out_type)(value);                                       \
        }                                                                                          \
        return (struct values){out, any ? e->null_buffer : NULL};                                  \
    } while (0)

#define BIT_OF(row) (c->nulls && (c->nulls[(row) >> 6] >> ((row)&63) & 1))

static struct values gather_row_numbers(struct expr *e, const struct batch *b, const uint32_t *rows)
{
    int64_t *out = e->buffer;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t row = rows ? rows[i] : b->first + i;
        e->null_buffer[i] = row == NULL_U32;
        out[i] = row == NULL_U32 ? 0 : row;
    }
    return (struct values){out, some(e->null_buffer, b->n) ? e->null_buffer : NULL};
}

static struct values gather_texts(struct expr *e, const struct column *c, const struct batch *b,
                                  const uint32_t *rows)
{
    const string_id *data = c->data;
    string_id *out = e->buffer;
    for (uint32_t i = 0; i < b->n; i++)
        out[i] = rows[i] == NULL_U32 ? NULL_STRING : data[rows[i]];
    return (struct values){out, NULL};
}

static struct values gather_small(struct expr *e, const struct column *c, const struct batch *b,
                                  const uint32_t *rows)
{
    bool nullable = c->def->flags & COLUMN_NULLABLE;
    int64_t *out = e->buffer;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t row = rows ? rows[i] : b->first + i;
        bool gone = rows && row == NULL_U32;
        uint32_t v = gone ? 0 : column_small(c, row);
        bool null = gone || (nullable && v == NULL_U32);
        e->null_buffer[i] = null;
        out[i] = null ? 0 : v;
    }
    return (struct values){out, some(e->null_buffer, b->n) ? e->null_buffer : NULL};
}

static struct values all_null(struct expr *e, uint32_t n)
{
    memset(e->buffer, 0, n * sizeof(int64_t));
    memset(e->null_buffer, 1, n);
    return (struct values){e->buffer, e->null_buffer};
}

static struct values stored_values(const struct plan_source *from, struct expr *e,
                                   const struct batch *b)
{
    const struct source_table *t = &from->tables[e->table];
    const struct column *c = &t->rows->columns[e->column];
    const uint32_t *rows = b->rows[e->table];
    enum column_type type = c->def->type;
    bool outer = t->left;
    if (type == COLUMN_TYPE_ID || type == COLUMN_TYPE_ALIAS)
        return gather_row_numbers(e, b, rows);
    if (!c->data)
        return all_null(e, b->n);
    if (type == COLUMN_TYPE_STR)
        return rows ? gather_texts(e, c, b, rows)
                    : (struct values){(const string_id *)c->data + b->first, NULL};
    if (!rows && !c->nulls && type == COLUMN_TYPE_I64)
        return (struct values){(const int64_t *)c->data + b->first, NULL};
    if (!rows && !c->nulls && type == COLUMN_TYPE_F64)
        return (struct values){(const double *)c->data + b->first, NULL};
    bool nullable = c->def->flags & COLUMN_NULLABLE;
    if (type == COLUMN_TYPE_U32)
        GATHER(uint32_t, int64_t, v, nullable && v == NULL_U32);
    if (type == COLUMN_TYPE_SMALL)
        return gather_small(e, c, b, rows);
    if (type == COLUMN_TYPE_I32)
        GATHER(int32_t, int64_t, v, BIT_OF(row));
    if (type == COLUMN_TYPE_I64)
        GATHER(int64_t, int64_t, v, BIT_OF(row));
    GATHER(double, double, v, BIT_OF(row));
}

/* A number that is none is NULL for SQLite, but not for the tables' own scans. */
static struct values column_values(struct plan *p, const struct plan_source *from, struct expr *e,
                                   const struct batch *b)
{
    struct values v = stored_values(from, e, b);
    const double *reals = v.data;
    bool bad = false;
    for (uint32_t i = 0; e->type == VALUE_REAL && i < b->n; i++)
        bad |= reals[i] != reals[i];
    p->refused |= bad;
    return v;
}

/* Nothing else writes to its buffers: the first `count` values stay there. */
static struct values constant_values(struct expr *e, uint32_t n)
{
    for (; e->count < n; e->count++) {
        if (e->type == VALUE_TEXT)
            ((string_id *)e->buffer)[e->count] = e->text;
        else
            ((int64_t *)e->buffer)[e->count] = e->type == VALUE_NULL ? 0 : e->number;
        e->null_buffer[e->count] = e->type == VALUE_NULL;
    }
    return (struct values){e->buffer, e->type == VALUE_NULL ? e->null_buffer : NULL};
}

/* Arithmetic. */

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
    return some(e->null_buffer, n) ? e->null_buffer : NULL;
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

/* Comparisons. */

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
    return some(e->null_buffer, n) ? e->null_buffer : NULL;
}

static struct values compare(struct plan *p, struct expr *e, struct values a, struct values b,
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

/* Conditions. */

static struct values logic(struct expr *e, struct values a, struct values b, uint32_t n)
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

static struct values negate(struct expr *e, struct values a, uint32_t n)
{
    const int64_t *x = a.data;
    int64_t *out = e->buffer;
    for (uint32_t i = 0; i < n; i++)
        out[i] = x[i] == 0;
    return clear_nulls(e, a.null, n);
}

static struct values test_null(struct expr *e, struct values a, uint32_t n)
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

static struct values test_in(struct expr *e, struct values a, uint32_t n)
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
static struct values match(struct plan *p, struct expr *e, struct values a, uint32_t n)
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

/* Choices. */

static void put_value(struct expr *e, struct values v, enum value_type type, uint32_t i)
{
    bool null = type == VALUE_NULL || value_is_null(v, type, i);
    e->null_buffer[i] = null;
    if (e->type == VALUE_TEXT)
        ((string_id *)e->buffer)[i] = null ? NULL_STRING : ((const string_id *)v.data)[i];
    else
        ((int64_t *)e->buffer)[i] = null ? 0 : ((const int64_t *)v.data)[i];
}

static struct values chosen(struct expr *e, uint32_t n)
{
    bool any = e->type != VALUE_TEXT && some(e->null_buffer, n);
    return (struct values){e->buffer, any ? e->null_buffer : NULL};
}

/* WHEN one THEN one ELSE NULL. */
static struct values choose_or_null(struct expr *e, const int64_t *test, const int64_t *then,
                                    uint32_t n)
{
    int64_t *out = e->buffer;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = test[i] ? then[i] : 0;
        e->null_buffer[i] = !test[i];
    }
    return chosen(e, n);
}

/* WHEN one THEN one ELSE one, of numbers without NULL: without a jump. */
static bool choose_plainly(struct expr *e, struct values when, struct values then,
                           struct values otherwise, struct values *result, uint32_t n)
{
    const int64_t *test = when.data, *x = then.data, *y = otherwise.data;
    int64_t *out = e->buffer;
    enum value_type type = e->args[2]->type;
    if (e->type == VALUE_TEXT || e->args[1]->type != e->type || when.null || then.null)
        return false;
    if (type == VALUE_NULL) {
        *result = choose_or_null(e, test, x, n);
        return true;
    }
    if (type != e->type || otherwise.null)
        return false;
    for (uint32_t i = 0; i < n; i++)
        out[i] = test[i] ? x[i] : y[i];
    *result = (struct values){out, NULL};
    return true;
}

static struct values choose(struct plan *p, const struct plan_source *from, struct expr *e,
                            const struct batch *b)
{
    uint8_t done[BATCH] = {0};
    struct values plain;
    if (e->count == 3 &&
        choose_plainly(e, evaluate(p, from, e->args[0], b), evaluate(p, from, e->args[1], b),
                       evaluate(p, from, e->args[2], b), &plain, b->n))
        return plain;
    (void)all_null(e, b->n);
    for (uint32_t k = 0; k + 1 < e->count; k += 2) {
        struct values when = evaluate(p, from, e->args[k], b);
        struct values then = evaluate(p, from, e->args[k + 1], b);
        const int64_t *test = when.data;
        for (uint32_t i = 0; i < b->n; i++) {
            if (done[i] || test[i] == 0 || (when.null && when.null[i]))
                continue;
            done[i] = 1;
            put_value(e, then, e->args[k + 1]->type, i);
        }
    }
    if (e->count % 2 == 1) {
        struct expr *last = e->args[e->count - 1];
        struct values otherwise = evaluate(p, from, last, b);
        for (uint32_t i = 0; i < b->n; i++)
            if (!done[i])
                put_value(e, otherwise, last->type, i);
    }
    return chosen(e, b->n);
}

/* The first of two, or a number that is never NULL in its place. */
static bool coalesce_plainly(struct expr *e, struct values first, struct values second, uint32_t n)
{
    const int64_t *x = first.data, *y = second.data;
    int64_t *out = e->buffer;
    if (e->type == VALUE_TEXT || e->args[0]->type != e->type || e->args[1]->type != e->type ||
        second.null)
        return false;
    for (uint32_t i = 0; i < n; i++)
        out[i] = first.null && first.null[i] ? y[i] : x[i];
    return true;
}

static struct values coalesce(struct plan *p, const struct plan_source *from, struct expr *e,
                              const struct batch *b)
{
    if (e->count == 2 && coalesce_plainly(e, evaluate(p, from, e->args[0], b),
                                          evaluate(p, from, e->args[1], b), b->n))
        return (struct values){e->buffer, NULL};
    (void)all_null(e, b->n);
    for (uint32_t k = 0; k < e->count; k++) {
        struct values v = evaluate(p, from, e->args[k], b);
        for (uint32_t i = 0; i < b->n; i++)
            if (e->null_buffer[i])
                put_value(e, v, e->args[k]->type, i);
    }
    return chosen(e, b->n);
}

static struct values extreme_of_two(struct expr *e, const int64_t *x, const int64_t *y, uint32_t n)
{
    int64_t *out = e->buffer;
    for (uint32_t i = 0; e->op == EXPR_LEAST && i < n; i++)
        out[i] = y[i] < x[i] ? y[i] : x[i];
    for (uint32_t i = 0; e->op == EXPR_GREATEST && i < n; i++)
        out[i] = y[i] > x[i] ? y[i] : x[i];
    return (struct values){out, NULL};
}

static struct values extreme(struct plan *p, const struct plan_source *from, struct expr *e,
                             const struct batch *b)
{
    int64_t *out = e->buffer;
    struct values first = evaluate(p, from, e->args[0], b);
    struct values second = evaluate(p, from, e->args[1], b);
    if (e->count == 2 && !first.null && !second.null)
        return extreme_of_two(e, first.data, second.data, b->n);
    memset(e->null_buffer, 0, b->n);
    for (uint32_t k = 0; k < e->count; k++) {
        struct values v = evaluate(p, from, e->args[k], b);
        const int64_t *x = v.data;
        for (uint32_t i = 0; i < b->n; i++) {
            bool better = e->op == EXPR_LEAST ? x[i] < out[i] : x[i] > out[i];
            out[i] = k == 0 || better ? x[i] : out[i];
            e->null_buffer[i] |= v.null && v.null[i];
        }
    }
    return clear_nulls(e, some(e->null_buffer, b->n) ? e->null_buffer : NULL, b->n);
}

enum { JOINED = 256, JOINED_MAX = 1 << 16 };

static int64_t operand(struct values v, enum value_type type, uint32_t i)
{
    return type == VALUE_TEXT ? ((const string_id *)v.data)[i] : ((const int64_t *)v.data)[i];
}

/* The bytes of an operand, those of an integer in `digits`. */
static struct str operand_text(const struct plan *p, enum value_type type, int64_t v,
                               char digits[24])
{
    if (type == VALUE_TEXT)
        return string_pool_get(&p->session->trace->strings, (string_id)v);
    sqlite3_snprintf(24, digits, "%lld", (long long)v);
    return str_from(digits);
}

bool plan_has_many_texts(const struct plan *p)
{
    const struct string_pool *pool = &p->session->trace->strings;
    return __atomic_load_n(&pool->count, __ATOMIC_RELAXED) - p->texts > JOINED_MAX;
}

static string_id join_texts(struct plan *p, struct str a, struct str b)
{
    const struct string_pool *pool = &p->session->trace->strings;
    char *both = a.n + b.n < JOINED_SIZE_MAX ? alloc_bytes(a.n + b.n + 1) : NULL;
    if (!both || plan_has_many_texts(p)) {
        free(both);
        p->refused = true;
        return NULL_STRING;
    }
    if (a.n)
        memcpy(both, a.p, a.n);
    if (b.n)
        memcpy(both + a.n, b.p, b.n);
    string_id id = string_pool_intern(pool, (struct str){both, a.n + b.n});
    free(both);
    return id;
}

static struct values concat(struct plan *p, struct expr *e, struct values a, struct values b,
                            uint32_t n)
{
    enum value_type x = e->args[0]->type, y = e->args[1]->type;
    string_id *out = e->buffer;
    char first[24], second[24];
    if (!e->joined) {
        e->joined = arena_alloc(&p->arena, JOINED * sizeof *e->joined);
        memset(e->joined, 0, JOINED * sizeof *e->joined);
    }
    for (uint32_t i = 0; i < n; i++) {
        bool null = value_is_null(a, x, i) || value_is_null(b, y, i);
        int64_t left = operand(a, x, i), right = operand(b, y, i);
        struct joined_text *known = &e->joined[hash_mix((uint64_t)left, (uint64_t)right) % JOINED];
        if (!null && (known->text == NULL_STRING || known->a != left || known->b != right))
            *known = (struct joined_text){left, right,
                                          join_texts(p, operand_text(p, x, left, first),
                                                     operand_text(p, y, right, second))};
        out[i] = null ? NULL_STRING : known->text;
    }
    return (struct values){out, NULL};
}

/* Args. */

enum value_type evaluate_arg_type(const struct arg *a)
{
    switch (a->type) {
    case ARG_INT:
    case ARG_UINT:
    case ARG_POINTER:
    case ARG_BOOL:
        return VALUE_INT;
    case ARG_REAL:
        return VALUE_REAL;
    case ARG_STRING:
    case ARG_JSON:
        return a->s == NULL_STRING ? VALUE_NULL : VALUE_TEXT;
    case ARG_NULL:
        break;
    }
    return VALUE_NULL;
}

const struct arg *evaluate_arg(struct plan *p, int64_t set, string_id key)
{
    if (set <= 0 || (uint64_t)set > args_count(&p->session->trace->args))
        return NULL;
    return arg_cache_find(vector_memory_args(p->session), (uint32_t)set, key);
}

static struct values args_of(struct plan *p, struct expr *e, struct values sets, uint32_t n)
{
    const int64_t *set = sets.data;
    bool text = e->type == VALUE_TEXT;
    (void)all_null(e, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct arg *a =
            sets.null && sets.null[i] ? NULL : evaluate_arg(p, set[i], e->args[1]->text);
        enum value_type type = a ? evaluate_arg_type(a) : VALUE_NULL;
        if (text)
            ((string_id *)e->buffer)[i] = type == VALUE_TEXT ? a->s : NULL_STRING;
        else if (type == e->type)
            memcpy((int64_t *)e->buffer + i, type == VALUE_REAL ? (const void *)&a->d : &a->i,
                   sizeof(int64_t));
        e->null_buffer[i] = type == VALUE_NULL;
        p->refused |= type != VALUE_NULL && type != e->type;
        p->refused |= type == VALUE_REAL && isnan(a->d); /* which is NULL in SQL */
    }
    return chosen(e, n);
}

static struct values ends_of(struct plan *p, struct expr *e, struct values ids, uint32_t n)
{
    const struct state_ends *ends = state_ends_of(p->session);
    const int64_t *id = ids.data;
    int64_t *out = e->buffer;
    (void)all_null(e, n);
    p->refused |= !ends;
    for (uint32_t i = 0; ends && i < n; i++)
        if (!ids.null || !ids.null[i])
            e->null_buffer[i] = !state_end(ends, id[i], &out[i]);
    return chosen(e, n);
}

/* Conversions. */

static int64_t whole_of(double d)
{
    if (d <= -9223372036854775808.0)
        return INT64_MIN;
    if (d >= 9223372036854775808.0)
        return INT64_MAX;
    return (int64_t)d;
}

static struct values convert(struct plan *p, struct expr *e, struct values a, uint32_t n)
{
    if (e->type == e->args[0]->type && e->op != EXPR_ABS)
        return a;
    const int64_t *ints = a.data;
    const double *reals = a.data;
    if (e->op == EXPR_TO_REAL)
        for (uint32_t i = 0; i < n; i++)
            ((double *)e->buffer)[i] = (double)ints[i];
    else if (e->op == EXPR_TO_INT)
        for (uint32_t i = 0; i < n; i++)
            ((int64_t *)e->buffer)[i] = whole_of(reals[i]);
    else
        for (uint32_t i = 0; i < n; i++) {
            p->refused |= ints[i] == INT64_MIN;
            ((int64_t *)e->buffer)[i] = ints[i] < 0 && ints[i] > INT64_MIN ? -ints[i] : ints[i];
        }
    return (struct values){e->buffer, a.null};
}

static struct values of_two(struct plan *p, const struct plan_source *from, struct expr *e,
                            const struct batch *b)
{
    struct values x = evaluate(p, from, e->args[0], b);
    struct values y = evaluate(p, from, e->args[1], b);
    if (e->op == EXPR_AND || e->op == EXPR_OR)
        return logic(e, x, y, b->n);
    if (e->op == EXPR_CONCAT)
        return concat(p, e, x, y, b->n);
    if (e->op >= EXPR_EQ && e->op <= EXPR_IS_NOT)
        return compare(p, e, x, y, b->n);
    if (e->type == VALUE_REAL)
        return real_arithmetic(e, x, y, b->n);
    return int_arithmetic(p, e, x, y, b->n);
}

static struct values compute(struct plan *p, const struct plan_source *from, struct expr *e,
                             const struct batch *b)
{
    switch (e->op) {
    case EXPR_CONST:
        return constant_values(e, b->n);
    case EXPR_COLUMN:
        return column_values(p, from, e, b);
    case EXPR_CASE:
        return choose(p, from, e, b);
    case EXPR_COALESCE:
        return coalesce(p, from, e, b);
    case EXPR_LEAST:
    case EXPR_GREATEST:
        return extreme(p, from, e, b);
    case EXPR_NOT:
        return negate(e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_IS_NULL:
    case EXPR_NOT_NULL:
        return test_null(e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_IN:
        return test_in(e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_LIKE:
    case EXPR_GLOB:
        return match(p, e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_ARG:
        return args_of(p, e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_STATE_END:
        return ends_of(p, e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_ABS:
    case EXPR_TO_INT:
    case EXPR_TO_REAL:
        return convert(p, e, evaluate(p, from, e->args[0], b), b->n);
    default:
        return of_two(p, from, e, b);
    }
}

/* What several aggregates read is one expression, which is computed once for a batch. */
struct values evaluate(struct plan *p, const struct plan_source *from, struct expr *e,
                       const struct batch *b)
{
    need_buffers(p, e);
    if (b->serial && e->serial == b->serial)
        return e->last;
    e->last = compute(p, from, e, b);
    e->serial = b->serial;
    return e->last;
}

uint32_t evaluate_filter(struct plan *p, const struct plan_source *from, struct expr *e,
                         const struct batch *b, uint32_t *kept)
{
    struct values v = evaluate(p, from, e, b);
    const int64_t *test = v.data;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        kept[n] = i;
        n += test[i] != 0;
    }
    return n;
}
