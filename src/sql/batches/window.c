#include "sql/batches/window.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sql/batches/aggregate.h"
#include "sql/batches/evaluate.h"
#include "sql/batches/sort.h"
#include "sql/batches/source.h"
#include "sql/batches/window_parts.h"

enum value_type window_type(const struct window_call *w)
{
    bool shows = w->kind == WINDOW_LAG || w->kind == WINDOW_LEAD || w->kind == WINDOW_FIRST_VALUE ||
                 w->kind == WINDOW_LAST_VALUE;
    if (shows)
        return w->arg->type;
    if (w->kind == WINDOW_PERCENT_RANK || w->kind == WINDOW_CUME_DIST)
        return VALUE_REAL;
    if (w->kind != WINDOW_AGGREGATE)
        return VALUE_INT;
    struct aggregate a = {.kind = w->aggregate, .arg = w->arg};
    return aggregate_type(&a);
}

static bool same_rows(const struct column *c, uint32_t a, uint32_t b)
{
    if (c->def->type == COLUMN_TYPE_STR)
        return ((const string_id *)c->data)[a] == ((const string_id *)c->data)[b];
    bool null_a = column_null_bit(c, a), null_b = column_null_bit(c, b);
    if (null_a || null_b)
        return null_a == null_b;
    if (c->def->type == COLUMN_TYPE_F64)
        return ((const double *)c->data)[a] == ((const double *)c->data)[b];
    return ((const int64_t *)c->data)[a] == ((const int64_t *)c->data)[b];
}

static void mark_changes(struct sorted *w, const struct expr *e, uint8_t mark)
{
    const struct column *c = window_column(w, e);
    for (uint32_t i = 1; i < w->count && plan_goes_on_at(w->plan, i); i++)
        if (!same_rows(c, i - 1, i))
            w->begins[i] |= mark;
}

static bool collect(struct plan *p, struct select *s)
{
    struct batch b;
    uint32_t columns = (uint32_t)s->carried.v.count, windows = (uint32_t)s->windows.count;
    s->stage = relation_new(windows + columns);
    for (uint32_t i = 0; i < windows; i++)
        relation_set_type(s->stage, i, column_type_of(window_type(&s->windows.items[i])));
    for (uint32_t i = 0; i < columns; i++)
        relation_set_type(s->stage, windows + i, column_type_of(s->carried.v.items[i]->type));
    if (!source_start(p, &s->from) || !relation_reserve(s->stage, source_rows_at_once(&s->from)))
        return false;
    while (source_next(p, &s->from, &b)) {
        if (!relation_reserve(s->stage, b.n))
            return false;
        for (uint32_t i = 0; i < columns; i++) {
            struct values v = evaluate(p, &s->from, s->carried.v.items[i], &b);
            relation_put(s->stage, windows + i, v.data, v.null, b.n);
        }
        s->stage->table.rows += b.n;
    }
    return plan_goes_on(p);
}

static bool sort(struct sorted *w)
{
    struct select *s = w->select;
    size_t keys = s->partition.v.count + s->window_order.v.count, k = 0;
    struct sort_key *by = alloc_array(keys + 1, sizeof *by);
    uint32_t *order = alloc_try_array(w->count + (size_t)1, sizeof *order);
    for (size_t i = 0; i < s->partition.v.count; i++)
        by[k++] = (struct sort_key){window_column(w, s->partition.v.items[i]), false};
    for (size_t i = 0; i < s->window_order.v.count; i++)
        by[k++] = (struct sort_key){window_column(w, s->window_order.v.items[i].expr),
                                    s->window_order.v.items[i].desc};
    for (uint32_t i = 0; order && i < w->count; i++)
        order[i] = i;
    bool ok = order && sort_rows(w->plan, by, (uint32_t)keys, order, w->count) &&
              relation_keep(w->plan, w->rows, (uint32_t)s->windows.count, order, w->count);
    free(order);
    free(by);
    return ok;
}

static void run_call(struct sorted *w, uint32_t i)
{
    const struct window_call *call = &w->select->windows.items[i];
    struct column *out = &w->rows->columns[i];
    switch (call->kind) {
    case WINDOW_AGGREGATE:
        window_aggregate(w, call, out);
        break;
    case WINDOW_LAG:
    case WINDOW_LEAD:
    case WINDOW_FIRST_VALUE:
    case WINDOW_LAST_VALUE:
        window_value(w, call, out);
        break;
    default:
        window_number(w, call, out);
    }
}

bool window_run(struct plan *p, struct select *s)
{
    if (!collect(p, s))
        return false;
    struct sorted w = {.plan = p, .select = s, .rows = s->stage, .count = s->stage->table.rows};
    if (!sort(&w))
        return false;
    w.begins = alloc_try_array(w.count + (size_t)1, 1);
    if (!w.begins)
        return false;
    w.begins[0] = 3;
    for (size_t i = 0; i < s->partition.v.count; i++)
        mark_changes(&w, s->partition.v.items[i], 3);
    for (size_t i = 0; i < s->window_order.v.count; i++)
        mark_changes(&w, s->window_order.v.items[i].expr, 1);
    for (uint32_t i = 0; i < s->windows.count && plan_goes_on(p); i++)
        run_call(&w, i);
    free(w.begins);
    return plan_goes_on(p);
}
