/* What a file adds to SQL, as one const table: a family of functions, table functions, operators or
 * virtual tables. sql/families.c lists them all. */
#ifndef TPTUI_SQL_ENGINE_FAMILY_H
#define TPTUI_SQL_ENGINE_FAMILY_H

#include <sqlite3.h>
#include <stdbool.h>

struct column_operator;
struct operator_table;
struct sql_session;
struct table_function;

/* For functions whose result depends on nothing but their arguments and the trace: SQLite may call
 * them once for equal arguments, and anywhere (in views, in indexes). */
enum { PURE = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };

/* A function written in C. A scalar one has `call`; an aggregate `step` and `final`, and those that
 * work as window functions `value` and `inverse` besides. sqlite3_user_data is the session, or what
 * the family's `init` made. */
struct native_function {
    const char *name;
    int argc;  /* -1: any number */
    int flags; /* SQLite's, without the encoding */
    void (*call)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
    void (*step)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
    void (*final)(sqlite3_context *ctx);
    void (*value)(sqlite3_context *ctx);
    void (*inverse)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
};

/* Rows of a list of these, where the functions are called alike: f_step and f_final, or those and
 * f_value and f_inverse. */
#define SQL_FUNCTION(called, arguments, f)                                                         \
    {                                                                                              \
        .name = called, .argc = arguments, .call = f                                               \
    }
#define SQL_PURE(called, arguments, f)                                                             \
    {                                                                                              \
        .name = called, .argc = arguments, .flags = PURE, .call = f                                \
    }
#define SQL_AGGREGATE(called, arguments, f)                                                        \
    {                                                                                              \
        .name = called, .argc = arguments, .step = f##_step, .final = f##_final                    \
    }
#define SQL_WINDOW(called, arguments, f)                                                           \
    {                                                                                              \
        .name = called, .argc = arguments, .step = f##_step, .final = f##_final,                   \
        .value = f##_value, .inverse = f##_inverse                                                 \
    }

/* A virtual table module. */
struct virtual_table {
    const char *name;
    const sqlite3_module *module;
    const void *detail; /* what the module shall know, where it serves several names; or NULL */
};

/* What xCreate and xConnect of these modules get as `aux`. */
struct virtual_table_client {
    struct sql_session *session;
    const char *name;
    const void *detail;
};

/* A member that is NULL is one that the family does not have. Each list ends with an entry without
 * name. */
struct sql_family {
    const struct native_function *functions;
    const struct table_function *table_functions;
    const struct operator_table *operators;
    const struct virtual_table *virtual_tables;
    const struct column_operator *column_operator;
    /* What the functions of this family keep in a session, made when it begins; and its end, when
     * the connection is closed. */
    void *(*init)(struct sql_session *s);
    void (*release)(void *state);
    /* For functions too many to make them all: where SQLite's last error is one of them missing,
     * makes it and returns true. */
    bool (*define)(struct sql_session *s);
    bool runs_statements; /* the functions do, or read the schema */
};

/* Makes the session's families known to its connection. The result is SQLite's. */
int families_register(struct sql_session *s);
/* After the connection is closed. */
void families_release(struct sql_session *s);

/* sqlite3_prepare_v3; functions that families define only where they are named are made. */
int session_prepare(struct sql_session *s, const char *text, unsigned flags, sqlite3_stmt **out);

/* sqlite3_step, for what functions and virtual tables run while another statement does. It may come
 * back to them, through views and functions: too deep inside others is an error. */
int session_step(struct sql_session *s, sqlite3_stmt *stmt);
/* Why the last session_prepare or session_step has failed. */
const char *session_message(struct sql_session *s);

#endif
