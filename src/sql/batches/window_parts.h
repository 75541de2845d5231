/* What the parts of window.c hand to each other. */
#ifndef TPTUI_SQL_BATCHES_WINDOW_PARTS_H
#define TPTUI_SQL_BATCHES_WINDOW_PARTS_H

#include "sql/batches/plan.h"

/* The sorted rows: where partitions begin, and rows that differ from the one before. */
struct sorted {
    struct plan *plan;
    struct select *select;
    struct relation *rows;
    uint8_t *begins; /* 1: another value in the window's order, 2: another partition */
    uint32_t count;
};

/* The column of a carried expression. */
static inline const struct column *window_column(const struct sorted *w, const struct expr *e)
{
    uint32_t i = 0;
    while (w->select->carried.v.items[i] != e)
        i++;
    return &w->rows->columns[w->select->windows.count + i];
}

static inline void window_set_null(const struct sorted *w, struct column *c, uint32_t row)
{
    if (c->def->type == COLUMN_TYPE_STR)
        ((string_id *)c->data)[row] = NULL_STRING;
    else
        column_set_null_bit(c, row, w->rows->table.cap);
}

/* Behind the last row of the partition, or of those that are equal in order, which begins there. */
static inline uint32_t window_end(const struct sorted *w, uint32_t begin, uint8_t mark)
{
    uint32_t row = begin + 1;
    while (row < w->count && !(w->begins[row] & mark) && plan_goes_on_at(w->plan, row))
        row++;
    return row < w->count ? row : w->count;
}
enum { WINDOW_PEERS = 1, WINDOW_PARTITION = 2 }; /* bits of `begins` */

/* Each fills a column: window_numbers.c, window_values.c, window_aggregate.c. */
void window_number(struct sorted *w, const struct window_call *call, struct column *out);
void window_value(struct sorted *w, const struct window_call *call, struct column *out);
void window_aggregate(struct sorted *w, const struct window_call *call, struct column *out);

#endif
