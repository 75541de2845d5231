/* Functions written in SQL: CREATE PERFETTO FUNCTION. */
#ifndef TPTUI_SQL_SCRIPT_SQL_FUNCTION_H
#define TPTUI_SQL_SCRIPT_SQL_FUNCTION_H

#include "sql/tokens/sql_type.h"

struct sql_session;
struct vector_function;

struct function_spec {
    struct str name;
    struct declared_columns parameters;
    bool is_table;
    enum declared_type result;
    struct declared_columns columns; /* is_table */
    struct str delegate;             /* DELEGATES TO; empty for a body */
    const struct token *body;        /* already expanded */
    size_t body_count;
    bool replaces; /* one of that name and argument count is there */
};

/* Registers the function. The body is compiled once here, so that its errors show where it is
 * written; where it fails, an older function of that name stays. */
struct status sql_function_define(struct sql_session *s, const struct function_spec *spec);

/* From now on keeps the results of a scalar function of one LONG: it may then call itself to any
 * depth. Whatever its body reads must not change. */
struct status sql_function_memoize(struct sql_session *s, struct str name);

/* See vector_environment. */
const struct vector_function *sql_function_find(struct sql_session *s, struct str name,
                                                uint32_t arguments);

#endif
