/* Where the values of a result's columns lead: the column of a table that they are values of. */
#ifndef TPTUI_COMPLETE_REFERENCE_H
#define TPTUI_COMPLETE_REFERENCE_H

#include <stdbool.h>

#include "complete/schema.h"

enum { REFERENCE_NAME_MAX = 80 };

struct reference {
    char table[REFERENCE_NAME_MAX]; /* as queries call it; "": the column leads nowhere */
    char column[REFERENCE_NAME_MAX];
};

/* What a column of a script's result refers to. First by what the tables that the last statement
 * reads from declare of such a column: JOINID(track.id), or that it is the table's own ID. Then by
 * its name alone, where all tables of the trace that have such a column agree, and by the longest
 * end of the name behind an underscore for which they do: server_utid as utid. `schema` may be
 * NULL: only the second is done. */
struct reference reference_find(const struct schema *schema, struct str script, const char *column);

#endif
