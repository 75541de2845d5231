/* run_metric('file.sql', ...): what older metrics are put together with. */
#include <string.h>

#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"
#include "sql/language/language.h"
#include "sql/script/script.h"

/* The module that stands for a file which is not a metric's: android/a.sql is the module android.a
 * of a package, with or without the package's name in front. */
static struct str find_module(const struct sql_session *s, struct str path)
{
    char *name = sqlite3_mprintf(".%.*s", (int)(path.n - sizeof ".sql" + 1), path.p);
    struct str found = {NULL, 0};
    for (char *p = name; *p; p++)
        *p = *p == '/' ? '.' : *p;
    for (size_t i = 0; i < s->language->modules.count && !found.p; i++) {
        const struct sql_module *m = &s->language->modules.items[i];
        if (strcmp(m->name, name + 1) == 0 || str_ends(str_from(m->name), str_from(name)))
            found = m->text;
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

/* Runs the text with its keys replaced. What it defines has its own copy. */
static struct status run(struct sql_session *s, struct str path, struct str text, int argc,
                         sqlite3_value **argv)
{
    struct str missing = {NULL, 0};
    char *replaced = substitute(text, argc, argv, &missing);
    char *name = sqlite3_mprintf("%.*s", (int)path.n, path.p);
    struct sql_source source = {.name = name, .text = str_from(replaced ? replaced : "")};
    struct status status = missing.p ? status_error(STATUS_SQL, "%s needs a value for '%.*s'", name,
                                                    (int)missing.n, missing.p)
                                     : script_run(s, &source, NULL);
    sqlite3_free(name);
    sqlite3_free(replaced);
    return status;
}

/* run_metric('file.sql', 'key', 'value', ...) */
static void fn_run_metric(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    struct str path = argc > 0 ? value_str(argv[0]) : STR("");
    if (argc % 2 == 0 || !values_are_texts(argc, argv) || !str_ends(path, STR(".sql"))) {
        result_error(ctx, "run_metric takes a file, 'a/b.sql', and pairs of 'key', 'value'");
        return;
    }
    const struct metric_file *file = metric_files_find(s->language, path);
    struct str text = file ? file->text : find_module(s, path);
    struct status status =
        text.p ? run(s, path, text, argc, argv)
               : status_error(STATUS_SQL,
                              "%.*s is not part of tptui: --add-sql-package DIR loads the "
                              "files below a folder",
                              (int)path.n, path.p);
    if (status_ok(status))
        result_void(ctx);
    else
        result_failed(ctx, status_prefix(status, "run_metric"));
}

static const struct native_function functions[] = {
    SQL_FUNCTION("run_metric", -1, fn_run_metric),
    {0},
};

const struct sql_family run_metric_family = {.functions = functions, .runs_statements = true};
