/* What evaluate.c does with the values of an expression's arguments, by kind. The results lie in
 * the expression's buffers or are an argument's own: valid as long as evaluate() says. */
#ifndef TPTUI_SQL_BATCHES_OPERATIONS_H
#define TPTUI_SQL_BATCHES_OPERATIONS_H

#include <string.h>

#include "sql/batches/evaluate.h"

/* arithmetic.c: + - * / % & | of two integers, or of numbers of which one is real. */
struct values operate_arithmetic(struct plan *p, struct expr *e, struct values a, struct values b,
                                 uint32_t n);

/* conditions.c: comparisons, AND and OR, NOT, IS [NOT] NULL, IN, LIKE and GLOB. */
struct values operate_comparison(struct plan *p, struct expr *e, struct values a, struct values b,
                                 uint32_t n);
struct values operate_logic(struct expr *e, struct values a, struct values b, uint32_t n);
struct values operate_not(struct expr *e, struct values a, uint32_t n);
struct values operate_null_test(struct expr *e, struct values a, uint32_t n);
struct values operate_in(struct expr *e, struct values a, uint32_t n);
struct values operate_match(struct plan *p, struct expr *e, struct values a, uint32_t n);

/* choices.c: those of which an argument decides which one is the result evaluate them themselves.
 */
struct values operate_case(struct plan *p, const struct plan_source *from, struct expr *e,
                           const struct batch *b);
struct values operate_coalesce(struct plan *p, const struct plan_source *from, struct expr *e,
                               const struct batch *b);
struct values operate_extreme(struct plan *p, const struct plan_source *from, struct expr *e,
                              const struct batch *b);
struct values operate_concat(struct plan *p, struct expr *e, struct values a, struct values b,
                             uint32_t n);

/* sqlite_call.c: a function of SQLite's, which is asked once for equal arguments. */
struct values operate_call(struct plan *p, const struct plan_source *from, struct expr *e,
                           const struct batch *b);

/* uncorrelated.c: what uncorrelated subqueries give. */
struct values operate_in_rows(struct plan *p, struct expr *e, struct values a, uint32_t n);
struct values operate_value(struct plan *p, struct expr *e, uint32_t n);

/* correlated.c: likewise, of correlated ones, which are grouped by what the arguments are compared
 * with. */
struct values operate_correlated(struct plan *p, const struct plan_source *from, struct expr *e,
                                 const struct batch *b);
void correlated_release(struct correlated *l);

static inline bool some_null(const uint8_t *flags, uint32_t n)
{
    return n > 0 && memchr(flags, 1, n);
}

/* Those that are null in either. */
static inline const uint8_t *either_null(struct expr *e, struct values a, struct values b,
                                         uint32_t n)
{
    if (!a.null || !b.null)
        return a.null ? a.null : b.null;
    for (uint32_t i = 0; i < n; i++)
        e->null_buffer[i] = a.null[i] | b.null[i];
    return e->null_buffer;
}

/* Results that are null are 0. */
static inline struct values clear_nulls(struct expr *e, const uint8_t *null, uint32_t n)
{
    int64_t *out = e->buffer;
    for (uint32_t i = 0; null && i < n; i++)
        if (null[i])
            out[i] = 0;
    return (struct values){out, null};
}

static inline struct values all_null(struct expr *e, uint32_t n)
{
    memset(e->buffer, 0, n * sizeof(int64_t));
    memset(e->null_buffer, 1, n);
    return (struct values){e->buffer, e->null_buffer};
}

/* What was put into the expression's buffers. */
static inline struct values values_put(struct expr *e, uint32_t n)
{
    bool any = e->type != VALUE_TEXT && some_null(e->null_buffer, n);
    return (struct values){e->buffer, any ? e->null_buffer : NULL};
}

#endif
