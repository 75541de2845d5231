/* A first look at a statement, before any of it is understood: most statements read small tables,
 * or have something that is always SQLite's, and reading them whole to find that out would make
 * each a little slower. */
#ifndef TPTUI_SQL_VECTOR_ELIGIBILITY_H
#define TPTUI_SQL_VECTOR_ELIGIBILITY_H

#include "sql/vector/bind.h"

/* Whether its words, which nothing was made of yet, may be those of a statement over columns. */
bool eligible_by_tokens(const struct vector_environment *environment, const struct token *tokens,
                        size_t n);

/* Whether the statement may be read over columns, and some table behind the names in its FROMs may
 * have as many rows as that. What it says of views is kept in the session. */
bool eligible_by_tables(struct plan *p, const struct words *w,
                        const struct vector_environment *environment);

#endif
