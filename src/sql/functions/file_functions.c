/* Functions that write files: only where the user has allowed it, SQL may come from anybody. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/engine/values.h"
#include "sql/export/json_export.h"

static void fail(sqlite3_context *ctx, char *message)
{
    sqlite3_result_error(ctx, message, -1);
    sqlite3_free(message);
}

/* NULL where all of it is in the file, else a message for sqlite3_free. */
static char *write_file(const char *path, struct str data)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return sqlite3_mprintf("%s: %s", path, strerror(errno));
    bool written = fwrite(data.p, 1, data.n, f) == data.n;
    int error = errno;
    if (fclose(f) != 0 && written) {
        written = false;
        error = errno;
    }
    return written ? NULL : sqlite3_mprintf("%s: %s", path, strerror(error));
}

static bool may_write(sqlite3_context *ctx, const struct sql_session *s, const char *function)
{
    if (!s->may_write_files)
        fail(ctx, sqlite3_mprintf("%s: queries may not write files: "
                                  "--allow-sql-file-access allows it",
                                  function));
    return s->may_write_files;
}

/* __intrinsic_file_write(path, data): creates the file or replaces what is in it. */
static void fn_file_write(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    const struct sql_session *s = sqlite3_user_data(ctx);
    int type = sqlite3_value_type(argv[1]);
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT ||
        (type != SQLITE_BLOB && type != SQLITE_TEXT)) {
        fail(ctx, sqlite3_mprintf("__intrinsic_file_write takes a path and text or bytes"));
        return;
    }
    if (!may_write(ctx, s, "__intrinsic_file_write"))
        return;
    char *problem = write_file((const char *)sqlite3_value_text(argv[0]), value_str(argv[1]));
    if (problem)
        fail(ctx, sqlite3_mprintf("__intrinsic_file_write: %z", problem));
}

/* export_json(path): the trace as Chrome's JSON. */
static void fn_export_json(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct sql_session *s = sqlite3_user_data(ctx);
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT) {
        fail(ctx, sqlite3_mprintf("export_json takes a path"));
        return;
    }
    if (!may_write(ctx, s, "export_json"))
        return;
    struct status status = json_export(s, (const char *)sqlite3_value_text(argv[0]));
    if (!status_ok(status))
        fail(ctx, sqlite3_mprintf("export_json: %s", status.message));
    if (status.code == STATUS_CANCELLED)
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
    status_release(&status);
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
