/* What the modules that a session has not included would define. */
#ifndef TPTUI_SQL_LANGUAGE_DEFINITIONS_H
#define TPTUI_SQL_LANGUAGE_DEFINITIONS_H

#include "base/str.h"

struct sql_module;
struct sql_session;

/* Moves behind the next name, from byte *at on, of a table, view, function or macro that the
 * module's text creates; false: there is none. */
bool definition_next(const struct sql_module *m, size_t *at, struct str *name);

/* The module that would define the name; NULL: none. Case does not matter. */
const struct sql_module *definition_find(const struct sql_session *s, const char *name);

#endif
