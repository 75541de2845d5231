/* A session's tables by name: the trace's, then those made by CREATE PERFETTO TABLE. Case of ASCII
 * letters is ignored. */
#ifndef TPTUI_SQL_TABLES_CATALOG_H
#define TPTUI_SQL_TABLES_CATALOG_H

#include "base/vec.h"

struct sql_table;

struct catalog_entry {
    char *name;
    struct sql_table *table;
    char *definition; /* the SELECT of a table made by SQL; else NULL */
};

struct catalog {
    VEC(struct catalog_entry) v;
};

/* The table of that name, or NULL. */
struct sql_table *catalog_find(const struct catalog *c, const char *name);
/* The SELECT that made a table, or NULL. */
const char *catalog_definition(const struct catalog *c, const char *name);
/* Takes over `t` and `definition` (may be NULL) under a name that is not taken. */
void catalog_add(struct catalog *c, const char *name, struct sql_table *t, char *definition);
/* Gives back the catalog's reference to the table. */
void catalog_remove(struct catalog *c, const char *name);
void catalog_release(struct catalog *c);

#endif
