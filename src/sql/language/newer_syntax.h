/* What SQLite accepts from 3.44 and 3.46 on, and Perfetto's standard library and documents use
 * (they come with a later one), written for the linked one: f(x ORDER BY y) as a call of ours
 * (ordered_aggregate.h), 1_000 as 1000, string_agg as group_concat, if and iif with two arguments
 * as iif with three. */
#ifndef TPTUI_SQL_LANGUAGE_NEWER_SYNTAX_H
#define TPTUI_SQL_LANGUAGE_NEWER_SYNTAX_H

#include "base/arena.h"
#include "sql/tokens/lexer.h"
#include "sql/functions/ordered_aggregate.h"

/* Replaces such tokens by others that stand for them; `arena` has to outlive them. False where
 * there was nothing to do. */
bool newer_syntax_rewrite(struct ordered_aggregates *aggregates, struct arena *arena,
                          struct token_list *tokens);

/* How a result's column that SQLite named after the statement's text was written; for free(), NULL
 * where the name is as it was written. */
char *newer_syntax_column_name(const struct token_list *tokens, const char *name);

#endif
