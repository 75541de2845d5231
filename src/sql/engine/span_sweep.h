/* Sweeping over two inputs of spans: the times where they overlap.
 *
 * Both inputs are read in the order of partition and time and swept once. Each side is at any
 * moment in a span of its table or in a gap between two; a step gives the overlap of the two
 * sides' current stretches and moves on the side that ends first. Spans of one table that overlap
 * are taken one after the other, as Trace Processor does: a later one does not meet what the other
 * side has left behind by then. */
#ifndef TPTUI_SQL_ENGINE_SPAN_SWEEP_H
#define TPTUI_SQL_ENGINE_SPAN_SWEEP_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/store/table.h"

struct sql_session;

/* Whose gaps are in the result: nobody's, the right side's, both sides'. */
enum span_join_kind { SPAN_JOIN_INNER, SPAN_JOIN_LEFT, SPAN_JOIN_OUTER };

enum { SPAN_SIDES = 2 };

/* A value of the column that parts a table. */
struct span_partition {
    int type; /* SQLITE_NULL before the first */
    int64_t number;
    char *text;   /* owned */
    string_id id; /* the text's, where it comes of a column; else NULL_STRING */
};

/* An input whose rows are there as columns, of which only `partition` may be text. */
struct span_columns {
    const struct column *ts, *dur; /* no `dur`: moments */
    const struct column *partition;
    uint32_t count;
};

/* One of the inputs, in the order of partition and ts: a statement, or columns without it. */
struct span_side {
    sqlite3_stmt *stmt; /* ts, dur, and the partition if it is partitioned, in that order */
    struct span_columns columns;
    uint32_t next; /* of the rows there */
    bool partitioned;
    /* The row that it stands on, of columns that before `next`; `done` behind the last. */
    bool done;
    int64_t row_ts, row_end;
    bool row_open; /* it is not known how long it lasts */
    struct span_partition row_partition;
    /* The current stretch: that row, or the gap before it. */
    bool real, open;
    int64_t start, end;
};

/* Zeroed, with session, join and the sides' statements or columns and partitioned set before its
 * start; the statements are the sweep's then. */
struct span_sweep {
    struct sql_session *session;
    enum span_join_kind join;
    struct span_side sides[SPAN_SIDES];
    struct span_partition partition; /* the one being swept */
    bool in_partition;
    /* The current row; `emit` says which sides have one in it. */
    bool eof;
    int64_t ts, dur;
    bool emit[SPAN_SIDES];
    char *error; /* for sqlite3_free; what went wrong, where SQLite does not know */
};

/* To the first row, and to the next. The result is SQLite's. */
int span_sweep_start(struct span_sweep *w);
int span_sweep_next(struct span_sweep *w);
void span_sweep_release(struct span_sweep *w);

#endif
