/* The SQLite module behind every table: CREATE VIRTUAL TABLE x USING tptui_table [(name)], or of
 * some of a table's columns tptui_table(name, column, column AS other name ...), where a `*` in
 * front stands for all of them. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace/settled_args.h"
#include "sql/tables/catalog.h"
#include "sql/engine/family.h"
#include "sql/engine/found_tables.h"
#include "sql/engine/vtab.h"
#include "sql/tables/table_scan.h"
#include "sql/engine/session_state.h"
#include "sql/tables/shown_table.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_result.h"
#include "sql/tokens/sql_type.h"

/* What starting a scan costs, in rows handed out. */
enum { PROBE_COST = 8 };

struct table_vtab {
    sqlite3_vtab base;
    struct sql_session *session;
    struct sql_table *table;
    char *name; /* the table's */
    struct shown_column *columns;
    int column_count;
    struct shown_table shown;
};

struct table_cursor {
    sqlite3_vtab_cursor base;
    struct row_watch *watch; /* the session's */
    struct table_scan scan;
};

static struct table_vtab *vtab_of(sqlite3_vtab *v)
{
    return (struct table_vtab *)v;
}

static struct table_cursor *cursor_of(sqlite3_vtab_cursor *c)
{
    return (struct table_cursor *)c;
}

static const char *declared_type(const struct sql_column *c)
{
    switch (sql_column_type(c)) {
    case COLUMN_TYPE_STR:
        return "TEXT";
    case COLUMN_TYPE_F64:
        return "DOUBLE";
    case COLUMN_TYPE_I64:
        return "BIGINT";
    default:
        return "INTEGER";
    }
}

static char *declare(const struct table_vtab *v, bool all)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (int i = 0; i < v->column_count; i++) {
        const struct sql_column *c = &v->table->columns[v->columns[i].column];
        sqlite3_str_appendf(text, "%s\"%w\" %s%s", i ? "," : "", v->columns[i].name,
                            declared_type(c), all && c->hidden ? " HIDDEN" : "");
    }
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

static void show_all(struct table_vtab *v)
{
    for (uint32_t i = 0; i < v->table->column_count; i++) {
        const char *name = v->table->columns[i].name;
        v->columns[v->column_count++] = (struct shown_column){i, alloc_copy(name, strlen(name))};
    }
}

/* Each argument is "column" or "column AS name", the first perhaps "*"; false where the table has
 * no such column. */
static bool show_some(struct table_vtab *v, int argc, const char *const *argv)
{
    bool star = argc > 0 && strcmp(argv[0], "*") == 0;
    if (star)
        show_all(v);
    for (int i = star; i < argc; i++) {
        const char *as = strstr(argv[i], " AS ");
        char *column = alloc_copy(argv[i], as ? (size_t)(as - argv[i]) : strlen(argv[i]));
        int at = sql_table_find(v->table, column);
        free(column);
        if (at < 0)
            return false;
        const char *name = as ? as + strlen(" AS ") : argv[i];
        v->columns[v->column_count++] =
            (struct shown_column){(uint32_t)at, alloc_copy(name, strlen(name))};
    }
    return true;
}

const struct shown_table *shown_table_find(const struct sql_session *s, struct str name)
{
    const struct shown_table *t = s->shown_tables;
    while (t && (strlen(t->name) != name.n || sqlite3_strnicmp(t->name, name.p, (int)name.n) != 0 ||
                 strcmp(t->schema, "main") != 0))
        t = t->next;
    return t;
}

static void show(struct table_vtab *v, const char *schema, const char *name, bool all)
{
    v->shown = (struct shown_table){.name = alloc_copy(name, strlen(name)),
                                    .schema = alloc_copy(schema, strlen(schema)),
                                    .table = v->table,
                                    .columns = v->columns,
                                    .column_count = v->column_count,
                                    .all = all,
                                    .next = v->session->shown_tables};
    v->session->shown_tables = &v->shown;
}

static void hide(struct table_vtab *v)
{
    struct shown_table **at = &v->session->shown_tables;
    while (*at && *at != &v->shown)
        at = &(*at)->next;
    if (*at)
        *at = v->shown.next;
    free(v->shown.name);
    free(v->shown.schema);
}

static void free_vtab(struct table_vtab *v)
{
    hide(v);
    for (int i = 0; i < v->column_count; i++)
        free(v->columns[i].name);
    free(v->columns);
    sql_table_unref(v->table);
    free(v->name);
    free(v);
}

/* What is connected to: the columns of a stored table, all of them where none are named. */
struct target {
    const char *schema, *shown_name, *stored_name;
    int argc;
    const char *const *argv;
};

static int connect_to(struct sql_session *session, const struct target *target, sqlite3_vtab **out,
                      char **error)
{
    const char *name = target->stored_name;
    struct sql_table *t = catalog_find(&session->catalog, name);
    if (!t) {
        *error = sqlite3_mprintf("no stored table %s", name);
        return SQLITE_ERROR;
    }
    if (!sql_table_ready(t, session->trace)) {
        *error = sqlite3_mprintf("the kept columns of %s are damaged (tptui cache clear)", name);
        return SQLITE_ERROR;
    }
    bool all = target->argc == 0;
    struct table_vtab *v = alloc_array(1, sizeof *v);
    v->session = session;
    v->table = t;
    v->name = alloc_copy(name, strlen(name));
    v->columns = alloc_array(t->column_count + (size_t)target->argc, sizeof *v->columns);
    t->references++;
    if (all)
        show_all(v);
    int rc = all || show_some(v, target->argc, target->argv) ? SQLITE_OK : SQLITE_ERROR;
    if (rc == SQLITE_OK) {
        char *sql = declare(v, all);
        rc = vtab_declare_text(session->db, sql);
        sqlite3_free(sql);
    }
    if (rc != SQLITE_OK) {
        free_vtab(v);
        return rc;
    }
    show(v, target->schema, target->shown_name, all);
    *out = &v->base;
    return SQLITE_OK;
}

/* A view of the trace's by its name alone: `columns` is what its definition would name, a comma
 * between each two. */
static int connect_view(struct sql_session *session, const struct view_def *view,
                        const char *schema, sqlite3_vtab **out, char **error)
{
    VEC(char *) names = {0};
    struct str rest = str_from(view->columns);
    while (rest.n > 0) {
        struct str name = str_trim(str_cut(&rest, ','));
        *vec_push(&names) = alloc_copy(name.p, name.n);
    }
    struct target target = {schema, view->name, table_defs[view->table].name, (int)names.count,
                            (const char *const *)names.items};
    int rc = connect_to(session, &target, out, error);
    for (size_t i = 0; i < names.count; i++)
        free(names.items[i]);
    vec_release(&names);
    return rc;
}

static int table_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **error)
{
    (void)db;
    const struct virtual_table_client *client = aux;
    if (client->detail)
        return connect_view(client->session, client->detail, argv[1], out, error);
    bool named = argc > 3;
    struct target target = {argv[1], argv[2], named ? argv[3] : argv[2], named ? argc - 4 : 0,
                            argv + 3 + named};
    return connect_to(client->session, &target, out, error);
}

static int table_disconnect(sqlite3_vtab *base)
{
    free_vtab(vtab_of(base));
    return SQLITE_OK;
}

static int table_destroy(sqlite3_vtab *base)
{
    struct table_vtab *v = vtab_of(base);
    if (v->table->owned) /* the trace's own tables stay for functions that read them */
        catalog_remove(&v->session->catalog, v->name);
    return table_disconnect(base);
}

static int operator_of(const struct sqlite3_index_info *info, int i, const struct sql_column *c)
{
    bool text = sql_column_is_text(c);
    switch (info->aConstraint[i].op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return sqlite3_vtab_in((sqlite3_index_info *)(uintptr_t)info, i, -1) ? FILTER_IN
                                                                             : FILTER_EQ;
    case SQLITE_INDEX_CONSTRAINT_NE:
        return FILTER_NE;
    case SQLITE_INDEX_CONSTRAINT_LT:
        return FILTER_LT;
    case SQLITE_INDEX_CONSTRAINT_LE:
        return FILTER_LE;
    case SQLITE_INDEX_CONSTRAINT_GT:
        return FILTER_GT;
    case SQLITE_INDEX_CONSTRAINT_GE:
        return FILTER_GE;
    case SQLITE_INDEX_CONSTRAINT_IS:
        return FILTER_IS;
    case SQLITE_INDEX_CONSTRAINT_ISNULL:
        return FILTER_IS_NULL;
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
        return FILTER_NOT_NULL;
    case SQLITE_INDEX_CONSTRAINT_GLOB:
        return text ? FILTER_GLOB : -1;
    case SQLITE_INDEX_CONSTRAINT_LIKE:
        return text ? FILTER_LIKE : -1;
    default:
        return -1;
    }
}

static bool is_constant_text(struct sqlite3_index_info *info, int i, bool *constant)
{
    sqlite3_value *v = NULL;
    *constant = sqlite3_vtab_rhs_value(info, i, &v) == SQLITE_OK && v;
    return *constant && sqlite3_value_type(v) == SQLITE_TEXT;
}

/* What compiling a plan finds out on the way. */
struct planner {
    struct sqlite3_index_info *info;
    const struct table_vtab *vtab;
    struct sql_table *table;
    struct scan_plan plan;
    int args;
    double rows, cost;
    bool unique;
    int limit, offset; /* constraint numbers, -1 for none */
};

static double index_depth(double rows)
{
    return log2(rows + 2);
}

/* How many rows a term leaves, and what finding them costs where it can drive the scan. Which
 * indexes there are by now does not count: the same statement would be planned in another way, and
 * its rows come in another order, because of those that ran before. */
static void estimate(struct planner *p, uint32_t column, enum filter_op op, bool constant)
{
    double n = p->table->table->rows;
    double distinct = sql_table_distinct(p->table, column);
    bool sorted = sql_table_sorted(p->table, column);
    double share = 0.5, find = n / 32;
    switch (op) {
    case FILTER_EQ:
    case FILTER_IS:
        share = 1 / distinct;
        find = sorted || !constant ? index_depth(n) / 4 : find;
        break;
    case FILTER_IN:
        share = distinct > 8 ? 8 / distinct : 0.9;
        break;
    case FILTER_LT:
    case FILTER_LE:
    case FILTER_GT:
    case FILTER_GE:
        share = 0.3;
        find = sorted ? index_depth(n) / 4 : find;
        break;
    case FILTER_GLOB:
    case FILTER_LIKE:
        share = 0.2;
        break;
    case FILTER_NE:
    case FILTER_NOT_NULL:
        share = 0.9;
        break;
    case FILTER_IS_NULL:
        share = 0.1;
        break;
    }
    p->rows *= share;
    p->cost = find < p->cost ? find : p->cost;
    enum column_type type = sql_column_type(&p->table->columns[column]);
    if (op == FILTER_EQ && (type == COLUMN_TYPE_ID || type == COLUMN_TYPE_ALIAS)) {
        p->unique = true;
        p->cost = 0;
    }
}

/* The table's column; that of the rowid is id, the first. */
static int plan_column(const struct planner *p, int column)
{
    return column < 0 ? 0 : (int)p->vtab->columns[column].column;
}

static void add_term(struct planner *p, int i)
{
    const struct sqlite3_index_constraint *c = &p->info->aConstraint[i];
    int column = plan_column(p, c->iColumn);
    int op = -1;
    if (c->usable && p->plan.term_count < SCAN_TERMS)
        op = operator_of(p->info, i, &p->table->columns[column]);
    if (op >= 0 && sql_column_is_text(&p->table->columns[column]) &&
        (op <= FILTER_IS || op == FILTER_IN) && !collates_binary(p->info, i))
        op = -1;
    if (op < 0)
        return;
    bool constant = false;
    bool text = is_constant_text(p->info, i, &constant);
    bool exact = filter_is_exact(&p->table->columns[column], op, text);
    p->plan.terms[p->plan.term_count++] =
        (struct scan_term){.column = (uint16_t)column, .op = (uint8_t)op, .constant = constant};
    /* A constraint has to take an argument for SQLite to believe that it is used. */
    p->info->aConstraintUsage[i].argvIndex = ++p->args;
    p->info->aConstraintUsage[i].omit = exact;
    if (op == FILTER_IN)
        sqlite3_vtab_in(p->info, i, 1);
    estimate(p, (uint32_t)column, op, constant);
}

static void add_terms(struct planner *p)
{
    for (int i = 0; i < p->info->nConstraint; i++) {
        if (p->info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_LIMIT)
            p->limit = i;
        else if (p->info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_OFFSET)
            p->offset = i;
        else
            add_term(p, i);
    }
}

static bool add_orders(struct planner *p)
{
    if (p->info->nOrderBy > SCAN_ORDERS)
        return false;
    p->plan.distinct = (uint8_t)sqlite3_vtab_distinct(p->info);
    for (int i = 0; i < p->info->nOrderBy; i++) {
        int column = plan_column(p, p->info->aOrderBy[i].iColumn);
        p->plan.orders[p->plan.order_count++] =
            (struct scan_order){.column = (uint16_t)column, .desc = p->info->aOrderBy[i].desc != 0};
    }
    return true;
}

/* How many rows will be asked for is only taken as a hint: SQLite does not tell of conditions that
 * compare two columns, so that it may go on to ask for more. */
static void add_limit(struct planner *p)
{
    struct sqlite3_index_info *info = p->info;
    sqlite3_value *limit = NULL, *offset = NULL;
    if (p->limit < 0 || sqlite3_vtab_rhs_value(info, p->limit, &limit) != SQLITE_OK)
        return;
    if (p->offset >= 0 && sqlite3_vtab_rhs_value(info, p->offset, &offset) != SQLITE_OK)
        return;
    int64_t rows = sqlite3_value_int64(limit), skip = offset ? sqlite3_value_int64(offset) : 0;
    skip = skip < 0 ? 0 : skip;
    if (rows > 0 && skip <= INT64_MAX - rows)
        p->plan.hint = (uint64_t)rows + (uint64_t)skip;
}

static const char *operator_text(int op)
{
    static const char *const text[] = {
        [FILTER_EQ] = "=",        [FILTER_NE] = "<>",
        [FILTER_LT] = "<",        [FILTER_LE] = "<=",
        [FILTER_GT] = ">",        [FILTER_GE] = ">=",
        [FILTER_IS] = " IS ",     [FILTER_IS_NULL] = " IS NULL",
        [FILTER_IN] = " IN ",     [FILTER_NOT_NULL] = " IS NOT NULL",
        [FILTER_GLOB] = " GLOB ", [FILTER_LIKE] = " LIKE ",
    };
    return text[op];
}

static const char *shown_name(const struct planner *p, uint32_t column)
{
    for (int i = 0; i < p->vtab->column_count; i++)
        if (p->vtab->columns[i].column == column)
            return p->vtab->columns[i].name;
    return p->table->columns[column].name;
}

/* For EXPLAIN QUERY PLAN. */
static char *describe(const struct planner *p)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (int i = 0; i < p->plan.term_count; i++) {
        struct scan_term t = p->plan.terms[i];
        bool unary = t.op == FILTER_IS_NULL || t.op == FILTER_NOT_NULL;
        sqlite3_str_appendf(text, "%s%s%s%s", i ? " AND " : "", shown_name(p, t.column),
                            operator_text(t.op), unary ? "" : "?");
    }
    static const char *const why[] = {" ORDER BY ", " GROUP BY ", " DISTINCT ", " DISTINCT "};
    for (int i = 0; i < p->plan.order_count; i++)
        sqlite3_str_appendf(text, "%s%s%s", i ? ", " : why[p->plan.distinct & 3],
                            shown_name(p, p->plan.orders[i].column),
                            p->plan.orders[i].desc ? " DESC" : "");
    if (p->plan.hint)
        sqlite3_str_appendf(text, " LIMIT %llu", (unsigned long long)p->plan.hint);
    return sqlite3_str_finish(text);
}

static uint64_t used_columns(const struct table_vtab *v, uint64_t shown)
{
    uint64_t used = 0;
    for (int i = 0; i < v->column_count && i < 63; i++)
        if (shown >> i & 1)
            used |= UINT64_C(1) << (v->columns[i].column & 63);
    return used;
}

/* colUsed has one bit for all columns from the 64th on, and none for the rowid. */
static bool all_uses_are_known(const sqlite3_index_info *info)
{
    bool known = !(info->colUsed >> 63);
    for (int i = 0; i < info->nConstraint; i++)
        known = known && info->aConstraint[i].iColumn >= 0;
    return known;
}

static bool column_is_settled(const struct table_vtab *v, int shown)
{
    return settled_args_column_ready(v->session->trace,
                                     v->table->columns[v->columns[shown].column].values);
}

/* Whether the columns that rows are found or sorted by hold what they shall. */
static bool columns_are_settled(const struct table_vtab *v, const sqlite3_index_info *info)
{
    bool settled = true;
    for (int i = 0; i < info->nConstraint; i++)
        if (info->aConstraint[i].iColumn >= 0)
            settled = settled && column_is_settled(v, info->aConstraint[i].iColumn);
    for (int i = 0; i < info->nOrderBy; i++)
        if (info->aOrderBy[i].iColumn >= 0)
            settled = settled && column_is_settled(v, info->aOrderBy[i].iColumn);
    return settled;
}

static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct table_vtab *v = vtab_of(base);
    struct sql_table *t = v->table;
    if (!columns_are_settled(v, info)) {
        base->zErrMsg = sqlite3_mprintf("%s", settled_args_lost);
        return SQLITE_ERROR;
    }
    struct planner p = {.info = info, .vtab = v, .table = t, .limit = -1, .offset = -1};
    p.rows = t->table->rows;
    p.cost = p.rows / 32;
    add_terms(&p);
    if (p.unique || p.rows < 1)
        p.rows = 1;
    bool ordered = add_orders(&p), descending;
    info->orderByConsumed = ordered && info->nOrderBy > 0;
    if (p.plan.order_count > 0 && !table_scan_order_is_natural(t, &p.plan, &descending))
        p.cost += p.rows * index_depth(p.rows) / 64;
    if (ordered)
        add_limit(&p);
    info->estimatedRows = (sqlite3_int64)p.rows;
    info->estimatedCost = PROBE_COST + p.cost + p.rows;
    p.plan.one_row = p.unique && p.plan.term_count == 1;
    p.plan.used = used_columns(v, info->colUsed);
    p.plan.unique = p.plan.distinct >= SCAN_UNIQUE && all_uses_are_known(info);
    if (p.unique)
        info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
    return publish_plan(info, describe(&p), &p.plan, sizeof p.plan);
}

static int table_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct table_cursor *c = alloc_array(1, sizeof *c);
    c->watch = &vtab_of(base)->session->row_watch;
    *out = &c->base;
    return SQLITE_OK;
}

static int table_close(sqlite3_vtab_cursor *base)
{
    table_scan_release(&cursor_of(base)->scan);
    free(base);
    return SQLITE_OK;
}

static int scan_result(const struct table_cursor *c)
{
    if (--c->watch->left == 0 && !row_watch_tell(c->watch, table_scan_coming(&c->scan)))
        return SQLITE_ABORT;
    return c->scan.cancelled ? SQLITE_INTERRUPT : SQLITE_OK;
}

static int table_filter(sqlite3_vtab_cursor *base, int at, const char *text, int argc,
                        sqlite3_value **argv)
{
    struct table_cursor *c = cursor_of(base);
    const struct scan_plan *plan = (const void *)(text + at); /* aligned by publish_plan() */
    struct sql_table *t = vtab_of(base->pVtab)->table;
    bool descending, sorts_all = plan->order_count > 0 && plan->term_count == 0 &&
                                 !table_scan_order_is_natural(t, plan, &descending);
    /* All rows are read before the first one is handed out. */
    if (sorts_all && c->watch->reached && !row_watch_tell(c->watch, t->table->rows))
        return SQLITE_ABORT;
    table_scan_start(&c->scan, t, plan, argc, argv);
    return scan_result(c);
}

static int table_next(sqlite3_vtab_cursor *base)
{
    struct table_cursor *c = cursor_of(base);
    table_scan_next(&c->scan);
    return scan_result(c);
}

static int table_eof(sqlite3_vtab_cursor *base)
{
    return cursor_of(base)->scan.eof;
}

static int table_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = cursor_of(base)->scan.row;
    return SQLITE_OK;
}

static int table_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const struct table_scan *s = &cursor_of(base)->scan;
    const struct table_vtab *v = vtab_of(base->pVtab);
    sql_table_result_settled(v->session->trace, s->table, v->columns[i].column, s->row, ctx);
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 2,
    .xCreate = table_connect,
    .xConnect = table_connect,
    .xBestIndex = table_best_index,
    .xDisconnect = table_disconnect,
    .xDestroy = table_destroy,
    .xOpen = table_open,
    .xClose = table_close,
    .xFilter = table_filter,
    .xNext = table_next,
    .xEof = table_eof,
    .xColumn = table_column,
    .xRowid = table_rowid,
};

static const struct virtual_table virtual_tables[] = {
    {.name = TABLE_MODULE, .module = &module},
    {0},
};

const struct sql_family table_vtab_family = {.virtual_tables = virtual_tables};
