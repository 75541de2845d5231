/* What the modules that a session has not included would define. */
#ifndef TPTUI_SQL_LANGUAGE_DEFINITIONS_H
#define TPTUI_SQL_LANGUAGE_DEFINITIONS_H

#include "sql/tokens/lexer.h"

enum definition { DEFINES_NOTHING, DEFINES_MACRO, DEFINES_OTHER };

struct sql_module;
struct sql_session;

/* What the statement defines, and its name: a macro, or a table, view or function. */
enum definition definition_of(const struct token_list *statement, struct str *name);

/* Moves behind the next statement of the module's text, from byte *at on, that defines something,
 * and says its name; false: there is none. */
bool definition_next(const struct sql_module *m, size_t *at, struct str *name);

/* The module that would define the name; NULL: none. Case does not matter. */
const struct sql_module *definition_find(const struct sql_session *s, const char *name);

#endif
