/* Operators: virtual tables that are made over some input, CREATE VIRTUAL TABLE t USING
 * operator((SELECT ...)), and compute their rows anew for each call t(argument, ...). */
#ifndef TPTUI_SQL_ENGINE_OPERATOR_VTAB_H
#define TPTUI_SQL_ENGINE_OPERATOR_VTAB_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/status.h"
#include "base/vec.h"
#include "sql/tables/table_builder.h"

struct sql_session;

struct operator_columns {
    VEC(const char *) v; /* static, or owned by the state */
};

struct operator_call {
    struct sql_session *session;
    const void *state;               /* what `create` made */
    sqlite3_value *const *arguments; /* one for each parameter */
    bool marked;                     /* see operator_table.marker */
};

struct operator_table {
    const char *name;
    const char *const *columns; /* the last one is NULL */
    const char *parameters;     /* "start, end" */
    /* Reads the input, what stands in the operator's parentheses. Where it fails, what `state` has
     * is released. May add columns. */
    struct status (*create)(struct sql_session *s, const char *input, void **state,
                            struct operator_columns *columns);
    void (*destroy)(void *state);
    /* Puts the call's rows, a value for each column. */
    struct status (*compute)(const struct operator_call *call, struct table_builder *out);
    /* A name f, or NULL: where a query says f(column, value) in WHERE, the call is `marked`, and f
     * is not called. */
    const char *marker;
};

/* The module of all operators; its clients' `detail` is a struct operator_table. */
extern const sqlite3_module operator_module;
/* What a marker is as a function: always an error, as it is only a sign for the planner. */
void operator_marker_called(sqlite3_context *ctx, int argc, sqlite3_value **argv);

/* Reads "SELECT * FROM input". The first that returns an error ends it. */
struct operator_reader {
    int columns;                                            /* the query has at least these */
    struct status (*begin)(void *self, sqlite3_stmt *stmt); /* before the first row; or NULL */
    struct status (*row)(void *self, sqlite3_stmt *stmt);
};
struct status operator_read(struct sql_session *s, const char *input,
                            const struct operator_reader *reader, void *self);

#endif
