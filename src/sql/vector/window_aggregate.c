#include <math.h>
#include <string.h>

#include "sql/values/real_sum.h"
#include "sql/vector/aggregate.h"
#include "sql/vector/evaluate.h"
#include "sql/vector/window_parts.h"

/* An aggregate over the rows of the partition that have come so far. */
struct running {
    int64_t count;
    uint64_t value; /* the best, or the sum of integers */
    string_id text;
    struct real_sum reals;
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
        real_sum_add(&r->reals, ((const double *)in->data)[row]);
    } else {
        int64_t x = ((const int64_t *)in->data)[row], sum;
        w->plan->refused |= __builtin_add_overflow((int64_t)r->value, x, &sum);
        r->value = (uint64_t)sum;
    }
}

static void put_running(struct sorted *w, const struct window_call *call, const struct running *r,
                        struct column *out, uint32_t row)
{
    bool counts = call->aggregate == AGGREGATE_COUNT || call->aggregate == AGGREGATE_COUNT_ROWS;
    bool best = call->aggregate == AGGREGATE_MIN || call->aggregate == AGGREGATE_MAX;
    bool whole = call->arg && call->arg->type == VALUE_INT;
    double real = whole ? (double)(int64_t)r->value : real_sum_result(&r->reals);
    if (call->aggregate == AGGREGATE_AVG && r->count)
        real /= (double)r->count;
    if (r->count == 0 && !aggregate_kinds[call->aggregate].of_nothing)
        window_set_null(w, out, row);
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

/* Takes a row out again, as SQLite does: what reals have lost stays lost. */
static void remove_row(struct sorted *w, const struct window_call *call, struct running *r,
                       const struct column *in, uint32_t row)
{
    if (in && column_is_null(in, row))
        return;
    r->count--;
    if (!in || call->aggregate == AGGREGATE_COUNT)
        return;
    if (in->def->type == COLUMN_TYPE_F64) {
        real_sum_add(&r->reals, -((const double *)in->data)[row]);
        return;
    }
    int64_t x = ((const int64_t *)in->data)[row], sum;
    w->plan->refused |= __builtin_sub_overflow((int64_t)r->value, x, &sum);
    r->value = (uint64_t)sum;
}

/* Rows that are equal in the window's order have the same value. */
static void run_peers(struct sorted *w, const struct window_call *call, struct column *out)
{
    const struct column *in = call->arg ? window_column(w, call->arg) : NULL;
    uint8_t marks = call->after ? WINDOW_PARTITION : WINDOW_PEERS | WINDOW_PARTITION;
    struct running r = {0};
    for (uint32_t from = 0, to; from < w->count; from = to) {
        if (w->begins[from] & WINDOW_PARTITION)
            r = (struct running){0};
        to = window_end(w, from, marks);
        for (uint32_t row = from; row < to && plan_goes_on_at(w->plan, row); row++)
            add_row(w, call, &r, in, row);
        for (uint32_t row = from; row < to; row++)
            put_running(w, call, &r, out, row);
        if (w->plan->stopped)
            return;
    }
}

/* ROWS: each row that the frame's end passes is added, each that its start has passed removed. */
static void run_rows(struct sorted *w, const struct window_call *call, struct column *out)
{
    const struct column *in = call->arg ? window_column(w, call->arg) : NULL;
    struct running r = {0};
    uint32_t begin = 0, end = 0, next = 0;
    for (uint32_t row = 0; row < w->count && plan_goes_on_at(w->plan, row); row++) {
        if (row == end) {
            begin = next = row;
            end = window_end(w, row, WINDOW_PARTITION);
            r = (struct running){0};
        }
        for (; next < end && next - row <= call->after && plan_goes_on_at(w->plan, next); next++)
            add_row(w, call, &r, in, next);
        put_running(w, call, &r, out, row);
        if (row - begin >= call->before)
            remove_row(w, call, &r, in, row - call->before);
    }
}

void window_aggregate(struct sorted *w, const struct window_call *call, struct column *out)
{
    if (call->by_rows)
        run_rows(w, call, out);
    else
        run_peers(w, call, out);
}
