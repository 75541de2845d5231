#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/values/values.h"
#include "sql/engine/vtab.h"
#include "sql/script/function_body.h"

struct function_vtab {
    sqlite3_vtab base;
    struct sql_function *function;
};

struct function_cursor {
    sqlite3_vtab_cursor base;
    struct sql_function *function;
    struct function_body body;
    struct given_values given;
    bool eof;
    int64_t row;
};

static int function_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                            sqlite3_vtab **out, char **error)
{
    (void)argc, (void)argv, (void)error;
    struct sql_function *f = aux;
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (size_t i = 0; i < f->columns.count; i++)
        sqlite3_str_appendf(text, "%s\"%w\" %s", i ? "," : "", f->columns.items[i].name,
                            declared_type_sql(f->columns.items[i].type));
    for (size_t i = 0; i < f->parameters.count; i++)
        sqlite3_str_appendf(text, ",\"_in_%w\" HIDDEN", f->parameters.items[i].name);
    sqlite3_str_appendall(text, ")");
    int rc = vtab_declare(db, text);
    if (rc != SQLITE_OK)
        return rc;
    struct function_vtab *v = alloc_array(1, sizeof *v);
    v->function = f;
    *out = &v->base;
    return SQLITE_OK;
}

static int function_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct sql_function *f = ((struct function_vtab *)base)->function;
    info->estimatedCost = 100;
    info->estimatedRows = 25;
    return plan_arguments(info, (int)f->columns.count, (int)f->parameters.count);
}

static int function_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct function_cursor *c = alloc_array(1, sizeof *c);
    c->function = ((struct function_vtab *)base)->function;
    *out = &c->base;
    return SQLITE_OK;
}

static int function_close(sqlite3_vtab_cursor *base)
{
    struct function_cursor *c = (struct function_cursor *)base;
    if (c->body.stmt)
        function_body_give_back(c->function, c->body);
    given_values_release(&c->given);
    free(c);
    return SQLITE_OK;
}

static int fail(struct function_cursor *c, int rc)
{
    if (rc == SQLITE_INTERRUPT)
        return rc;
    sqlite3_vtab *v = c->base.pVtab;
    sqlite3_free(v->zErrMsg);
    v->zErrMsg = function_failure(c->function);
    return SQLITE_ERROR;
}

static int function_next(sqlite3_vtab_cursor *base)
{
    struct function_cursor *c = (struct function_cursor *)base;
    int rc = session_step(c->function->session, c->body.stmt);
    c->eof = rc != SQLITE_ROW;
    c->row++;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : fail(c, rc);
}

static int function_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                           sqlite3_value **argv)
{
    (void)text;
    struct function_cursor *c = (struct function_cursor *)base;
    if (plan == PLAN_WITHOUT_ARGUMENTS)
        return vtab_fail(base->pVtab,
                         status_error(STATUS_SQL, "function %s takes %d argument%s",
                                      c->function->name, (int)c->function->parameters.count,
                                      c->function->parameters.count == 1 ? "" : "s"));
    char *problem = function_check_arguments(c->function, argc, argv);
    if (problem) {
        sqlite3_free(base->pVtab->zErrMsg);
        base->pVtab->zErrMsg = problem;
        return SQLITE_ERROR;
    }
    int rc = c->body.stmt ? SQLITE_OK : function_body_take(c->function, argc, &c->body);
    if (rc != SQLITE_OK)
        return fail(c, rc);
    given_values_keep(&c->given, argc, argv);
    sqlite3_reset(c->body.stmt);
    function_body_bind(&c->body, argc, argv);
    c->row = -1;
    return function_next(base);
}

static int function_eof(sqlite3_vtab_cursor *base)
{
    return ((struct function_cursor *)base)->eof;
}

static int function_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    struct function_cursor *c = (struct function_cursor *)base;
    if (i < (int)c->function->columns.count)
        result_value(ctx, sqlite3_column_value(c->body.stmt, i));
    else
        given_values_result(&c->given, i - (int)c->function->columns.count, ctx);
    return SQLITE_OK;
}

static int function_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((struct function_cursor *)base)->row;
    return SQLITE_OK;
}

const sqlite3_module function_table_module = {
    .iVersion = 2,
    .xConnect = function_connect,
    .xBestIndex = function_best_index,
    .xDisconnect = vtab_free,
    .xOpen = function_open,
    .xClose = function_close,
    .xFilter = function_filter,
    .xNext = function_next,
    .xEof = function_eof,
    .xColumn = function_column,
    .xRowid = function_rowid,
};
