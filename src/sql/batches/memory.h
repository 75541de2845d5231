/* What a session keeps for the plans of its statements: compiled questions, what tables and views
 * are. */
#ifndef TPTUI_SQL_BATCHES_MEMORY_H
#define TPTUI_SQL_BATCHES_MEMORY_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

struct arg_cache;
struct sql_session;
struct view_select;

/* What is known of a table or view. */
struct known_name {
    bool looked;                    /* eligibility.h has: */
    bool hopeless;                  /* a view's SELECT is SQLite's */
    uint32_t rows;                  /* of the largest table behind it */
    bool is_read;                   /* names.c has: */
    const struct view_select *view; /* NULL where it is none that is looked through */
};

struct vector_memory {
    sqlite3_stmt *value;     /* SELECT ?1 */
    sqlite3_stmt *schema;    /* a table's or view's definition by name */
    sqlite3_stmt *temporary; /* a row where one has the name */
    bool current;            /* the schema's names are known, as of vector_memory_refresh */
    uint64_t generation;     /* of the names that the objects below are numbered by */
    VEC(struct known_name) objects;
    struct arena views;     /* theirs */
    struct arg_cache *args; /* made when it is first needed */
};

/* The session's, made when it is first asked for. */
struct vector_memory *vector_memory_of(struct sql_session *s);
/* `*kept`, a member of vector_memory, compiled from `sql` at the first call; NULL where it cannot
 * be compiled. The memory's; the caller resets it. */
sqlite3_stmt *vector_memory_statement(struct sql_session *s, sqlite3_stmt **kept, const char *sql);
/* Once for each statement that is planned, before definitions are asked for. */
void vector_memory_refresh(struct sql_session *s);
/* The SQL of a table or view; NULL where there is none, and where the names are not known. */
const char *vector_memory_definition(struct sql_session *s, struct str name);
/* What is kept besides it; NULL as above. Valid until another name is asked for, its view until the
 * next vector_memory_refresh. */
struct known_name *vector_memory_known(struct sql_session *s, struct str name);
/* The session's args by set and key. */
struct arg_cache *vector_memory_args(struct sql_session *s);
/* When the session ends; its statements are gone already. */
void vector_memory_free(struct vector_memory *m);

#endif
