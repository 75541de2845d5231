/* What is amiss around the word that a syntax error is about. */
#ifndef TPTUI_SQL_HINTS_SYNTAX_HINTS_H
#define TPTUI_SQL_HINTS_SYNTAX_HINTS_H

#include "base/str.h"

struct token_list;

/* A line for users, for sqlite3_free; NULL: the message is no syntax error, or nothing is known. */
char *syntax_explain(const struct token_list *tokens, const char *message);

/* The same for a column that is not there, but that is a parameter of the function which the
 * statement creates. */
char *syntax_explain_parameter(const struct token_list *tokens, struct str column);

#endif
