#include <stdlib.h>

#include "base/alloc.h"
#include "sql/batches/aggregate.h"
#include "sql/batches/evaluate.h"
#include "sql/batches/sort.h"
#include "sql/batches/source.h"

struct arranging {
    struct plan *plan;
    struct plan_source *from;
    struct relation *keys;
    VEC(uint32_t) rows; /* of the first table */
};

static bool collect(struct arranging *a)
{
    const struct order_list *by = &a->from->row_order;
    uint32_t first = a->from->order[0];
    struct batch b;
    while (source_next(a->plan, a->from, &b)) {
        if (!relation_reserve(a->keys, b.n))
            return false;
        for (uint32_t k = 0; k < by->v.count; k++) {
            struct values v = evaluate(a->plan, a->from, by->v.items[k].expr, &b);
            relation_put(a->keys, k, v.data, v.null, b.n);
        }
        a->keys->table.rows += b.n;
        vec_reserve(&a->rows, a->rows.count + b.n);
        for (uint32_t i = 0; i < b.n; i++)
            a->rows.items[a->rows.count++] = b.rows[first] ? b.rows[first][i] : b.first + i;
    }
    return plan_goes_on(a->plan);
}

static bool sort(struct arranging *a)
{
    const struct order_list *by = &a->from->row_order;
    struct sort_key keys[SCAN_ORDERS];
    uint32_t n = a->keys->table.rows;
    uint32_t *order = alloc_try_array(n + (size_t)1, sizeof *order);
    uint32_t *arranged = alloc_try_array(n + (size_t)1, sizeof *arranged);
    for (uint32_t i = 0; order && i < n; i++)
        order[i] = i;
    for (uint32_t k = 0; k < by->v.count; k++)
        keys[k] = (struct sort_key){&a->keys->columns[k], by->v.items[k].desc};
    bool ok = order && arranged && sort_rows(a->plan, keys, (uint32_t)by->v.count, order, n);
    for (uint32_t i = 0; ok && i < n && plan_goes_on_at(a->plan, i); i++)
        arranged[i] = a->rows.items[order[i]];
    free(order);
    a->from->arranged = arranged; /* the source's in any case */
    a->from->arranged_count = ok ? n : 0;
    a->from->next = 0;
    return ok;
}

bool arrange_rows(struct plan *p, struct plan_source *from)
{
    struct arranging a = {.plan = p, .from = from};
    a.keys = relation_new((uint32_t)from->row_order.v.count);
    for (uint32_t k = 0; k < from->row_order.v.count; k++)
        relation_set_type(a.keys, k, column_type_of(from->row_order.v.items[k].expr->type));
    bool ok = relation_reserve(a.keys, 1) && collect(&a) && sort(&a);
    relation_free(a.keys);
    vec_release(&a.rows);
    return ok;
}
