#include "sql/engine/table_function.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_result.h"
#include "sql/engine/vtab.h"

const struct table_function *table_function_find(const struct sql_session *s, struct str name)
{
    for (size_t i = 0; s->families[i]; i++)
        for (const struct table_function *f = s->families[i]->table_functions; f && f->name; f++)
            if (str_eq_any_case(str_from(f->name), name))
                return f;
    return NULL;
}

struct made_vtab {
    sqlite3_vtab base;
    struct sql_session *session;
    const struct table_function *function;
    int columns, parameters;
};

static int made_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **out, char **error)
{
    (void)argc, (void)argv, (void)error;
    const struct virtual_table_client *client = aux;
    const struct table_function *f = client->detail;
    struct made_vtab v = {.session = client->session, .function = f};
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    struct str name, rest = str_from(f->columns);
    enum declared_type type;
    for (; column_take(&rest, &name, &type); v.columns++)
        sqlite3_str_appendf(text, "%s\"%.*w\" %s", v.columns ? "," : "", (int)name.n, name.p,
                            declared_type_sql(type));
    rest = str_from(f->parameters ? f->parameters : "");
    for (; column_take(&rest, &name, &type); v.parameters++)
        sqlite3_str_appendf(text, ",\"%.*w\" HIDDEN", (int)name.n, name.p);
    sqlite3_str_appendall(text, ")");
    int rc = vtab_declare(db, text);
    if (rc != SQLITE_OK)
        return rc;
    struct made_vtab *made = alloc_array(1, sizeof *made);
    *made = v;
    *out = &made->base;
    return SQLITE_OK;
}

static int made_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct made_vtab *v = (const struct made_vtab *)base;
    info->estimatedCost = 1000;
    info->estimatedRows = 1000;
    return plan_arguments(info, v->columns, v->parameters);
}

static int made_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                       sqlite3_value **argv)
{
    (void)text;
    struct rows_cursor *c = (struct rows_cursor *)base;
    struct made_vtab *v = (struct made_vtab *)base->pVtab;
    if (plan == PLAN_WITHOUT_ARGUMENTS)
        return vtab_missing_arguments(&v->base, v->function->name, v->function->parameters);
    given_values_keep(&c->given, argc, argv);
    struct table_builder *b = table_builder_of(&v->session->trace->strings, v->function->columns);
    struct status s =
        v->function->fill ? v->function->fill(v->session, argv, b) : status_ok_value();
    struct table *rows = table_builder_finish(b, v->function->name);
    rows_cursor_set(c, sql_table_own(rows, &v->session->trace->strings, &v->session->cancel));
    return status_ok(s) ? SQLITE_OK : vtab_fail(&v->base, s);
}

static int made_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const struct rows_cursor *c = (const struct rows_cursor *)base;
    const struct made_vtab *v = (const struct made_vtab *)base->pVtab;
    if (i < v->columns)
        sql_table_result(c->rows, (uint32_t)i + 1, c->row, ctx); /* behind _auto_id */
    else
        given_values_result(&c->given, i - v->columns, ctx);
    return SQLITE_OK;
}

const sqlite3_module table_function_module = {
    .iVersion = 2,
    .xConnect = made_connect,
    .xBestIndex = made_best_index,
    .xDisconnect = vtab_free,
    .xOpen = rows_cursor_open,
    .xClose = rows_cursor_close,
    .xFilter = made_filter,
    .xNext = rows_cursor_next,
    .xEof = rows_cursor_eof,
    .xColumn = made_column,
    .xRowid = rows_cursor_rowid,
};
