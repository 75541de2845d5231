/* What xBestIndex of our virtual tables has in common. */
#ifndef TPTUI_SQL_ENGINE_INDEX_PLAN_H
#define TPTUI_SQL_ENGINE_INDEX_PLAN_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

/* Puts a virtual table's plan behind its own description `text` (taken over; NULL for none), at
 * offset idxNum, which is a multiple of 8: SQLite hands the pointer through as it is, and the text
 * is what EXPLAIN QUERY PLAN shows. The result is SQLite's. */
int publish_plan(sqlite3_index_info *info, char *text, const void *plan, size_t size);

/* Whether a constraint compares texts byte by byte. */
bool collates_binary(sqlite3_index_info *info, int constraint);

#endif
