#include "sql/batches/evaluate.h"

#include <math.h>
#include <string.h>

#include "core/trace/settled_args.h"
#include "core/store/arg_cache.h"
#include "sql/engine/slice_stacks.h"
#include "sql/engine/state_ends.h"
#include "sql/batches/memory.h"
#include "sql/batches/operations.h"

struct expr *expr_new(struct plan *p, enum expr_op op, enum value_type type, uint32_t args)
{
    struct expr *e = arena_alloc(&p->arena, sizeof *e);
    *e = (struct expr){.op = op, .type = type, .count = args, .depth = 1, .size = 1};
    if (args > 0)
        e->args = arena_alloc(&p->arena, args * sizeof(struct expr *));
    p->refused |= ++p->nodes > NODES_MAX;
    return e;
}

bool expr_measure(struct expr *e)
{
    e->depth = e->size = 1;
    for (uint32_t i = 0; i < e->count; i++) {
        e->size += e->args[i]->size;
        e->depth = e->args[i]->depth >= e->depth ? e->args[i]->depth + 1 : e->depth;
    }
    return e->depth <= DEPTH_MAX && e->size <= TREE_MAX;
}

struct expr *expr_column(struct plan *p, uint32_t table, uint32_t column, enum value_type type)
{
    struct expr *e = expr_new(p, EXPR_COLUMN, type, 0);
    e->table = table;
    e->column = column;
    return e;
}

bool expr_has(const struct expr *e, enum expr_op op)
{
    bool has = e->op == op;
    for (uint32_t i = 0; !has && e->op != EXPR_CONST && i < e->count; i++)
        has = expr_has(e->args[i], op);
    return has;
}

bool expr_same(const struct expr *a, const struct expr *b)
{
    if (a == b)
        return true;
    if (a->op != b->op || a->type != b->type)
        return false;
    if (a->op == EXPR_CONST)
        return a->type == VALUE_NULL || a->number == b->number;
    if (a->count != b->count || a->table != b->table || a->column != b->column)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!expr_same(a->args[i], b->args[i]))
            return false;
    return true;
}

static void need_buffers(struct plan *p, struct expr *e)
{
    if (e->buffer)
        return;
    e->buffer = arena_alloc(&p->arena, BATCH * sizeof(int64_t));
    e->null_buffer = arena_alloc(&p->arena, BATCH);
}

/* Columns. */

#define GATHER(type, out_type, value, is_null)                                                     \
    do {                                                                                           \
        const type *data = c->data;                                                                \
        out_type *out = e->buffer;                                                                 \
        uint8_t any = 0;                                                                           \
        for (uint32_t i = 0; i < b->n; i++) {                                                      \
            uint32_t row = rows ? rows[i] : b->first + i;                                          \
            bool gone = outer && row == NULL_U32;                                                  \
            type v = gone ? (type)0 : data[row];                                                   \
            bool null = gone || (is_null);                                                         \
            e->null_buffer[i] = null;                                                              \
            any |= null;                                                                           \
            out[i] = null ? (out_type)0 : (out_type)(value);                                       \
        }                                                                                          \
        return (struct values){out, any ? e->null_buffer : NULL};                                  \
    } while (0)

#define BIT_OF(row) (c->nulls && (c->nulls[(row) >> 6] >> ((row)&63) & 1))

static struct values gather_row_numbers(struct expr *e, const struct batch *b, const uint32_t *rows)
{
    int64_t *out = e->buffer;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t row = rows ? rows[i] : b->first + i;
        e->null_buffer[i] = row == NULL_U32;
        out[i] = row == NULL_U32 ? 0 : row;
    }
    return (struct values){out, some_null(e->null_buffer, b->n) ? e->null_buffer : NULL};
}

static struct values gather_texts(struct expr *e, const struct column *c, const struct batch *b,
                                  const uint32_t *rows)
{
    const string_id *data = c->data;
    string_id *out = e->buffer;
    for (uint32_t i = 0; i < b->n; i++)
        out[i] = rows[i] == NULL_U32 ? NULL_STRING : data[rows[i]];
    return (struct values){out, NULL};
}

static struct values gather_small(struct expr *e, const struct column *c, const struct batch *b,
                                  const uint32_t *rows)
{
    bool nullable = c->def->flags & COLUMN_NULLABLE;
    int64_t *out = e->buffer;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t row = rows ? rows[i] : b->first + i;
        bool gone = rows && row == NULL_U32;
        uint32_t v = gone ? 0 : column_small(c, row);
        bool null = gone || (nullable && v == NULL_U32);
        e->null_buffer[i] = null;
        out[i] = null ? 0 : v;
    }
    return (struct values){out, some_null(e->null_buffer, b->n) ? e->null_buffer : NULL};
}

static struct values stored_values(const struct plan_source *from, struct expr *e,
                                   const struct batch *b)
{
    const struct source_table *t = &from->tables[e->table];
    const struct column *c = &t->rows->columns[e->column];
    const uint32_t *rows = b->rows[e->table];
    enum column_type type = c->def->type;
    bool outer = t->left;
    if (type == COLUMN_TYPE_ID || type == COLUMN_TYPE_ALIAS)
        return gather_row_numbers(e, b, rows);
    if (!c->data)
        return all_null(e, b->n);
    if (type == COLUMN_TYPE_STR)
        return rows ? gather_texts(e, c, b, rows)
                    : (struct values){(const string_id *)c->data + b->first, NULL};
    if (!rows && !c->nulls && type == COLUMN_TYPE_I64)
        return (struct values){(const int64_t *)c->data + b->first, NULL};
    if (!rows && !c->nulls && type == COLUMN_TYPE_F64)
        return (struct values){(const double *)c->data + b->first, NULL};
    bool nullable = c->def->flags & COLUMN_NULLABLE;
    if (type == COLUMN_TYPE_U32)
        GATHER(uint32_t, int64_t, v, nullable && v == NULL_U32);
    if (type == COLUMN_TYPE_SMALL)
        return gather_small(e, c, b, rows);
    if (type == COLUMN_TYPE_I32)
        GATHER(int32_t, int64_t, v, BIT_OF(row));
    if (type == COLUMN_TYPE_I64)
        GATHER(int64_t, int64_t, v, BIT_OF(row));
    GATHER(double, double, v, BIT_OF(row));
}

/* `state`: as it was before the sets were read, as they may be renumbered meanwhile. */
static bool is_settled(int state, struct values sets, uint32_t n)
{
    const int64_t *set = sets.data;
    bool some_wait = state == ARGS_LOST;
    for (uint32_t i = 0; i < n && state == ARGS_UNSETTLED; i++)
        some_wait |= (!sets.null || !sets.null[i]) && settled_args_waits((uint32_t)set[i]);
    return !some_wait;
}

/* A number that is none is NULL for SQLite, but not for the tables' own scans. */
static struct values column_values(struct plan *p, const struct plan_source *from, struct expr *e,
                                   const struct batch *b)
{
    const struct column *c = &from->tables[e->table].rows->columns[e->column];
    int state = atomic_load_explicit(&p->session->trace->args.deferred.state, memory_order_acquire);
    struct values v = stored_values(from, e, b);
    if (c->def->flags & COLUMN_DEFERRED && !is_settled(state, v, b->n)) {
        p->refused |= !settled_args_ready(p->session->trace);
        v = stored_values(from, e, b);
    }
    const double *reals = v.data;
    bool bad = false;
    for (uint32_t i = 0; e->type == VALUE_REAL && i < b->n; i++)
        bad |= reals[i] != reals[i];
    p->refused |= bad;
    return v;
}

/* Nothing else writes to its buffers: the first `count` values stay there. */
static struct values constant_values(struct expr *e, uint32_t n)
{
    for (; e->count < n; e->count++) {
        if (e->type == VALUE_TEXT)
            ((string_id *)e->buffer)[e->count] = e->text;
        else
            ((int64_t *)e->buffer)[e->count] = e->type == VALUE_NULL ? 0 : e->number;
        e->null_buffer[e->count] = e->type == VALUE_NULL;
    }
    return (struct values){e->buffer, e->type == VALUE_NULL ? e->null_buffer : NULL};
}

/* Args. */

enum value_type evaluate_arg_type(const struct arg *a)
{
    switch (a->type) {
    case ARG_INT:
    case ARG_UINT:
    case ARG_POINTER:
    case ARG_BOOL:
        return VALUE_INT;
    case ARG_REAL:
        return VALUE_REAL;
    case ARG_STRING:
    case ARG_JSON:
        return a->s == NULL_STRING ? VALUE_NULL : VALUE_TEXT;
    case ARG_NULL:
        break;
    }
    return VALUE_NULL;
}

const struct arg *evaluate_arg(struct plan *p, int64_t set, string_id key)
{
    const struct trace *t = p->session->trace;
    p->refused |= set > args_count(&t->args) && !settled_args_ready(t);
    if (set <= 0 || set > args_count(&t->args))
        return NULL;
    return arg_cache_find(vector_memory_args(p->session), (uint32_t)set, key);
}

static struct values args_of(struct plan *p, struct expr *e, struct values sets, uint32_t n)
{
    const int64_t *set = sets.data;
    bool text = e->type == VALUE_TEXT;
    (void)all_null(e, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct arg *a =
            sets.null && sets.null[i] ? NULL : evaluate_arg(p, set[i], e->args[1]->text);
        enum value_type type = a ? evaluate_arg_type(a) : VALUE_NULL;
        if (text)
            ((string_id *)e->buffer)[i] = type == VALUE_TEXT ? a->s : NULL_STRING;
        else if (type == e->type)
            memcpy((int64_t *)e->buffer + i, type == VALUE_REAL ? (const void *)&a->d : &a->i,
                   sizeof(int64_t));
        e->null_buffer[i] = type == VALUE_NULL;
        p->refused |= type != VALUE_NULL && type != e->type;
        p->refused |= type == VALUE_REAL && isnan(a->d); /* which is NULL in SQL */
    }
    return values_put(e, n);
}

static struct values ends_of(struct plan *p, struct expr *e, struct values ids, uint32_t n)
{
    const struct state_ends *ends = state_ends_of(p->session);
    const int64_t *id = ids.data;
    int64_t *out = e->buffer;
    (void)all_null(e, n);
    p->refused |= !ends;
    for (uint32_t i = 0; ends && i < n; i++)
        if (!ids.null || !ids.null[i])
            e->null_buffer[i] = !state_end(ends, id[i], &out[i]);
    return values_put(e, n);
}

static struct values stacks_of(struct plan *p, struct expr *e, struct values ids, uint32_t n)
{
    const int64_t *stacks = slice_stacks_of(p->session), *id = ids.data;
    (void)all_null(e, n);
    p->refused |= !stacks;
    for (uint32_t i = 0; stacks && i < n; i++)
        if ((!ids.null || !ids.null[i]) && id[i] >= 0 &&
            id[i] < p->session->trace->tables.slice.rows)
            value_put(e, i, false, (uint64_t)stacks[id[i]]);
    return values_put(e, n);
}

/* Conversions. */

static int64_t whole_of(double d)
{
    if (d <= -9223372036854775808.0)
        return INT64_MIN;
    if (d >= 9223372036854775808.0)
        return INT64_MAX;
    return (int64_t)d;
}

static struct values convert(struct plan *p, struct expr *e, struct values a, uint32_t n)
{
    if (e->type == e->args[0]->type && e->op != EXPR_ABS)
        return a;
    const int64_t *ints = a.data;
    const double *reals = a.data;
    if (e->op == EXPR_TO_REAL)
        for (uint32_t i = 0; i < n; i++)
            ((double *)e->buffer)[i] = (double)ints[i];
    else if (e->op == EXPR_TO_INT)
        for (uint32_t i = 0; i < n; i++)
            ((int64_t *)e->buffer)[i] = whole_of(reals[i]);
    else
        for (uint32_t i = 0; i < n; i++) {
            p->refused |= ints[i] == INT64_MIN;
            ((int64_t *)e->buffer)[i] = ints[i] < 0 && ints[i] > INT64_MIN ? -ints[i] : ints[i];
        }
    return (struct values){e->buffer, a.null};
}

static struct values of_two(struct plan *p, const struct plan_source *from, struct expr *e,
                            const struct batch *b)
{
    struct values x = evaluate(p, from, e->args[0], b);
    struct values y = evaluate(p, from, e->args[1], b);
    if (e->op == EXPR_AND || e->op == EXPR_OR)
        return operate_logic(e, x, y, b->n);
    if (e->op == EXPR_CONCAT)
        return operate_concat(p, e, x, y, b->n);
    if (e->op >= EXPR_EQ && e->op <= EXPR_IS_NOT)
        return operate_comparison(p, e, x, y, b->n);
    return operate_arithmetic(p, e, x, y, b->n);
}

static struct values row_numbers(struct expr *e, const struct batch *b)
{
    int64_t *out = e->buffer;
    const uint32_t *rows = b->rows[e->table];
    for (uint32_t i = 0; i < b->n; i++)
        out[i] = !rows ? (int64_t)b->first + i : rows[i] == NULL_U32 ? -1 : (int64_t)rows[i];
    return (struct values){out, NULL};
}

static struct values compute(struct plan *p, const struct plan_source *from, struct expr *e,
                             const struct batch *b)
{
    switch (e->op) {
    case EXPR_CONST:
        return constant_values(e, b->n);
    case EXPR_COLUMN:
        return column_values(p, from, e, b);
    case EXPR_ROW:
        return row_numbers(e, b);
    case EXPR_CASE:
        return operate_case(p, from, e, b);
    case EXPR_COALESCE:
        return operate_coalesce(p, from, e, b);
    case EXPR_LEAST:
    case EXPR_GREATEST:
        return operate_extreme(p, from, e, b);
    case EXPR_NOT:
        return operate_not(e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_IS_NULL:
    case EXPR_NOT_NULL:
        return operate_null_test(e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_IN:
        return operate_in(e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_LIKE:
    case EXPR_GLOB:
        return operate_match(p, e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_ARG:
        return args_of(p, e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_STATE_END:
        return ends_of(p, e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_SLICE_STACK:
        return stacks_of(p, e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_ABS:
    case EXPR_TO_INT:
    case EXPR_TO_REAL:
        return convert(p, e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_IN_ROWS:
        return operate_in_rows(p, e, evaluate(p, from, e->args[0], b), b->n);
    case EXPR_CORRELATED:
        return operate_correlated(p, from, e, b);
    case EXPR_VALUE:
        return operate_value(p, e, b->n);
    case EXPR_CALL:
        return operate_call(p, from, e, b);
    default:
        return of_two(p, from, e, b);
    }
}

/* What several aggregates read is one expression, which is computed once for a batch, as is what an
 * operation asks for again once it knows the values. */
struct values evaluate(struct plan *p, const struct plan_source *from, struct expr *e,
                       const struct batch *b)
{
    need_buffers(p, e);
    if (e->serial == b->serial)
        return e->last;
    e->last = compute(p, from, e, b);
    e->serial = b->serial;
    return e->last;
}

void evaluate_bind(struct plan *p, sqlite3_stmt *stmt, int argument, struct values v,
                   enum value_type type, uint32_t i)
{
    if (value_is_null(v, type, i)) {
        sqlite3_bind_null(stmt, argument);
    } else if (type == VALUE_TEXT) {
        struct str s = string_pool_get(&p->session->trace->strings, ((const string_id *)v.data)[i]);
        sqlite3_bind_text64(stmt, argument, s.p, s.n, SQLITE_STATIC, SQLITE_UTF8);
    } else if (type == VALUE_REAL) {
        sqlite3_bind_double(stmt, argument, ((const double *)v.data)[i]);
    } else {
        sqlite3_bind_int64(stmt, argument, ((const int64_t *)v.data)[i]);
    }
}

uint32_t evaluate_filter(struct plan *p, const struct plan_source *from, struct expr *e,
                         const struct batch *b, uint32_t *kept)
{
    struct values v = evaluate(p, from, e, b);
    const int64_t *test = v.data;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        kept[n] = i;
        n += test[i] != 0;
    }
    return n;
}
