#include "sql/engine/vtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

int vtab_declare_text(sqlite3 *db, const char *sql)
{
    int rc = sql ? sqlite3_declare_vtab(db, sql) : SQLITE_NOMEM;
    return rc == SQLITE_OK ? sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS) : rc;
}

int vtab_declare(sqlite3 *db, sqlite3_str *text)
{
    char *sql = sqlite3_str_finish(text);
    int rc = vtab_declare_text(db, sql);
    sqlite3_free(sql);
    return rc;
}

int vtab_fail(sqlite3_vtab *v, struct status status)
{
    int rc = status.code == STATUS_CANCELLED ? SQLITE_INTERRUPT : SQLITE_ERROR;
    sqlite3_free(v->zErrMsg);
    v->zErrMsg = sqlite3_mprintf("%s", status.message);
    status_release(&status);
    return rc;
}

int vtab_free(sqlite3_vtab *v)
{
    free(v);
    return SQLITE_OK;
}

int vtab_missing_arguments(sqlite3_vtab *v, const char *name, const char *parameters)
{
    int n = 1;
    for (const char *comma = parameters; (comma = strchr(comma, ',')); comma++)
        n++;
    return vtab_fail(v, status_error(STATUS_SQL, "%s takes %d argument%s: %s", name, n,
                                     n == 1 ? "" : "s", parameters));
}

int plan_without_arguments(sqlite3_index_info *info)
{
    for (int i = 0; i < info->nConstraint; i++)
        info->aConstraintUsage[i] = (struct sqlite3_index_constraint_usage){0};
    info->idxNum = PLAN_WITHOUT_ARGUMENTS;
    info->estimatedCost = 1e99;
    return SQLITE_OK;
}

/* `column = ?`, usable or not; NULL where there is none. */
static const struct sqlite3_index_constraint *equality(const sqlite3_index_info *info, int column,
                                                       bool usable)
{
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        if (c->iColumn == column && c->op == SQLITE_INDEX_CONSTRAINT_EQ && !c->usable == !usable)
            return c;
    }
    return NULL;
}

int plan_arguments(sqlite3_index_info *info, int first, int count)
{
    bool waits = false, lacks = false;
    for (int i = 0; i < count; i++) {
        const struct sqlite3_index_constraint *c = equality(info, first + i, true);
        if (c) {
            info->aConstraintUsage[c - info->aConstraint].argvIndex = i + 1;
            info->aConstraintUsage[c - info->aConstraint].omit = 1;
        }
        waits |= !c && equality(info, first + i, false);
        lacks |= !c;
    }
    if (waits)
        return SQLITE_CONSTRAINT;
    return lacks ? plan_without_arguments(info) : SQLITE_OK;
}

void given_values_release(struct given_values *g)
{
    for (int i = 0; i < g->count; i++)
        sqlite3_value_free(g->items[i].other);
    free(g->items);
    *g = (struct given_values){0};
}

void given_values_keep(struct given_values *g, int count, sqlite3_value *const *values)
{
    if (g->count != count) {
        given_values_release(g);
        g->items = alloc_array((size_t)count, sizeof *g->items);
        g->count = count;
    }
    for (int i = 0; i < count; i++) {
        struct given_value v = {.type = sqlite3_value_type(values[i])};
        if (v.type == SQLITE_INTEGER)
            v.number = sqlite3_value_int64(values[i]);
        else if (v.type != SQLITE_NULL)
            v.other = sqlite3_value_dup(values[i]);
        sqlite3_value_free(g->items[i].other);
        g->items[i] = v;
    }
}

void given_values_result(const struct given_values *g, int i, sqlite3_context *ctx)
{
    const struct given_value *v = &g->items[i];
    if (v->type == SQLITE_INTEGER)
        sqlite3_result_int64(ctx, v->number);
    else if (v->other)
        sqlite3_result_value(ctx, v->other);
}

void rows_cursor_set(struct rows_cursor *c, struct sql_table *rows)
{
    sql_table_unref(c->rows);
    c->rows = rows;
    c->row = 0;
}

int rows_cursor_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
    (void)v;
    struct rows_cursor *c = alloc_array(1, sizeof *c);
    *out = &c->base;
    return SQLITE_OK;
}

int rows_cursor_close(sqlite3_vtab_cursor *base)
{
    struct rows_cursor *c = (struct rows_cursor *)base;
    sql_table_unref(c->rows);
    given_values_release(&c->given);
    free(c);
    return SQLITE_OK;
}

int rows_cursor_next(sqlite3_vtab_cursor *base)
{
    ((struct rows_cursor *)base)->row++;
    return SQLITE_OK;
}

int rows_cursor_eof(sqlite3_vtab_cursor *base)
{
    const struct rows_cursor *c = (const struct rows_cursor *)base;
    return !c->rows || c->row >= c->rows->table->rows;
}

int rows_cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((const struct rows_cursor *)base)->row;
    return SQLITE_OK;
}

bool collates_binary(sqlite3_index_info *info, int constraint)
{
    const char *name = sqlite3_vtab_collation(info, constraint);
    return !name || strcmp(name, "BINARY") == 0;
}

int publish_plan(sqlite3_index_info *info, char *text, const void *plan, size_t size)
{
    size_t n = text ? strlen(text) : 0, at = (n + 8) & ~(size_t)7;
    char *s = sqlite3_malloc64(at + size);
    if (!s) {
        sqlite3_free(text);
        return SQLITE_NOMEM;
    }
    memset(s, 0, at);
    memcpy(s, text ? text : "", n);
    memcpy(s + at, plan, size);
    sqlite3_free(text);
    info->idxStr = s;
    info->needToFreeIdxStr = 1;
    info->idxNum = (int)at;
    return SQLITE_OK;
}
