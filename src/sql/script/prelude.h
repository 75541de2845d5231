/* What is there when a session begins: the trace's tables, the views that show them under their
 * published names, and what stdlib/prelude defines. */
#ifndef TPTUI_SQL_SCRIPT_PRELUDE_H
#define TPTUI_SQL_SCRIPT_PRELUDE_H

#include "base/status.h"

struct sql_session;

/* Makes them. An error is a bug of the prelude's. */
struct status prelude_run(struct sql_session *s);

/* While the prelude runs, definitions are written as SQLite stores them: that takes a third of the
 * time of some 200 CREATE statements, and they are known to be right. `type` is "table" or "view".
 * The result is SQLite's. */
int prelude_define(struct sql_session *s, const char *type, const char *name, const char *sql);

#endif
