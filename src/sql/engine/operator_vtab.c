#include "sql/engine/operator_vtab.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_result.h"
#include "sql/engine/vtab.h"

struct operator_vtab {
    sqlite3_vtab base;
    struct sql_session *session;
    const struct operator_table *table;
    void *state;
    struct operator_columns columns;
    int parameter_count;
};

static struct operator_vtab *vtab_of(sqlite3_vtab_cursor *c)
{
    return (struct operator_vtab *)c->pVtab;
}

static int declare(sqlite3 *db, struct operator_vtab *v)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (size_t i = 0; i < v->columns.v.count; i++)
        sqlite3_str_appendf(text, "\"%w\",", v->columns.v.items[i]);
    struct str name, rest = str_from(v->table->parameters);
    enum declared_type type;
    for (; column_take(&rest, &name, &type); v->parameter_count++)
        sqlite3_str_appendf(text, "%s\"%.*w\" HIDDEN", v->parameter_count ? "," : "", (int)name.n,
                            name.p);
    sqlite3_str_appendall(text, ")");
    return vtab_declare(db, text);
}

static int operator_disconnect(sqlite3_vtab *base)
{
    struct operator_vtab *v = (struct operator_vtab *)base;
    if (v->state)
        v->table->destroy(v->state);
    vec_release(&v->columns.v);
    free(v);
    return SQLITE_OK;
}

static struct status read_input(struct operator_vtab *v, int argc, const char *const *argv)
{
    if (argc != 4)
        return status_error(STATUS_SQL, "%s takes one argument: a table, or a query in parentheses",
                            v->table->name);
    return v->table->create(v->session, argv[3], &v->state, &v->columns);
}

static int operator_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                            sqlite3_vtab **out, char **error)
{
    const struct virtual_table_client *client = aux;
    const struct operator_table *t = client->detail;
    struct operator_vtab *v = alloc_array(1, sizeof *v);
    v->session = client->session;
    v->table = t;
    for (int i = 0; t->columns[i]; i++)
        *vec_push(&v->columns.v) = t->columns[i];
    struct status status = read_input(v, argc, argv);
    int rc = status_ok(status) ? declare(db, v) : SQLITE_ERROR;
    if (status.code == STATUS_CANCELLED)
        rc = SQLITE_INTERRUPT;
    else if (!status_ok(status))
        *error = sqlite3_mprintf("%s", status.message);
    status_release(&status);
    if (rc == SQLITE_OK)
        *out = &v->base;
    else
        operator_disconnect(&v->base);
    return rc;
}

/* Markers come behind the parameters. */
static int operator_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct operator_vtab *v = (const struct operator_vtab *)base;
    int args = v->parameter_count;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        if (c->op != SQLITE_INDEX_CONSTRAINT_FUNCTION)
            continue;
        if (!c->usable)
            return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = ++args;
        info->aConstraintUsage[i].omit = 1;
    }
    info->estimatedCost = 1000;
    info->estimatedRows = 100;
    return plan_arguments(info, (int)v->columns.v.count, v->parameter_count);
}

static int operator_filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
                           sqlite3_value **argv)
{
    (void)text;
    struct rows_cursor *c = (struct rows_cursor *)base;
    struct operator_vtab *v = vtab_of(base);
    if (number == PLAN_WITHOUT_ARGUMENTS)
        return vtab_missing_arguments(&v->base, v->table->name, v->table->parameters);
    given_values_keep(&c->given, v->parameter_count, argv);
    struct table_builder *b =
        table_builder_new(&v->session->trace->strings, (int)v->columns.v.count, v->columns.v.items);
    const struct operator_call call = {v->session, v->state, argv, argc > v->parameter_count};
    struct status status = v->table->compute(&call, b);
    if (!status_ok(status)) {
        table_builder_free(b);
        rows_cursor_set(c, NULL);
        return vtab_fail(&v->base, status);
    }
    struct table *rows = table_builder_finish(b, v->table->name);
    rows_cursor_set(c, sql_table_own(rows, &v->session->trace->strings, &v->session->cancel));
    return SQLITE_OK;
}

static int operator_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const struct rows_cursor *c = (const struct rows_cursor *)base;
    if ((size_t)i < vtab_of(base)->columns.v.count)
        sql_table_result(c->rows, (uint32_t)i + 1, c->row, ctx);
    else
        given_values_result(&c->given, i - (int)vtab_of(base)->columns.v.count, ctx);
    return SQLITE_OK;
}

void operator_marker_called(SQL_FUNCTION_ARGS)
{
    result_error(ctx, "this function works on a column of its own table only");
}

static int operator_find_function(sqlite3_vtab *base, int argc, const char *name,
                                  void (**call)(sqlite3_context *, int, sqlite3_value **),
                                  void **data)
{
    const struct operator_vtab *v = (const struct operator_vtab *)base;
    if (argc != 2 || !v->table->marker || sqlite3_stricmp(name, v->table->marker) != 0)
        return 0;
    *call = operator_marker_called;
    *data = NULL;
    return SQLITE_INDEX_CONSTRAINT_FUNCTION;
}

const sqlite3_module operator_module = {
    .iVersion = 2,
    .xCreate = operator_connect,
    .xConnect = operator_connect,
    .xBestIndex = operator_best_index,
    .xDisconnect = operator_disconnect,
    .xDestroy = operator_disconnect,
    .xOpen = rows_cursor_open,
    .xClose = rows_cursor_close,
    .xFilter = operator_filter,
    .xNext = rows_cursor_next,
    .xEof = rows_cursor_eof,
    .xColumn = operator_column,
    .xRowid = rows_cursor_rowid,
    .xFindFunction = operator_find_function,
};

struct status operator_read(struct sql_session *s, const char *text,
                            const struct operator_reader *reader, void *self)
{
    char *query = sqlite3_mprintf("SELECT * FROM %s", text);
    sqlite3_stmt *stmt = NULL;
    struct status status = status_ok_value();
    int rc = session_prepare(s, query, 0, &stmt);
    sqlite3_free(query);
    if (rc == SQLITE_OK && sqlite3_column_count(stmt) < reader->columns)
        status = status_error(STATUS_SQL, "the input has %d columns, expected %d",
                              sqlite3_column_count(stmt), reader->columns);
    if (rc == SQLITE_OK && status_ok(status) && reader->begin)
        status = reader->begin(self, stmt);
    while (rc == SQLITE_OK && status_ok(status) && (rc = session_step(s, stmt)) == SQLITE_ROW) {
        status = reader->row(self, stmt);
        rc = SQLITE_OK;
    }
    if (rc == SQLITE_INTERRUPT)
        status = status_error(STATUS_CANCELLED, "interrupted");
    else if (rc != SQLITE_OK && rc != SQLITE_DONE)
        status = status_error(STATUS_SQL, "%s", session_message(s));
    sqlite3_finalize(stmt);
    return status;
}
