/* What a session keeps for the plans of its statements: compiled questions, definitions of tables
 * and views. */
#ifndef TPTUI_SQL_VECTOR_MEMORY_H
#define TPTUI_SQL_VECTOR_MEMORY_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

struct arg_cache;
struct sql_session;

/* What glance.h has found out about a view. */
struct glanced {
    bool looked;
    bool hopeless; /* its SELECT is SQLite's */
    uint32_t rows; /* of the largest table behind it */
};

struct known_definition {
    char *name, *sql;
    size_t length; /* of the name */
    struct glanced glanced;
};

struct vector_memory {
    sqlite3_stmt *value;   /* SELECT ?1 */
    sqlite3_stmt *schema;  /* a table's or view's definition by name */
    sqlite3_stmt *version; /* the schema's, which the definitions below are of */
    sqlite3_int64 known_version;
    bool current; /* the definitions are those of the schema, as of vector_memory_refresh */
    VEC(struct known_definition) definitions;
    struct arg_cache *args; /* made when it is first needed */
};

/* The session's, made when it is first asked for. */
struct vector_memory *vector_memory_of(struct sql_session *s);
/* `*kept`, a member of vector_memory, compiled from `sql` at the first call; NULL where it cannot
 * be compiled. The memory's; the caller resets it. */
sqlite3_stmt *vector_memory_statement(struct sql_session *s, sqlite3_stmt **kept, const char *sql);
/* Forgets definitions that are of another schema. Once for each statement that is planned, before
 * definitions are asked for. */
void vector_memory_refresh(struct sql_session *s);
/* The SQL of a table or view that was kept; NULL where it was not. */
const char *vector_memory_definition(struct sql_session *s, struct str name);
/* What is kept besides it; NULL where it was not. Valid until another definition is kept. */
struct glanced *vector_memory_glanced(struct sql_session *s, struct str name);
/* Keeps it, until the schema changes. */
void vector_memory_keep(struct sql_session *s, struct str name, const char *sql);
/* For the prelude, which makes many: keeps each without looking at the schema's version;
 * vector_memory_begin, once all are made, takes the version of then for theirs. */
void vector_memory_add(struct sql_session *s, struct str name, const char *sql);
void vector_memory_begin(struct sql_session *s);
/* The session's args by set and key. */
struct arg_cache *vector_memory_args(struct sql_session *s);
/* When the session ends; its statements are gone already. */
void vector_memory_free(struct vector_memory *m);

#endif
