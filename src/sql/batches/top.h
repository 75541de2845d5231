/* The first rows of an order, of which few are wanted: rows go by, and a heap keeps those that come
 * before all others so far. Rows that are equal in the order stay as they came. */
#ifndef TPTUI_SQL_BATCHES_TOP_H
#define TPTUI_SQL_BATCHES_TOP_H

#include "sql/batches/plan.h"

enum { TOP_MAX = 1024 }; /* of more, sorting takes less */

struct top_key {
    uint64_t key; /* ascends in the wanted order; of a text its id */
    uint8_t rank; /* nulls before or behind the others */
};

struct top_row {
    struct top_key first; /* of the first term */
    uint32_t row;
    uint32_t slot;   /* of its other keys */
    uint64_t number; /* of the rows that have come */
};

struct top {
    const struct plan *plan;
    const struct order_list *by;
    uint32_t wanted, count;
    uint64_t seen;
    bool plain;           /* one term, and that is no text: keys are compared as numbers */
    struct top_row *heap; /* its root comes last of what is kept */
    /* Slots 0 to `wanted`, of which `spare` is free: the keys of slot i from keys[i * terms] on. */
    struct top_key *keys;
    uint32_t spare;
};

/* `wanted` is 1 to TOP_MAX. The order has to live as long. */
void top_init(struct top *t, const struct plan *p, const struct order_list *by, uint32_t wanted);
void top_release(struct top *t);

/* The next row: item i of the values of each term. */
void top_add(struct top *t, const struct values *keys, uint32_t i, uint32_t row);

/* Once as many as wanted are kept: the first term's key that a row must not exceed to be one of
 * them. False where that cannot be told by a number. */
bool top_bound(const struct top *t, uint64_t *key);

/* Writes the kept rows in order to `rows`, which has room for `wanted`; returns how many. Nothing
 * may be added then. */
uint32_t top_finish(struct top *t, uint32_t *rows);

/* A value of a term, which is no text, as a key. */
static inline uint64_t top_key_of(const struct order_key *k, const void *data, uint32_t i)
{
    uint64_t key = k->expr->type == VALUE_REAL ? key_of_f64(((const double *)data)[i])
                                               : key_of_int(((const int64_t *)data)[i]);
    return k->desc ? ~key : key;
}

#endif
