/* The tables that SQLite is connected to, as SQL shows them: under another name, with some of the
 * columns, or with other names for them.
 *
 * Views that only name columns of one stored table are such, too: a view of a virtual table would
 * be copied by SQLite for a LEFT JOIN. */
#ifndef TPTUI_SQL_TABLES_SHOWN_TABLE_H
#define TPTUI_SQL_TABLES_SHOWN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct sql_session;
struct sql_table;

struct shown_column {
    uint32_t column; /* of the table */
    char *name;
};

struct shown_table {
    char *name, *schema;
    struct sql_table *table;
    struct shown_column *columns;
    int column_count;
    bool all; /* the table's own columns: those that are hidden are not part of SELECT * */
    struct shown_table *next;
};

/* The one of that name in the main schema, ASCII case ignored; NULL where SQLite knows none, or has
 * not connected it yet. Valid until a statement changes the schema. */
const struct shown_table *shown_table_find(const struct sql_session *s, struct str name);

#endif
