/* The rows that a SELECT reads: those of its first table that pass the conditions, with the rows of
 * its other tables that belong to them. */
#ifndef TPTUI_SQL_BATCHES_SOURCE_H
#define TPTUI_SQL_BATCHES_SOURCE_H

#include "sql/batches/plan.h"

/* What keeps a source from being read here. */
enum source_verdict {
    SOURCE_PLANNED, /* nothing */
    SOURCE_WAITS,   /* what a condition reads cannot be had */
    SOURCE_APART,   /* a table whose rows neither their numbers nor equal integers find */
    SOURCE_FEW      /* so few rows are left that SQLite may find them by an index */
};

/* Decides in which order tables are looked up and which conditions the scan of the first one
 * takes. */
enum source_verdict source_plan(struct plan *p, struct plan_source *from);

/* Whether the columns of stored tables that an expression reads hold what they shall, which is to
 * be asked before any is read (core/trace/settled_args.h). */
bool source_columns_ready(const struct plan *p, const struct plan_source *from,
                          const struct expr *e);

/* Whether a row of the first table may give several. */
bool source_expands(const struct plan_source *from);

/* Whether a column is the number of the table's row: its id, or an alias of that. */
bool source_is_row_number(const struct plan_source *from, const struct expr *e, uint32_t table);

/* Whether the result of a SELECT that is settled has each value of a column once: that of groups by
 * it, and rows of one table; of several put together that is to be seen. */
bool source_may_be_unique(const struct select *s, uint32_t column);

/* Whether an expression reads that table alone, and asks no other SELECT. */
bool source_is_of_table(const struct expr *e, uint32_t table);

/* A source of one table that is in memory. */
void source_of_rows(struct plan_source *from, const struct table *rows);

/* Starts at the first row. False where it cannot. */
bool source_start(struct plan *p, struct plan_source *from);
/* The next rows, at least one; false at the end, and where the plan does not go on. */
bool source_next(struct plan *p, struct plan_source *from, struct batch *b);
/* Of the batch's rows those n numbered so, in all tables. */
void source_keep(struct plan *p, struct plan_source *from, struct batch *b, const uint32_t *kept,
                 uint32_t n);
/* Once it is started, for how many rows room may be asked at once: all that can come, where those
 * are not too many. At least 1. */
uint32_t source_rows_at_once(const struct plan_source *from);
/* Finds the rows of the other tables, for rows of the first one that source_next has given. */
void source_look_up(struct plan *p, struct plan_source *from, struct batch *b);
void source_release(struct plan_source *from);

/* arrange.c: the rows of a join in the order in which SQLite would read them. */

/* Reads all rows of a source that was started, and sorts them by its `row_order`: it gives them in
 * that order then. False where the plan does not go on, or there is no memory. */
bool arrange_rows(struct plan *p, struct plan_source *from);

#endif
