/* What other databases' SQL has, and what does the same here. */
#ifndef TPTUI_SQL_HINTS_DIALECT_H
#define TPTUI_SQL_HINTS_DIALECT_H

#include "sql/tokens/lexer.h"

/* What to call instead of a function that other databases have; NULL: none is known. Case does not
 * matter. */
const char *dialect_function(const char *name);

/* What to write instead where a statement failed with SQLite's message, as a line for users that
 * the caller frees with sqlite3_free; NULL: nothing is known. */
char *dialect_explain(const struct token_list *tokens, const char *message);

#endif
