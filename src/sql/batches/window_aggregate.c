#include "sql/batches/aggregate.h"
#include "sql/batches/evaluate.h"
#include "sql/batches/window_parts.h"

static bool is_best(const struct window_call *call)
{
    return call->aggregate == AGGREGATE_MIN || call->aggregate == AGGREGATE_MAX;
}

static void add_row(struct sorted *w, const struct window_call *call, struct aggregate_state *r,
                    const struct column *in, uint32_t row)
{
    if (in && column_is_null(in, row))
        return;
    if (is_best(call)) {
        aggregate_take_best(w->plan, call->arg->type, call->aggregate == AGGREGATE_MAX, r,
                            (struct values){in->data, NULL}, row);
        return;
    }
    r->count++;
    if (!in || call->aggregate == AGGREGATE_COUNT)
        return;
    if (in->def->type == COLUMN_TYPE_F64)
        real_sum_add(&r->reals, ((const double *)in->data)[row]);
    else
        w->plan->refused |=
            __builtin_add_overflow(r->number, ((const int64_t *)in->data)[row], &r->number);
}

static void put_running(struct sorted *w, const struct window_call *call,
                        const struct aggregate_state *r, struct column *out, uint32_t row)
{
    const struct aggregate a = {.kind = call->aggregate, .arg = call->arg};
    uint64_t data = 0;
    if (!aggregate_result(w->plan, &a, r, NULL, &data))
        window_set_null(w, out, row);
    else if (out->def->type == COLUMN_TYPE_STR)
        ((string_id *)out->data)[row] = (string_id)data;
    else
        ((uint64_t *)out->data)[row] = data;
}

/* Takes a row out again, as SQLite does: what reals have lost stays lost. */
static void remove_row(struct sorted *w, const struct window_call *call, struct aggregate_state *r,
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
    w->plan->refused |=
        __builtin_sub_overflow(r->number, ((const int64_t *)in->data)[row], &r->number);
}

/* Rows that are equal in the window's order have the same value. */
static void run_peers(struct sorted *w, const struct window_call *call, struct column *out)
{
    const struct column *in = call->arg ? window_column(w, call->arg) : NULL;
    uint8_t marks = call->after ? WINDOW_PARTITION : WINDOW_PEERS | WINDOW_PARTITION;
    struct aggregate_state r = {0};
    for (uint32_t from = 0, to; from < w->count; from = to) {
        if (w->begins[from] & WINDOW_PARTITION)
            r = (struct aggregate_state){0};
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
    struct aggregate_state r = {0};
    uint32_t begin = 0, end = 0, next = 0;
    for (uint32_t row = 0; row < w->count && plan_goes_on_at(w->plan, row); row++) {
        if (row == end) {
            begin = next = row;
            end = window_end(w, row, WINDOW_PARTITION);
            r = (struct aggregate_state){0};
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
