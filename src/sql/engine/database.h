/* Every connection to SQLite that the program has is opened here, so that there is one place for
 * what SQL of strangers must not reach: machine code, files, raw pages, the process.
 *
 * In the place of functions and modules that are not allowed (sqlite_names.h) stands an error, for
 * each number of arguments; pragmas and ATTACH are decided by the authorizer, which also ends a
 * compilation when the session is interrupted. What comes after, families and functions of
 * scripts, is ours: harmless in views of strangers, or SQLITE_DIRECTONLY. */
#ifndef TPTUI_SQL_ENGINE_DATABASE_H
#define TPTUI_SQL_ENGINE_DATABASE_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>

/* sqlite3_open_v2, and then without SQLite's modules and functions but those that sqlite_names.h
 * allows: in the place of the others stands what fails with the reason. Whatever is added
 * afterwards is the caller's. The result is SQLite's; `*out` is to be closed in any case. */
int database_open(const char *path, int flags, const char *vfs, sqlite3 **out);

/* What a connection's statements may do besides. */
struct database_rules {
    const atomic_bool *cancel; /* ends what is being compiled */
    bool may_attach;           /* ATTACH, VACUUM INTO */
    bool alters;               /* the last statement that was compiled is ALTER TABLE */
    bool too_large;            /* the last statement is, to be compiled (compile_memory.h) */
    char refused[160];         /* why the last statement was, where it was */
};

/* From now on statements may only do what sqlite_names.h and the rules say, which must outlive the
 * connection; NULL: nothing besides. */
void database_seal(sqlite3 *db, struct database_rules *rules);

/* Lets statements do what they did before that. */
void database_unseal(sqlite3 *db);

/* sqlite3_errmsg; of what was refused the reason, of a file that fails what the system says. */
const char *database_message(sqlite3 *db, const struct database_rules *rules);

#endif
