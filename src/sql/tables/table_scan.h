/* Finding the rows of a table that satisfy a query's constraints, in the order it asks for: what
 * the virtual table pushes down. A plan is made when a statement is compiled, a scan runs it.
 *
 * The plan (constraints, order, distinct, limit) stands behind its own description, which is what
 * EXPLAIN QUERY PLAN shows. Sorted columns are narrowed by binary search, `id` is a row number, an
 * equality on another column gets an index the second time it is asked for, what is left filters
 * chunks of rows. Small numbers and names are sorted by counting. A scan that starts again, for
 * each row of a join, keeps the filters of constants. */
#ifndef TPTUI_SQL_TABLES_TABLE_SCAN_H
#define TPTUI_SQL_TABLES_TABLE_SCAN_H

#include <sqlite3.h>

#include "sql/tables/filter.h"
#include "sql/tables/sql_table.h"

enum { SCAN_TERMS = 24, SCAN_ORDERS = 12 };

struct scan_term {
    uint16_t column;
    uint8_t op;    /* enum filter_op */
    bool constant; /* the argument is the same at every start */
};

struct scan_order {
    uint16_t column;
    bool desc;
};

/* Why the rows have to be in order, as sqlite3_vtab_distinct says it. */
enum scan_distinct { SCAN_SORT, SCAN_GROUP, SCAN_UNIQUE, SCAN_UNIQUE_SORT };

/* What a statement asks of a table. A scan's arguments are a value for each term (IS NULL and NOT
 * NULL do not look at theirs). */
struct scan_plan {
    uint8_t term_count, order_count;
    uint8_t distinct; /* enum scan_distinct */
    bool one_row;     /* the only term is `id = ?` */
    bool unique;      /* of rows that are equal in the `used` columns the first is enough */
    uint64_t hint;    /* how many rows will probably be asked for; 0: not known */
    uint64_t used;    /* columns that will be read, as in sqlite3_index_info.colUsed */
    struct scan_term terms[SCAN_TERMS];
    struct scan_order orders[SCAN_ORDERS];
};

enum { SCAN_CHUNK = 1024 };

struct table_scan {
    struct sql_table *table;
    const struct scan_plan *plan; /* of the last start; NULL before */
    /* The rows to look at: list[i], or first + i, or from `first` down, of which those from
     * run_first to run_last are equal in the plan's order. */
    const uint32_t *list;
    uint32_t *owned_list;
    uint32_t first, count, next;
    uint32_t run_first, run_last;
    uint32_t near; /* where the last search in a sorted column ended */
    bool descending;
    struct filter filters[SCAN_TERMS]; /* of the plan's terms */
    /* Those that each row still has to pass. */
    uint8_t active[SCAN_TERMS];
    uint32_t filter_count;
    string_id text_hints[SCAN_TERMS]; /* see filter_make */
    /* Rows that passed, ready to be handed out. */
    uint32_t *chunk;
    uint32_t chunk_at, chunk_count, chunk_size;
    uint32_t row;
    bool eof, cancelled;
    bool cut; /* only the first rows of the order are there: see plan.hint */
};

/* Goes to the first row, or sets eof. A scan is zeroed before its first start, may be started
 * again, and is released in the end, before the plan. A plan that it is started with again must not
 * have changed, nor the table. */
void table_scan_start(struct table_scan *s, struct sql_table *t, const struct scan_plan *plan,
                      int argc, sqlite3_value **argv);
/* To the next row. After this and after a start, `row` is it unless `eof` or `cancelled` is set. */
void table_scan_next(struct table_scan *s);
/* The row it is at and those behind it, n at most; it is then at the one behind them. Returns how
 * many, 0 at the end. */
uint32_t table_scan_take(struct table_scan *s, uint32_t n, uint32_t *rows);
void table_scan_release(struct table_scan *s);
/* About how many rows are behind the one it is at. */
uint64_t table_scan_coming(const struct table_scan *s);

/* Whether the rows come in the plan's order without sorting, those that are equal in it as they
 * lie; *descending is then the direction. */
bool table_scan_order_is_natural(struct sql_table *t, const struct scan_plan *plan,
                                 bool *descending);

/* The first of rows [lo, hi) of a sorted column of integers that is not below v; `near` may be a
 * row before it, where looking starts. */
uint32_t table_scan_lower_bound(const struct column *c, uint32_t lo, uint32_t hi, int64_t v,
                                uint32_t near);

#endif
