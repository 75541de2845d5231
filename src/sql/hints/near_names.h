/* The names that a mistaken one may have meant. */
#ifndef TPTUI_SQL_HINTS_NEAR_NAMES_H
#define TPTUI_SQL_HINTS_NEAR_NAMES_H

#include "text/edits.h"
#include "sql/tokens/lexer.h"

struct sql_session;

enum { NEAR_NAME_LENGTH = EDITS_MAX_LENGTH, NEAR_COUNT = 3, NEAR_MODULE_EDITS = 2 };

/* What a statement names that is not there. */
enum missing {
    MISSING_TABLE,
    MISSING_COLUMN,
    MISSING_FUNCTION,
    MISSING_MACRO,
    MISSING_MODULE,
    MISSING_OPERATOR, /* what a virtual table uses, a module to SQLite */
    MISSING_KEYWORD,  /* a word that stands where none can; it may be a keyword with a slip */
    AMBIGUOUS_COLUMN,
};

/* The nearest names so far, best first; they are owned, {0} has none. */
struct nearest {
    char *names[NEAR_COUNT];
    int distances[NEAR_COUNT], count;
};

/* Takes the name in where it is nearer than another, or there is room. */
void near_consider(struct nearest *near, const char *wanted, const char *name);

/* Considers all names of the session that `wanted` may stand for in the statement. */
void near_find(struct sql_session *s, struct nearest *near, enum missing missing,
               const char *wanted, const struct token_list *tokens);

#endif
