/* __intrinsic_window(start, dur, quantum): the time from start on in steps of `quantum`, the last
 * of which may reach beyond; one step where that is 0. */
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/vtab.h"

enum { COLUMN_TS, COLUMN_DUR, COLUMN_QUANTUM_TS, COLUMN_QUANTUM, COLUMN_START, COLUMN_WINDOW_DUR };

struct window_vtab {
    sqlite3_vtab base;
    int64_t start, dur, quantum;
};

struct window_cursor {
    sqlite3_vtab_cursor base;
    int64_t number, count;
};

static int64_t step_of(const struct window_vtab *v)
{
    return v->quantum > 0 ? v->quantum : v->dur;
}

static bool read_int(const char *text, int64_t *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    while (*end == ' ')
        end++;
    return end != text && *end == 0;
}

static int window_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                          sqlite3_vtab **out, char **error)
{
    (void)aux;
    struct window_vtab v = {0};
    int64_t end;
    if (argc != 6 || !read_int(argv[3], &v.start) || !read_int(argv[4], &v.dur) ||
        !read_int(argv[5], &v.quantum) || v.dur < 0 || v.quantum < 0 ||
        __builtin_add_overflow(v.start, v.dur, &end)) {
        *error = sqlite3_mprintf("__intrinsic_window takes three numbers: start, duration, "
                                 "quantum, the last two not below 0");
        return SQLITE_ERROR;
    }
    int rc = vtab_declare_text(db, "CREATE TABLE x(ts BIGINT, dur BIGINT, quantum_ts BIGINT,"
                                   " quantum BIGINT HIDDEN, window_start BIGINT HIDDEN,"
                                   " window_dur BIGINT HIDDEN)");
    if (rc != SQLITE_OK)
        return rc;
    struct window_vtab *copy = alloc_array(1, sizeof *copy);
    *copy = v;
    *out = &copy->base;
    return SQLITE_OK;
}

static int window_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct window_vtab *v = (const struct window_vtab *)base;
    double rows = v->dur > 0 ? (double)v->dur / (double)step_of(v) : 0;
    info->estimatedCost = rows;
    info->estimatedRows = rows < 1e12 ? (sqlite3_int64)rows + 1 : 1000000000000;
    info->orderByConsumed =
        info->nOrderBy == 1 && info->aOrderBy[0].iColumn == COLUMN_TS && !info->aOrderBy[0].desc;
    return SQLITE_OK;
}

static int window_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    (void)base;
    struct window_cursor *c = alloc_array(1, sizeof *c);
    *out = &c->base;
    return SQLITE_OK;
}

static int window_close(sqlite3_vtab_cursor *base)
{
    free(base);
    return SQLITE_OK;
}

static int window_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
                         sqlite3_value **argv)
{
    (void)number, (void)plan, (void)argc, (void)argv;
    struct window_cursor *c = (struct window_cursor *)base;
    const struct window_vtab *v = (const struct window_vtab *)base->pVtab;
    c->number = 0;
    c->count = v->dur > 0 ? (v->dur - 1) / step_of(v) + 1 : 0;
    return SQLITE_OK;
}

static int window_next(sqlite3_vtab_cursor *base)
{
    ((struct window_cursor *)base)->number++;
    return SQLITE_OK;
}

static int window_eof(sqlite3_vtab_cursor *base)
{
    const struct window_cursor *c = (const struct window_cursor *)base;
    return c->number >= c->count;
}

static int window_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const struct window_cursor *c = (const struct window_cursor *)base;
    const struct window_vtab *v = (const struct window_vtab *)base->pVtab;
    const int64_t values[] = {
        [COLUMN_TS] = v->start + c->number * step_of(v),
        [COLUMN_DUR] = step_of(v),
        [COLUMN_QUANTUM_TS] = c->number,
        [COLUMN_QUANTUM] = v->quantum,
        [COLUMN_START] = v->start,
        [COLUMN_WINDOW_DUR] = v->dur,
    };
    sqlite3_result_int64(ctx, values[i]);
    return SQLITE_OK;
}

static int window_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((struct window_cursor *)base)->number;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 2,
    .xCreate = window_connect,
    .xConnect = window_connect,
    .xBestIndex = window_best_index,
    .xDisconnect = vtab_free,
    .xDestroy = vtab_free,
    .xOpen = window_open,
    .xClose = window_close,
    .xFilter = window_filter,
    .xNext = window_next,
    .xEof = window_eof,
    .xColumn = window_column,
    .xRowid = window_rowid,
};

static const struct virtual_table virtual_tables[] = {
    {.name = "__intrinsic_window", .module = &module},
    {0},
};

const struct sql_family window_vtab_family = {.virtual_tables = virtual_tables};
