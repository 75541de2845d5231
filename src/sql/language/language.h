/* What the scripts of a session have defined so far, and what the running one needs. */
#ifndef TPTUI_SQL_LANGUAGE_LANGUAGE_H
#define TPTUI_SQL_LANGUAGE_LANGUAGE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "sql/language/deferred.h"
#include "sql/language/macro.h"
#include "sql/language/metric_files.h"
#include "sql/language/module.h"

struct sql_function;

struct language {
    struct macro_table macros;
    VEC(struct sql_function *) scalar_functions; /* those that live; SQLite owns them */
    VEC(char *) functions;                       /* "name/argument count" of those defined by SQL */
    VEC(char *) legacy_texts;                    /* what create_function has run */
    VEC(char *) index_names;                     /* "name ON table" */
    VEC(struct sql_module) modules;
    VEC(struct metric_file) metric_files;
    struct deferred_list deferred;
    struct arena scratch; /* what expanded tokens of the running script point to */
    sqlite3_stmt *schema; /* while the prelude runs: see prelude.h */
    int run_depth;        /* scripts within scripts: modules */
    struct nesting {
        uint64_t view_selects, triggers; /* made by scripts, at most: some may be gone */
        uint64_t program_selects;        /* in views of the program's modules */
    } nesting;                           /* sql/language/nesting.h */
    int redoing; /* modules that run again because they failed: they replace what they made */
    bool refuses_pipelines; /* a script has said PERFETTO PRAGMA pipelines = 0 */
    bool explained;         /* the failed statement's message says what to change */
    bool has_collations;    /* a statement has said COLLATE for a table's column */
    bool has_pragmas;       /* statements have run some */
};

struct language *language_new(void);
/* After the connection is closed. */
void language_free(struct language *l);

/* Whether SQLite knows a table or view of that name; `type` says which ("table"), "" for neither.
 */
bool session_object_exists(struct sql_session *s, struct str name, char type[8]);

/* Whether there is a table, view or SQL function of that name. */
bool session_name_taken(struct sql_session *s, struct str name);

#endif
