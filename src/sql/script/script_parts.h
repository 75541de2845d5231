/* Parts of a statement that are answered over columns (sql/vector) while SQLite does the rest: the
 * SELECTs of a WITH, in a FROM, as the list of an IN or as a value in a condition, that group, have
 * windows, or leave the first rows of an order; or all that CREATE TABLE AS and INSERT store.
 * SQLite runs these by themselves, too, and reads their rows; it is given results to read in their
 * place, whose order is that of docs/SQL.md. How it goes about everything else is its own.
 *
 * The table function that shows a part knows when the statement was compiled which of them are
 * read. A condition that SQLite would have pushed into a part is looked at behind it. */
#ifndef TPTUI_SQL_SCRIPT_SCRIPT_PARTS_H
#define TPTUI_SQL_SCRIPT_SCRIPT_PARTS_H

#include "base/arena.h"
#include "sql/grammar/tree.h"
#include "sql/vector/vector.h"

struct sql_session;

struct script_part {
    struct sql_span span; /* the SELECT's tokens */
    struct plan *plan;
};

struct script_parts {
    struct arena arena;
    VEC(struct script_part) v;
    uint32_t first;           /* the number of the first in the session */
    struct token_list tokens; /* the statement that reads them; empty where there are none */
};

/* Why SELECTs of a statement are SQLite's, each reason once. */
struct script_refusals {
    VEC(struct vector_refusal) v;
};
void script_refusals_add(struct script_refusals *r, const struct vector_refusal *refusal);

/* Looks for parts of a statement, which EXPLAIN QUERY PLAN may stand before; `root` (may be NULL)
 * is its tree, which is whole. False where there are none. Once they have run `out->tokens` may be
 * run in its place; in the end they are for script_parts_end. `refusals` (may be NULL) get what
 * keeps SELECTs from being parts. */
bool script_parts_find(struct sql_session *s, const struct token_list *tokens,
                       const struct sql_node *root, struct script_refusals *refusals,
                       struct script_parts *out);
/* VECTOR_REFUSED: the statement is to be run as it is written. */
enum vector_result script_parts_run(struct sql_session *s, struct script_parts *parts);
void script_parts_end(struct sql_session *s, struct script_parts *parts);

#endif
