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

static void result_status(sqlite3_context *ctx, const char *function, struct status *s)
{
    if (status_ok(*s)) {
        result_void(ctx);
    } else {
        result_error(ctx, "%s: %s", function, s->message);
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

/* create_function('name(argument TYPE, ...)', 'TYPE', 'SELECT ...') */
static void fn_create_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    if (!values_are_texts(argc, argv)) {
        result_error(ctx, "create_function takes 'name(argument TYPE, ...)', 'TYPE', 'SELECT ...'");
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
    if (!values_are_texts(argc, argv)) {
        result_error(ctx,
                     "create_view_function takes 'name(argument TYPE, ...)', 'column TYPE, ...', "
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
    if (!values_are_texts(argc, argv)) {
        result_error(ctx, "experimental_memoize takes a function's name");
        return;
    }
    struct status s = sql_function_memoize(sqlite3_user_data(ctx), value_str(argv[0]));
    result_status(ctx, "experimental_memoize", &s);
}

static void fn_import(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    if (!values_are_texts(argc, argv)) {
        result_error(ctx, "import takes a module's name");
        return;
    }
    char *text = sqlite3_mprintf("INCLUDE PERFETTO MODULE %s", sqlite3_value_text(argv[0]));
    struct status s = run(sqlite3_user_data(ctx), "import", text);
    result_status(ctx, "import", &s);
    sqlite3_free(text);
}

static const struct native_function functions[] = {
    SQL_FUNCTION("create_function", 3, fn_create_function),
    SQL_FUNCTION("create_view_function", 3, fn_create_view_function),
    SQL_FUNCTION("experimental_memoize", 1, fn_memoize),
    SQL_FUNCTION("import", 1, fn_import),
    {0},
};

const struct sql_family legacy_functions_family = {.functions = functions, .runs_statements = true};
