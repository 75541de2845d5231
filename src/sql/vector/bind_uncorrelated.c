#include "sql/vector/bind_expression.h"
#include "sql/batches/evaluate.h"

/* The SELECT reads nothing of the statement around it: names of that are unknown in it. */
static struct uncorrelated *bind_uncorrelated(struct binder *b, const struct sql_node *select,
                                              enum select_use use)
{
    b->plan->refused |= ++b->plan->queries > QUERIES_MAX;
    struct select *s = b->plan->refused ? NULL : bind_select(b, select, use);
    if (!s || s->outputs.count != 1 || s->outputs.items[0].expr->type == VALUE_NULL)
        return NULL;
    struct uncorrelated *a = arena_alloc(&b->plan->arena, sizeof *a);
    *a = (struct uncorrelated){.select = s};
    *vec_push(&b->plan->uncorrelated) = a;
    return a;
}

/* Each is an expression of its own, as it is to SQLite: `column` tells them apart. */
static struct expr *uncorrelated_expr(struct binder *b, struct uncorrelated *a, enum expr_op op,
                                      enum value_type type, uint32_t args)
{
    struct expr *e = expr_new(b->plan, op, type, args);
    e->uncorrelated = a;
    e->column = (uint32_t)b->plan->uncorrelated.count;
    return b->plan->refused ? NULL : e;
}

struct expr *bind_value_of_select(struct binder *b, const struct sql_node *select)
{
    struct uncorrelated *a = bind_uncorrelated(b, select, USE_VALUE);
    if (!a)
        return bind_value_by_key(b, select);
    return uncorrelated_expr(b, a, EXPR_VALUE, a->select->outputs.items[0].expr->type, 0);
}

struct expr *bind_in_rows(struct binder *b, const struct sql_node *select, struct expr *x)
{
    struct uncorrelated *a = bind_uncorrelated(b, select, USE_LIST);
    if (!a || a->select->outputs.items[0].expr->type != x->type)
        return NULL;
    struct expr *e = uncorrelated_expr(b, a, EXPR_IN_ROWS, VALUE_INT, 1);
    if (!e)
        return NULL;
    e->args[0] = x;
    return expr_measure(e) ? e : NULL;
}
