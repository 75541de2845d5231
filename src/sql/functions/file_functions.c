/* Functions that write files: only where the user has allowed it, SQL may come from anybody. */
#include "base/output_file.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"
#include "sql/export/json_export.h"

static bool may_write(sqlite3_context *ctx, const struct sql_session *s, const char *function)
{
    if (!s->may_write_files)
        result_error(ctx, "%s: File I/O is disabled: --allow-sql-file-access allows it", function);
    return s->may_write_files;
}

/* __intrinsic_file_write(path, data): creates the file or replaces what is in it, and returns how
 * many bytes it has. */
static void fn_file_write(SQL_FUNCTION_ARGS)
{
    const struct sql_session *s = sqlite3_user_data(ctx);
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT) {
        result_error(ctx, "__intrinsic_file_write: argument 1, filename must be string");
        return;
    }
    if (sqlite3_value_type(argv[1]) != SQLITE_BLOB) {
        result_error(ctx, "__intrinsic_file_write: argument 2, content must be bytes");
        return;
    }
    if (!may_write(ctx, s, "__intrinsic_file_write"))
        return;
    struct str data = value_str(argv[1]);
    struct status status =
        replace_or_write_text((const char *)sqlite3_value_text(argv[0]), data.p, data.n);
    if (!status_ok(status))
        result_error(ctx, "__intrinsic_file_write: %s", status.message);
    else
        sqlite3_result_int64(ctx, (sqlite3_int64)data.n);
    status_release(&status);
}

static struct status write_json(void *session, FILE *file)
{
    return json_export(session, file);
}

/* export_json(path): the trace as Chrome's JSON. */
static void fn_export_json(SQL_FUNCTION_ARGS)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT) {
        bool is_null = sqlite3_value_type(argv[0]) == SQLITE_NULL;
        result_error(ctx, "EXPORT_JSON: %s",
                     is_null ? "filename cannot be null" : "argument must be a filename string");
        return;
    }
    if (!may_write(ctx, s, "EXPORT_JSON"))
        return;
    struct status status =
        replace_or_write_file((const char *)sqlite3_value_text(argv[0]), write_json, s);
    if (!status_ok(status))
        result_failed(ctx, status_prefix(status, "EXPORT_JSON"));
}

static const struct native_function functions[] = {
    {.name = "export_json", .argc = 1, .flags = SQLITE_DIRECTONLY, .call = fn_export_json},
    {.name = "__intrinsic_file_write",
     .argc = 2,
     .flags = SQLITE_DIRECTONLY,
     .call = fn_file_write},
    {0},
};

const struct sql_family file_functions_family = {.functions = functions};
