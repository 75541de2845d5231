/* Table functions that pick rows of a core table: ancestor_slice(id), following_flow(id) ... */
#include <stdlib.h>

#include "base/alloc.h"
#include "sql/tables/catalog.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_result.h"
#include "sql/engine/row_finder.h"
#include "sql/engine/vtab.h"

static const char slices[] = "__intrinsic_slice", flows[] = "__intrinsic_flow",
                  callsites[] = "__intrinsic_stack_profile_callsite";

void row_finder_init(struct row_finder *f, struct sql_session *s)
{
    *f = (struct row_finder){.session = s,
                             .slices = catalog_find(&s->catalog, slices),
                             .flows = catalog_find(&s->catalog, flows),
                             .callsites = catalog_find(&s->catalog, callsites)};
}

void row_finder_release(struct row_finder *f)
{
    vec_release(&f->rows.v);
    vec_release(&f->queue.v);
    free(f->slice_seen);
    free(f->flow_seen);
}

struct sql_table *row_function_starts(const struct row_function *f, const struct sql_session *s)
{
    return catalog_find(&s->catalog, f->start_table);
}

struct sql_table *row_function_results(const struct row_function *f, const struct sql_session *s)
{
    return catalog_find(&s->catalog, f->result_table);
}

struct row_vtab {
    sqlite3_vtab base;
    const char *name;
    struct sql_session *session;
    const struct row_function *function;
    struct sql_table *start, *result;
};

struct row_cursor {
    sqlite3_vtab_cursor base;
    struct row_finder finder;
    size_t at;
    struct given_values given;
};

static int row_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                       sqlite3_vtab **out, char **error)
{
    (void)argc, (void)argv, (void)error;
    const struct virtual_table_client *client = aux;
    const struct row_function *f = client->detail;
    const struct sql_table *result = row_function_results(f, client->session);
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (uint32_t i = 0; i < result->column_count; i++)
        sqlite3_str_appendf(text, "\"%w\" %s,", result->columns[i].name,
                            sql_column_is_text(&result->columns[i]) ? "TEXT" : "BIGINT");
    sqlite3_str_appendf(text, "\"_%w\" HIDDEN)", f->parameter);
    int rc = vtab_declare(db, text);
    if (rc != SQLITE_OK)
        return rc;
    struct row_vtab *v = alloc_array(1, sizeof *v);
    v->session = client->session;
    v->name = client->name;
    v->function = f;
    v->start = row_function_starts(f, client->session);
    v->result = row_function_results(f, client->session);
    *out = &v->base;
    return SQLITE_OK;
}

static int row_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct row_vtab *v = (const struct row_vtab *)base;
    info->estimatedCost = 20;
    info->estimatedRows = 10;
    info->idxStr = (char *)(uintptr_t)v->function->parameter;
    return plan_arguments(info, (int)v->result->column_count, 1);
}

static int row_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct sql_session *s = ((struct row_vtab *)base)->session;
    struct row_cursor *c = alloc_array(1, sizeof *c);
    row_finder_init(&c->finder, s);
    *out = &c->base;
    return SQLITE_OK;
}

static int row_close(sqlite3_vtab_cursor *base)
{
    struct row_cursor *c = (struct row_cursor *)base;
    row_finder_release(&c->finder);
    given_values_release(&c->given);
    free(c);
    return SQLITE_OK;
}

static int row_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                      sqlite3_value **argv)
{
    (void)text;
    struct row_cursor *c = (struct row_cursor *)base;
    const struct row_vtab *v = (const struct row_vtab *)base->pVtab;
    if (plan == PLAN_WITHOUT_ARGUMENTS)
        return vtab_fail(base->pVtab, status_error(STATUS_SQL, "%s takes one argument: %s", v->name,
                                                   v->function->parameter));
    given_values_keep(&c->given, argc, argv);
    c->at = 0;
    c->finder.rows.v.count = 0;
    int64_t start = sqlite3_value_int64(argv[0]);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || start < 0 || start >= v->start->table->rows)
        return SQLITE_OK;
    return v->function->find(&c->finder, (uint32_t)start) ? SQLITE_OK : SQLITE_INTERRUPT;
}

static int row_next(sqlite3_vtab_cursor *base)
{
    ((struct row_cursor *)base)->at++;
    return SQLITE_OK;
}

static int row_eof(sqlite3_vtab_cursor *base)
{
    const struct row_cursor *c = (const struct row_cursor *)base;
    return c->at >= c->finder.rows.v.count;
}

static int row_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const struct row_cursor *c = (const struct row_cursor *)base;
    const struct row_vtab *v = (const struct row_vtab *)base->pVtab;
    if (i < (int)v->result->column_count)
        sql_table_result_settled(v->session->trace, v->result, (uint32_t)i,
                                 c->finder.rows.v.items[c->at], ctx);
    else
        given_values_result(&c->given, 0, ctx);
    return SQLITE_OK;
}

static int row_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    const struct row_cursor *c = (const struct row_cursor *)base;
    *out = c->finder.rows.v.items[c->at];
    return SQLITE_OK;
}

static const struct row_function ancestor_slice = {
    .parameter = "slice_id",
    .start_table = slices,
    .result_table = slices,
    .find = find_ancestor_slices,
};
static const struct row_function descendant_slice = {
    .parameter = "slice_id",
    .start_table = slices,
    .result_table = slices,
    .find = find_descendant_slices,
};
static const struct row_function ancestor_callsite = {
    .parameter = "callsite_id",
    .start_table = callsites,
    .result_table = callsites,
    .find = find_ancestor_callsites,
};
static const struct row_function directly_connected_flow = {
    .parameter = "start_id",
    .start_table = slices,
    .result_table = flows,
    .find = find_connected_flows,
};
static const struct row_function following_flow = {
    .parameter = "start_id",
    .start_table = slices,
    .result_table = flows,
    .find = find_following_flows,
};
static const struct row_function preceding_flow = {
    .parameter = "start_id",
    .start_table = slices,
    .result_table = flows,
    .find = find_preceding_flows,
};

static const sqlite3_module module = {
    .iVersion = 2,
    .xConnect = row_connect,
    .xBestIndex = row_best_index,
    .xDisconnect = vtab_free,
    .xOpen = row_open,
    .xClose = row_close,
    .xFilter = row_filter,
    .xNext = row_next,
    .xEof = row_eof,
    .xColumn = row_column,
    .xRowid = row_rowid,
};

static const struct virtual_table virtual_tables[] = {
    {.name = "ancestor_slice", .module = &module, .detail = &ancestor_slice},
    {.name = "descendant_slice", .module = &module, .detail = &descendant_slice},
    {.name = "experimental_ancestor_stack_profile_callsite",
     .module = &module,
     .detail = &ancestor_callsite},
    {.name = "directly_connected_flow", .module = &module, .detail = &directly_connected_flow},
    {.name = "following_flow", .module = &module, .detail = &following_flow},
    {.name = "preceding_flow", .module = &module, .detail = &preceding_flow},
    {0},
};

const struct row_function *row_function_find(struct str name)
{
    for (const struct virtual_table *t = virtual_tables; t->name; t++)
        if (str_eq_any_case(str_from(t->name), name))
            return t->detail;
    return NULL;
}

const struct sql_family row_functions_family = {.virtual_tables = virtual_tables};
