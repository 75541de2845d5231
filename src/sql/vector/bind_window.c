#include "sql/vector/bind.h"
#include "sql/batches/evaluate.h"
#include "sql/batches/window.h"

struct expr *select_carry(struct select *s, struct expr *e)
{
    for (size_t i = 0; i < s->carried.v.count; i++)
        if (expr_same(s->carried.v.items[i], e))
            return s->carried.v.items[i];
    *vec_push(&s->carried.v) = e;
    return e;
}

static bool bind_partition(struct binder *b, const struct sql_node *terms,
                           struct expr_list *partition)
{
    for (uint32_t i = 0; terms && i < terms->count; i++) {
        struct expr *e = bind_expression(b, terms->part[i]);
        if (!e || e->op == EXPR_CONST || e->type == VALUE_NULL || partition->v.count == SCAN_ORDERS)
            return false;
        *vec_push(&partition->v) = e;
    }
    return true;
}

/* One end of a frame: how many rows lie between it and the row. RANGE may have an end that is so
 * far away in value, which is another matter. */
static bool bind_bound(struct binder *b, const struct sql_node *bound, bool by_rows, bool before,
                       uint32_t *out)
{
    bool all = bound->op == (before ? SQL_OP_UNBOUNDED_PRECEDING : SQL_OP_UNBOUNDED_FOLLOWING);
    *out = all ? WINDOW_ALL : 0;
    if (all || bound->op == SQL_OP_CURRENT_ROW)
        return true;
    bool counted = by_rows && bound->op == (before ? SQL_OP_PRECEDING : SQL_OP_FOLLOWING);
    struct expr *n = counted ? bind_expression(b, bound->part[0]) : NULL;
    bool fits =
        n && n->op == EXPR_CONST && n->type == VALUE_INT && n->number >= 0 && n->number < INT32_MAX;
    *out = fits ? (uint32_t)n->number : 0;
    return fits;
}

/* ROWS, or RANGE without offsets. */
static bool bind_frame(struct binder *b, const struct sql_node *frame, struct window_call *call)
{
    call->before = WINDOW_ALL;
    if (!frame)
        return true;
    const struct sql_node *ends = frame->part[0];
    bool between = ends->kind == SQL_BETWEEN_BOUNDS;
    call->by_rows = frame->op == SQL_OP_ROWS;
    if ((!call->by_rows && frame->op != SQL_OP_RANGE) || frame->op2 != SQL_OP_NONE ||
        !bind_bound(b, between ? ends->part[0] : ends, call->by_rows, true, &call->before) ||
        (between && !bind_bound(b, ends->part[1], call->by_rows, false, &call->after)))
        return false;
    bool best = call->kind == WINDOW_AGGREGATE &&
                (call->aggregate == AGGREGATE_MIN || call->aggregate == AGGREGATE_MAX);
    if (call->by_rows)
        return !best || call->before == WINDOW_ALL; /* it is not known what comes next */
    return call->before == WINDOW_ALL && (call->after == 0 || call->after == WINDOW_ALL);
}

/* Whether the window is that of the SELECT's other functions; the first one decides. */
static bool same_window(struct select *s, const struct expr_list *partition,
                        const struct order_list *order)
{
    if (s->windows.count == 0) {
        for (size_t i = 0; i < partition->v.count; i++)
            *vec_push(&s->partition.v) = select_carry(s, partition->v.items[i]);
        for (size_t i = 0; i < order->v.count; i++)
            *vec_push(&s->window_order.v) =
                (struct order_key){select_carry(s, order->v.items[i].expr), order->v.items[i].desc};
        return true;
    }
    if (partition->v.count != s->partition.v.count || order->v.count != s->window_order.v.count)
        return false;
    for (size_t i = 0; i < partition->v.count; i++)
        if (!expr_same(partition->v.items[i], s->partition.v.items[i]))
            return false;
    for (size_t i = 0; i < order->v.count; i++)
        if (!expr_same(order->v.items[i].expr, s->window_order.v.items[i].expr) ||
            order->v.items[i].desc != s->window_order.v.items[i].desc)
            return false;
    return true;
}

struct expr *bind_window(struct binder *b, const struct sql_node *over, struct window_call call)
{
    struct expr_list partition = {0};
    struct order_list order = {0};
    struct select *s = b->select;
    if (!b->windows || over->kind != SQL_WINDOW || over->part[WINDOW_BASE])
        return NULL;
    bool aggregates = b->aggregates;
    b->windows = b->aggregates = false;
    const struct sql_node *terms = over->part[WINDOW_ORDER];
    bool ok = bind_partition(b, over->part[WINDOW_PARTITION], &partition) &&
              (!terms || bind_order_terms(b, terms, &order, NULL)) &&
              bind_frame(b, over->part[WINDOW_FRAME], &call) && same_window(s, &partition, &order);
    b->windows = true;
    b->aggregates = aggregates;
    vec_release(&partition.v);
    vec_release(&order.v);
    if (!ok)
        return NULL;
    call.arg = call.arg ? select_carry(s, call.arg) : NULL;
    call.fallback = call.fallback ? select_carry(s, call.fallback) : NULL;
    struct expr *e = expr_new(b->plan, EXPR_WINDOW, window_type(&call), 0);
    e->column = (uint32_t)s->windows.count;
    *vec_push(&s->windows) = call;
    return e;
}
