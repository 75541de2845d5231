/* What a statement reads from, and what its WITH defines: names, aliases and columns. */
#ifndef TPTUI_COMPLETE_SOURCES_H
#define TPTUI_COMPLETE_SOURCES_H

#include "base/str.h"
#include "base/vec.h"
#include "complete/schema.h"

struct source {
    char *name;                        /* alias, or the table's own */
    const struct schema_object *table; /* NULL: not one of the schema's */
    VEC(char *) columns;               /* of a subquery or of WITH; owned */
};

struct sources {
    VEC(struct source) used; /* those of the SELECT around the caret first */
    VEC(struct source) ctes;
};

/* Reads the statement; `caret` counts from its begin. It need not be complete. */
void sources_read(struct sources *out, const struct schema *schema, struct str statement,
                  size_t caret);
void sources_release(struct sources *s);

/* The source of that name, one used before one of WITH; NULL where there is none. */
const struct source *sources_find(const struct sources *s, struct str name);

#endif
