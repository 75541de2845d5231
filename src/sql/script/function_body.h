/* A function that is written in SQL, and its body: statements that are compiled, lent to a call and
 * taken back. */
#ifndef TPTUI_SQL_SCRIPT_FUNCTION_BODY_H
#define TPTUI_SQL_SCRIPT_FUNCTION_BODY_H

#include <sqlite3.h>

#include "base/vec.h"
#include "sql/grammar/parse.h"
#include "sql/vector/vector.h"

struct sql_session;

/* A compiled body; there are several only where the function calls itself. */
struct function_body {
    sqlite3_stmt *stmt;
    int argc;   /* of a variadic delegate */
    int *binds; /* where each parameter goes, 0 where the body does not use it */
};

/* `text` is the body's SQL, or the name of what the function delegates to. Of a variadic one the
 * last parameter is the type of all that follow. */
struct sql_function {
    struct sql_session *session;
    char *name, *text;
    VEC(struct function_parameter) parameters;
    VEC(struct function_parameter) columns; /* what a table function returns */
    VEC(struct function_body) idle;
    size_t in_use; /* bodies that run */
    bool delegates, variadic;
    struct function_memo *memo; /* NULL: not memoized */
    /* The body for those who read it in the place of a call; see function_value. */
    bool is_read;
    struct sql_source source;
    struct sql_parsed body;
    struct vector_function value;
};

/* For function_body_free. Returns SQLite's code; `*out` is set where it is SQLITE_OK, else the
 * session has the message. Only of a delegate `argc` matters. */
int function_body_compile(struct sql_function *f, int argc, struct function_body *out);
void function_body_free(struct sql_function *f, struct function_body b);

/* Lends a body that does not run, compiled where there is none; else the same. */
int function_body_take(struct sql_function *f, int argc, struct function_body *out);
void function_body_give_back(struct sql_function *f, struct function_body b);

/* The body's value, where the body is no more; else NULL. */
const struct vector_function *function_value(struct sql_function *f);

/* NULL where the arguments are of the types that are declared, else a message for sqlite3_free. */
char *function_check_arguments(const struct sql_function *f, int argc, sqlite3_value **argv);
void function_body_bind(const struct function_body *b, int argc, sqlite3_value **argv);

/* What went wrong in a statement of the session, which names the innermost function. For
 * sqlite3_free. */
char *function_failure(const struct sql_function *f);

/* How SQLite calls them: their struct sql_function is its user data. */

void function_call_scalar(sqlite3_context *ctx, int argc, sqlite3_value **argv);

/* Of functions that return a table; parameters are hidden columns. */
extern const sqlite3_module function_table_module;

/* See sql_function_memoize. */
struct function_memo *function_memo_new(void);
void function_memo_free(struct function_memo *m); /* NULL is ok */
bool function_memo_runs(const struct function_memo *m);

#endif
