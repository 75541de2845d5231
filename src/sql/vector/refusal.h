/* Why a SELECT is SQLite's, for EXPLAIN QUERY PLAN. What is noted first stays: whoever reads a tree
 * notes the innermost node that it does not understand. Where nobody asks, nothing is noted. */
#ifndef TPTUI_SQL_VECTOR_REFUSAL_H
#define TPTUI_SQL_VECTOR_REFUSAL_H

#include "sql/grammar/tree.h"
#include "sql/vector/vector.h"

extern const char refusal_only_filters[], refusal_few_rows[], refusal_too_large[];

/* The node's text, on one line, cut where it is long. */
void refusal_of_node(const struct vector_environment *e, const struct token *tokens,
                     const struct sql_node *n);
/* In words. */
void refusal_because(const struct vector_environment *e, const char *words);
/* What did not go in one way is tried in another. */
void refusal_forget(const struct vector_environment *e);

#endif
