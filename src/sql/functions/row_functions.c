/* The virtual tables around row_finder.c: f(start) gives rows of a core table. */
#include "sql/functions/row_functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct row_function {
    const char *name, *parameter;
    const char *start_table, *result_table;
    bool (*find)(struct row_finder *f, uint32_t start);
};

static const struct row_function functions[] = {
    {"ancestor_slice", "slice_id", "__intrinsic_slice", "__intrinsic_slice", find_ancestor_slices},
    {"descendant_slice", "slice_id", "__intrinsic_slice", "__intrinsic_slice",
     find_descendant_slices},
    {"experimental_ancestor_stack_profile_callsite", "callsite_id",
     "__intrinsic_stack_profile_callsite", "__intrinsic_stack_profile_callsite",
     find_ancestor_callsites},
    {"directly_connected_flow", "start_id", "__intrinsic_slice", "__intrinsic_flow",
     find_connected_flows},
    {"following_flow", "start_id", "__intrinsic_slice", "__intrinsic_flow", find_following_flows},
    {"preceding_flow", "start_id", "__intrinsic_slice", "__intrinsic_flow", find_preceding_flows},
};

/* One registered function of one session. */
struct registered {
    struct sql_session *session;
    const struct row_function *function;
};

struct row_vtab {
    sqlite3_vtab base;
    struct sql_session *session;
    const struct row_function *function;
    struct sql_table *start, *result;
};

struct row_cursor {
    sqlite3_vtab_cursor base;
    struct row_finder finder;
    size_t at;
};

static int row_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                       sqlite3_vtab **out, char **error)
{
    (void)argc, (void)argv, (void)error;
    const struct registered *r = aux;
    const struct sql_table *result = catalog_find(r->session, r->function->result_table);
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (uint32_t i = 0; i < result->column_count; i++)
        sqlite3_str_appendf(text, "\"%w\" %s,", result->columns[i].name,
                            sql_column_is_text(&result->columns[i]) ? "TEXT" : "BIGINT");
    sqlite3_str_appendf(text, "\"_%w\" HIDDEN)", r->function->parameter);
    char *sql = sqlite3_str_finish(text);
    int rc = sqlite3_declare_vtab(db, sql);
    sqlite3_free(sql);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    struct row_vtab *v = alloc_array(1, sizeof *v);
    v->session = r->session;
    v->function = r->function;
    v->start = catalog_find(r->session, r->function->start_table);
    v->result = catalog_find(r->session, r->function->result_table);
    *out = &v->base;
    return SQLITE_OK;
}

static int row_disconnect(sqlite3_vtab *base)
{
    free(base);
    return SQLITE_OK;
}

static int row_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct row_vtab *v = (const struct row_vtab *)base;
    int parameter = (int)v->result->column_count;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        if (c->iColumn != parameter || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!c->usable)
            return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->estimatedCost = 20;
        info->estimatedRows = 10;
        info->idxStr = (char *)(uintptr_t)v->function->parameter;
        return SQLITE_OK;
    }
    sqlite3_free(base->zErrMsg);
    base->zErrMsg =
        sqlite3_mprintf("%s takes one argument: %s", v->function->name, v->function->parameter);
    return SQLITE_ERROR;
}

static int row_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct sql_session *s = ((struct row_vtab *)base)->session;
    struct row_cursor *c = alloc_array(1, sizeof *c);
    c->finder.session = s;
    c->finder.slices = catalog_find(s, "__intrinsic_slice");
    c->finder.flows = catalog_find(s, "__intrinsic_flow");
    c->finder.callsites = catalog_find(s, "__intrinsic_stack_profile_callsite");
    *out = &c->base;
    return SQLITE_OK;
}

static int row_close(sqlite3_vtab_cursor *base)
{
    struct row_cursor *c = (struct row_cursor *)base;
    vec_release(&c->finder.rows.v);
    vec_release(&c->finder.queue.v);
    free(c->finder.slice_seen);
    free(c->finder.flow_seen);
    free(c);
    return SQLITE_OK;
}

static int row_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                      sqlite3_value **argv)
{
    (void)plan, (void)text, (void)argc;
    struct row_cursor *c = (struct row_cursor *)base;
    const struct row_vtab *v = (const struct row_vtab *)base->pVtab;
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
        sql_table_result(v->result, (uint32_t)i, c->finder.rows.v.items[c->at], ctx);
    return SQLITE_OK;
}

static int row_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    const struct row_cursor *c = (const struct row_cursor *)base;
    *out = c->finder.rows.v.items[c->at];
    return SQLITE_OK;
}

int row_functions_register(struct sql_session *s)
{
    static const sqlite3_module module = {
        .iVersion = 2,
        .xConnect = row_connect,
        .xBestIndex = row_best_index,
        .xDisconnect = row_disconnect,
        .xOpen = row_open,
        .xClose = row_close,
        .xFilter = row_filter,
        .xNext = row_next,
        .xEof = row_eof,
        .xColumn = row_column,
        .xRowid = row_rowid,
    };
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof functions / sizeof *functions; i++) {
        struct registered *r = alloc_array(1, sizeof *r);
        *r = (struct registered){s, &functions[i]};
        rc = sqlite3_create_module_v2(s->db, functions[i].name, &module, r, free);
    }
    return rc;
}
