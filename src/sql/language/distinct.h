/* count(DISTINCT x) by hashing. SQLite keeps a sorted tree of all values instead, which takes ten
 * times as long; so the call is replaced by an aggregate of ours where both count the same.
 */
#ifndef TPTUI_SQL_LANGUAGE_DISTINCT_H
#define TPTUI_SQL_LANGUAGE_DISTINCT_H

#include "sql/tokens/lexer.h"

/* The statement's text with the calls replaced, NULL where it has none that can be. `spelled` is
 * then how the first one was written ("count(DISTINCT "). Both are for free(). */
char *distinct_rewrite(const struct token_list *tokens, char **spelled);

/* A result column's name with what the statement says in the place of our aggregate, for
 * sqlite3_free; NULL where the name has none of it. */
char *distinct_column_name(const char *name, const char *spelled);

#endif
