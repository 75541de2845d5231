/* The trace's tables while the schema does not define them (sql/script/prelude.h): SQLite finds one
 * by its name, as a module whose only table is that, once a statement has named it. */
#ifndef TPTUI_SQL_ENGINE_FOUND_TABLES_H
#define TPTUI_SQL_ENGINE_FOUND_TABLES_H

struct sql_session;

/* What the modules are called that show a stored table, and args. */
#define TABLE_MODULE "tptui_table"
#define ARGS_MODULE  "tptui_args"

/* No longer: the schema defines them. No statement is running. */
void found_tables_forget(struct sql_session *s);

#endif
