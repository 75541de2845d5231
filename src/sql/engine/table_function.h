/* Table functions whose rows are all made by the call: name(argument, ...). */
#ifndef TPTUI_SQL_ENGINE_TABLE_FUNCTION_H
#define TPTUI_SQL_ENGINE_TABLE_FUNCTION_H

#include <sqlite3.h>

#include "base/status.h"
#include "base/str.h"
#include "sql/tables/table_builder.h"

struct sql_session;

struct table_function {
    const char *name;
    const char *columns;    /* "ts LONG, name STRING": see column_take */
    const char *parameters; /* "start, end"; NULL where it has none */
    /* Puts the rows, `argv` has a value for each parameter. NULL: the table is there and empty. */
    struct status (*fill)(struct sql_session *s, sqlite3_value **argv, struct table_builder *b);
    const char *needs; /* what else than the trace gives it rows; NULL: nothing */
    /* SQL of at most one text: what of that is missing for this trace, although there are rows. It
     * need not compile. May be NULL. */
    const char *missing;
};

/* NULL where none is called so. */
const struct table_function *table_function_find(const struct sql_session *s, struct str name);

/* The module of all table functions; its clients' `detail` is a struct table_function. */
extern const sqlite3_module table_function_module;

#endif
