/* GROUP BY: rows that are equal in some keys become one, with what aggregates make of them. */
#ifndef TPTUI_SQL_VECTOR_AGGREGATE_H
#define TPTUI_SQL_VECTOR_AGGREGATE_H

#include "sql/vector/plan.h"

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
    bool (*result)(struct grouping *g, const struct aggregate *a, const struct column_states *c,
                   uint32_t group, uint64_t *data);
};

extern const struct aggregate_kind aggregate_kinds[AGGREGATES];

/* The type of an aggregate's result. */
enum value_type aggregate_type(const struct aggregate *a);

/* Reads all rows of the SELECT and makes its `stage`: a column for each key, then one for each
 * aggregate; a row for each group, in the order of the keys. False where the plan does not go on.
 */
bool aggregate_run(struct plan *p, struct select *s);

/* The kind of column that holds values of a type. */
enum column_type column_type_of(enum value_type type);

#endif
