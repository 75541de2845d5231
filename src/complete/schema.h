/* What can be named in a session's SQL, read once: tables, views, functions, macros, modules. */
#ifndef TPTUI_COMPLETE_SCHEMA_H
#define TPTUI_COMPLETE_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

struct sql_session;

enum object_kind {
    OBJECT_TABLE,
    OBJECT_VIEW,
    OBJECT_TABLE_FUNCTION,
    OBJECT_FUNCTION,
    OBJECT_MACRO,
    OBJECT_MODULE,
    OBJECT_KINDS
};

/* "table", "view", "table function" ... */
const char *object_kind_name(enum object_kind kind);

/* Texts are the schema's and never NULL; "" where nothing is known. */
struct schema_column {
    const char *name, *type, *description;
};

struct schema_object {
    enum object_kind kind;
    const char *name;
    const char *module;      /* whose INCLUDE defines it; "" where it is there without */
    const char *description; /* what its comment says */
    const char *signature;   /* of functions and macros: "(ts TIMESTAMP, dur DURATION)" */
    const char *returns;     /* a function's type */
    const char *data_source; /* what fills the table */
    int64_t rows;            /* -1: only a query could say */
    uint32_t uses;           /* how often statements read it (schema_count_use) */
    uint32_t first_column, column_count;
};

struct schema {
    struct arena arena;
    VEC(struct schema_object) objects; /* by name, whatever the case */
    VEC(struct schema_column) columns;
};

/* Reads it from the session, for schema_free; where it fails `*out` is as before. Takes some 50 ms.
 */
struct status schema_read(struct sql_session *session, struct schema **out);
void schema_free(struct schema *s);

/* The table, view or table function of that name, whatever the case; else NULL. */
const struct schema_object *schema_table(const struct schema *s, struct str name);
static inline const struct schema_column *schema_columns(const struct schema *s,
                                                         const struct schema_object *o)
{
    return s->columns.items + o->first_column;
}

#endif
