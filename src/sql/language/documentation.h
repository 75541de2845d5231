/* What modules define and what tables hold, as their comments and the schema describe it. */
#ifndef TPTUI_SQL_LANGUAGE_DOCUMENTATION_H
#define TPTUI_SQL_LANGUAGE_DOCUMENTATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/vec.h"
#include "core/store/tables.h"

/* A column or argument: `name type`, with the comment before it. */
struct documented_entry {
    struct str name;
    char *type, *description;
};

struct documented_entries {
    VEC(struct documented_entry) v;
};

/* Names are part of the text or of the schema. Texts that are not there are NULL. */
struct documented_object {
    struct str name;
    const char *type; /* TABLE, VIEW, FUNCTION, TABLE_FUNCTION or MACRO */
    char *description, *return_type, *return_description;
    struct documented_entries args, columns;
};

/* The next object that a module's text defines from byte *at on, which moves behind it; false, and
 * nothing to release, where there is none. */
bool documented_object_next(struct str text, size_t *at, struct documented_object *out);

struct documented_object documented_table(const struct table_def *t);
struct documented_object documented_view(const struct view_def *v);

void documented_object_release(struct documented_object *o);

#endif
