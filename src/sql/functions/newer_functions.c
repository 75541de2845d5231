/* Functions of SQLite versions after 3.40, which queries written for Trace Processor may use: it
 * brings a later one. */
#include "sql/engine/family.h"
#include "sql/values/values.h"

static void append(sqlite3_str *out, sqlite3_value *v)
{
    sqlite3_str_append(out, (const char *)sqlite3_value_text(v), sqlite3_value_bytes(v));
}

/* concat(x, ...): NULL counts as nothing. */
static void fn_concat(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (int i = 0; i < argc; i++)
        if (sqlite3_value_type(argv[i]) != SQLITE_NULL)
            append(text, argv[i]);
    result_built(ctx, text);
}

/* concat_ws(separator, x, ...): NULL is left out with its separator. */
static void fn_concat_ws(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    bool any = false;
    if (argc == 0 || sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (int i = 1; i < argc; i++) {
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
            continue;
        if (any)
            append(text, argv[0]);
        append(text, argv[i]);
        any = true;
    }
    result_built(ctx, text);
}

static void fn_octet_length(SQL_FUNCTION_ARGS)
{
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL)
        sqlite3_result_int(ctx, sqlite3_value_bytes(argv[0]));
}

/* if(condition, value, ..., other): the value of the first condition that holds. Statements have
 * iif() in its place; what operators take as text has it as it is written. */
static void fn_if(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    if (argc < 2)
        result_error(ctx, "if: expected at least 2 arguments");
    for (int i = 0; i + 1 < argc; i += 2)
        if (sqlite3_value_double(argv[i]) != 0) {
            sqlite3_result_value(ctx, argv[i + 1]);
            return;
        }
    if (argc >= 3 && argc % 2 == 1)
        sqlite3_result_value(ctx, argv[argc - 1]);
}

static const struct native_function functions[] = {
    SQL_PURE("concat", -1, fn_concat),
    SQL_PURE("concat_ws", -1, fn_concat_ws),
    SQL_PURE("if", -1, fn_if),
    SQL_PURE("iif", 2, fn_if),
    SQL_PURE("octet_length", 1, fn_octet_length),
    {0},
};

const struct sql_family newer_functions_family = {.functions = functions};
