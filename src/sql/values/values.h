/* Arguments and results of functions: SQLite's values as ours, and back. */
#ifndef TPTUI_SQL_VALUES_VALUES_H
#define TPTUI_SQL_VALUES_VALUES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

#include "base/status.h"
#include "base/str.h"

/* What SQLite hands to a function, of which not all need look at all. */
#define SQL_FUNCTION_ARGS                                                                          \
    sqlite3_context *ctx, __attribute__((unused)) int argc,                                        \
        __attribute__((unused)) sqlite3_value **argv

/* A value's bytes without copying or terminating them; {"" , 0} for NULL. */
static inline struct str value_str(sqlite3_value *v)
{
    const void *p = sqlite3_value_blob(v);
    return (struct str){p ? p : "", (size_t)sqlite3_value_bytes(v)};
}

/* FNV-1a, which hash() shows; `hash` is that of what came before, or FNV_START. */
#define FNV_START UINT64_C(14695981039346656037)
static inline uint64_t fnv1a(uint64_t hash, const void *data, size_t n)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT64_C(1099511628211);
    return hash;
}

/* Whether two values are of one type and equal; NULL equals NULL. */
bool values_same(sqlite3_value *a, sqlite3_value *b);
/* "LONG", "STRING" ... of SQLITE_INTEGER, SQLITE_TEXT ... */
const char *value_type_name(int type);
bool values_are_texts(int count, sqlite3_value **values);

/* Whether a function's arguments are of these kinds, a letter each: 'i' integers, 'n' numbers, 't'
 * text, 'b' bytes or text; NULL is of every kind. Where not, the error is the result. */
bool arguments_fit(sqlite3_context *ctx, const char *function, const char *kinds,
                   sqlite3_value **argv);

/* The same, and whether none of them is NULL, with which the result is NULL. */
bool arguments_known(sqlite3_context *ctx, const char *function, const char *kinds,
                     sqlite3_value **argv);

/* An error as a function's result. */
__attribute__((format(printf, 2, 3))) void result_error(sqlite3_context *ctx, const char *format,
                                                        ...);
/* A text that was put together is a function's result; ends it. */
void result_built(sqlite3_context *ctx, sqlite3_str *text);
/* The error becomes a function's result; the status is released. */
void result_failed(sqlite3_context *ctx, struct status status);

/* Pointers as values: what one function makes of many rows and others take. `type` is a literal;
 * `p` is taken over, also where binding fails: `release` is called when the last value that shares
 * it is gone. pointer_of is NULL where the value is none of this type, and where memory has run
 * out: the statement ends then, and should not begin to work on what it has collected. */
void result_pointer(sqlite3_context *ctx, void *p, const char *type, void (*release)(void *));
int bind_pointer(sqlite3_stmt *stmt, int i, void *p, const char *type, void (*release)(void *));
void *pointer_of(sqlite3_value *v, const char *type);

/* What an aggregate keeps of its group from row to row: `size` bytes, zeroed at the first call;
 * NULL where memory has run out. They are the aggregate's, to be freed by its `final` or handed on
 * by result_pointer. */
void *group_state(sqlite3_context *ctx, size_t size);
/* The same for `final`: NULL where no row has asked for it. */
void *group_state_made(sqlite3_context *ctx);

/* A value as the result, or as an argument of another statement: one that is a pointer is shared.
 * SQLite's own copy is void as soon as the statement that the value comes from goes on. */
void result_value(sqlite3_context *ctx, sqlite3_value *v);
int bind_value(sqlite3_stmt *stmt, int i, sqlite3_value *v);

/* The result of a function that is called for what it does. A statement of nothing but such a call
 * prints nothing (value_is_void). Anywhere else the result is NULL. */
void result_void(sqlite3_context *ctx);
bool value_is_void(sqlite3_value *v);

/* A function's result, text that outlives the statement and has a NUL behind it (pool strings).
 * SQLite only knows of the NUL if it looks for it itself; otherwise it copies the text as soon as
 * somebody reads it as one that ends there. */
static inline void result_static(sqlite3_context *ctx, struct str s)
{
    if (strlen(s.p) == s.n)
        sqlite3_result_text(ctx, s.p, -1, SQLITE_STATIC);
    else
        sqlite3_result_text64(ctx, s.p, s.n, SQLITE_STATIC, SQLITE_UTF8);
}

#endif
