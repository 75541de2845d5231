/* What SQLite calls the columns of a result by their text, and how that was written. */
#ifndef TPTUI_SQL_LANGUAGE_WRITTEN_NAMES_H
#define TPTUI_SQL_LANGUAGE_WRITTEN_NAMES_H

#include "base/vec.h"
#include "sql/grammar/rewrite.h"

struct written_name {
    char *given, *written; /* owned */
};

struct written_names {
    VEC(struct written_name) v;
};

void written_names_release(struct written_names *names);

/* Writes a RESULT without a name, and notes how it was written where that is changed. */
void written_names_write(struct written_names *names, struct sql_rewrite *r,
                         const struct sql_node *result);

/* How the column was written. */
const char *written_names_find(const struct written_names *names, const char *given);

#endif
