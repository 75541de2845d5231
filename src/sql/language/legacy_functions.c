/* What scripts for older versions of Trace Processor call as functions, where there are statements
 * now: SELECT create_function('f(x INT)', 'INT', 'SELECT ...') for CREATE PERFETTO FUNCTION, SELECT
 * import('module') for INCLUDE PERFETTO MODULE. SELECT run_metric('file.sql', 'key', 'value', ...)
 * runs a module's text with {{key}} replaced. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/engine/values.h"
#include "sql/language/language.h"
#include "sql/language/module.h"
#include "sql/language/script.h"
#include "sql/language/sql_function.h"
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

/* The module that stands for a metric's file: android/a.sql is the module android.a of a package,
 * with or without the package's name in front. */
static const struct sql_module *find_metric(const struct sql_session *s, struct str path)
{
    char *name = sqlite3_mprintf(".%.*s", (int)(path.n - sizeof ".sql" + 1), path.p);
    const struct sql_module *found = NULL;
    for (char *p = name; *p; p++)
        *p = *p == '/' ? '.' : *p;
    for (size_t i = 0; i < s->language->modules.count && !found; i++) {
        const struct sql_module *m = &s->language->modules.items[i];
        if (strcmp(m->name, name + 1) == 0 || str_ends(str_from(m->name), str_from(name)))
            found = m;
    }
    sqlite3_free(name);
    return found;
}

/* The value of a key, `p` NULL where there is none. */
static struct str substitution(struct str key, int argc, sqlite3_value **argv)
{
    for (int i = 1; i + 1 < argc; i += 2)
        if (str_eq(value_str(argv[i]), key))
            return value_str(argv[i + 1]);
    return (struct str){NULL, 0};
}

/* Replaces {{key}}; `*missing` is set to a key that has no value. For sqlite3_free. */
static char *substitute(struct str text, int argc, sqlite3_value **argv, struct str *missing)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    while (text.n > 0) {
        const char *open = memmem(text.p, text.n, "{{", 2);
        size_t n = open ? (size_t)(open - text.p) : text.n;
        sqlite3_str_append(out, text.p, (int)n);
        text = str_skip(text, n);
        const char *close = open ? memmem(text.p, text.n, "}}", 2) : NULL;
        if (!close) {
            sqlite3_str_append(out, text.p, (int)text.n);
            break;
        }
        struct str key = str_trim(str_from_to(text, 2, (size_t)(close - text.p)));
        struct str value = substitution(key, argc, argv);
        if (!value.p)
            *missing = key;
        sqlite3_str_append(out, value.p ? value.p : "", (int)value.n);
        text = str_skip(text, (size_t)(close - text.p) + 2);
    }
    return sqlite3_str_finish(out);
}

static void fn_run_metric(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    struct str path = argc > 0 ? value_str(argv[0]) : STR(""), missing = {NULL, 0};
    if (argc % 2 == 0 || !all_texts(argc, argv) || !str_ends(path, STR(".sql"))) {
        fail(ctx, "run_metric takes a file, 'a/b.sql', and pairs of 'key', 'value'");
        return;
    }
    const struct sql_module *metric = find_metric(s, path);
    if (!metric) {
        char *message = sqlite3_mprintf("run_metric: %.*s is not part of tptui: --add-sql-package "
                                        "DIR loads the files below a folder",
                                        (int)path.n, path.p);
        fail(ctx, message);
        sqlite3_free(message);
        return;
    }
    char *text = substitute(metric->text, argc, argv, &missing);
    struct status status = missing.p ? status_error(STATUS_SQL, "%.*s needs a value for '%.*s'",
                                                    (int)path.n, path.p, (int)missing.n, missing.p)
                                     : run(s, metric->name, text ? text : "");
    result_status(ctx, "run_metric", &status);
    sqlite3_free(text);
}

static const struct native_function functions[] = {
    {.name = "create_function", .argc = 3, .call = fn_create_function},
    {.name = "create_view_function", .argc = 3, .call = fn_create_view_function},
    {.name = "experimental_memoize", .argc = 1, .call = fn_memoize},
    {.name = "import", .argc = 1, .call = fn_import},
    {.name = "run_metric", .argc = -1, .call = fn_run_metric},
    {0},
};

const struct sql_family legacy_functions_family = {.functions = functions};
