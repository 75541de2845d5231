#include "sql/engine/parts.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_result.h"
#include "sql/engine/vtab.h"

/* The declared types, with the letter that each column's name begins with. */
static const struct {
    char letter;
    const char *type;
} affinities[] = {{'n', ""}, {'i', "BIGINT"}, {'r', "DOUBLE"}, {'t', "TEXT"}};

enum { AFFINITIES = 4 };

struct part_vtab {
    sqlite3_vtab base;
    struct sql_session *session;
    int columns; /* of each affinity; behind them stands the number */
};

uint32_t parts_add(struct sql_session *s, uint64_t estimate, char *description)
{
    *vec_push(&s->parts.v) =
        (struct statement_part){.estimate = estimate, .description = description};
    return (uint32_t)s->parts.v.count - 1;
}

void parts_set(struct sql_session *s, uint32_t number, struct sql_table *rows)
{
    s->parts.v.items[number].rows = rows;
}

void parts_drop(struct sql_session *s, uint32_t from)
{
    while (s->parts.v.count > from) {
        struct statement_part part = s->parts.v.items[--s->parts.v.count];
        if (part.rows)
            sql_table_unref(part.rows);
        sqlite3_free(part.description);
    }
    if (from == 0)
        vec_release(&s->parts.v);
}

static const struct part_vtab *vtab_of(const sqlite3_vtab *base)
{
    return (const struct part_vtab *)base;
}

static struct statement_part *part_of(sqlite3_vtab *base, sqlite3_value *number)
{
    struct statement_parts *parts = &vtab_of(base)->session->parts;
    bool known = number && sqlite3_value_type(number) == SQLITE_INTEGER;
    sqlite3_int64 i = known ? sqlite3_value_int64(number) : -1;
    return i >= 0 && (uint64_t)i < parts->v.count ? &parts->v.items[i] : NULL;
}

static int part_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **out, char **error)
{
    (void)argc, (void)argv, (void)error;
    const struct virtual_table_client *client = aux;
    int columns = client->detail ? PART_COLUMNS : NARROW_PART_COLUMNS;
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (int a = 0; a < AFFINITIES; a++)
        for (int i = 0; i < columns; i++)
            sqlite3_str_appendf(text, "%c%d %s,", affinities[a].letter, i, affinities[a].type);
    sqlite3_str_appendall(text, "number HIDDEN)");
    int rc = vtab_declare(db, text);
    if (rc != SQLITE_OK)
        return rc;
    struct part_vtab *v = alloc_array(1, sizeof *v);
    v->session = client->session;
    v->columns = columns;
    *out = &v->base;
    return SQLITE_OK;
}

static int part_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct statement_part *part = NULL;
    for (int i = 0; i < info->nConstraint && !part; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        sqlite3_value *number = NULL;
        if (c->iColumn != AFFINITIES * vtab_of(base)->columns ||
            c->op != SQLITE_INDEX_CONSTRAINT_EQ || !c->usable)
            continue;
        sqlite3_vtab_rhs_value(info, i, &number);
        part = part_of(base, number);
        if (!part)
            continue;
        part->is_read = true;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->idxNum = sqlite3_value_int(number);
        info->idxStr = sqlite3_mprintf("%s", part->description);
        info->needToFreeIdxStr = 1;
        info->estimatedCost = (double)part->estimate;
        info->estimatedRows = (sqlite3_int64)part->estimate;
    }
    return part ? SQLITE_OK : plan_without_arguments(info);
}

static int part_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
                       sqlite3_value **argv)
{
    (void)plan;
    const struct statement_part *part = argc == 1 ? part_of(base->pVtab, argv[0]) : NULL;
    struct sql_table *rows = part ? part->rows : NULL;
    if (number == PLAN_WITHOUT_ARGUMENTS || !part)
        return vtab_fail(base->pVtab,
                         status_error(STATUS_SQL,
                                      "__intrinsic_part takes the number of a statement's part"));
    if (rows)
        rows->references++;
    rows_cursor_set((struct rows_cursor *)base, rows);
    return SQLITE_OK;
}

/* The result's first column is a hidden one. */
static int part_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const struct rows_cursor *c = (const struct rows_cursor *)base;
    int columns = vtab_of(base->pVtab)->columns;
    uint32_t column = (uint32_t)(i % columns) + 1;
    if (i >= 0 && i < AFFINITIES * columns && column < c->rows->column_count)
        sql_table_result(c->rows, column, c->row, ctx);
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 2,
    .xConnect = part_connect,
    .xBestIndex = part_best_index,
    .xDisconnect = vtab_free,
    .xOpen = rows_cursor_open,
    .xClose = rows_cursor_close,
    .xFilter = part_filter,
    .xNext = rows_cursor_next,
    .xEof = rows_cursor_eof,
    .xColumn = part_column,
    .xRowid = rows_cursor_rowid,
};

static const struct virtual_table virtual_tables[] = {
    {.name = "__intrinsic_part", .module = &module},
    {.name = "__intrinsic_wide_part", .module = &module, .detail = "wide"},
    {0},
};

const struct sql_family parts_family = {.virtual_tables = virtual_tables};
