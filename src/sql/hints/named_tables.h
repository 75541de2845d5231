/* The tables that a statement names, for hints about the columns that it wants of them. */
#ifndef TPTUI_SQL_HINTS_NAMED_TABLES_H
#define TPTUI_SQL_HINTS_NAMED_TABLES_H

#include "base/str.h"
#include "base/vec.h"

struct sql_session;
struct token_list;

struct named_tables {
    VEC(struct str) v; /* bytes of the tokens */
};

/* Tables, views and table functions, each once, in the order of the statement. Of one with
 * thousands of different names only the first are looked at. */
void named_tables_find(struct sql_session *s, const struct token_list *tokens,
                       struct named_tables *out);
void named_tables_release(struct named_tables *t);

#endif
