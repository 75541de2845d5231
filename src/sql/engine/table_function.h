/* Table functions whose rows are all made by the call: name(argument, ...). */
#ifndef TPTUI_SQL_ENGINE_TABLE_FUNCTION_H
#define TPTUI_SQL_ENGINE_TABLE_FUNCTION_H

#include "sql/engine/internal.h"
#include "sql/engine/table_builder.h"

struct table_function_column {
    const char *name;
    enum declared_type type;
};

struct table_function {
    const char *name;
    const struct table_function_column *columns; /* the last one's name is NULL */
    const char *const *parameters;               /* the last one is NULL; NULL where it has none */
    /* Puts the rows, `argv` has a value for each parameter. NULL: the table is there and empty. */
    struct status (*fill)(struct sql_session *s, sqlite3_value **argv, struct table_builder *b);
};

/* `functions` must outlive the session. The result is SQLite's. */
int table_functions_add(struct sql_session *s, const struct table_function *functions, size_t n);

/* Those that tell of the session itself: tables, queries, modules. */
int info_tables_register(struct sql_session *s);
int stdlib_objects_register(struct sql_session *s);
/* Tables that other programs fill with measured or decoded data: here they are empty. */
int empty_tables_register(struct sql_session *s);
int stack_functions_register(struct sql_session *s);

#endif
