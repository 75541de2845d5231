#include "sql/batches/window_parts.h"

/* row_number, rank and dense_rank. */
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

/* The first parts have one row more where the rows cannot be split evenly. */
static int64_t part_of(int64_t row, int64_t rows, int64_t parts)
{
    int64_t size = rows / parts, larger = rows % parts, in_larger = larger * (size + 1);
    if (size == 0)
        return row + 1;
    return row < in_larger ? row / (size + 1) + 1 : larger + (row - in_larger) / size + 1;
}

static void put_parts(struct sorted *w, const struct window_call *call, struct column *out,
                      uint32_t begin, uint32_t end)
{
    int64_t *numbers = out->data;
    for (uint32_t i = begin; i < end && plan_goes_on_at(w->plan, i); i++)
        numbers[i] = part_of(i - begin, end - begin, call->offset);
}

/* percent_rank: the share of the other rows that come before; cume_dist: of all that do not come
 * behind. */
static void put_shares(struct sorted *w, const struct window_call *call, struct column *out,
                       uint32_t begin, uint32_t end)
{
    double *shares = out->data;
    for (uint32_t from = begin, to; from < end; from = to) {
        to = window_end(w, from, WINDOW_PEERS | WINDOW_PARTITION);
        double share = (double)(to - begin) / (double)(end - begin);
        if (call->kind == WINDOW_PERCENT_RANK)
            share = end - begin > 1 ? (double)(from - begin) / (double)(end - begin - 1) : 0;
        for (uint32_t i = from; i < to && plan_goes_on_at(w->plan, i); i++)
            shares[i] = share;
    }
}

void window_number(struct sorted *w, const struct window_call *call, struct column *out)
{
    bool parts = call->kind == WINDOW_NTILE;
    if (!parts && call->kind != WINDOW_PERCENT_RANK && call->kind != WINDOW_CUME_DIST) {
        number_rows(w, call, out);
        return;
    }
    for (uint32_t begin = 0, end; begin < w->count && !w->plan->stopped; begin = end) {
        end = window_end(w, begin, WINDOW_PARTITION);
        if (parts)
            put_parts(w, call, out, begin, end);
        else
            put_shares(w, call, out, begin, end);
    }
}
