/* The tab about the area: tables of what happened in it, each the result of one SQL statement. */
#ifndef TPTUI_TUI_APP_AREA_TABLES_H
#define TPTUI_TUI_APP_AREA_TABLES_H

#include "tui/app/effects.h"
#include "tui/result/answer.h"
#include "tui/view/area_sql.h"
#include "tui/view/details.h"

struct app;
struct area_job;

struct area_tables {
    enum area_table table;         /* the one shown */
    struct details lines;          /* heading, tables, names of columns, then a line for each row */
    struct answer *grid;           /* of `table`; NULL: not asked yet */
    VEC(uint32_t) order;           /* rows of the grid as they are shown */
    char *sql;                     /* that the grid is the result of; owned; NULL: none */
    struct area_job *running;      /* NULL: none */
    bool stale;                    /* asked about another area meanwhile */
    char by[AREA_TABLE_COUNT][96]; /* what the rows of each are grouped by; empty: the usual */
    int sorted_by;                 /* column; -1: as the statement says */
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
/* Groups the rows of the table shown by other columns, at most three, with commas between them;
 * empty: as usual. */
effects area_tables_group(struct app *a, struct str columns);

#endif
