/* Definitions of the program's own modules wait until a statement names them: including a module
 * costs no queries, and of a module's tables only those that are used are made. */
#ifndef TPTUI_SQL_LANGUAGE_DEFERRED_H
#define TPTUI_SQL_LANGUAGE_DEFERRED_H

#include "base/map.h"
#include "base/status.h"
#include "base/vec.h"
#include "sql/tokens/lexer.h"

struct sql_session;

/* One statement of a module's text, which outlives the session. */
struct deferred {
    struct str name;
    const char *module;
    struct str text; /* the module's */
    size_t from, to;
    uint32_t next; /* of the same name, counted from 1; 0 ends */
    bool done;
};

struct deferred_list {
    VEC(struct deferred) v;
    struct map by_name; /* hash of the name in lower case: the first, counted from 1 */
    size_t waiting;
};

void deferred_release(struct deferred_list *list);

/* Puts off the statement, bytes [from, to) of the module's text, where it defines a table, view or
 * function whose name is free; false where it has to run now. */
bool deferred_add(struct sql_session *s, const char *module, const struct token_list *statement,
                  size_t from, size_t to);

/* The first of the definitions of a name, counted from 1; 0: there are none. */
uint32_t deferred_first(const struct deferred_list *list, struct str name);

#endif
