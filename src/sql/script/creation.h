/* What the statements CREATE PERFETTO ... have in common. */
#ifndef TPTUI_SQL_SCRIPT_CREATION_H
#define TPTUI_SQL_SCRIPT_CREATION_H

#include <stdbool.h>

#include "base/status.h"
#include "sql/tokens/token_cursor.h"

struct sql_session;

/* A statement being carried out; the cursor stands behind what says its kind. */
struct creation {
    struct sql_session *session;
    struct token_cursor c;
    bool replace; /* CREATE OR REPLACE */
};

/* Everything from the cursor on, which is a SELECT or an expression, macros expanded. The list is
 * the caller's. */
struct status creation_body(struct creation *p, struct token_list *out);

#endif
