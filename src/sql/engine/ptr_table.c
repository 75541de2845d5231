#include "sql/engine/ptr_table.h"

#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_result.h"
#include "sql/values/values.h"
#include "sql/engine/vtab.h"

enum { COLUMNS = 32, ROW_COLUMN = COLUMNS };

struct ptr_vtab {
    sqlite3_vtab base;
};

struct ptr_cursor {
    struct rows_cursor shown; /* no rows where there is no pointer */
    int columns[COLUMNS];     /* c0.. to the table's columns, -1 where nothing is bound */
};

void ptr_table_unref(void *table)
{
    sql_table_unref(table);
}

void ptr_table_result(sqlite3_context *ctx, struct sql_session *s, struct table_builder *b)
{
    if (atomic_load(&s->cancel)) {
        table_builder_free(b);
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
        return;
    }
    struct table *t = table_builder_finish(b, "result");
    struct sql_table *wrapped = sql_table_own(t, &s->trace->strings, &s->cancel);
    result_pointer(ctx, wrapped, PTR_TABLE_TYPE, ptr_table_unref);
}

static int ptr_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                       sqlite3_vtab **out, char **error)
{
    (void)aux, (void)argc, (void)argv, (void)error;
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (int i = 0; i < COLUMNS; i++)
        sqlite3_str_appendf(text, "c%d,", i);
    sqlite3_str_appendall(text, "\"row\" HIDDEN)");
    int rc = vtab_declare(db, text);
    if (rc != SQLITE_OK)
        return rc;
    struct ptr_vtab *v = alloc_array(1, sizeof *v);
    *out = &v->base;
    return SQLITE_OK;
}

/* idxStr: a letter for each argument, 'a' the pointer, 'A' + n the name that cn is bound to. */
static int ptr_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    (void)base;
    sqlite3_str *plan = sqlite3_str_new(NULL);
    bool pointer = false;
    int args = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        bool is_pointer =
            c->iColumn == ROW_COLUMN && c->op == SQLITE_INDEX_CONSTRAINT_EQ && !pointer;
        bool is_bind =
            c->op == SQLITE_INDEX_CONSTRAINT_FUNCTION && c->iColumn >= 0 && c->iColumn < COLUMNS;
        if (!is_pointer && !is_bind)
            continue;
        if (!c->usable) {
            sqlite3_free(sqlite3_str_finish(plan));
            return SQLITE_CONSTRAINT;
        }
        pointer = pointer || is_pointer;
        info->aConstraintUsage[i].argvIndex = ++args;
        info->aConstraintUsage[i].omit = 1;
        sqlite3_str_appendchar(plan, 1, is_pointer ? 'a' : (char)('A' + c->iColumn));
    }
    info->idxStr = sqlite3_str_finish(plan);
    info->needToFreeIdxStr = info->idxStr != NULL;
    /* How many rows the pointer has is not known yet. Taken for few, they were gone through once
     * for each row of another table, where an index on that one was all it needs. */
    info->estimatedCost = 1000000;
    info->estimatedRows = 1000000;
    return pointer ? SQLITE_OK : plan_without_arguments(info);
}

static int ptr_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    (void)base;
    struct ptr_cursor *c = alloc_array(1, sizeof *c);
    *out = &c->shown.base;
    return SQLITE_OK;
}

static int bind_column(struct ptr_cursor *c, int column, sqlite3_value *v)
{
    const char *name = (const char *)sqlite3_value_text(v);
    if (!c->shown.rows || !name)
        return SQLITE_OK;
    c->columns[column] = sql_table_find(c->shown.rows, name);
    if (c->columns[column] >= 0)
        return SQLITE_OK;
    return vtab_fail(c->shown.base.pVtab,
                     status_error(STATUS_SQL, "the table behind the pointer has no column %s",
                                  name));
}

static int ptr_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
                      sqlite3_value **argv)
{
    struct ptr_cursor *c = (struct ptr_cursor *)base;
    struct sql_table *table = NULL;
    if (number == PLAN_WITHOUT_ARGUMENTS)
        return vtab_fail(base->pVtab,
                         status_error(STATUS_SQL,
                                      "__intrinsic_table_ptr takes a pointer to a table"));
    for (int i = 0; i < COLUMNS; i++)
        c->columns[i] = -1;
    for (int i = 0; i < argc; i++)
        if (plan[i] == 'a')
            table = pointer_of(argv[i], PTR_TABLE_TYPE);
    if (table)
        table->references++;
    rows_cursor_set(&c->shown, table);
    for (int i = 0; i < argc; i++) {
        int rc = plan[i] == 'a' ? SQLITE_OK : bind_column(c, plan[i] - 'A', argv[i]);
        if (rc != SQLITE_OK)
            return rc;
    }
    return SQLITE_OK;
}

static int ptr_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const struct ptr_cursor *c = (const struct ptr_cursor *)base;
    if (i < COLUMNS && c->columns[i] >= 0)
        sql_table_result(c->shown.rows, (uint32_t)c->columns[i], c->shown.row, ctx);
    return SQLITE_OK;
}

/* Never called as a function where it is used as meant: the table takes it as a constraint. */
static void fn_bind(SQL_FUNCTION_ARGS)
{
    result_error(ctx, "__intrinsic_table_ptr_bind: works on columns of __intrinsic_table_ptr only");
}

/* On one of its columns where it constrains nothing. */
static void fn_is_bound(SQL_FUNCTION_ARGS)
{
    sqlite3_result_int(ctx, 1);
}

static int ptr_find_function(sqlite3_vtab *base, int argc, const char *name,
                             void (**call)(sqlite3_context *, int, sqlite3_value **), void **data)
{
    (void)base;
    if (argc != 2 || sqlite3_stricmp(name, "__intrinsic_table_ptr_bind") != 0)
        return 0;
    *call = fn_is_bound;
    *data = NULL;
    return SQLITE_INDEX_CONSTRAINT_FUNCTION;
}

static const sqlite3_module module = {
    .iVersion = 2,
    .xConnect = ptr_connect,
    .xBestIndex = ptr_best_index,
    .xDisconnect = vtab_free,
    .xOpen = ptr_open,
    .xClose = rows_cursor_close,
    .xFilter = ptr_filter,
    .xNext = rows_cursor_next,
    .xEof = rows_cursor_eof,
    .xColumn = ptr_column,
    .xRowid = rows_cursor_rowid,
    .xFindFunction = ptr_find_function,
};

static const struct native_function functions[] = {
    SQL_FUNCTION("__intrinsic_table_ptr_bind", 2, fn_bind),
    {0},
};

static const struct virtual_table virtual_tables[] = {
    {.name = "__intrinsic_table_ptr", .module = &module},
    {0},
};

const struct sql_family ptr_table_family = {.functions = functions,
                                            .virtual_tables = virtual_tables};
