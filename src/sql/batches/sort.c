#include "sql/batches/sort.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/trace/trace.h"
#include "core/store/row_sort.h"

static uint64_t key_of(const struct column *c, uint32_t row)
{
    switch (c->def->type) {
    case COLUMN_TYPE_F64:
        return key_of_f64(column_f64(c, row));
    case COLUMN_TYPE_STR:
        return column_str(c, row);
    default:
        return key_of_int(((const int64_t *)c->data)[row]);
    }
}

static bool has_nulls(const struct column *c)
{
    return c->def->type != COLUMN_TYPE_STR && c->nulls;
}

/* Stable, so that sorting by the last key first gives the order by all. */
static void sort_by(struct plan *p, struct sort_key key, struct row_key *items, uint32_t n)
{
    const struct column *c = key.column;
    const atomic_bool *cancel = &p->session->cancel;
    for (uint32_t i = 0; i < n && plan_goes_on_at(p, i); i++)
        items[i].key = key_of(c, items[i].row);
    if (p->stopped)
        return;
    if (c->def->type == COLUMN_TYPE_STR)
        row_rank_text(items, n, &p->session->trace->strings, cancel);
    for (uint32_t i = 0; key.desc && i < n; i++)
        items[i].key = ~items[i].key;
    row_sort(items, n, cancel);
    if (!has_nulls(c))
        return;
    for (uint32_t i = 0; i < n && plan_goes_on_at(p, i); i++)
        items[i].key = column_null_bit(c, items[i].row) == key.desc;
    row_sort(items, n, cancel);
}

bool sort_rows(struct plan *p, const struct sort_key *keys, uint32_t count, uint32_t *rows,
               uint32_t n)
{
    struct row_key *items = alloc_try_bytes((n + (size_t)1) * sizeof *items);
    if (!items)
        return false;
    for (uint32_t i = 0; i < n; i++)
        items[i].row = rows[i];
    for (uint32_t k = count; k-- > 0 && plan_goes_on(p);)
        sort_by(p, keys[k], items, n);
    for (uint32_t i = 0; i < n; i++)
        rows[i] = items[i].row;
    free(items);
    return plan_goes_on(p);
}
