#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/trace/trace.h"
#include "sql/batches/operations.h"

static void put_value(struct expr *e, struct values v, enum value_type type, uint32_t i)
{
    bool null = type == VALUE_NULL || value_is_null(v, type, i);
    value_put(e, i, null, null ? 0 : value_bits(v, type, i));
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
    return values_put(e, n);
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

struct values operate_case(struct plan *p, const struct plan_source *from, struct expr *e,
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
    return values_put(e, b->n);
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

struct values operate_coalesce(struct plan *p, const struct plan_source *from, struct expr *e,
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
    return values_put(e, b->n);
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

struct values operate_extreme(struct plan *p, const struct plan_source *from, struct expr *e,
                              const struct batch *b)
{
    int64_t *out = e->buffer;
    if (e->count == 2) {
        struct values first = evaluate(p, from, e->args[0], b);
        struct values second = evaluate(p, from, e->args[1], b);
        if (!first.null && !second.null)
            return extreme_of_two(e, first.data, second.data, b->n);
    }
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
    return clear_nulls(e, some_null(e->null_buffer, b->n) ? e->null_buffer : NULL, b->n);
}

enum { JOINED = 256, JOINED_MAX = 1 << 16 };

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

struct values operate_concat(struct plan *p, struct expr *e, struct values a, struct values b,
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
        int64_t left = (int64_t)value_bits(a, x, i), right = (int64_t)value_bits(b, y, i);
        struct joined_text *known = &e->joined[hash_mix((uint64_t)left, (uint64_t)right) % JOINED];
        if (!null && (known->text == NULL_STRING || known->a != left || known->b != right))
            *known = (struct joined_text){left, right,
                                          join_texts(p, operand_text(p, x, left, first),
                                                     operand_text(p, y, right, second))};
        out[i] = null ? NULL_STRING : known->text;
    }
    return (struct values){out, NULL};
}
