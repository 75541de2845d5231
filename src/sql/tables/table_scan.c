#include "sql/tables/table_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/vec.h"
#include "sql/tables/scan_order.h"

enum {
    PREFETCH_ROWS = 12,
    PREFETCH_COLUMNS = 4,
    NEAR = 8,
    FIRST_CHUNK = 32,
    FEW = 4,
    INDEX_FROM_ROWS = 64,
    INDEX_FROM_PROBES = 2
};

/* In descending order the runs of rows that are equal in it are passed from the last one on, and in
 * each the rows as they lie. */
static uint32_t descending_row(struct table_scan *s, uint32_t i)
{
    uint32_t row = s->first - i, least = s->first + 1 - s->count;
    if (row < s->run_first || row > s->run_last) {
        s->run_first = s->run_last = row;
        while (s->run_first > least && scan_same_in_order(s, s->run_first - 1, row))
            s->run_first--;
        while (s->run_last < s->first && scan_same_in_order(s, s->run_last + 1, row))
            s->run_last++;
    }
    return s->run_first + (s->run_last - row);
}

static uint32_t candidate(struct table_scan *s, uint32_t i)
{
    if (s->list)
        return s->list[i];
    return s->descending ? descending_row(s, i) : s->first + i;
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
        else if (scan_poll(s))
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

uint64_t table_scan_coming(const struct table_scan *s)
{
    if (s->eof || s->next >= s->count)
        return 0;
    uint64_t left = s->count - s->next;
    return s->filter_count > 0 ? left * s->chunk_count / s->chunk_size : left;
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

uint32_t table_scan_lower_bound(const struct column *c, uint32_t lo, uint32_t hi, int64_t v,
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
    return f->hi < INT64_MAX ? table_scan_lower_bound(c, lo, end, f->hi + 1, lo) : end;
}

/* Narrows the contiguous rows [first, first + count) of a sorted column; true when that did all. */
static bool narrow_sorted(struct table_scan *s, uint32_t column, const struct filter *f)
{
    if (f->kind != FILTER_INT_RANGE || !sql_table_sorted(s->table, column))
        return false;
    const struct column *c = s->table->columns[column].values;
    uint32_t end = s->first + s->count;
    uint32_t lo = table_scan_lower_bound(c, s->first, end, f->lo, s->near);
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
        for (uint32_t i = 0; rows.items && i < s->count && scan_goes_on(s, i); i++)
            rows.items[rows.count++] = candidate(s, i);
        scan_poll(s);
    }
    while (s->filter_count > 0 && s->next < s->count && !scan_poll(s)) {
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

/* The list from its end, with rows that are equal in the order as they lie. */
static void reverse_list(struct table_scan *s)
{
    uint32_t *reversed = alloc_try_array(s->count, sizeof *reversed);
    if (!reversed) {
        scan_poll(s);
        return;
    }
    for (uint32_t end = s->count, begin, n = 0; end > 0; end = begin) {
        begin = end - 1;
        while (begin > 0 && scan_same_in_order(s, s->list[begin - 1], s->list[end - 1]))
            begin--;
        for (uint32_t i = begin; i < end; i++)
            reversed[n++] = s->list[i];
    }
    free(s->owned_list);
    s->owned_list = reversed;
    s->list = reversed;
}

static void apply_order(struct table_scan *s, const struct scan_plan *plan, uint64_t limit)
{
    bool descending = false;
    if (plan->order_count == 0)
        return;
    if (!table_scan_order_is_natural(s->table, plan, &descending)) {
        collect(s);
        uint32_t all = s->count;
        scan_sort(s, plan, plan->unique ? UINT64_MAX : limit);
        s->cut = s->count < all;
        if (plan->unique)
            scan_drop_repeats(s, plan);
        scan_poll(s); /* perhaps the last sort was cut short */
        return;
    }
    if (!descending || s->count == 0)
        return;
    if (!s->list) {
        s->first += s->count - 1;
        s->run_first = 1;
        s->run_last = 0;
        s->descending = true;
        return;
    }
    reverse_list(s);
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
