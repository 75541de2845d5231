#include "sql/tables/scan_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/store/row_sort.h"

/* Keys in ascending order of the wanted order; nulls are the smallest. For nulls next to the
 * smallest value (INT64_MIN) the rows are told apart by a second sort on null. */
static void fill_keys(struct table_scan *s, struct scan_order o, bool any_order,
                      struct row_key *items)
{
    const struct sql_column *c = &s->table->columns[o.column];
    for (uint32_t i = 0; i < s->count && scan_goes_on(s, i); i++) {
        uint32_t row = s->list[i];
        items[i] =
            (struct row_key){column_is_null(c->values, row) ? 0 : sql_column_key(c, row), row};
    }
    if (s->cancelled)
        return;
    if (sql_column_is_text(c) && !any_order)
        row_rank_text(items, s->count, s->table->strings, s->table->cancel);
    for (uint32_t i = 0; o.desc && i < s->count; i++)
        items[i].key = ~items[i].key;
}

static void sort_nulls(const struct table_scan *s, struct scan_order o, struct row_key *items,
                       size_t n)
{
    const struct sql_column *c = &s->table->columns[o.column];
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        bool null = column_is_null(c->values, items[i].row);
        any |= null;
        items[i].key = null ? o.desc : !o.desc;
    }
    if (any)
        row_sort(items, n, s->table->cancel);
}

/* What a counting sort of 32-bit values needs: counts[v - lo], then where the next row goes. */
struct counting {
    uint32_t *counts;
    uint32_t lo, span, nulls;
};

static bool is_null_value(const struct sql_column *c, uint32_t v)
{
    return c->reader == READ_TEXT ? v == NULL_STRING
                                  : c->reader == READ_U32_OR_NULL && v == NULL_U32;
}

/* False where the values are too far apart for counting them to pay, or there is no memory. */
static bool count_values(struct table_scan *s, const struct sql_column *c, const uint32_t *rows,
                         struct counting *out)
{
    uint32_t n = s->count;
    const uint32_t *data = c->values->data;
    uint32_t lo = UINT32_MAX, hi = 0, nulls = 0;
    for (uint32_t i = 0; i < n && scan_goes_on(s, i); i++) {
        uint32_t v = data[rows[i]];
        if (is_null_value(c, v)) {
            nulls++;
            continue;
        }
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    uint64_t span = hi >= lo && n > nulls ? (uint64_t)hi - lo + 1 : 0;
    if (span > (uint64_t)n * 4 + 256)
        return false;
    *out = (struct counting){alloc_try_array((size_t)span + 1, sizeof *out->counts), lo,
                             (uint32_t)span, nulls};
    if (!out->counts)
        return false;
    for (uint32_t i = 0; i < n && scan_goes_on(s, i); i++) {
        uint32_t v = data[rows[i]];
        if (!is_null_value(c, v))
            out->counts[v - lo]++;
    }
    return true;
}

/* The values that occur, in the order that is wanted, as ids relative to `lo`. */
static uint32_t order_values(const struct table_scan *s, const struct sql_column *c,
                             const struct counting *k, bool any_order, struct row_key *out)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < k->span; v++)
        if (k->counts[v])
            out[n++] = (struct row_key){v, k->lo + v};
    if (c->reader == READ_TEXT && !any_order && n > 0)
        row_order_by_text(out, n, s->table->strings, s->table->cancel);
    return n;
}

/* Sorts `from` into `to` by a column of 32-bit values in two passes; false where it cannot. */
static bool sort_by_counting(struct table_scan *s, struct scan_order o, bool any_order,
                             const uint32_t *from, uint32_t *to)
{
    const struct sql_column *c = &s->table->columns[o.column];
    struct counting k;
    if (c->reader != READ_U32 && c->reader != READ_U32_OR_NULL && c->reader != READ_TEXT)
        return false;
    if (!count_values(s, c, from, &k))
        return false;
    struct row_key *values = alloc_try_bytes(((size_t)k.span + 1) * sizeof *values);
    if (!values) {
        free(k.counts);
        return false;
    }
    uint32_t distinct = order_values(s, c, &k, any_order, values);
    uint32_t at = o.desc ? 0 : k.nulls, null_at = o.desc ? s->count - k.nulls : 0;
    for (uint32_t i = 0; i < distinct; i++) {
        uint32_t v = (uint32_t)values[o.desc ? distinct - 1 - i : i].key;
        uint32_t count = k.counts[v];
        k.counts[v] = at;
        at += count;
    }
    const uint32_t *data = c->values->data;
    for (uint32_t i = 0; i < s->count && scan_goes_on(s, i); i++) {
        uint32_t v = data[from[i]];
        to[is_null_value(c, v) ? null_at++ : k.counts[v - k.lo]++] = from[i];
    }
    free(values);
    free(k.counts);
    return true;
}

/* Sorts the list by one column's keys; the first `limit` rows are enough. */
static void sort_by_keys(struct table_scan *s, struct scan_order o, bool any_order, uint64_t limit)
{
    const struct sql_column *c = &s->table->columns[o.column];
    struct row_key *items = alloc_try_bytes((s->count + (size_t)1) * sizeof *items);
    bool nulls_apart = sql_column_may_be_null(c) && !sql_column_is_text(c);
    size_t n = s->count;
    if (items)
        fill_keys(s, o, any_order, items);
    if (!items || s->cancelled) {
        free(items);
        return;
    }
    if (limit < n && !nulls_apart)
        n = row_sort_top(items, n, (size_t)limit, s->table->cancel);
    else
        row_sort(items, n, s->table->cancel);
    if (nulls_apart)
        sort_nulls(s, o, items, n);
    for (size_t k = 0; k < n; k++)
        s->owned_list[k] = items[k].row;
    s->count = (uint32_t)n;
    free(items);
}

/* Stable sorts from the last term to the first. */
void scan_sort(struct table_scan *s, const struct scan_plan *plan, uint64_t limit)
{
    uint32_t *other = alloc_try_array(s->count + (size_t)1, sizeof *other);
    bool few = limit < s->count / 4;
    /* SQLite says SCAN_GROUP also where it goes on to use the order (GROUP BY x ORDER BY x). */
    bool any_order = plan->distinct == SCAN_UNIQUE;
    for (uint32_t i = plan->order_count; other && i-- > 0 && !scan_poll(s);) {
        bool top = few && plan->order_count == 1;
        if (top || !sort_by_counting(s, plan->orders[i], any_order, s->owned_list, other)) {
            sort_by_keys(s, plan->orders[i], any_order, top ? limit : UINT64_MAX);
            continue;
        }
        uint32_t *swap = s->owned_list;
        s->owned_list = other;
        s->list = other;
        other = swap;
    }
    free(other);
}

static bool same_value(const struct sql_column *c, uint32_t a, uint32_t b)
{
    bool null_a = column_is_null(c->values, a), null_b = column_is_null(c->values, b);
    return null_a == null_b && (null_a || sql_column_key(c, a) == sql_column_key(c, b));
}

bool scan_same_in_order(const struct table_scan *s, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < s->plan->order_count; i++)
        if (!same_value(&s->table->columns[s->plan->orders[i].column], a, b))
            return false;
    return true;
}

static bool same_in_used_columns(const struct table_scan *s, const struct scan_plan *plan,
                                 uint32_t a, uint32_t b)
{
    for (uint64_t used = plan->used; used; used &= used - 1)
        if (!same_value(&s->table->columns[__builtin_ctzll(used)], a, b))
            return false;
    return true;
}

void scan_drop_repeats(struct table_scan *s, const struct scan_plan *plan)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count && scan_goes_on(s, i); i++)
        if (kept == 0 || !same_in_used_columns(s, plan, s->owned_list[kept - 1], s->owned_list[i]))
            s->owned_list[kept++] = s->owned_list[i];
    s->count = kept;
}
