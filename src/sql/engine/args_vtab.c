/* The args table: rows are made from arg sets while they are read, never stored. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "core/trace/settled_args.h"
#include "sql/engine/arg_value.h"
#include "sql/engine/family.h"
#include "sql/engine/found_tables.h"
#include "sql/engine/vtab.h"
#include "core/store/row_sort.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

enum args_column {
    ARGS_ID,
    ARGS_SET,
    ARGS_FLAT_KEY,
    ARGS_KEY,
    ARGS_INT,
    ARGS_STRING,
    ARGS_REAL,
    ARGS_TYPE,
    ARGS_DISPLAY
};

/* idxNum: which constraints are used, in the order of their arguments, and what else is wanted. */
enum args_plan {
    BY_SET = 1,
    BY_ID = 2,
    BY_KEY = 4,
    BY_FLAT_KEY = 8,
    NEEDS_ID = 16,
    SORT_KEY = 32,
    SORT_FLAT_KEY = 64
};

struct args_vtab {
    sqlite3_vtab base;
    struct sql_session *session;
};

/* One row, kept where rows come in the order of their keys. */
struct kept_arg {
    struct arg arg;
    uint32_t set, row;
};

/* The rows of one key. There are few keys, so rows need no sorting but these. */
struct key_rows {
    string_id key;
    VEC(struct kept_arg) v;
};

struct args_cursor {
    sqlite3_vtab_cursor base;
    struct sql_session *session;
    uint32_t set, last_set; /* the current one, the last to read; inclusive */
    struct arg_list list;
    size_t at;
    uint32_t first_row; /* of the current set */
    bool only_row;
    uint32_t row; /* only_row: the one that is wanted */
    string_id key, flat_key;
    bool eof;
    /* SORT_KEY, SORT_FLAT_KEY: all rows by key, the position of a key's among them (from 1, 0 for
     * none), the order of the keys, and the current one and row. */
    bool sorted;
    VEC(struct key_rows) keys;
    VEC(uint32_t) key_at;
    struct row_key *order;
    size_t order_at, row_at;
};

static int args_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **out, char **error)
{
    (void)argc, (void)argv, (void)error;
    int rc = vtab_declare_text(
        db, "CREATE TABLE x(id INTEGER, arg_set_id INTEGER, flat_key TEXT, key TEXT,"
            " int_value BIGINT, string_value TEXT, real_value DOUBLE, value_type TEXT,"
            " display_value TEXT HIDDEN)");
    if (rc != SQLITE_OK)
        return rc;
    struct args_vtab *v = alloc_array(1, sizeof *v);
    v->session = ((const struct virtual_table_client *)aux)->session;
    *out = &v->base;
    return SQLITE_OK;
}

static bool use_constraint(sqlite3_index_info *info, int column, bool only_text, int *args)
{
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        sqlite3_value *v = NULL;
        if (!c->usable || c->op != SQLITE_INDEX_CONSTRAINT_EQ || c->iColumn != column)
            continue;
        if (only_text && (sqlite3_vtab_rhs_value(info, i, &v) != SQLITE_OK || !v ||
                          sqlite3_value_type(v) != SQLITE_TEXT))
            continue;
        if (only_text && !collates_binary(info, i))
            continue;
        info->aConstraintUsage[i].argvIndex = ++*args;
        info->aConstraintUsage[i].omit = only_text;
        return true;
    }
    return false;
}

/* GROUP BY key, mostly: sorting ids is much cheaper than SQLite's sorting of texts. */
static void use_key_order(sqlite3_index_info *info)
{
    if (info->nOrderBy != 1 || info->aOrderBy[0].desc || info->idxNum & (BY_SET | BY_ID) ||
        sqlite3_vtab_distinct(info) > 1)
        return;
    int column = info->aOrderBy[0].iColumn;
    if (column != ARGS_KEY && column != ARGS_FLAT_KEY)
        return;
    info->idxNum |= column == ARGS_KEY ? SORT_KEY : SORT_FLAT_KEY;
    info->orderByConsumed = 1;
}

static int args_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct trace *trace = ((struct args_vtab *)base)->session->trace;
    const struct args *a = &trace->args;
    if (!settled_args_ready(trace)) {
        base->zErrMsg = sqlite3_mprintf("%s", settled_args_lost);
        return SQLITE_ERROR;
    }
    double sets = (double)args_count(a), rows = sets * 4;
    int args = 0;
    if (use_constraint(info, ARGS_SET, false, &args))
        info->idxNum |= BY_SET;
    else if (use_constraint(info, ARGS_ID, false, &args) || use_constraint(info, -1, false, &args))
        info->idxNum |= BY_ID;
    if (use_constraint(info, ARGS_KEY, true, &args))
        info->idxNum |= BY_KEY;
    if (use_constraint(info, ARGS_FLAT_KEY, true, &args))
        info->idxNum |= BY_FLAT_KEY;
    if (info->colUsed & 1 || info->idxNum & BY_ID)
        info->idxNum |= NEEDS_ID;
    double cost = rows * 2;
    if (info->idxNum & BY_SET) {
        rows = 4;
        cost = 8;
    } else if (info->idxNum & BY_ID) {
        rows = 1;
        cost = 8;
        info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
    }
    if (info->idxNum & (BY_KEY | BY_FLAT_KEY))
        rows = rows / 16 + 1;
    info->estimatedRows = (sqlite3_int64)rows;
    info->estimatedCost = cost + rows;
    bool by_set = info->nOrderBy > 0 && !info->aOrderBy[0].desc &&
                  (info->aOrderBy[0].iColumn == ARGS_SET || info->aOrderBy[0].iColumn == ARGS_ID);
    info->orderByConsumed = info->nOrderBy == 1 && by_set && sqlite3_vtab_distinct(info) < 2;
    use_key_order(info);
    info->idxStr = info->idxNum & BY_SET  ? (char *)"arg_set_id=?"
                   : info->idxNum & BY_ID ? (char *)"id=?"
                                          : (char *)"all";
    return SQLITE_OK;
}

static int args_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct args_cursor *c = alloc_array(1, sizeof *c);
    c->session = ((struct args_vtab *)base)->session;
    *out = &c->base;
    return SQLITE_OK;
}

static void forget_order(struct args_cursor *c)
{
    for (size_t i = 0; i < c->keys.count; i++)
        vec_release(&c->keys.items[i].v);
    vec_release(&c->keys);
    vec_release(&c->key_at);
    free(c->order);
    c->order = NULL;
    c->order_at = c->row_at = 0;
    c->sorted = false;
}

static int args_close(sqlite3_vtab_cursor *base)
{
    struct args_cursor *c = (struct args_cursor *)base;
    arg_list_release(&c->list);
    forget_order(c);
    free(c);
    return SQLITE_OK;
}

static bool wanted(const struct args_cursor *c)
{
    const struct arg *a = &c->list.v.items[c->at];
    if (c->key && a->key != c->key)
        return false;
    if (c->flat_key && a->flat_key != c->flat_key)
        return false;
    return !c->only_row || c->first_row + c->at == c->row;
}

static void load_set(struct args_cursor *c)
{
    c->at = 0;
    arg_list_clear(&c->list);
    args_read(&c->session->trace->args, c->set, &c->list);
}

/* From the current position on, the next arg that is wanted. */
static int settle(struct args_cursor *c)
{
    for (;;) {
        for (; c->at < c->list.v.count; c->at++)
            if (wanted(c))
                return SQLITE_OK;
        if (c->set >= c->last_set) {
            c->eof = true;
            return SQLITE_OK;
        }
        if ((c->set & 255) == 0 && atomic_load(&c->session->cancel))
            return SQLITE_INTERRUPT;
        c->first_row += (uint32_t)c->list.v.count;
        c->set++;
        load_set(c);
    }
}

/* The set that holds a row: row starts ascend with the set's id. */
static uint32_t set_of_row(const struct args *a, uint32_t row)
{
    return BISECT(set, 2, args_count(a) + 1, args_row_start(a, set) <= row) - 1;
}

static struct key_rows *rows_of_key(struct args_cursor *c, string_id key)
{
    while (c->key_at.count <= key)
        *vec_push(&c->key_at) = 0;
    uint32_t *at = &c->key_at.items[key];
    if (*at == 0) {
        *vec_push(&c->keys) = (struct key_rows){.key = key};
        *at = (uint32_t)c->keys.count;
    }
    return &c->keys.items[*at - 1];
}

/* Reads the rest of the table and orders it by key. */
static int sort_by_key(struct args_cursor *c, bool flat)
{
    while (!c->eof) {
        struct arg a = c->list.v.items[c->at];
        struct key_rows *rows = rows_of_key(c, flat ? a.flat_key : a.key);
        *vec_push(&rows->v) = (struct kept_arg){a, c->set, c->first_row + (uint32_t)c->at};
        c->at++;
        int rc = settle(c);
        if (rc != SQLITE_OK)
            return rc;
    }
    c->order = alloc_array(c->keys.count + 1, sizeof *c->order);
    for (size_t i = 0; i < c->keys.count; i++)
        c->order[i] = (struct row_key){i, c->keys.items[i].key};
    row_order_by_text(c->order, c->keys.count, &c->session->trace->strings, &c->session->cancel);
    if (atomic_load(&c->session->cancel))
        return SQLITE_INTERRUPT;
    c->eof = c->keys.count == 0;
    c->sorted = true;
    return SQLITE_OK;
}

static const struct kept_arg *current_kept(const struct args_cursor *c)
{
    return &c->keys.items[c->order[c->order_at].key].v.items[c->row_at];
}

/* Interned, not looked up: keys of sets that nobody has read yet may be new. */
static string_id key_argument(struct args_cursor *c, sqlite3_value *v)
{
    return string_pool_intern(&c->session->trace->strings, value_str(v));
}

static bool id_argument(sqlite3_value *v, int64_t max, uint32_t *out)
{
    int type = sqlite3_value_numeric_type(v);
    int64_t i = sqlite3_value_int64(v);
    if (type == SQLITE_FLOAT ? sqlite3_value_double(v) != (double)i : type != SQLITE_INTEGER)
        return false;
    if (i < 0 || i > max)
        return false;
    *out = (uint32_t)i;
    return true;
}

static int args_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                       sqlite3_value **argv)
{
    (void)text, (void)argc;
    struct args_cursor *c = (struct args_cursor *)base;
    const struct args *a = &c->session->trace->args;
    int arg = 0;
    c->key = c->flat_key = NULL_STRING;
    c->only_row = false;
    c->first_row = 0;
    forget_order(c);
    c->eof = args_count(a) == 0;
    c->set = 1;
    c->last_set = args_count(a);
    if (plan & BY_SET) {
        c->eof |= !id_argument(argv[arg++], c->last_set, &c->set) || c->set == 0;
        c->last_set = c->set;
        if (!c->eof && plan & NEEDS_ID)
            c->first_row = args_row_start(a, c->set);
    } else if (plan & BY_ID) {
        c->only_row = true;
        c->eof |= !id_argument(argv[arg++], (int64_t)args_row_count(a) - 1, &c->row);
        c->set = c->last_set = c->eof ? 0 : set_of_row(a, c->row);
        c->first_row = c->eof ? 0 : args_row_start(a, c->set);
    }
    if (plan & BY_KEY)
        c->key = key_argument(c, argv[arg++]);
    if (plan & BY_FLAT_KEY)
        c->flat_key = key_argument(c, argv[arg++]);
    if (c->eof)
        return SQLITE_OK;
    load_set(c);
    int rc = settle(c);
    if (rc != SQLITE_OK || !(plan & (SORT_KEY | SORT_FLAT_KEY)))
        return rc;
    return sort_by_key(c, plan & SORT_FLAT_KEY);
}

static int args_next(sqlite3_vtab_cursor *base)
{
    struct args_cursor *c = (struct args_cursor *)base;
    if (c->sorted) {
        if (++c->row_at < c->keys.items[c->order[c->order_at].key].v.count)
            return SQLITE_OK;
        c->row_at = 0;
        c->eof = ++c->order_at >= c->keys.count;
        return SQLITE_OK;
    }
    c->at++;
    return settle(c);
}

static int args_eof(sqlite3_vtab_cursor *base)
{
    return ((struct args_cursor *)base)->eof;
}

static const struct arg *current_arg(const struct args_cursor *c)
{
    return c->sorted ? &current_kept(c)->arg : &c->list.v.items[c->at];
}

static uint32_t current_set(const struct args_cursor *c)
{
    return c->sorted ? current_kept(c)->set : c->set;
}

static uint32_t current_row(const struct args_cursor *c)
{
    return c->sorted ? current_kept(c)->row : c->first_row + (uint32_t)c->at;
}

static int args_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    const struct args_cursor *c = (const struct args_cursor *)base;
    *out = current_row(c);
    return SQLITE_OK;
}

static int args_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
    const struct args_cursor *c = (const struct args_cursor *)base;
    const struct string_pool *strings = &c->session->trace->strings;
    const struct arg *a = current_arg(c);
    bool text = a->type == ARG_STRING || a->type == ARG_JSON;
    switch ((enum args_column)column) {
    case ARGS_ID:
        sqlite3_result_int64(ctx, current_row(c));
        break;
    case ARGS_SET:
        sqlite3_result_int64(ctx, current_set(c));
        break;
    case ARGS_FLAT_KEY:
        result_static(ctx, string_pool_get(strings, a->flat_key));
        break;
    case ARGS_KEY:
        result_static(ctx, string_pool_get(strings, a->key));
        break;
    case ARGS_INT:
        if (!text && a->type != ARG_REAL && a->type != ARG_NULL)
            sqlite3_result_int64(ctx, a->i);
        break;
    case ARGS_STRING:
        if (text && a->s)
            result_static(ctx, string_pool_get(strings, a->s));
        break;
    case ARGS_REAL:
        if (a->type == ARG_REAL)
            sqlite3_result_double(ctx, a->d);
        break;
    case ARGS_TYPE:
        sqlite3_result_text(ctx, arg_type_name(a->type), -1, SQLITE_STATIC);
        break;
    case ARGS_DISPLAY:
        arg_result_display(ctx, strings, a);
        break;
    }
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 2,
    .xCreate = args_connect,
    .xConnect = args_connect,
    .xBestIndex = args_best_index,
    .xDisconnect = vtab_free,
    .xDestroy = vtab_free,
    .xOpen = args_open,
    .xClose = args_close,
    .xFilter = args_filter,
    .xNext = args_next,
    .xEof = args_eof,
    .xColumn = args_column,
    .xRowid = args_rowid,
};

static const struct virtual_table virtual_tables[] = {
    {.name = ARGS_MODULE, .module = &module},
    {0},
};

const struct sql_family args_vtab_family = {.virtual_tables = virtual_tables};
