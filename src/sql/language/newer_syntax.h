/* What SQLite accepts from 3.44 and 3.46 on, and Perfetto's standard library and documents use
 * (they come with a later one), written for the linked one: f(x ORDER BY y) as a call of ours
 * (ordered_aggregate.h), 1_000 as 1000, string_agg as group_concat, if and iif with two arguments
 * as iif with three. */
#ifndef TPTUI_SQL_LANGUAGE_NEWER_SYNTAX_H
#define TPTUI_SQL_LANGUAGE_NEWER_SYNTAX_H

#include "sql/functions/ordered_aggregate.h"
#include "sql/grammar/rewrite.h"

/* Writes what stands for the node; false where it is known to the linked SQLite. */
bool newer_syntax_write(struct sql_rewrite *r, struct ordered_aggregates *aggregates,
                        const struct sql_node *n);

#endif
