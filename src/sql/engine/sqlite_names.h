/* Which of SQLite's own functions, modules and pragmas SQL may use, and why: one list for sessions,
 * servers, alerts, modules and batches. A name that is not in it is refused. tests/test_database.c
 * fails for one that SQLite has and the list has not. */
#ifndef TPTUI_SQL_ENGINE_SQLITE_NAMES_H
#define TPTUI_SQL_ENGINE_SQLITE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum sqlite_kind { SQLITE_NAME_FUNCTION, SQLITE_NAME_MODULE, SQLITE_NAME_PRAGMA };

enum sqlite_use {
    SQLITE_USE_REFUSED,
    SQLITE_USE_READ, /* a pragma whose value may be asked for, not set */
    SQLITE_USE_ALLOWED,
};

struct sqlite_decision {
    enum sqlite_use use;
    const char *reason; /* continues "NAME ..." */
};

/* NULL: there is none. Upper and lower case are one. */
const struct sqlite_decision *sqlite_decision(enum sqlite_kind kind, const char *name);

/* The names of a kind that have a decision, in some order; NULL behind the last. */
const char *sqlite_decided_name(enum sqlite_kind kind, size_t i);

#endif
