/* count(DISTINCT x) by hashing. SQLite keeps a sorted tree of all values instead, which takes ten
 * times as long; so the call is replaced by an aggregate of ours where both count the same.
 */
#ifndef TPTUI_SQL_LANGUAGE_DISTINCT_H
#define TPTUI_SQL_LANGUAGE_DISTINCT_H

#include "sql/language/written_names.h"

/* The statement's text with the calls replaced, for free(), and how its columns were written; NULL
 * where it has none that can be. */
char *distinct_rewrite(const struct token_list *tokens, struct written_names *names);

#endif
