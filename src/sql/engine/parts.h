/* Results that a statement reads in the place of some of its SELECTs (sql/script/script_parts.h).
 * The table function __intrinsic_part(number) shows one: it has columns for each affinity, of which
 * those with the number of a result's column hold its values. Most results have few columns, and
 * SQLite takes long to learn of many: __intrinsic_wide_part shows those that have more. */
#ifndef TPTUI_SQL_ENGINE_PARTS_H
#define TPTUI_SQL_ENGINE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct sql_session;
struct sql_table;

enum { PART_COLUMNS = 64, NARROW_PART_COLUMNS = 8 };

struct statement_part {
    struct sql_table *rows; /* NULL until it has run */
    uint64_t estimate;      /* how many rows SQLite's planner counts on */
    char *description;      /* for EXPLAIN QUERY PLAN */
    bool is_read;           /* by a statement that was compiled */
};

struct statement_parts {
    VEC(struct statement_part) v;
};

/* Of affinity 'i' (integer), 'r' (real), 't' (text) or 'n' (none), the column is called by that
 * letter and its number. Takes over the description, which is SQLite's memory. */
uint32_t parts_add(struct sql_session *s, uint64_t estimate, char *description);
/* Takes over a reference. */
void parts_set(struct sql_session *s, uint32_t number, struct sql_table *rows);
/* Forgets the parts from that number on: statements that run inside others add theirs behind. */
void parts_drop(struct sql_session *s, uint32_t from);

#endif
