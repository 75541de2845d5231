#include "sql/engine/table_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/vec.h"
#include "sql/engine/row_sort.h"

enum {
    PREFETCH_ROWS = 12,
    PREFETCH_COLUMNS = 4,
    NEAR = 8,
    FIRST_CHUNK = 32,
    FEW = 4,
    INDEX_FROM_ROWS = 64,
    INDEX_FROM_PROBES = 2,
    POLL_STRIDE = 1 << 16
};

static bool poll_cancel(struct table_scan *s)
{
    s->cancelled = s->cancelled || atomic_load_explicit(s->table->cancel, memory_order_relaxed);
    return s->cancelled;
}

/* A loop's condition at its row i. */
static bool go_on(struct table_scan *s, uint32_t i)
{
    return (i & (POLL_STRIDE - 1)) != 0 || !poll_cancel(s);
}

static uint32_t candidate(const struct table_scan *s, uint32_t i)
{
    if (s->list)
        return s->list[i];
    return s->descending ? s->first - i : s->first + i;
}

/* The next n candidates that pass, written to rows[0..n); how many they are. */
static uint32_t take(struct table_scan *s, uint32_t n, uint32_t *rows)
{
    const uint32_t *from = s->list ? s->list + s->next : NULL;
    uint32_t first = s->first + s->next;
    for (uint32_t i = 0; s->descending && i < n; i++)
        rows[i] = candidate(s, s->next + i);
    if (s->descending)
        from = rows;
    s->next += n;
    for (uint32_t f = 0; f < s->filter_count && n > 0; f++) {
        n = filter_apply(&s->filters[s->active[f]], from, first, n, rows);
        from = rows;
    }
    return n;
}

/* Fills the chunk with rows that pass; chunks grow, so that a query that stops early costs little
 * and a long one runs in tight loops. */
static void refill(struct table_scan *s)
{
    s->chunk_at = s->chunk_count = 0;
    if (!s->chunk)
        s->chunk = alloc_array(SCAN_CHUNK, sizeof *s->chunk);
    while (s->chunk_count == 0 && s->next < s->count) {
        uint32_t n = s->count - s->next;
        s->chunk_count = take(s, n > s->chunk_size ? s->chunk_size : n, s->chunk);
        if (s->chunk_size < SCAN_CHUNK)
            s->chunk_size *= 2;
        else if (poll_cancel(s))
            return;
    }
}

/* A probe leaves one or two rows: looking at them takes less than setting up a chunk. */
static void next_of_few(struct table_scan *s)
{
    while (s->next < s->count) {
        uint32_t row = candidate(s, s->next++), f = 0;
        while (f < s->filter_count && filter_passes(&s->filters[s->active[f]], row))
            f++;
        if (f == s->filter_count) {
            s->row = row;
            return;
        }
    }
    s->eof = true;
}

/* Rows picked from a list lie apart: the columns that will be read are fetched some rows ahead. */
static void prefetch(const struct table_scan *s)
{
    uint32_t ahead = s->next + PREFETCH_ROWS;
    if (ahead >= s->count)
        return;
    uint64_t used = s->plan->used;
    for (int i = 0; i < PREFETCH_COLUMNS && used; i++, used &= used - 1) {
        const struct sql_column *c = &s->table->columns[__builtin_ctzll(used)];
        size_t size = c->reader == READ_I64 || c->reader == READ_F64 ? 8 : 4;
        if (c->reader != READ_ROW && c->reader != READ_SLOWLY)
            __builtin_prefetch((const char *)c->values->data + s->list[ahead] * size);
    }
}

static void go_on_behind_hint(struct table_scan *s);

void table_scan_next(struct table_scan *s)
{
    if (s->filter_count == 0) {
        if (s->next >= s->count && s->cut)
            go_on_behind_hint(s);
        s->eof = s->next >= s->count;
        if (s->eof)
            return;
        if (s->list)
            prefetch(s);
        s->row = candidate(s, s->next++);
        return;
    }
    if (s->chunk_at == s->chunk_count && s->count - s->next <= FEW) {
        next_of_few(s);
        return;
    }
    if (s->chunk_at == s->chunk_count)
        refill(s);
    s->eof = s->chunk_at == s->chunk_count;
    if (!s->eof)
        s->row = s->chunk[s->chunk_at++];
}

uint32_t table_scan_take(struct table_scan *s, uint32_t n, uint32_t *rows)
{
    uint32_t taken = 0;
    s->chunk_size = SCAN_CHUNK;
    while (taken < n && !s->eof && !s->cancelled) {
        rows[taken++] = s->row;
        uint32_t ready = s->chunk_count - s->chunk_at;
        ready = ready < n - taken ? ready : n - taken;
        if (ready > 0)
            memcpy(rows + taken, s->chunk + s->chunk_at, ready * sizeof *rows);
        s->chunk_at += ready;
        taken += ready;
        for (; s->filter_count == 0 && taken < n && s->next < s->count; taken++)
            rows[taken] = candidate(s, s->next++);
        table_scan_next(s);
    }
    return taken;
}

/* Back to all rows of the table. */
static void reset(struct table_scan *s, struct sql_table *t)
{
    free(s->owned_list);
    s->table = t;
    s->list = s->owned_list = NULL;
    s->first = s->next = 0;
    s->count = t ? t->table->rows : 0;
    s->descending = s->eof = s->cancelled = s->cut = false;
    s->filter_count = 0;
    s->chunk_at = s->chunk_count = 0;
    s->chunk_size = FIRST_CHUNK;
}

void table_scan_release(struct table_scan *s)
{
    for (uint32_t i = 0; s->plan && i < s->plan->term_count; i++)
        filter_release(&s->filters[i]);
    free(s->owned_list);
    free(s->chunk);
    *s = (struct table_scan){0};
}

/* A probe is often close behind the one before: steps that grow from there find the range to search
 * in lines that the cache still has. */
#define LOWER_BOUND(type)                                                                          \
    do {                                                                                           \
        const type *data = c->data;                                                                \
        if (near > lo && near < hi && data[near] < v) {                                            \
            uint64_t step = NEAR;                                                                  \
            for (lo = near + 1; step < hi - lo && data[lo + (uint32_t)step] < v; step *= 4)        \
                lo += (uint32_t)step + 1;                                                          \
            hi = step < hi - lo ? lo + (uint32_t)step : hi;                                        \
        }                                                                                          \
        return BISECT(row, lo, hi, data[row] < v);                                                 \
    } while (0)

/* The first of rows [lo, hi) of a sorted column that is not below v; `near` may be a row before it,
 * where looking starts. */
static uint32_t lower_bound(const struct column *c, uint32_t lo, uint32_t hi, int64_t v,
                            uint32_t near)
{
    switch (c->def->type) {
    case COLUMN_TYPE_I64:
        LOWER_BOUND(int64_t);
    case COLUMN_TYPE_U32:
        LOWER_BOUND(uint32_t);
    case COLUMN_TYPE_I32:
        LOWER_BOUND(int32_t);
    case COLUMN_TYPE_ID:
    case COLUMN_TYPE_ALIAS:
        return v <= lo ? lo : v >= hi ? hi : (uint32_t)v;
    case COLUMN_TYPE_SMALL: /* never known to be sorted */
    case COLUMN_TYPE_F64:
    case COLUMN_TYPE_STR:
        break;
    }
    return lo;
}

/* The end of the rows from `lo` on that are in the filter's range; of an equality mostly few. */
static uint32_t range_end(const struct column *c, uint32_t lo, uint32_t end, const struct filter *f)
{
    for (uint32_t hi = lo; f->lo == f->hi && hi - lo < NEAR; hi++)
        if (hi == end || column_int(c, hi) != f->lo)
            return hi;
    return f->hi < INT64_MAX ? lower_bound(c, lo, end, f->hi + 1, lo) : end;
}

/* Narrows the contiguous rows [first, first + count) of a sorted column; true when that did all. */
static bool narrow_sorted(struct table_scan *s, uint32_t column, const struct filter *f)
{
    if (f->kind != FILTER_INT_RANGE || !sql_table_sorted(s->table, column))
        return false;
    const struct column *c = s->table->columns[column].values;
    uint32_t end = s->first + s->count;
    uint32_t lo = lower_bound(c, s->first, end, f->lo, s->near);
    s->near = lo;
    s->first = lo;
    s->count = range_end(c, lo, end, f) - lo;
    return true;
}

static bool equality_key(const struct filter *f, uint64_t *key)
{
    if (f->kind == FILTER_INT_RANGE && f->lo == f->hi)
        *key = key_of_int(f->lo);
    else if (f->kind == FILTER_TEXT_IS)
        *key = f->text;
    else if (f->kind == FILTER_REAL_RANGE && f->real_lo == f->real_hi && !f->lo_open && !f->hi_open)
        *key = key_of_f64(f->real_lo);
    else
        return false;
    return true;
}

static uint32_t first_row_from(const struct table_scan *s, uint32_t row)
{
    return BISECT(mid, 0, s->count, s->list[mid] < row);
}

/* The part of the ascending list that lies in rows [from, to). */
static void trim_list(struct table_scan *s, uint32_t from, uint32_t to)
{
    uint32_t skip = first_row_from(s, from), end = first_row_from(s, to);
    s->list += skip;
    s->count = end - skip;
}

/* Uses, and from the second probe on builds, the index of a column for an equality. */
static bool probe_index(struct table_scan *s, uint32_t column, const struct filter *f)
{
    struct sql_table *t = s->table;
    uint64_t key;
    if (t->table->rows < INDEX_FROM_ROWS || !equality_key(f, &key))
        return false;
    if (!t->states[column].index && ++t->states[column].probes < INDEX_FROM_PROBES)
        return false;
    const struct sql_index *index = sql_table_index(t, column);
    if (!index) {
        s->cancelled = true;
        return false;
    }
    uint32_t from = s->first, to = s->first + s->count;
    struct index_rows found = sql_index_find(index, key);
    s->list = found.items;
    s->count = found.count;
    trim_list(s, from, to);
    return true;
}

static bool is_id(const struct sql_table *t, uint32_t column)
{
    enum column_type type = sql_column_type(&t->columns[column]);
    return type == COLUMN_TYPE_ID || type == COLUMN_TYPE_ALIAS;
}

/* `id IN (...)`: the rows themselves, ascending. */
static bool take_id_set(struct table_scan *s, uint32_t column, const struct filter *f)
{
    if (f->kind != FILTER_INT_SET || !is_id(s->table, column) || s->list ||
        s->count != s->table->table->rows)
        return false;
    s->owned_list = alloc_array(f->set_count + (size_t)1, sizeof *s->owned_list);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->set_count; i++) {
        uint64_t row = f->set[i] ^ (UINT64_C(1) << 63);
        if (row < s->table->table->rows)
            s->owned_list[n++] = (uint32_t)row;
    }
    s->list = s->owned_list;
    s->count = n;
    return true;
}

/* Takes the rows from the first filter for which `how` can; it is not looked at again. */
static bool use_one(struct table_scan *s,
                    bool (*how)(struct table_scan *s, uint32_t column, const struct filter *f))
{
    for (uint32_t i = 0; i < s->filter_count; i++) {
        uint8_t term = s->active[i];
        if (!how(s, s->plan->terms[term].column, &s->filters[term]))
            continue;
        s->filter_count--;
        memmove(s->active + i, s->active + i + 1, s->filter_count - i);
        return true;
    }
    return false;
}

/* Chooses where rows come from: first everything that narrows the row range, then one index or id
 * set; the rest stay as filters. */
static void choose_source(struct table_scan *s)
{
    for (uint32_t i = 0; i < s->plan->term_count; i++) {
        const struct filter *f = &s->filters[i];
        if (f->kind == FILTER_NONE)
            s->count = 0;
        else if (f->kind != FILTER_ALL && !narrow_sorted(s, s->plan->terms[i].column, f))
            s->active[s->filter_count++] = (uint8_t)i;
    }
    if (s->count >= INDEX_FROM_ROWS && !use_one(s, take_id_set))
        use_one(s, probe_index);
}

bool table_scan_order_is_natural(struct sql_table *t, const struct scan_plan *plan,
                                 bool *descending)
{
    bool desc = plan->order_count > 0 && plan->orders[0].desc;
    for (uint32_t i = 0; i < plan->order_count; i++) {
        if (plan->orders[i].desc != desc || !sql_table_sorted(t, plan->orders[i].column))
            return false;
        if (is_id(t, plan->orders[i].column))
            break;
    }
    *descending = desc;
    return plan->distinct == SCAN_SORT || plan->distinct == SCAN_GROUP;
}

/* Everything that is left, as one list of rows. */
static void collect(struct table_scan *s)
{
    VEC(uint32_t) rows = {0};
    if (s->filter_count == 0) {
        rows.items = alloc_try_bytes((s->count + (size_t)1) * sizeof *rows.items);
        for (uint32_t i = 0; rows.items && i < s->count && go_on(s, i); i++)
            rows.items[rows.count++] = candidate(s, i);
        poll_cancel(s);
    }
    while (s->filter_count > 0 && s->next < s->count && !poll_cancel(s)) {
        uint32_t n = s->count - s->next;
        n = n > SCAN_CHUNK ? SCAN_CHUNK : n;
        vec_reserve(&rows, rows.count + n);
        rows.count += take(s, n, rows.items + rows.count);
    }
    s->filter_count = 0;
    free(s->owned_list);
    s->owned_list = rows.items;
    s->list = rows.items;
    s->count = s->cancelled ? 0 : (uint32_t)rows.count;
    s->next = 0;
}

/* Keys in ascending order of the wanted order; nulls are the smallest. For nulls next to the
 * smallest value (INT64_MIN) the rows are told apart by a second sort on null. */
static void fill_keys(struct table_scan *s, struct scan_order o, bool any_order,
                      struct row_key *items)
{
    const struct sql_column *c = &s->table->columns[o.column];
    for (uint32_t i = 0; i < s->count && go_on(s, i); i++) {
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
    for (uint32_t i = 0; i < n && go_on(s, i); i++) {
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
    for (uint32_t i = 0; i < n && go_on(s, i); i++) {
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
    for (uint32_t i = 0; i < s->count && go_on(s, i); i++) {
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

/* Stable sorts from the last term to the first. `limit` rows are enough. */
static void sort_rows(struct table_scan *s, const struct scan_plan *plan, uint64_t limit)
{
    uint32_t *other = alloc_try_array(s->count + (size_t)1, sizeof *other);
    bool few = limit < s->count / 4;
    /* SQLite says SCAN_GROUP also where it goes on to use the order (GROUP BY x ORDER BY x). */
    bool any_order = plan->distinct == SCAN_UNIQUE;
    for (uint32_t i = plan->order_count; other && i-- > 0 && !poll_cancel(s);) {
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

static bool same_in_used_columns(const struct table_scan *s, const struct scan_plan *plan,
                                 uint32_t a, uint32_t b)
{
    for (uint64_t used = plan->used; used; used &= used - 1)
        if (!same_value(&s->table->columns[__builtin_ctzll(used)], a, b))
            return false;
    return true;
}

/* Drops rows that repeat the previous one in all columns that the query reads: what SQLite checks
 * or joins itself may tell apart rows that DISTINCT does not. */
static void drop_repeats(struct table_scan *s, const struct scan_plan *plan)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count && go_on(s, i); i++)
        if (kept == 0 || !same_in_used_columns(s, plan, s->owned_list[kept - 1], s->owned_list[i]))
            s->owned_list[kept++] = s->owned_list[i];
    s->count = kept;
}

static void apply_order(struct table_scan *s, const struct scan_plan *plan, uint64_t limit)
{
    bool descending = false;
    if (plan->order_count == 0)
        return;
    if (!table_scan_order_is_natural(s->table, plan, &descending)) {
        collect(s);
        uint32_t all = s->count;
        sort_rows(s, plan, plan->unique ? UINT64_MAX : limit);
        s->cut = s->count < all;
        if (plan->unique)
            drop_repeats(s, plan);
        poll_cancel(s); /* perhaps the last sort was cut short */
        return;
    }
    if (!descending || s->count == 0)
        return;
    if (!s->list) {
        s->first += s->count - 1;
        s->descending = true;
        return;
    }
    uint32_t *reversed = alloc_try_array(s->count, sizeof *reversed);
    if (!reversed) {
        poll_cancel(s);
        return;
    }
    for (uint32_t i = 0; i < s->count; i++)
        reversed[i] = s->list[s->count - 1 - i];
    free(s->owned_list);
    s->owned_list = reversed;
    s->list = reversed;
}

static void start_at_row(struct table_scan *s, int64_t row)
{
    s->count = 0;
    s->eof = row < 0 || row >= s->table->table->rows;
    s->row = (uint32_t)row;
}

/* One filter for each of the plan's terms. Of a plan that is started again those whose values
 * cannot have changed are still there, with what they remember. */
static void make_filters(struct table_scan *s, const struct scan_plan *plan, int argc,
                         sqlite3_value **argv)
{
    bool again = s->plan == plan;
    s->plan = plan;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        struct scan_term term = plan->terms[i];
        if (again && term.constant)
            continue;
        filter_release(&s->filters[i]);
        filter_make(&s->filters[i], s->table, term.column, term.op, (int)i < argc ? argv[i] : NULL,
                    &s->text_hints[i]);
    }
}

void table_scan_start(struct table_scan *s, struct sql_table *t, const struct scan_plan *plan,
                      int argc, sqlite3_value **argv)
{
    reset(s, t);
    if (plan->one_row && argc > 0 && sqlite3_value_type(argv[0]) == SQLITE_INTEGER) {
        start_at_row(s, sqlite3_value_int64(argv[0]));
        return;
    }
    make_filters(s, plan, argc, argv);
    choose_source(s);
    apply_order(s, plan, plan->hint ? plan->hint : UINT64_MAX);
    table_scan_next(s);
}

/* More rows are asked for than the hint said: all of them are put in order, which begins with those
 * that were handed out. */
static void go_on_behind_hint(struct table_scan *s)
{
    uint32_t given = s->next;
    bool cancelled = s->cancelled;
    reset(s, s->table);
    choose_source(s);
    apply_order(s, s->plan, UINT64_MAX);
    s->next = given;
    s->cancelled |= cancelled;
}
