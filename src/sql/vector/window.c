#include "sql/vector/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/vector/aggregate.h"
#include "sql/vector/evaluate.h"
#include "sql/vector/sort.h"
#include "sql/vector/source.h"

enum value_type window_type(const struct window_call *w)
{
    if (w->kind == WINDOW_LAG || w->kind == WINDOW_LEAD)
        return w->arg->type;
    if (w->kind != WINDOW_AGGREGATE)
        return VALUE_INT;
    struct aggregate a = {.kind = w->aggregate, .arg = w->arg};
    return aggregate_type(&a);
}

/* The sorted rows: where partitions begin, and rows that differ from the one before. */
struct sorted {
    struct plan *plan;
    struct select *select;
    struct relation *rows;
    uint8_t *begins; /* 1: another value in the window's order, 2: another partition */
    uint32_t count;
};

static const struct column *carried_column(const struct sorted *w, const struct expr *e)
{
    uint32_t i = 0;
    while (w->select->carried.v.items[i] != e)
        i++;
    return &w->rows->columns[w->select->windows.count + i];
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
    const struct column *c = carried_column(w, e);
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
        by[k++] = (struct sort_key){carried_column(w, s->partition.v.items[i]), false};
    for (size_t i = 0; i < s->window_order.v.count; i++)
        by[k++] = (struct sort_key){carried_column(w, s->window_order.v.items[i].expr),
                                    s->window_order.v.items[i].desc};
    for (uint32_t i = 0; order && i < w->count; i++)
        order[i] = i;
    bool ok = order && sort_rows(w->plan, by, (uint32_t)keys, order, w->count) &&
              relation_keep(w->plan, w->rows, (uint32_t)s->windows.count, order, w->count);
    free(order);
    free(by);
    return ok;
}

static void set_null(struct column *c, uint32_t row, uint32_t cap)
{
    if (c->def->type == COLUMN_TYPE_STR)
        ((string_id *)c->data)[row] = NULL_STRING;
    else
        column_set_null_bit(c, row, cap);
}

static void copy_value(const struct sorted *w, struct column *to, uint32_t row,
                       const struct column *from, uint32_t of)
{
    if (to->def->type == COLUMN_TYPE_STR) {
        ((string_id *)to->data)[row] = ((const string_id *)from->data)[of];
        return;
    }
    ((uint64_t *)to->data)[row] = ((const uint64_t *)from->data)[of];
    if (column_null_bit(from, of))
        column_set_null_bit(to, row, w->rows->table.cap);
}

/* lag and lead: `edge` is where the row's partition begins, or ends. */
static void shift(struct sorted *w, const struct window_call *call, struct column *out)
{
    const struct column *in = carried_column(w, call->arg);
    const struct column *other = call->fallback ? carried_column(w, call->fallback) : NULL;
    bool lag = call->kind == WINDOW_LAG;
    uint32_t n = w->count, edge = lag ? 0 : n;
    for (uint32_t k = 0; k < n && plan_goes_on_at(w->plan, k); k++) {
        uint32_t row = lag ? k : n - 1 - k;
        if (lag && (w->begins[row] & 2))
            edge = row;
        bool inside = lag ? row - edge >= call->offset : edge - row > call->offset;
        if (inside)
            copy_value(w, out, row, in, lag ? row - call->offset : row + call->offset);
        else if (other)
            copy_value(w, out, row, other, row);
        else
            set_null(out, row, w->rows->table.cap);
        if (!lag && (w->begins[row] & 2))
            edge = row;
    }
}

static void number_rows(struct sorted *w, const struct window_call *call, struct column *out)
{
    int64_t *numbers = out->data, row_number = 0, rank = 0, dense = 0;
    for (uint32_t i = 0; i < w->count && plan_goes_on_at(w->plan, i); i++) {
        if (w->begins[i] & 2)
            row_number = dense = 0;
        row_number++;
        if (w->begins[i]) {
            rank = row_number;
            dense++;
        }
        numbers[i] = call->kind == WINDOW_ROW_NUMBER ? row_number
                     : call->kind == WINDOW_RANK     ? rank
                                                     : dense;
    }
}

/* An aggregate over the rows of the partition that have come so far. */
struct running {
    int64_t count;
    uint64_t value; /* the best, or the sum of integers */
    string_id text;
    double total;
};

static bool is_better(const struct sorted *w, const struct window_call *call, struct running *r,
                      const struct column *in, uint32_t row)
{
    int order;
    if (in->def->type == COLUMN_TYPE_STR) {
        order = compare_texts(w->plan, ((const string_id *)in->data)[row], r->text);
    } else if (in->def->type == COLUMN_TYPE_F64) {
        double best, x = ((const double *)in->data)[row];
        memcpy(&best, &r->value, sizeof best);
        order = (x > best) - (x < best);
    } else {
        int64_t x = ((const int64_t *)in->data)[row];
        order = (x > (int64_t)r->value) - (x < (int64_t)r->value);
    }
    return call->aggregate == AGGREGATE_MAX ? order > 0 : order < 0;
}

static void add_row(struct sorted *w, const struct window_call *call, struct running *r,
                    const struct column *in, uint32_t row)
{
    bool best = call->aggregate == AGGREGATE_MIN || call->aggregate == AGGREGATE_MAX;
    if (in && column_is_null(in, row))
        return;
    r->count++;
    if (!in || call->aggregate == AGGREGATE_COUNT)
        return;
    if (best && r->count > 1 && !is_better(w, call, r, in, row))
        return;
    if (in->def->type == COLUMN_TYPE_STR) {
        r->text = ((const string_id *)in->data)[row];
    } else if (best) {
        r->value = ((const uint64_t *)in->data)[row];
    } else if (in->def->type == COLUMN_TYPE_F64) {
        r->total += ((const double *)in->data)[row];
    } else {
        int64_t x = ((const int64_t *)in->data)[row], sum;
        w->plan->refused |= __builtin_add_overflow((int64_t)r->value, x, &sum);
        r->value = (uint64_t)sum;
        r->total += (double)x;
    }
}

static void put_running(struct sorted *w, const struct window_call *call, const struct running *r,
                        struct column *out, uint32_t row)
{
    bool counts = call->aggregate == AGGREGATE_COUNT || call->aggregate == AGGREGATE_COUNT_ROWS;
    bool best = call->aggregate == AGGREGATE_MIN || call->aggregate == AGGREGATE_MAX;
    double real =
        call->aggregate == AGGREGATE_AVG && r->count ? r->total / (double)r->count : r->total;
    if (r->count == 0 && !counts && call->aggregate != AGGREGATE_TOTAL)
        set_null(out, row, w->rows->table.cap);
    else if (out->def->type == COLUMN_TYPE_STR)
        ((string_id *)out->data)[row] = r->text;
    else if (counts)
        ((int64_t *)out->data)[row] = r->count;
    else if (best || out->def->type == COLUMN_TYPE_I64)
        ((uint64_t *)out->data)[row] = r->value;
    else
        ((double *)out->data)[row] = real;
    w->plan->refused |= out->def->type == COLUMN_TYPE_F64 && isnan(real);
}

/* Rows that are equal in the window's order have the same value. */
static void run_aggregate(struct sorted *w, const struct window_call *call, struct column *out)
{
    const struct column *in = call->arg ? carried_column(w, call->arg) : NULL;
    struct running r = {0};
    for (uint32_t from = 0, to; from < w->count; from = to) {
        if (w->begins[from] & 2)
            r = (struct running){0};
        for (to = from; to == from || (to < w->count && !w->begins[to]); to++)
            if (plan_goes_on_at(w->plan, to))
                add_row(w, call, &r, in, to);
        for (uint32_t row = from; row < to; row++)
            put_running(w, call, &r, out, row);
        if (w->plan->stopped)
            return;
    }
}

static void run_call(struct sorted *w, uint32_t i)
{
    const struct window_call *call = &w->select->windows.items[i];
    struct column *out = &w->rows->columns[i];
    if (call->kind == WINDOW_AGGREGATE)
        run_aggregate(w, call, out);
    else if (call->kind == WINDOW_LAG || call->kind == WINDOW_LEAD)
        shift(w, call, out);
    else
        number_rows(w, call, out);
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
