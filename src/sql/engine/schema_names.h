/* What the main schema's tables and views were made with, by name: SQLite tells that only by going
 * through all of them, for each name that is asked for. What statements add is read when it is
 * asked for; after any other change all is read anew. */
#ifndef TPTUI_SQL_ENGINE_SCHEMA_NAMES_H
#define TPTUI_SQL_ENGINE_SCHEMA_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct schema_names;
struct sql_session;

struct schema_definition {
    char *name, *sql; /* sql is NULL of what SQLite made itself */
    char type[8];     /* "table", "view", "index", "trigger" */
    uint32_t number;  /* counted from 0; as long as schema_names_generation() stays */
    uint32_t next;    /* of the same hash, + 1 */
};

/* Whether schema_names_find can be asked: not within a transaction, in which what is read may be
 * taken back, nor once a PRAGMA may have changed the schema's own table. To be asked before the
 * names of each statement are. */
bool schema_names_ready(struct sql_session *s);
/* The object of that name, in whatever case; NULL for none. Valid until the next
 * schema_names_ready(). */
const struct schema_definition *schema_names_find(const struct sql_session *s, struct str name);
/* Another one once numbers mean other objects, or objects are gone. */
uint64_t schema_names_generation(const struct sql_session *s);

/* For what makes the first objects without SQLite's own statements. */
void schema_names_add(struct sql_session *s, const char *type, const char *name, const char *sql);
/* Takes those that were added for all of the schema, where there are as many. */
void schema_names_begin(struct sql_session *s);

/* When the session ends; its statements are gone already. */
void schema_names_free(struct schema_names *n);

#endif
