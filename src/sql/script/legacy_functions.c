/* What scripts for older versions of Trace Processor call as functions, where there are statements
 * now: SELECT create_function('f(x INT)', 'INT', 'SELECT ...') for CREATE PERFETTO FUNCTION, SELECT
 * import('module') for INCLUDE PERFETTO MODULE. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"
#include "sql/language/language.h"
#include "sql/script/script.h"
#include "sql/script/sql_function.h"
#include "sql/tokens/lexer.h"

static void fail(sqlite3_context *ctx, const char *message)
{
    sqlite3_result_error(ctx, message, -1);
}

static void result_status(sqlite3_context *ctx, const char *function, struct status *s)
{
    if (status_ok(*s)) {
        result_void(ctx);
    } else {
        char *message = sqlite3_mprintf("%s: %s", function, s->message);
        fail(ctx, message);
        sqlite3_free(message);
    }
    if (s->code == STATUS_CANCELLED)
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
    status_release(s);
}

/* Runs a text, which need not live on: what it defines has its own copy. */
static struct status run(struct sql_session *s, const char *name, const char *text)
{
    struct sql_source source = {.name = name, .text = str_from(text)};
    return script_run(s, &source, NULL);
}

/* Functions may be defined again as they are: scripts that run twice, and each of two scripts that
 * need one. */
static bool is_defined(const struct sql_session *s, const char *definition)
{
    for (size_t i = 0; i < s->language->legacy_texts.count; i++)
        if (strcmp(s->language->legacy_texts.items[i], definition) == 0)
            return true;
    return false;
}

static void define(sqlite3_context *ctx, const char *function, char *definition)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    result_void(ctx);
    if (!is_defined(s, definition)) {
        struct status status = run(s, function, definition);
        if (status_ok(status))
            *vec_push(&s->language->legacy_texts) = alloc_copy(definition, strlen(definition));
        result_status(ctx, function, &status);
    }
    sqlite3_free(definition);
}

static bool all_texts(int argc, sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++)
        if (sqlite3_value_type(argv[i]) != SQLITE_TEXT)
            return false;
    return true;
}

/* create_function('name(argument TYPE, ...)', 'TYPE', 'SELECT ...') */
static void fn_create_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    if (!all_texts(argc, argv)) {
        fail(ctx, "create_function takes 'name(argument TYPE, ...)', 'TYPE', 'SELECT ...'");
        return;
    }
    define(ctx, "create_function",
           sqlite3_mprintf("CREATE PERFETTO FUNCTION %s RETURNS %s AS %s",
                           sqlite3_value_text(argv[0]), sqlite3_value_text(argv[1]),
                           sqlite3_value_text(argv[2])));
}

/* create_view_function('name(argument TYPE, ...)', 'column TYPE, ...', 'SELECT ...') */
static void fn_create_view_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    if (!all_texts(argc, argv)) {
        fail(ctx, "create_view_function takes 'name(argument TYPE, ...)', 'column TYPE, ...', "
                  "'SELECT ...'");
        return;
    }
    define(ctx, "create_view_function",
           sqlite3_mprintf("CREATE PERFETTO FUNCTION %s RETURNS TABLE(%s) AS %s",
                           sqlite3_value_text(argv[0]), sqlite3_value_text(argv[1]),
                           sqlite3_value_text(argv[2])));
}

static void fn_memoize(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    if (!all_texts(argc, argv)) {
        fail(ctx, "experimental_memoize takes a function's name");
        return;
    }
    struct status s = sql_function_memoize(sqlite3_user_data(ctx), value_str(argv[0]));
    result_status(ctx, "experimental_memoize", &s);
}

static void fn_import(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    if (!all_texts(argc, argv)) {
        fail(ctx, "import takes a module's name");
        return;
    }
    char *text = sqlite3_mprintf("INCLUDE PERFETTO MODULE %s", sqlite3_value_text(argv[0]));
    struct status s = run(sqlite3_user_data(ctx), "import", text);
    result_status(ctx, "import", &s);
    sqlite3_free(text);
}

static const struct native_function functions[] = {
    {.name = "create_function", .argc = 3, .call = fn_create_function},
    {.name = "create_view_function", .argc = 3, .call = fn_create_view_function},
    {.name = "experimental_memoize", .argc = 1, .call = fn_memoize},
    {.name = "import", .argc = 1, .call = fn_import},
    {0},
};

const struct sql_family legacy_functions_family = {.functions = functions, .runs_statements = true};
