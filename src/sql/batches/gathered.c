#include "sql/batches/gathered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace/trace.h"
#include "sql/values/percentile.h"
#include "core/store/row_sort.h"
#include "sql/batches/evaluate.h"

/* LARGE_GROUP: rows of a group, from which on it is sorted alone. */
enum { LARGE_GROUP = 1024 };
enum { CAP_FIRST = 4096, TEXT_MAX = 16 << 20, DIGITS = 24 };

void gathered_release(struct gathered *g)
{
    free(g->values);
    free(g->groups);
    free(g->placed);
    free(g->ends);
    *g = (struct gathered){0};
}

static bool reserve(struct gathered *g, uint32_t n)
{
    uint64_t needed = (uint64_t)g->count + n, cap = needed + needed / 2 + CAP_FIRST;
    if (needed <= g->cap)
        return true;
    if (g->cap == 0 && g->expected > needed)
        cap = g->expected; /* pages that nobody touches take no memory */
    cap = cap < UINT32_MAX ? cap : UINT32_MAX;
    uint64_t *values = needed <= cap ? alloc_try_array(cap, sizeof *values) : NULL;
    uint32_t *groups = values ? alloc_try_array(cap, sizeof *groups) : NULL;
    if (!groups) {
        free(values);
        return false;
    }
    if (g->count) {
        memcpy(values, g->values, g->count * sizeof *values);
        memcpy(groups, g->groups, g->count * sizeof *groups);
    }
    free(g->values);
    free(g->groups);
    g->values = values;
    g->groups = groups;
    g->cap = (uint32_t)cap;
    return true;
}

/* -0 is equal to 0 and may stand before or behind it. */
static bool is_minus_zero(double d)
{
    return d == 0 && signbit(d);
}

static uint64_t number_key(struct plan *p, enum value_type type, struct values v, uint32_t row)
{
    if (type == VALUE_INT)
        return key_of_f64((double)((const int64_t *)v.data)[row]);
    double d = ((const double *)v.data)[row];
    p->refused |= is_minus_zero(d);
    return key_of_f64(d);
}

static uint64_t text_part(struct plan *p, struct gathered *g, enum value_type type, struct values v,
                          uint32_t row)
{
    if (type == VALUE_INT) {
        g->bytes += DIGITS;
        return ((const uint64_t *)v.data)[row];
    }
    string_id id = ((const string_id *)v.data)[row];
    struct str s = string_pool_get(&p->session->trace->strings, id);
    p->refused |= s.n > 0 && memchr(s.p, 0, s.n);
    g->bytes += s.n;
    return id;
}

void gathered_add(struct plan *p, struct gathered *g, const struct aggregate *a, struct values v,
                  const uint32_t *rows, uint32_t n, const uint32_t *groups)
{
    enum value_type type = a->arg->type;
    bool texts = a->kind == AGGREGATE_CONCAT;
    if (!reserve(g, n)) {
        p->stopped = true;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        g->groups[g->count] = groups[rows[i]];
        g->values[g->count++] =
            texts ? text_part(p, g, type, v, rows[i]) : number_key(p, type, v, rows[i]);
    }
    if (texts)
        g->bytes += n * string_pool_get(&p->session->trace->strings, a->separator).n;
    p->refused |= g->bytes > TEXT_MAX;
}

/* In the order they have in `items`, whose rows are the groups. */
static bool place(struct gathered *g, const struct row_key *items, uint32_t groups)
{
    uint32_t *ends = alloc_try_array(groups + (size_t)1, sizeof *ends);
    g->placed = alloc_try_array(g->count + (size_t)1, sizeof *g->placed);
    g->ends = ends;
    if (!g->placed || !ends)
        return false;
    for (uint32_t i = 0; i < g->count; i++)
        ends[items[i].row + 1]++;
    for (uint32_t k = 0; k < groups; k++)
        ends[k + 1] += ends[k];
    /* ends[k] is where group k begins, and moves to its end. */
    for (uint32_t i = 0; i < g->count; i++)
        g->placed[ends[items[i].row]++] = items[i].key;
    return true;
}

/* Each group by itself, which then fits a cache. */
static bool place_sorted(struct plan *p, struct gathered *g, struct row_key *items, uint32_t groups)
{
    for (uint32_t i = 0; i < g->count; i++)
        items[i] = (struct row_key){g->values[i], g->groups[i]};
    if (!place(g, items, groups))
        return false;
    for (uint32_t i = 0; i < g->count; i++)
        items[i].key = g->placed[i];
    for (uint32_t k = 0, begin = 0; k < groups && plan_goes_on(p); begin = g->ends[k++])
        row_sort(items + begin, g->ends[k] - begin, &p->session->cancel);
    for (uint32_t i = 0; i < g->count; i++)
        g->placed[i] = items[i].key;
    return true;
}

/* False without memory. */
static bool order(struct plan *p, struct gathered *g, bool sorted, uint32_t groups)
{
    struct row_key *items = alloc_try_array(g->count + (size_t)1, sizeof *items);
    if (items && sorted && groups < g->count / LARGE_GROUP) {
        bool placed = place_sorted(p, g, items, groups);
        free(items);
        return placed;
    }
    for (uint32_t i = 0; items && i < g->count && plan_goes_on_at(p, i); i++)
        items[i] = (struct row_key){g->values[i], g->groups[i]};
    if (items && sorted)
        row_sort(items, g->count, &p->session->cancel);
    bool ok = items && (!plan_goes_on(p) || place(g, items, groups));
    free(items);
    return ok;
}

static double percentile_of_keys(const uint64_t *sorted, uint32_t n, const struct aggregate *a)
{
    struct percentile_place at = percentile_place(n, a->part);
    double value = f64_of_key(sorted[at.low]);
    if (a->between)
        value += (f64_of_key(sorted[at.high]) - value) * at.rest;
    return value;
}

static void *percentiles(struct plan *p, const struct gathered *g, const struct aggregate *a,
                         uint32_t groups, uint8_t *null)
{
    double *out = alloc_try_array(groups + (size_t)1, sizeof *out);
    for (uint32_t k = 0, at = 0; out && k < groups && plan_goes_on_at(p, k); at = g->ends[k++]) {
        uint32_t n = g->ends[k] - at;
        null[k] = n == 0;
        out[k] = n ? percentile_of_keys(g->placed + at, n, a) : 0;
        p->refused |= isnan(out[k]);
    }
    p->stopped |= !out;
    return out;
}

static size_t put_part(struct plan *p, const struct aggregate *a, char *out, uint64_t value)
{
    if (a->arg->type == VALUE_INT) {
        sqlite3_snprintf(DIGITS, out, "%lld", (long long)(int64_t)value);
        return strlen(out);
    }
    struct str s = string_pool_get(&p->session->trace->strings, (string_id)value);
    if (s.n)
        memcpy(out, s.p, s.n);
    return s.n;
}

static void *texts(struct plan *p, const struct gathered *g, const struct aggregate *a,
                   uint32_t groups, uint8_t *null)
{
    const struct string_pool *pool = &p->session->trace->strings;
    struct str separator = string_pool_get(pool, a->separator);
    string_id *out = alloc_try_array(groups + (size_t)1, sizeof *out);
    char *text = alloc_try_bytes(g->bytes + DIGITS);
    for (uint32_t k = 0, at = 0; out && text && k < groups && plan_goes_on(p); at = g->ends[k++]) {
        size_t n = 0;
        null[k] = at == g->ends[k];
        for (uint32_t i = at; i < g->ends[k]; i++) {
            if (i > at && separator.n)
                memcpy(text + n, separator.p, separator.n);
            n += i > at ? separator.n : 0;
            n += put_part(p, a, text + n, g->placed[i]);
        }
        if (!null[k] && n <= JOINED_SIZE_MAX)
            out[k] = string_pool_intern(pool, (struct str){text, n});
        p->refused |= (!null[k] && n == 0) || n > JOINED_SIZE_MAX || plan_has_many_texts(p);
    }
    p->stopped |= !out || !text;
    free(text);
    return out;
}

void gathered_results(struct plan *p, struct gathered *g, const struct aggregate *a,
                      uint32_t groups, struct relation *out, uint32_t column)
{
    bool is_text = a->kind == AGGREGATE_CONCAT;
    uint8_t *null = alloc_try_array(groups + (size_t)1, 1);
    void *results = NULL;
    p->stopped |= !null || (!g->ends && !order(p, g, !is_text, groups));
    if (plan_goes_on(p))
        results = is_text ? texts(p, g, a, groups, null) : percentiles(p, g, a, groups, null);
    out->table.rows = 0;
    if (plan_goes_on(p))
        relation_put(out, column, results, null, groups);
    out->table.rows = groups;
    free(results);
    free(null);
}
