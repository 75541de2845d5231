/* A statement, macros expanded, as SQL that the linked SQLite knows: its pipelines as SELECTs,
 * newer syntax as older one. */
#ifndef TPTUI_SQL_PIPELINES_REWRITING_H
#define TPTUI_SQL_PIPELINES_REWRITING_H

#include "base/status.h"
#include "sql/grammar/parse.h"
#include "sql/language/written_names.h"

struct sql_session;

/* Parses the tokens, and replaces them where they have any of it. A pipeline is the whole
 * statement, or stands in parentheses where a SELECT could; its sources are compiled for the names
 * of their columns. Errors point at the stage. `names` may be NULL. */
struct status statement_rewrite(struct sql_session *s, struct sql_parsed *p,
                                struct written_names *names);

#endif
