/* The result of a query on the screen: which of its columns are shown and how, in which order the
 * rows come, and a place in them. Rows that arrive meanwhile are there at once. */
#ifndef TPTUI_TUI_QUERY_GRID_H
#define TPTUI_TUI_QUERY_GRID_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "complete/reference.h"
#include "tui/cells/cells.h"
#include "tui/query/plot.h"
#include "tui/result/result.h"

#define NO_ROW UINT32_MAX

/* What a column's values are, from their types and its name. */
enum column_kind { COLUMN_PLAIN, COLUMN_TIME, COLUMN_DURATION };

struct grid_column {
    uint32_t source; /* column of the result */
    enum column_kind kind;
    bool hidden;
    int width;       /* on the screen, where the user wants no other and it need not share */
    int whole;       /* what the longest of its values that were in sight takes */
    int wish;        /* what the user wants; 0: none */
    int drawn_width; /* as it was drawn last */
    int x;           /* where it was drawn last; -1: it was not */
    struct reference leads_to;
};

/* How times are shown: as they are, from the start of the trace, in seconds from there, as the
 * clock on the wall. */
enum time_style { TIME_NS, TIME_TRACE, TIME_SECONDS, TIME_WALL, TIME_STYLES };

struct grid_style {
    enum time_style time;
    bool human_durations; /* "5.375 ms" for 5375203 */
    int64_t trace_start;
    int64_t wall_offset; /* what makes trace time ns since 1970; for TIME_WALL */
};

/* What rows must be like to be shown. */
enum grid_filter_kind { FILTER_EQUAL, FILTER_DIFFERENT, FILTER_MATCHES };
struct grid_filter {
    enum grid_filter_kind kind;
    uint32_t source;        /* column of the result */
    struct sql_value value; /* of FILTER_EQUAL and FILTER_DIFFERENT */
    char *text;             /* owned: the value's text, or the regular expression */
};

/* Rows of a result in an order; shared by who needs them. */
struct row_order {
    atomic_int references;
    uint32_t count;
    uint32_t *rows; /* owned */
};
/* Takes `rows` over; the caller has the one reference. */
struct row_order *row_order_new(uint32_t *rows, uint32_t count);
/* NULL is allowed for both. */
struct row_order *row_order_retain(struct row_order *o);
void row_order_release(struct row_order *o);

struct grid {
    struct result *result; /* retained */
    struct result_reader reader;
    VEC(struct grid_column) columns; /* in the order shown */
    uint32_t frozen;                 /* so many of the first stay in sight */
    struct grid_style style;

    struct plot plot; /* drawn in place of the rows where it is on */

    struct row_order *order; /* NULL: all rows as they came */
    VEC(struct grid_filter) filters;
    bool has_rows_behind; /* of a GROUP BY, all of whose keys are columns */
    int sorted_by;        /* column of the result, -1: none */
    bool descending;
    bool ordering;   /* it is being worked out */
    uint32_t wishes; /* how often another order was wanted: an older one is of no use */

    uint32_t row, column; /* where the cursor is: counted as shown */
    uint32_t top, left;   /* the first row, and the first column behind the frozen ones */
    int drawn_y;          /* the line of the screen that it began on last: the names */
    uint32_t anchor;      /* the other end of the selected rows; NO_ROW: none */
};

/* A view of it; retains the result. */
struct grid *grid_new(struct result *result);
void grid_free(struct grid *g);

/* Rows shown. */
uint32_t grid_rows(const struct grid *g);
/* The row of the result that is shown there. */
uint32_t grid_row(const struct grid *g, uint32_t row);
/* A value by row as shown and column of the result. */
struct sql_value grid_value(struct grid *g, uint32_t row, uint32_t source);
/* The column under the cursor; NULL where the result has none. */
struct grid_column *grid_current(struct grid *g);

/* Shows these rows, in this order, from now on; takes the reference over. The cursor stays on its
 * row where that is among them, or at the top where it was there. */
void grid_set_order(struct grid *g, struct row_order *order);
/* Another condition. `value` and `text` are copied; `value` is NULL for FILTER_MATCHES. */
void grid_add_filter(struct grid *g, enum grid_filter_kind kind, uint32_t source,
                     const struct sql_value *value, const char *text);
void grid_drop_filter(struct grid *g); /* the last one */
/* "name = 'x', dur ~ ^1": the conditions for the user. */
void grid_print_filters(const struct grid *g, char *out, size_t size);

/* "DURATION", "LONG or STRING": what the values of a column are so far. */
void grid_print_type(const struct grid *g, const struct grid_column *column, char *out,
                     size_t size);
/* A value as the grid shows it. */
void grid_text(const struct grid *g, const struct grid_column *column, const struct sql_value *v,
               char *out, size_t size);

/* The column under the cursor so many steps of eight cells wider than it was drawn last. */
void grid_widen(struct grid *g, int steps);
/* As wide as its longest value; again: as what is in sight. */
void grid_widen_whole(struct grid *g);
/* Whether the cell was drawn behind the name of a column, which is then the cursor's: what is
 * pulled to make it end before `x`. */
bool grid_point_edge(struct grid *g, int x, int y);
void grid_pull_edge(struct grid *g, int x);

/* Cells that all columns shown take side by side, by the names and the first `rows` rows; of the
 * last one only its begin, as a value that is cut shows that it is. */
int grid_width(struct grid *g, uint32_t rows);

/* To the value that was drawn there, of the nearest column. */
void grid_point(struct grid *g, int x, int y);
/* Moves the cursor; keeps within. */
void grid_move(struct grid *g, int64_t rows, int64_t columns);
/* Selected rows as shown, `to` exclusive; the row of the cursor where none are. */
struct grid_range {
    uint32_t from, to;
};
struct grid_range grid_selection(const struct grid *g);

/* Hides the column under the cursor, or shows all again. False where it is the only one shown,
 * which stays. */
bool grid_hide(struct grid *g);
void grid_show_all(struct grid *g);
/* Moves the column under the cursor to the left (-1) or right. */
void grid_shift(struct grid *g, int direction);
/* Columns up to the cursor's stay in sight, or none. */
void grid_freeze(struct grid *g);

/* Draws it; returns the cell of the cursor. */
struct grid_caret {
    int x, y;
};
struct grid_caret grid_draw(struct cells *c, struct rect area, struct grid *g, bool focused);

#endif
