/* A first look at a statement, before any of it is understood: most statements read small tables,
 * or have something that is always SQLite's, and reading them whole to find that out would make
 * each a little slower. */
#ifndef TPTUI_SQL_VECTOR_ELIGIBILITY_H
#define TPTUI_SQL_VECTOR_ELIGIBILITY_H

#include "sql/vector/bind.h"

/* Whether the SELECT, no name of which was looked up yet, may be one over columns. */
bool eligible_by_tree(struct sql_session *s, const struct vector_environment *environment,
                      const struct vector_text *text);

/* Whether some table behind the names in its FROMs may have as many rows as that takes. What it
 * says of views is kept in the session. */
bool eligible_by_tables(struct plan *p, const struct vector_environment *environment,
                        const struct vector_text *text);

/* Whether SQLite's parser may have no room for it: there is too much in parentheses. */
bool eligible_is_too_deep(const struct sql_node *select);

#endif
