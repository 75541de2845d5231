/* Putting the rows that a scan has found in the order that its plan asks for: `owned_list`, of
 * which `list` is the same and all rows are still to be handed out. Where the scan is cancelled
 * meanwhile, or memory is short, the rows are in any order; scan_poll tells. */
#ifndef TPTUI_SQL_TABLES_SCAN_ORDER_H
#define TPTUI_SQL_TABLES_SCAN_ORDER_H

#include "sql/tables/table_scan.h"

/* Whether the scan shall stop. */
static inline bool scan_poll(struct table_scan *s)
{
    s->cancelled = s->cancelled || atomic_load_explicit(s->table->cancel, memory_order_relaxed);
    return s->cancelled;
}

/* A loop's condition at its row i: it looks every now and then. */
static inline bool scan_goes_on(struct table_scan *s, uint32_t i)
{
    enum { POLL_STRIDE = 1 << 16 };
    return (i & (POLL_STRIDE - 1)) != 0 || !scan_poll(s);
}

/* Rows beyond the first `limit` may be dropped. */
void scan_sort(struct table_scan *s, const struct scan_plan *plan, uint64_t limit);

/* Whether two rows are equal in the order of the scan's plan. */
bool scan_same_in_order(const struct table_scan *s, uint32_t a, uint32_t b);

/* Drops rows that repeat the previous one in all columns that the query reads: what SQLite checks
 * or joins itself may tell apart rows that DISTINCT does not. */
void scan_drop_repeats(struct table_scan *s, const struct scan_plan *plan);

#endif
