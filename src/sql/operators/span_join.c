/* SPAN_JOIN, SPAN_LEFT_JOIN, SPAN_OUTER_JOIN: rows for the times where spans of two tables overlap.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/span_source.h"
#include "sql/engine/vtab.h"
#include "sql/tables/table_builder.h"
#include "sql/tables/table_result.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"
#include "sql/tokens/lexer.h"
#include "sql/tokens/token_cursor.h"

struct span_input {
    char *table;
    char *partition;     /* NULL where it is not partitioned */
    bool has_dur;        /* else its rows are moments */
    VEC(char *) columns; /* beside ts, dur and the partition */
};

struct span_vtab {
    sqlite3_vtab base;
    struct sql_session *session;
    enum span_join_kind join;
    struct span_input inputs[SPAN_SIDES];
    VEC(struct span_column) columns;
    struct span_source source; /* the same, as others read it */
};

enum { PLAN_COMPARISONS = 16 };

/* `column op ?`, one for each argument. Columns are those of the result. */
struct span_comparison {
    int column;
    int op; /* SQLITE_INDEX_CONSTRAINT_ */
};

/* What a scan does, decided when its statement is compiled; behind its own description, as
 * table_vtab.c has it. Columns are those of the result. */
struct span_plan {
    uint64_t used; /* as in sqlite3_index_info.colUsed */
    uint8_t comparison_count;
    bool has_equality;
    struct span_comparison comparisons[PLAN_COMPARISONS];
};

struct span_cursor {
    sqlite3_vtab_cursor base;
    struct span_sweep sweep;
    struct sql_table *inputs[SPAN_SIDES]; /* those that are columns: references */
    int64_t row;
};

static struct span_vtab *vtab_of(sqlite3_vtab_cursor *c)
{
    return (struct span_vtab *)c->pVtab;
}

static char *name_copy(struct token t)
{
    struct str n = token_name(t);
    return alloc_copy(n.p, n.n);
}

/* "table" or "table PARTITIONED column". */
static bool parse_input(const char *text, struct span_input *out)
{
    struct sql_source source = {.name = "argument", .text = str_from(text)};
    struct token_list list = {0};
    lexer_statement(&source, 0, &list);
    bool good = list.v.count > 0;
    if (good) {
        struct token_cursor c = {list.v.items, list.v.count, 0};
        struct token table = cursor_take(&c), partition = {0};
        good = token_is_name(table);
        bool partitioned = cursor_accept(&c, "PARTITIONED");
        if (partitioned)
            partition = cursor_take(&c);
        good =
            good && (!partitioned || token_is_name(partition)) && cursor_peek(&c).kind == TOKEN_END;
        if (good) {
            out->table = name_copy(table);
            out->partition = partitioned ? name_copy(partition) : NULL;
        }
    }
    vec_release(&list.v);
    return good;
}

static void free_input(struct span_input *in)
{
    free(in->table);
    free(in->partition);
    for (size_t i = 0; i < in->columns.count; i++)
        free(in->columns.items[i]);
    vec_release(&in->columns);
}

static int span_disconnect(sqlite3_vtab *base)
{
    struct span_vtab *v = (struct span_vtab *)base;
    span_source_remove(v->session, &v->source);
    for (int i = 0; i < SPAN_SIDES; i++) {
        free_input(&v->inputs[i]);
        sqlite3_free(v->source.sides[i].query);
    }
    for (uint32_t i = 0; i < v->source.column_count; i++)
        free(v->source.column_names[i]);
    free(v->source.column_names);
    free(v->source.name);
    free(v->source.schema);
    vec_release(&v->columns);
    free(v);
    return SQLITE_OK;
}

/* Finds the input's columns; ts and the partition have to be among them. */
static char *read_columns(struct sql_session *session, struct span_input *in)
{
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", in->table);
    sqlite3_stmt *stmt = NULL;
    int rc = session_prepare(session, sql, 0, &stmt);
    sqlite3_free(sql);
    if (rc != SQLITE_OK)
        return sqlite3_mprintf("%s", session_message(session));
    bool ts = false, partition = in->partition == NULL;
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *name = sqlite3_column_name(stmt, i);
        if (sqlite3_stricmp(name, "ts") == 0)
            ts = true;
        else if (sqlite3_stricmp(name, "dur") == 0)
            in->has_dur = true;
        else if (in->partition && sqlite3_stricmp(name, in->partition) == 0)
            partition = true;
        else
            *vec_push(&in->columns) = alloc_copy(name, strlen(name));
    }
    sqlite3_finalize(stmt);
    const char *missing = !ts ? "ts" : !partition ? in->partition : NULL;
    return missing ? sqlite3_mprintf("%s has no column %s", in->table, missing) : NULL;
}

static bool is_taken(const struct span_vtab *v, const char *name, int side)
{
    const char *partition =
        v->inputs[0].partition ? v->inputs[0].partition : v->inputs[1].partition;
    if (partition && sqlite3_stricmp(partition, name) == 0)
        return true;
    for (size_t i = 0; side == 1 && i < v->inputs[0].columns.count; i++)
        if (sqlite3_stricmp(v->inputs[0].columns.items[i], name) == 0)
            return true;
    return false;
}

static char *check(const struct span_vtab *v)
{
    const char *a = v->inputs[0].partition, *b = v->inputs[1].partition;
    if (!v->inputs[0].has_dur && !v->inputs[1].has_dur)
        return sqlite3_mprintf("%s has no column dur, neither has %s", v->inputs[0].table,
                               v->inputs[1].table);
    if (a && b && sqlite3_stricmp(a, b) != 0)
        return sqlite3_mprintf("both tables have to be PARTITIONED by a column of the same name, "
                               "not %s and %s",
                               a, b);
    for (int side = 0; side < SPAN_SIDES; side++)
        for (size_t i = 0; i < v->inputs[side].columns.count; i++)
            if (is_taken(v, v->inputs[side].columns.items[i], side))
                return sqlite3_mprintf("both tables have a column %s: rename one of them",
                                       v->inputs[side].columns.items[i]);
    return NULL;
}

static int declare(sqlite3 *db, struct span_vtab *v)
{
    const char *partition =
        v->inputs[0].partition ? v->inputs[0].partition : v->inputs[1].partition;
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE x(ts BIGINT, dur BIGINT");
    *vec_push(&v->columns) = (struct span_column){FROM_TS, 0};
    *vec_push(&v->columns) = (struct span_column){FROM_DUR, 0};
    if (partition) {
        sqlite3_str_appendf(text, ", \"%w\"", partition);
        *vec_push(&v->columns) = (struct span_column){FROM_PARTITION, 0};
    }
    for (int side = 0; side < SPAN_SIDES; side++) {
        int first = v->inputs[side].partition ? 3 : 2;
        for (size_t i = 0; i < v->inputs[side].columns.count; i++) {
            sqlite3_str_appendf(text, ", \"%w\"", v->inputs[side].columns.items[i]);
            *vec_push(&v->columns) = (struct span_column){side, first + (int)i};
        }
    }
    sqlite3_str_appendall(text, ")");
    return vtab_declare(db, text);
}

static const char *column_name(const struct span_vtab *v, int i)
{
    struct span_column c = v->columns.items[i];
    if (c.side == FROM_PARTITION)
        return v->inputs[0].partition ? v->inputs[0].partition : v->inputs[1].partition;
    if (c.side < 0)
        return c.side == FROM_TS ? "ts" : "dur";
    return v->inputs[c.side].columns.items[c.column - (v->inputs[c.side].partition ? 3 : 2)];
}

static enum span_join_kind join_of(const char *module)
{
    if (sqlite3_stricmp(module, "span_left_join") == 0)
        return SPAN_JOIN_LEFT;
    return sqlite3_stricmp(module, "span_outer_join") == 0 ? SPAN_JOIN_OUTER : SPAN_JOIN_INNER;
}

static char *input_query(const struct span_vtab *v, int side, const struct span_plan *plan,
                         sqlite3_value **argv);

static void publish(struct span_vtab *v, const char *schema, const char *name)
{
    struct span_source *s = &v->source;
    *s =
        (struct span_source){.name = alloc_copy(name, strlen(name)),
                             .schema = alloc_copy(schema, strlen(schema)),
                             .join = v->join,
                             .columns = v->columns.items,
                             .column_names = alloc_array(v->columns.count, sizeof *s->column_names),
                             .column_count = (uint32_t)v->columns.count};
    for (int i = 0; i < SPAN_SIDES; i++)
        s->sides[i] = (struct span_source_side){
            .table = v->inputs[i].table,
            .query = input_query(v, i, &(struct span_plan){.used = UINT64_MAX}, NULL),
            .partitioned = v->inputs[i].partition != NULL,
            .has_dur = v->inputs[i].has_dur};
    for (uint32_t i = 0; i < s->column_count; i++) {
        const char *column = column_name(v, (int)i);
        s->column_names[i] = alloc_copy(column, strlen(column));
    }
    span_source_add(v->session, s);
}

static int span_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **out, char **error)
{
    if (argc != 5) {
        *error = sqlite3_mprintf("%s takes two tables, each with or without PARTITIONED column",
                                 argv[0]);
        return SQLITE_ERROR;
    }
    struct span_vtab *v = alloc_array(1, sizeof *v);
    v->session = ((const struct virtual_table_client *)aux)->session;
    v->join = join_of(argv[0]);
    char *problem = NULL;
    for (int i = 0; i < SPAN_SIDES && !problem; i++) {
        if (!parse_input(argv[3 + i], &v->inputs[i]))
            problem = sqlite3_mprintf("%s: expected a table's name, maybe PARTITIONED column, "
                                      "found %s",
                                      argv[0], argv[3 + i]);
        else
            problem = read_columns(v->session, &v->inputs[i]);
    }
    if (!problem)
        problem = check(v);
    int rc = problem ? SQLITE_ERROR : declare(db, v);
    if (rc != SQLITE_OK) {
        *error = problem;
        span_disconnect(&v->base);
        return rc;
    }
    publish(v, argv[1], argv[2]);
    *out = &v->base;
    return SQLITE_OK;
}

/* The last bit stands for all columns from there on. */
static bool is_used(uint64_t used, size_t column)
{
    return used >> (column < 63 ? column : 63) & 1;
}

/* The operator in SQL; NULL where inputs cannot be asked with it. */
static const char *operator_of(int op)
{
    static const char *const operators[] = {
        [SQLITE_INDEX_CONSTRAINT_EQ] = "=",      [SQLITE_INDEX_CONSTRAINT_NE] = "<>",
        [SQLITE_INDEX_CONSTRAINT_GT] = ">",      [SQLITE_INDEX_CONSTRAINT_GE] = ">=",
        [SQLITE_INDEX_CONSTRAINT_LT] = "<",      [SQLITE_INDEX_CONSTRAINT_LE] = "<=",
        [SQLITE_INDEX_CONSTRAINT_LIKE] = "LIKE", [SQLITE_INDEX_CONSTRAINT_GLOB] = "GLOB",
        [SQLITE_INDEX_CONSTRAINT_ISNULL] = "IS", [SQLITE_INDEX_CONSTRAINT_ISNOTNULL] = "IS NOT",
    };
    return op < (int)(sizeof operators / sizeof *operators) ? operators[op] : NULL;
}

/* Rows are made up for the gaps of the other inputs: what is left out of them would be a gap. */
static bool has_no_gaps(const struct span_vtab *v, int side)
{
    return v->join == SPAN_JOIN_INNER || (v->join == SPAN_JOIN_LEFT && side == 0);
}

/* The input's column that a comparison of the result's column goes to; NULL for none. Where an
 * input's rows overlap it matters that the others are gone before rows are cut. */
static const char *pushed_name(const struct span_vtab *v, struct span_comparison c, int side)
{
    int from = v->columns.items[c.column].side;
    if (from == FROM_PARTITION && c.op == SQLITE_INDEX_CONSTRAINT_EQ)
        return v->inputs[side].partition; /* gaps are those of the partition, too */
    if (!has_no_gaps(v, side))
        return NULL;
    if (from == FROM_TS)
        return c.op == SQLITE_INDEX_CONSTRAINT_LE ? "ts" : NULL; /* earlier ones may reach later */
    if (from == FROM_PARTITION)
        return v->inputs[side].partition;
    return from == side ? column_name(v, c.column) : NULL;
}

static bool takes_comparison(const struct span_vtab *v, sqlite3_index_info *info, int i)
{
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    struct span_comparison comparison = {c->iColumn, c->op};
    return c->usable && c->iColumn >= 0 && operator_of(c->op) && collates_binary(info, i) &&
           (pushed_name(v, comparison, 0) || pushed_name(v, comparison, 1));
}

/* Rows come by partition, if there is one, and time. */
static bool is_natural(const struct span_vtab *v, const sqlite3_index_info *info)
{
    bool partitioned = v->inputs[0].partition || v->inputs[1].partition;
    for (int i = 0; i < info->nOrderBy; i++) {
        int column = info->aOrderBy[i].iColumn;
        int natural = !partitioned || i == 1 ? FROM_TS : FROM_PARTITION;
        if (column < 0 || v->columns.items[column].side != natural || info->aOrderBy[i].desc ||
            i > partitioned)
            return false;
    }
    return info->nOrderBy > 0;
}

static int span_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct span_vtab *v = (const struct span_vtab *)base;
    struct span_plan plan = {.used = info->colUsed};
    sqlite3_str *text = sqlite3_str_new(NULL);
    double cost = 1e6;
    for (int i = 0; i < info->nConstraint && plan.comparison_count < PLAN_COMPARISONS; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        if (!takes_comparison(v, info, i))
            continue;
        plan.comparisons[plan.comparison_count++] = (struct span_comparison){c->iColumn, c->op};
        info->aConstraintUsage[i].argvIndex = plan.comparison_count;
        sqlite3_str_appendf(text, c->op == SQLITE_INDEX_CONSTRAINT_EQ ? "%s%s%s?" : "%s%s %s ?",
                            plan.comparison_count > 1 ? " AND " : "", column_name(v, c->iColumn),
                            operator_of(c->op));
        if (c->op == SQLITE_INDEX_CONSTRAINT_EQ) {
            plan.has_equality = true;
            cost /= 10;
        }
    }
    info->orderByConsumed = is_natural(v, info);
    info->estimatedCost = cost;
    info->estimatedRows = (sqlite3_int64)(cost / 2);
    return publish_plan(info, sqlite3_str_finish(text), &plan, sizeof plan);
}

static int span_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    (void)base;
    struct span_cursor *c = alloc_array(1, sizeof *c);
    *out = &c->base;
    return SQLITE_OK;
}

static void clear_cursor(struct span_cursor *c)
{
    span_sweep_release(&c->sweep);
    for (int i = 0; i < SPAN_SIDES; i++) {
        sql_table_unref(c->inputs[i]);
        c->inputs[i] = NULL;
    }
    c->row = 0;
}

static int span_close(sqlite3_vtab_cursor *base)
{
    clear_cursor((struct span_cursor *)base);
    free(base);
    return SQLITE_OK;
}

/* The sweep's result, and its message as SQLite wants it. */
static int swept(struct span_cursor *c, int rc)
{
    sqlite3_vtab *v = &vtab_of(&c->base)->base;
    if (c->sweep.error) {
        sqlite3_free(v->zErrMsg);
        v->zErrMsg = c->sweep.error;
        c->sweep.error = NULL;
    }
    return rc;
}

static int span_next(sqlite3_vtab_cursor *base)
{
    struct span_cursor *c = (struct span_cursor *)base;
    c->row++;
    return swept(c, span_sweep_next(&c->sweep));
}

/* The argument of a comparison in SQL: a parameter, or the value itself. */
static void append_argument(sqlite3_str *sql, int i, sqlite3_value *value)
{
    if (!value)
        sqlite3_str_appendf(sql, " ?%d", i + 1);
    else if (sqlite3_value_type(value) == SQLITE_INTEGER)
        sqlite3_str_appendf(sql, " %lld", sqlite3_value_int64(value));
    else
        sqlite3_str_appendf(sql, " %Q", sqlite3_value_text(value));
}

/* What a side reads; `argv` may be NULL. Of columns that nobody uses it has no values. */
static char *input_query(const struct span_vtab *v, int side, const struct span_plan *plan,
                         sqlite3_value **argv)
{
    const struct span_input *in = &v->inputs[side];
    size_t column = v->columns.count - v->inputs[1].columns.count;
    if (side == 0)
        column -= in->columns.count;
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, in->has_dur ? "SELECT ts, dur" : "SELECT ts, 0");
    if (in->partition)
        sqlite3_str_appendf(sql, ", \"%w\"", in->partition);
    for (size_t i = 0; i < in->columns.count; i++)
        sqlite3_str_appendf(sql, is_used(plan->used, column + i) ? ", \"%w\"" : ", 0",
                            in->columns.items[i]);
    sqlite3_str_appendf(sql, " FROM \"%w\" WHERE ts IS NOT NULL", in->table);
    if (in->partition)
        sqlite3_str_appendf(sql, " AND \"%w\" IS NOT NULL", in->partition);
    for (int i = 0; i < plan->comparison_count; i++) {
        const char *name = pushed_name(v, plan->comparisons[i], side);
        if (!name)
            continue;
        sqlite3_str_appendf(sql, " AND \"%w\" %s", name, operator_of(plan->comparisons[i].op));
        append_argument(sql, i, argv ? argv[i] : NULL);
    }
    if (in->partition)
        sqlite3_str_appendf(sql, " ORDER BY \"%w\", ts", in->partition);
    else
        sqlite3_str_appendall(sql, " ORDER BY ts");
    return sqlite3_str_finish(sql);
}

static bool is_whole(const struct column *c)
{
    return c->def->type != COLUMN_TYPE_STR && c->def->type != COLUMN_TYPE_F64;
}

/* The column of a side's statement, in its rows. */
static const struct column *input_column(const struct span_cursor *c, int side, int column)
{
    return &c->inputs[side]->table->columns[column + 1]; /* behind _auto_id */
}

/* Whether the sweep makes of the rows what it would of the statement's. */
static bool can_be_swept(const struct span_cursor *c, int i)
{
    return is_whole(input_column(c, i, 0)) && is_whole(input_column(c, i, 1)) &&
           (!c->sweep.sides[i].partitioned || input_column(c, i, 2)->def->type != COLUMN_TYPE_F64);
}

/* Whether append_argument writes the value as it is: a text up to its first NUL only. */
static bool can_be_written(sqlite3_value *value)
{
    int type = sqlite3_value_type(value);
    if (type != SQLITE_TEXT)
        return type != SQLITE_FLOAT && type != SQLITE_BLOB;
    const char *text = (const char *)sqlite3_value_text(value);
    return text && !memchr(text, 0, (size_t)sqlite3_value_bytes(value));
}

/* Reads a side over columns, where that can be done. A scan with an equality may be the inner one
 * of a join, and mostly finds few rows. */
static bool read_columns_of(struct span_cursor *c, int i, const struct span_plan *plan, int argc,
                            sqlite3_value **argv)
{
    const struct span_vtab *v = vtab_of(&c->base);
    struct span_side *s = &c->sweep.sides[i];
    for (int k = 0; k < argc; k++)
        if (plan->has_equality || !can_be_written(argv[k]))
            return false;
    char *sql = input_query(v, i, plan, argv);
    c->inputs[i] = v->session->read_over_columns(v->session, sql);
    sqlite3_free(sql);
    if (!c->inputs[i] || !can_be_swept(c, i))
        return false;
    s->columns = (struct span_columns){.ts = input_column(c, i, 0),
                                       .dur = v->inputs[i].has_dur ? input_column(c, i, 1) : NULL,
                                       .partition = s->partitioned ? input_column(c, i, 2) : NULL,
                                       .count = c->inputs[i]->table->rows};
    return true;
}

static int prepare_side(struct span_cursor *c, int i, const struct span_plan *plan, int argc,
                        sqlite3_value **argv)
{
    const struct span_vtab *v = vtab_of(&c->base);
    struct span_side *s = &c->sweep.sides[i];
    s->partitioned = v->inputs[i].partition != NULL;
    if (read_columns_of(c, i, plan, argc, argv))
        return row_watch_passes(&v->session->row_watch, s->columns.count) ? SQLITE_OK
                                                                          : SQLITE_ABORT;
    char *sql = input_query(v, i, plan, NULL);
    int rc = session_prepare(v->session, sql, 0, &s->stmt);
    sqlite3_free(sql);
    if (rc != SQLITE_OK)
        c->sweep.error = sqlite3_mprintf("%s", session_message(v->session));
    for (int k = 0; rc == SQLITE_OK && k < argc; k++)
        if (pushed_name(v, plan->comparisons[k], i))
            sqlite3_bind_value(s->stmt, k + 1, argv[k]);
    return rc;
}

static int span_filter(sqlite3_vtab_cursor *base, int at, const char *text, int argc,
                       sqlite3_value **argv)
{
    struct span_cursor *c = (struct span_cursor *)base;
    const struct span_vtab *v = vtab_of(base);
    const struct span_plan *plan = (const void *)(text + at); /* aligned by publish_plan() */
    clear_cursor(c);
    c->sweep.session = v->session;
    c->sweep.join = v->join;
    int rc = SQLITE_OK;
    for (int i = 0; i < SPAN_SIDES && rc == SQLITE_OK; i++)
        rc = prepare_side(c, i, plan, argc, argv);
    if (rc == SQLITE_OK)
        rc = span_sweep_start(&c->sweep);
    return swept(c, rc);
}

static int span_eof(sqlite3_vtab_cursor *base)
{
    return ((const struct span_cursor *)base)->sweep.eof;
}

static void result_partition(sqlite3_context *ctx, const struct span_partition *p)
{
    if (p->type == SQLITE_TEXT)
        sqlite3_result_text(ctx, p->text, -1, SQLITE_TRANSIENT);
    else if (p->type == SQLITE_INTEGER)
        sqlite3_result_int64(ctx, p->number);
}

static int span_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const struct span_cursor *c = (const struct span_cursor *)base;
    const struct span_sweep *sweep = &c->sweep;
    struct span_column from = vtab_of(base)->columns.items[i];
    if (from.side == FROM_TS)
        sqlite3_result_int64(ctx, sweep->ts);
    else if (from.side == FROM_DUR)
        sqlite3_result_int64(ctx, sweep->dur);
    else if (from.side == FROM_PARTITION)
        result_partition(ctx, &sweep->partition);
    else if (sweep->emit[from.side] && sweep->sides[from.side].columns.ts)
        sql_table_result(c->inputs[from.side], (uint32_t)from.column + 1,
                         sweep->sides[from.side].next - 1, ctx);
    else if (sweep->emit[from.side])
        result_value(ctx, sqlite3_column_value(sweep->sides[from.side].stmt, from.column));
    return SQLITE_OK;
}

static int span_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((struct span_cursor *)base)->row;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 2,
    .xCreate = span_connect,
    .xConnect = span_connect,
    .xBestIndex = span_best_index,
    .xDisconnect = span_disconnect,
    .xDestroy = span_disconnect,
    .xOpen = span_open,
    .xClose = span_close,
    .xFilter = span_filter,
    .xNext = span_next,
    .xEof = span_eof,
    .xColumn = span_column,
    .xRowid = span_rowid,
};

static const struct virtual_table virtual_tables[] = {
    {.name = "span_join", .module = &module},
    {.name = "span_left_join", .module = &module},
    {.name = "span_outer_join", .module = &module},
    {0},
};

const struct sql_family span_join_family = {.virtual_tables = virtual_tables};
