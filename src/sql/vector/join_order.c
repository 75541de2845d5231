#include "sql/vector/join_order.h"

#include "sql/vector/bind.h"
#include "sql/batches/evaluate.h"
#include "sql/batches/source.h"

static bool is_among(const struct expr_list *list, const struct expr *e)
{
    for (size_t i = 0; i < list->v.count; i++)
        if (expr_same(list->v.items[i], e))
            return true;
    return false;
}

static bool row_is_determined(const struct select *s, const struct expr_list *by, uint32_t table,
                              uint32_t depth)
{
    const struct source_table *t = &s->from.tables[table];
    for (size_t i = 0; t->stored && i < by->v.count; i++)
        if (source_is_row_number(&s->from, by->v.items[i], table))
            return true;
    if (!t->key || t->many || depth == TABLES_MAX)
        return false;
    return is_among(by, t->key) ||
           (t->key->op == EXPR_COLUMN && row_is_determined(s, by, t->key->table, depth + 1));
}

bool join_order_determines(const struct select *s, const struct expr_list *by, uint32_t table)
{
    return row_is_determined(s, by, table, 0);
}

static void list_order(struct expr_list *out, const struct order_list *order)
{
    for (size_t i = 0; i < order->v.count; i++)
        *vec_push(&out->v) = order->v.items[i].expr;
}

/* What decides before the order of rows does. */
static void list_deciding(const struct select *s, struct expr_list *out)
{
    const struct expr_list *first = s->kind == SELECT_GROUP ? &s->keys : &s->partition;
    for (size_t i = 0; i < first->v.count; i++)
        *vec_push(&out->v) = first->v.items[i];
    if (s->kind != SELECT_GROUP)
        list_order(out, s->kind == SELECT_PLAIN ? &s->order : &s->window_order);
}

void join_order_settle(struct plan *p, struct select *s)
{
    struct expr_list by = {0};
    uint32_t first = s->from.order[0];
    list_deciding(s, &by);
    for (uint32_t t = 0; t < first && !row_is_determined(s, &by, first, 0); t++) {
        if (row_is_determined(s, &by, t, 0))
            continue;
        struct expr *e = expr_new(p, EXPR_ROW, VALUE_INT, 0);
        e->table = t;
        *vec_push(&s->from.row_order.v) = (struct order_key){e, false};
    }
    vec_release(&by.v);
}
