/* The tab about the area: tables of what happened in it, each the result of one SQL statement.
 *
 * They are asked by the helper and shown as they come: a number on the screen is the number that
 * the same statement gives in the query pane. */
#ifndef TPTUI_TUI_TABS_AREA_TABLES_H
#define TPTUI_TUI_TABS_AREA_TABLES_H

#include "tui/context/effects.h"
#include "tui/result/answer.h"
#include "tui/view/area_sql.h"
#include "tui/view/details.h"

struct app;
struct area_job;

/* The rows of a statement. Level 0 is the table; further ones, asked when the first row of the
 * level above is opened, have rows for all of that level's. */
struct area_level {
    struct answer *grid; /* NULL: not asked yet */
    char *sql;           /* that the grid is the result of; owned; NULL: none */
};

struct area_row {
    uint32_t row;
    int level;
};

struct area_tables {
    enum area_table table; /* the one shown */
    struct details lines;  /* heading, tables, names of columns, then a line for each row */
    struct area_level levels[AREA_LEVELS];
    VEC(struct area_row) order; /* rows as they are shown */
    VEC(struct area_row) open;  /* below which those of the next level are shown */
    struct area_job *running;   /* NULL: none */
    bool opening;               /* what runs is asked for by a row that is being opened */
    bool stale;                 /* asked about another area meanwhile */
    /* What the rows of each are grouped by; empty: the usual. */
    char by[AREA_TABLE_COUNT][GROUPING_TEXT];
    int sorted_by; /* column of level 0; -1: as the statement says */
    bool ascending;
};

void area_tables_init(struct area_tables *t);
void area_tables_release(struct area_tables *t);

/* The area is another one: asks anew, in the background. */
void area_tables_ask(struct app *a);

/* The next table that has something to say, or the one before. */
effects area_tables_next(struct app *a, int by);
/* Sorts by the next column, or the one before; the other way round. */
effects area_tables_sort(struct app *a, int by);
effects area_tables_reverse(struct app *a);
/* Groups the rows of the table shown by other columns, as area_table_can_group() has them; empty:
 * as usual. */
effects area_tables_group(struct app *a, struct str columns);

/* Opens and closes the row of the selected line: the rows that it is made of, grouped by a column
 * more. */
effects area_tables_fold(struct app *a);
bool area_tables_on_foldable(const struct app *a);
/* Columns at the front of the rows of a level by which they are grouped. */
int area_level_keys(const struct area_tables *t, int level);
/* Whether the rows of a level can be opened, whether one is. */
bool area_level_unfolds(const struct area_tables *t, int level);
bool area_row_is_open(const struct area_tables *t, struct area_row at);

#endif
