/* Values of expressions for a batch of rows at a time.
 *
 * What SQLite would do in a way of its own (an integer that overflows becomes a real, abs() of the
 * smallest one an error) sets the plan's `refused`: SQLite then does the whole statement. */
#ifndef TPTUI_SQL_BATCHES_EVALUATE_H
#define TPTUI_SQL_BATCHES_EVALUATE_H

#include "sql/batches/plan.h"

/* A node, in the plan's arena, with room for `args` arguments, which the caller sets. Sets
 * `refused` where the plan has too many nodes. */
struct expr *expr_new(struct plan *p, enum expr_op op, enum value_type type, uint32_t args);
struct expr *expr_column(struct plan *p, uint32_t table, uint32_t column, enum value_type type);

/* Sets how deep and large a node is whose arguments are set. False where that is too much. */
bool expr_measure(struct expr *e);

/* Whether both compute the same. */
bool expr_same(const struct expr *a, const struct expr *b);
/* Whether it, or what it computes with, is such a node. */
bool expr_has(const struct expr *e, enum expr_op op);

/* Valid until the expression is evaluated for the next batch. */
struct values evaluate(struct plan *p, const struct plan_source *from, struct expr *e,
                       const struct batch *b);

/* Whether value i of a type is NULL. */
static inline bool value_is_null(struct values v, enum value_type type, uint32_t i)
{
    return type == VALUE_TEXT ? ((const string_id *)v.data)[i] == NULL_STRING : v.null && v.null[i];
}

/* The bits of value i: of a number, or a text's id. */
static inline uint64_t value_bits(struct values v, enum value_type type, uint32_t i)
{
    return type == VALUE_TEXT ? ((const string_id *)v.data)[i] : ((const uint64_t *)v.data)[i];
}

/* Puts them, or NULL, into the expression's buffers. */
static inline void value_put(struct expr *e, uint32_t i, bool null, uint64_t bits)
{
    e->null_buffer[i] = null;
    if (e->type == VALUE_TEXT)
        ((string_id *)e->buffer)[i] = null ? NULL_STRING : (string_id)bits;
    else
        ((uint64_t *)e->buffer)[i] = null ? 0 : bits;
}

/* Value i becomes an argument of SQLite's statement, which must not outlive the trace's strings. */
void evaluate_bind(struct plan *p, sqlite3_stmt *stmt, int argument, struct values v,
                   enum value_type type, uint32_t i);

/* Of the batch's rows, counted from 0, the numbers of those for which a condition holds, to `kept`,
 * which has room for all; returns how many. */
uint32_t evaluate_filter(struct plan *p, const struct plan_source *from, struct expr *e,
                         const struct batch *b, uint32_t *kept);

/* Texts in order of their bytes: below, at or above 0. */
int compare_texts(const struct plan *p, string_id a, string_id b);

/* Texts that are made stay in the trace's pool: one that is longer than JOINED_SIZE_MAX, and any
 * once the statement has made too many, is SQLite's to make. */
enum { JOINED_SIZE_MAX = 1 << 20 };
bool plan_has_many_texts(const struct plan *p);

/* What extract_arg finds; NULL where it finds nothing. Valid until the next call. */
const struct arg *evaluate_arg(struct plan *p, int64_t set, string_id key);
/* The type of the value that it gives. */
enum value_type evaluate_arg_type(const struct arg *a);

/* Integers against reals, exactly. */
int compare_mixed(int64_t i, double d);

#endif
