/* What is asked about an area: one SQL statement for each table, whose rows are what the screen
 * shows. Columns are told apart by their names: those that end in "dur" are ns, in "ts" times, in
 * "percent" shares; `ref` and `id` at the end name the event that a row leads to. */
#ifndef TPTUI_TUI_VIEW_AREA_SQL_H
#define TPTUI_TUI_VIEW_AREA_SQL_H

#include <stdio.h>

#include "tui/view/scene.h"

enum area_table {
    AREA_THREADS,
    AREA_PROCESSES,
    AREA_STATES,
    AREA_SLICES,
    AREA_CPUS,
    AREA_COUNTERS,
    AREA_SAMPLES,
    AREA_FLOWS,
    AREA_LOGS,
    AREA_TABLE_COUNT
};

/* Its heading; a literal. */
const char *area_table_title(enum area_table table);

/* Whether the rows that the area covers can have any; `t` are those of its band. */
bool area_table_applies(enum area_table table, const struct timeline *tl,
                        const struct band_tracks *t);

/* Names of columns that a table's rows may be grouped by, with commas between them: "process,
 * slice". Of slices every other name is the key of an arg. Behind each '>' follow columns of levels
 * below, by which a row unfolds: "process > thread > slice". */
enum { GROUPING_MAX = 3, GROUPING_TEXT = 96, AREA_LEVELS = 6 };
/* What the rows of a table can be grouped by, for people; NULL: they cannot. */
const char *area_table_groupings(enum area_table table);
bool area_table_can_group(enum area_table table, struct str grouping);
/* What the rows of a level are grouped by, as a grouping of one level: those of level 0 by what
 * stands before the first '>', each further one by a column more; those that the grouping does not
 * name are the table's own. False: there is no such level. */
bool area_table_level(enum area_table table, struct str grouping, int level, char *out,
                      size_t size);
/* Columns at the front of the rows by which a grouping of one level groups; 0 where none does. */
int area_table_keys(enum area_table table, struct str grouping);

/* When a row ends that has ts and dur, as SQL. */
#define AREA_ROW_END "iif(dur < 0, trace_end(), ts + dur)"
/* Writes "column IN (1, 2)"; of no ids "column IN ()", which no row fulfils. */
void area_put_ids(FILE *f, const char *column, const uint32_t *ids, size_t count);

/* The statement, for free(). The grouping is of one level, an empty one the table's usual. */
char *area_table_sql(enum area_table table, const struct area *area, const struct band_tracks *t,
                     struct str grouping);

#endif
