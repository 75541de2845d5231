/* GROUP BY: rows that are equal in some keys become one, with what aggregates make of them. */
#ifndef TPTUI_SQL_BATCHES_AGGREGATE_H
#define TPTUI_SQL_BATCHES_AGGREGATE_H

#include "sql/values/real_sum.h"
#include "sql/batches/evaluate.h"
#include "sql/batches/plan.h"

/* What is known of a group so far. */
struct aggregate_state {
    int64_t count; /* of rows, or of values that are not NULL */
    union {
        int64_t number; /* the sum, or the best */
        double real;
        string_id text;
    };
    struct real_sum reals;
    uint64_t size; /* the sum of the numbers without their signs, at most INT64_MAX */
};

struct grouping;
struct column_states;
struct pick;

/* What an argument has to be. */
enum aggregate_argument { OF_VALUES, OF_NUMBERS, OF_TEXTS };
/* Whether the result may depend on the order of the rows. */
enum aggregate_order { ORDER_NEVER, ORDER_OF_REALS, ORDER_ALWAYS };

struct aggregate_kind {
    const char *name; /* of its function; NULL: more has to be known of the call */
    enum aggregate_argument argument;
    enum value_type type; /* of the result; VALUE_NULL: that of the argument */
    enum aggregate_order order;
    bool simple;     /* DISTINCT, or a window, may be */
    bool of_nothing; /* there is a result where there are no values */
    /* Adds rows of a batch, none of which is NULL; NULL: it is more than a value of each. */
    void (*add)(struct grouping *g, const struct aggregate *a, struct column_states *c,
                struct values v, const struct pick *k);
    /* The result of a group that has values, or of nothing; false: NULL. Its own is NULL where all
     * are made at once. */
    bool (*result)(struct plan *p, const struct aggregate *a, const struct aggregate_state *s,
                   const void *statistic, uint64_t *data);
};

extern const struct aggregate_kind aggregate_kinds[AGGREGATES];

/* The bits of a group's result; false: NULL. `statistic` is the state of a STATISTIC. */
bool aggregate_result(struct plan *p, const struct aggregate *a, const struct aggregate_state *s,
                      const void *statistic, uint64_t *data);
static inline bool aggregate_is_better(struct plan *p, enum value_type type,
                                       const struct aggregate_state *s, struct values v,
                                       uint32_t row, bool max)
{
    int order;
    if (type == VALUE_INT) {
        int64_t x = ((const int64_t *)v.data)[row];
        order = (x > s->number) - (x < s->number);
    } else if (type == VALUE_REAL) {
        double x = ((const double *)v.data)[row];
        order = (x > s->real) - (x < s->real);
    } else {
        string_id x = ((const string_id *)v.data)[row];
        order = x == s->text ? 0 : compare_texts(p, x, s->text);
    }
    return max ? order > 0 : order < 0;
}

/* Counts value `row`, which is not NULL, and takes it where it is the best so far. */
static inline void aggregate_take_best(struct plan *p, enum value_type type, bool max,
                                       struct aggregate_state *s, struct values v, uint32_t row)
{
    if (s->count++ > 0 && !aggregate_is_better(p, type, s, v, row, max))
        return;
    if (type == VALUE_TEXT)
        s->text = ((const string_id *)v.data)[row];
    else
        s->number = ((const int64_t *)v.data)[row];
}

/* The type of an aggregate's result. */
enum value_type aggregate_type(const struct aggregate *a);

/* Reads all rows of the SELECT and makes its `stage`: a column for each key, then one for each
 * aggregate; a row for each group, in the order of the keys. False where the plan does not go on.
 */
bool aggregate_run(struct plan *p, struct select *s);

/* The kind of column that holds values of a type. */
enum column_type column_type_of(enum value_type type);

#endif
