#include "sql/batches/window_parts.h"

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
    const struct column *in = window_column(w, call->arg);
    const struct column *other = call->fallback ? window_column(w, call->fallback) : NULL;
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
            window_set_null(w, out, row);
        if (!lag && (w->begins[row] & 2))
            edge = row;
    }
}

/* first_value and last_value. */
static void show_edge(struct sorted *w, const struct window_call *call, struct column *out)
{
    const struct column *in = window_column(w, call->arg);
    bool first = call->kind == WINDOW_FIRST_VALUE;
    uint32_t begin = 0, end = 0, peers_end = 0;
    for (uint32_t row = 0; row < w->count && plan_goes_on_at(w->plan, row); row++) {
        if (row == end) {
            begin = row;
            end = window_end(w, row, WINDOW_PARTITION);
        }
        if (row == peers_end)
            peers_end = window_end(w, row, WINDOW_PEERS | WINDOW_PARTITION);
        uint32_t before = row - begin, after = end - 1 - row;
        uint32_t from = call->before < before ? row - call->before : begin;
        uint32_t to = call->after < after ? row + call->after : end - 1;
        to = !call->by_rows && call->after == 0 ? peers_end - 1 : to;
        copy_value(w, out, row, in, first ? from : to);
    }
}

void window_value(struct sorted *w, const struct window_call *call, struct column *out)
{
    if (call->kind == WINDOW_LAG || call->kind == WINDOW_LEAD)
        shift(w, call, out);
    else
        show_edge(w, call, out);
}
