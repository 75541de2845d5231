/* SPAN_JOIN, SPAN_LEFT_JOIN, SPAN_OUTER_JOIN: rows for the times where spans of two tables overlap.
 *
 * Both inputs are read in the order of partition and time and swept once. Each side is at any
 * moment in a span of its table or in a gap between two; a step gives the overlap of the two
 * sides' current stretches and moves on the side that ends first. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/cursor.h"
#include "sql/internal.h"

enum join { JOIN_INNER, JOIN_LEFT, JOIN_OUTER };

/* Where a column of the result comes from. */
enum { LAST_COLUMN_BIT = 30 };
enum { SIDES = 2, FROM_TS = -1, FROM_DUR = -2, FROM_PARTITION = -3 };

struct span_column {
    int side;   /* 0 or 1, or a FROM_ value */
    int column; /* of the side's statement */
};

struct span_input {
    char *table;
    char *partition;     /* NULL where it is not partitioned */
    VEC(char *) columns; /* beside ts, dur and the partition */
};

struct span_vtab {
    sqlite3_vtab base;
    struct sql_session *session;
    enum join join;
    struct span_input inputs[SIDES];
    VEC(struct span_column) columns;
};

struct partition {
    int type; /* SQLITE_NULL before the first */
    int64_t number;
    char *text; /* owned */
};

struct side {
    sqlite3_stmt *stmt;
    bool partitioned;
    /* The row that the statement stands on; `done` behind the last. */
    bool done;
    int64_t row_ts, row_end;
    bool row_open; /* it is not known how long it lasts */
    struct partition row_partition;
    /* The current stretch: that row, or the gap before it. */
    bool real, open;
    int64_t start, end;
};

struct span_cursor {
    sqlite3_vtab_cursor base;
    struct side sides[SIDES];
    struct partition partition; /* the one being swept */
    bool in_partition;
    bool eof;
    int64_t ts, dur, row;
    bool emit[SIDES];
};

static struct span_vtab *vtab_of(sqlite3_vtab_cursor *c)
{
    return (struct span_vtab *)c->pVtab;
}

static int vtab_error(sqlite3_vtab *v, char *message)
{
    sqlite3_free(v->zErrMsg);
    v->zErrMsg = message;
    return SQLITE_ERROR;
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
    for (int i = 0; i < SIDES; i++)
        free_input(&v->inputs[i]);
    vec_release(&v->columns);
    free(v);
    return SQLITE_OK;
}

/* Finds the input's columns; ts, dur and the partition have to be among them. */
static char *read_columns(sqlite3 *db, struct span_input *in)
{
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", in->table);
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
    sqlite3_free(sql);
    if (rc != SQLITE_OK)
        return sqlite3_mprintf("%s", sqlite3_errmsg(db));
    bool ts = false, dur = false, partition = in->partition == NULL;
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *name = sqlite3_column_name(stmt, i);
        if (sqlite3_stricmp(name, "ts") == 0)
            ts = true;
        else if (sqlite3_stricmp(name, "dur") == 0)
            dur = true;
        else if (in->partition && sqlite3_stricmp(name, in->partition) == 0)
            partition = true;
        else
            *vec_push(&in->columns) = alloc_copy(name, strlen(name));
    }
    sqlite3_finalize(stmt);
    const char *missing = !ts ? "ts" : !dur ? "dur" : !partition ? in->partition : NULL;
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
    if (a && b && sqlite3_stricmp(a, b) != 0)
        return sqlite3_mprintf("both tables have to be PARTITIONED by a column of the same name, "
                               "not %s and %s",
                               a, b);
    for (int side = 0; side < SIDES; side++)
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
    for (int side = 0; side < SIDES; side++) {
        int first = v->inputs[side].partition ? 3 : 2;
        for (size_t i = 0; i < v->inputs[side].columns.count; i++) {
            sqlite3_str_appendf(text, ", \"%w\"", v->inputs[side].columns.items[i]);
            *vec_push(&v->columns) = (struct span_column){side, first + (int)i};
        }
    }
    sqlite3_str_appendall(text, ")");
    char *sql = sqlite3_str_finish(text);
    int rc = sqlite3_declare_vtab(db, sql);
    sqlite3_free(sql);
    return rc;
}

static enum join join_of(const char *module)
{
    if (sqlite3_stricmp(module, "span_left_join") == 0)
        return JOIN_LEFT;
    return sqlite3_stricmp(module, "span_outer_join") == 0 ? JOIN_OUTER : JOIN_INNER;
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
    v->session = aux;
    v->join = join_of(argv[0]);
    char *problem = NULL;
    for (int i = 0; i < SIDES && !problem; i++) {
        if (!parse_input(argv[3 + i], &v->inputs[i]))
            problem = sqlite3_mprintf("%s: expected a table's name, maybe PARTITIONED column, "
                                      "found %s",
                                      argv[0], argv[3 + i]);
        else
            problem = read_columns(db, &v->inputs[i]);
    }
    if (!problem)
        problem = check(v);
    int rc = problem ? SQLITE_ERROR : declare(db, v);
    if (rc != SQLITE_OK) {
        *error = problem;
        span_disconnect(&v->base);
        return rc;
    }
    *out = &v->base;
    return SQLITE_OK;
}

/* The columns that are read, a bit each; the last bit stands for all from there on. */
static int used_columns(sqlite3_uint64 used)
{
    unsigned first = (unsigned)used & ((1u << LAST_COLUMN_BIT) - 1);
    return (int)(used >> LAST_COLUMN_BIT ? first | 1u << LAST_COLUMN_BIT : first);
}

static bool is_used(int used, size_t column)
{
    unsigned bit = column < LAST_COLUMN_BIT ? (unsigned)column : LAST_COLUMN_BIT;
    return (unsigned)used >> bit & 1;
}

/* idxStr lists the pushed equalities: one letter a column of the result, 'A' + number. The
 * partition may always be asked for; other columns only where no row is made up for a gap. */
static int span_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct span_vtab *v = (const struct span_vtab *)base;
    sqlite3_str *plan = sqlite3_str_new(NULL);
    int used = 0;
    double cost = 1e6;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        if (!c->usable || c->op != SQLITE_INDEX_CONSTRAINT_EQ || c->iColumn < 0 || c->iColumn > 50)
            continue;
        struct span_column column = v->columns.items[c->iColumn];
        bool partition = column.side == FROM_PARTITION;
        if (!partition && (column.side < 0 || v->join != JOIN_INNER))
            continue;
        info->aConstraintUsage[i].argvIndex = ++used;
        sqlite3_str_appendchar(plan, 1, (char)('A' + c->iColumn));
        cost /= 10;
    }
    info->idxNum = used_columns(info->colUsed);
    info->idxStr = sqlite3_str_finish(plan);
    info->needToFreeIdxStr = info->idxStr != NULL;
    info->estimatedCost = cost;
    info->estimatedRows = (sqlite3_int64)(cost / 2);
    return SQLITE_OK;
}

static int span_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    (void)base;
    struct span_cursor *c = alloc_array(1, sizeof *c);
    *out = &c->base;
    return SQLITE_OK;
}

static void clear_partition(struct partition *p)
{
    free(p->text);
    *p = (struct partition){.type = SQLITE_NULL};
}

static void clear_cursor(struct span_cursor *c)
{
    for (int i = 0; i < SIDES; i++) {
        sqlite3_finalize(c->sides[i].stmt);
        clear_partition(&c->sides[i].row_partition);
        c->sides[i] = (struct side){0};
    }
    clear_partition(&c->partition);
    c->in_partition = c->eof = false;
    c->row = -1;
}

static int span_close(sqlite3_vtab_cursor *base)
{
    clear_cursor((struct span_cursor *)base);
    free(base);
    return SQLITE_OK;
}

static void read_partition(sqlite3_stmt *stmt, struct partition *p)
{
    int type = sqlite3_column_type(stmt, 2);
    if (type == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_column_text(stmt, 2);
        if (p->type == SQLITE_TEXT && strcmp(p->text, text) == 0)
            return;
        clear_partition(p);
        p->text = alloc_copy(text, strlen(text));
    } else {
        clear_partition(p);
        p->number = sqlite3_column_int64(stmt, 2);
    }
    p->type = type == SQLITE_TEXT ? SQLITE_TEXT : SQLITE_INTEGER;
}

/* As ORDER BY puts them: numbers before text. */
static int compare_partitions(const struct partition *a, const struct partition *b)
{
    if (a->type != b->type)
        return a->type == SQLITE_INTEGER ? -1 : 1;
    if (a->type == SQLITE_TEXT)
        return strcmp(a->text, b->text);
    return (a->number > b->number) - (a->number < b->number);
}

static bool row_is_in(const struct side *s, const struct partition *p)
{
    return !s->done && (!s->partitioned || compare_partitions(&s->row_partition, p) == 0);
}

static int fail(struct span_cursor *c, int rc)
{
    struct span_vtab *v = vtab_of(&c->base);
    if (rc == SQLITE_INTERRUPT)
        return rc;
    return vtab_error(&v->base, sqlite3_mprintf("%s", sqlite3_errmsg(v->session->db)));
}

/* An unfinished span (dur -1) is taken for an instant. */
static int64_t end_of(int64_t ts, int64_t dur)
{
    int64_t end;
    if (dur < 0)
        return ts;
    return __builtin_add_overflow(ts, dur, &end) ? INT64_MAX : end;
}

/* Steps a side to its next row, and checks that it does not overlap the one before. */
static int next_row(struct span_cursor *c, int i)
{
    struct side *s = &c->sides[i];
    const struct span_vtab *v = vtab_of(&c->base);
    int64_t previous_end = s->row_end;
    bool had_row = sqlite3_stmt_busy(s->stmt);
    struct partition previous = {.type = s->row_partition.type, .number = s->row_partition.number};
    if (previous.type == SQLITE_TEXT)
        previous.text = alloc_copy(s->row_partition.text, strlen(s->row_partition.text));
    int rc = sqlite3_step(s->stmt);
    s->done = rc != SQLITE_ROW;
    if (!s->done) {
        s->row_ts = sqlite3_column_int64(s->stmt, 0);
        s->row_end = end_of(s->row_ts, sqlite3_column_int64(s->stmt, 1));
        s->row_open = sqlite3_column_int64(s->stmt, 1) < 0;
        if (s->partitioned)
            read_partition(s->stmt, &s->row_partition);
        bool same = !s->partitioned || compare_partitions(&previous, &s->row_partition) == 0;
        if (had_row && same && s->row_ts < previous_end)
            rc =
                vtab_error(&((struct span_vtab *)(uintptr_t)v)->base,
                           sqlite3_mprintf("%s has spans that overlap: one lasts to %lld, the next "
                                           "starts at %lld%s",
                                           v->inputs[i].table, previous_end, s->row_ts,
                                           s->partitioned ? ""
                                                          : " (is a PARTITIONED column missing?)"));
        else
            rc = SQLITE_OK;
    } else {
        rc = rc == SQLITE_DONE ? SQLITE_OK : fail(c, rc);
    }
    clear_partition(&previous);
    return rc;
}

/* The gap up to the side's row, or without end where the partition has no more rows. */
static void enter_gap(struct span_cursor *c, int i, int64_t from)
{
    struct side *s = &c->sides[i];
    s->real = s->open = false;
    s->start = from;
    s->end = row_is_in(s, &c->partition) ? s->row_ts : INT64_MAX;
}

static void enter_row(struct side *s)
{
    s->real = true;
    s->open = s->row_open;
    s->start = s->row_ts;
    s->end = s->row_end;
}

/* To the side's next stretch. Gaps of no length are passed over. */
static int advance(struct span_cursor *c, int i)
{
    struct side *s = &c->sides[i];
    if (!s->real) {
        enter_row(s);
        return SQLITE_OK;
    }
    int64_t end = s->end;
    int rc = next_row(c, i);
    if (rc != SQLITE_OK)
        return rc;
    enter_gap(c, i, end);
    if (s->start >= s->end && row_is_in(s, &c->partition))
        enter_row(s);
    return SQLITE_OK;
}

static int rewind_side(struct span_cursor *c, int i)
{
    sqlite3_reset(c->sides[i].stmt);
    return next_row(c, i);
}

/* The next partition in which there can be rows; false where there is none. */
static bool pick_partition(struct span_cursor *c)
{
    const struct side *a = &c->sides[0], *b = &c->sides[1];
    const struct side *from = NULL;
    if (!a->partitioned && !b->partitioned)
        return !c->in_partition; /* one, without a name */
    if (a->partitioned && !a->done)
        from = a;
    if (b->partitioned && !b->done &&
        (!from || compare_partitions(&b->row_partition, &from->row_partition) < 0))
        from = b;
    if (!from)
        return false;
    clear_partition(&c->partition);
    c->partition = from->row_partition;
    if (c->partition.text)
        c->partition.text = alloc_copy(c->partition.text, strlen(c->partition.text));
    return true;
}

/* Sets both sides to the partition's start; a side without a partition starts over. */
static int enter_partition(struct span_cursor *c)
{
    bool mixed = c->sides[0].partitioned != c->sides[1].partitioned;
    for (int i = 0; i < SIDES; i++) {
        if (mixed && !c->sides[i].partitioned && c->in_partition) {
            int rc = rewind_side(c, i);
            if (rc != SQLITE_OK)
                return rc;
        }
        enter_gap(c, i, INT64_MIN);
    }
    c->in_partition = true;
    return SQLITE_OK;
}

/* Skips what is left of the partition that a partitioned side stands in. */
static int leave_partition(struct span_cursor *c)
{
    for (int i = 0; i < SIDES; i++)
        while (c->sides[i].partitioned && row_is_in(&c->sides[i], &c->partition)) {
            int rc = next_row(c, i);
            if (rc != SQLITE_OK)
                return rc;
        }
    return SQLITE_OK;
}

static int64_t max_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* For overlapping, a span of no length counts as one nanosecond. */
static int64_t reach(const struct side *s)
{
    return s->real && s->end == s->start ? s->end + 1 : s->end;
}

static bool overlap(const struct side *a, const struct side *b)
{
    return a->start < reach(b) && b->start < reach(a);
}

static bool wanted(const struct span_cursor *c, enum join join)
{
    bool a = c->sides[0].real, b = c->sides[1].real;
    return join == JOIN_INNER ? a && b : join == JOIN_LEFT ? a : a || b;
}

/* Nothing more can come in this partition: both sides are in their last gaps, or one is where the
 * join needs it to be in a span. */
static bool partition_is_over(const struct span_cursor *c, enum join join)
{
    const struct side *a = &c->sides[0], *b = &c->sides[1];
    bool a_over = !a->real && a->end == INT64_MAX, b_over = !b->real && b->end == INT64_MAX;
    if (join == JOIN_OUTER)
        return a_over && b_over;
    return a_over || (b_over && join == JOIN_INNER);
}

/* Which side's stretch ends first; of two, the gap, then the right one. */
static int first_to_end(const struct span_cursor *c)
{
    const struct side *a = &c->sides[0], *b = &c->sides[1];
    if (reach(a) != reach(b))
        return reach(a) < reach(b) ? 0 : 1;
    return !a->real && b->real ? 0 : 1;
}

/* From the current pair of stretches on, the next row; the pair is left before it is shown. */
static int settle(struct span_cursor *c)
{
    const struct span_vtab *v = vtab_of(&c->base);
    for (unsigned steps = 1;; steps++) {
        if ((steps & 0xffff) == 0 && atomic_load(&v->session->cancel))
            return SQLITE_INTERRUPT;
        if (!c->in_partition || partition_is_over(c, v->join)) {
            int rc = c->in_partition ? leave_partition(c) : SQLITE_OK;
            if (rc != SQLITE_OK)
                return rc;
            c->eof = !pick_partition(c);
            if (c->eof)
                return SQLITE_OK;
            rc = enter_partition(c);
            if (rc != SQLITE_OK)
                return rc;
            continue;
        }
        const struct side *a = &c->sides[0], *b = &c->sides[1];
        if (wanted(c, v->join) && overlap(a, b)) {
            c->ts = max_of(a->start, b->start);
            c->dur = a->open || b->open ? -1 : min_of(a->end, b->end) - c->ts;
            c->emit[0] = a->real;
            c->emit[1] = b->real;
            c->row++;
            return SQLITE_OK;
        }
        int rc = advance(c, first_to_end(c));
        if (rc != SQLITE_OK)
            return rc;
    }
}

static int span_next(sqlite3_vtab_cursor *base)
{
    struct span_cursor *c = (struct span_cursor *)base;
    int rc = advance(c, first_to_end(c));
    return rc == SQLITE_OK ? settle(c) : rc;
}

/* Whether a pushed equality on a column of the result applies to an input, and under which name. */
static const char *pushed_name(const struct span_vtab *v, int column, int side)
{
    struct span_column from = v->columns.items[column];
    if (from.side == FROM_PARTITION)
        return v->inputs[side].partition;
    if (from.side != side)
        return NULL;
    return v->inputs[side].columns.items[from.column - (v->inputs[side].partition ? 3 : 2)];
}

static char *input_query(const struct span_vtab *v, int side, const char *plan, int used)
{
    const struct span_input *in = &v->inputs[side];
    size_t column = v->columns.count - v->inputs[1].columns.count;
    if (side == 0)
        column -= in->columns.count;
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "SELECT ts, dur");
    if (in->partition)
        sqlite3_str_appendf(sql, ", \"%w\"", in->partition);
    for (size_t i = 0; i < in->columns.count; i++)
        sqlite3_str_appendf(sql, is_used(used, column + i) ? ", \"%w\"" : ", NULL",
                            in->columns.items[i]);
    sqlite3_str_appendf(sql, " FROM \"%w\" WHERE ts IS NOT NULL", in->table);
    if (in->partition)
        sqlite3_str_appendf(sql, " AND \"%w\" IS NOT NULL", in->partition);
    for (int i = 0; plan && plan[i]; i++) {
        const char *name = pushed_name(v, plan[i] - 'A', side);
        if (name)
            sqlite3_str_appendf(sql, " AND \"%w\" = ?%d", name, i + 1);
    }
    if (in->partition)
        sqlite3_str_appendf(sql, " ORDER BY \"%w\", ts", in->partition);
    else
        sqlite3_str_appendall(sql, " ORDER BY ts");
    return sqlite3_str_finish(sql);
}

static int start_side(struct span_cursor *c, int i, int used, const char *plan, int argc,
                      sqlite3_value **argv)
{
    const struct span_vtab *v = vtab_of(&c->base);
    struct side *s = &c->sides[i];
    s->partitioned = v->inputs[i].partition != NULL;
    s->row_partition.type = SQLITE_NULL;
    char *sql = input_query(v, i, plan, used);
    int rc = sqlite3_prepare_v2(v->session->db, sql, -1, &s->stmt, NULL);
    sqlite3_free(sql);
    if (rc != SQLITE_OK)
        return fail(c, rc);
    for (int k = 0; k < argc; k++)
        if (pushed_name(v, plan[k] - 'A', i))
            sqlite3_bind_value(s->stmt, k + 1, argv[k]);
    return next_row(c, i);
}

static int span_filter(sqlite3_vtab_cursor *base, int used, const char *plan, int argc,
                       sqlite3_value **argv)
{
    struct span_cursor *c = (struct span_cursor *)base;
    clear_cursor(c);
    int rc = SQLITE_OK;
    for (int i = 0; i < SIDES && rc == SQLITE_OK; i++)
        rc = start_side(c, i, used, plan, argc, argv);
    return rc == SQLITE_OK ? settle(c) : rc;
}

static int span_eof(sqlite3_vtab_cursor *base)
{
    return ((struct span_cursor *)base)->eof;
}

static void result_partition(sqlite3_context *ctx, const struct partition *p)
{
    if (p->type == SQLITE_TEXT)
        sqlite3_result_text(ctx, p->text, -1, SQLITE_TRANSIENT);
    else if (p->type == SQLITE_INTEGER)
        sqlite3_result_int64(ctx, p->number);
}

static int span_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const struct span_cursor *c = (const struct span_cursor *)base;
    struct span_column from = vtab_of(base)->columns.items[i];
    if (from.side == FROM_TS)
        sqlite3_result_int64(ctx, c->ts);
    else if (from.side == FROM_DUR)
        sqlite3_result_int64(ctx, c->dur);
    else if (from.side == FROM_PARTITION)
        result_partition(ctx, &c->partition);
    else if (c->emit[from.side])
        sqlite3_result_value(ctx, sqlite3_column_value(c->sides[from.side].stmt, from.column));
    return SQLITE_OK;
}

static int span_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((struct span_cursor *)base)->row;
    return SQLITE_OK;
}

int span_join_register(struct sql_session *s)
{
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
    static const char *const names[] = {"span_join", "span_left_join", "span_outer_join"};
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof names / sizeof *names; i++)
        rc = sqlite3_create_module_v2(s->db, names[i], &module, s, NULL);
    return rc;
}
