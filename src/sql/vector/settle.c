#include "sql/batches/aggregate.h"
#include "sql/vector/bind.h"
#include "sql/vector/refusal.h"
#include "sql/batches/evaluate.h"
#include "sql/vector/join_order.h"
#include "sql/batches/source.h"

static uint32_t first_of_group(struct select *s, struct expr *column)
{
    for (uint32_t i = 0; i < s->aggregates.count; i++)
        if (s->aggregates.items[i].kind == AGGREGATE_FIRST &&
            expr_same(s->aggregates.items[i].arg, column))
            return i;
    *vec_push(&s->aggregates) = (struct aggregate){.kind = AGGREGATE_FIRST, .arg = column};
    return (uint32_t)s->aggregates.count - 1;
}

static uint32_t carried_number(struct select *s, struct expr *e)
{
    const struct expr *kept = select_carry(s, e);
    uint32_t i = 0;
    while (s->carried.v.items[i] != kept)
        i++;
    return i;
}

/* The expression with columns of the stage in the place of what the stage has. */
static struct expr *lift(struct plan *p, struct select *s, struct expr *e)
{
    uint32_t keys = (uint32_t)s->keys.v.count, windows = (uint32_t)s->windows.count;
    for (uint32_t k = 0; s->kind == SELECT_GROUP && k < keys; k++)
        if (expr_same(e, s->keys.v.items[k]))
            return expr_column(p, 0, k, e->type);
    if (e->op == EXPR_CONST)
        return e;
    if (e->op == EXPR_AGGREGATE)
        return expr_column(p, 0, keys + e->column, e->type);
    if (e->op == EXPR_WINDOW)
        return expr_column(p, 0, e->column, e->type);
    if (e->op == EXPR_COLUMN && s->kind == SELECT_GROUP)
        return expr_column(p, 0, keys + first_of_group(s, e), e->type);
    if (e->op == EXPR_COLUMN)
        return expr_column(p, 0, windows + carried_number(s, e), e->type);
    struct expr *copy = expr_new(p, e->op, e->type, e->count);
    struct expr **args = copy->args;
    *copy = *e;
    copy->args = args;
    copy->buffer = NULL;
    copy->serial = 0;
    for (uint32_t i = 0; i < e->count; i++)
        args[i] = lift(p, s, e->args[i]);
    return copy;
}

/* As SQLite sees it: expressions have none, but casts and values of SELECTs do. */
static char affinity_of(const struct select *s, const struct expr *e)
{
    if (e->op == EXPR_TO_INT)
        return 'i';
    if (e->op == EXPR_TO_REAL)
        return 'r';
    if (e->op == EXPR_VALUE)
        return e->uncorrelated->select->outputs.items[0].affinity;
    if (e->op == EXPR_CORRELATED && !e->correlated->exists)
        return e->correlated->select->outputs.items[0].affinity;
    if (e->op != EXPR_COLUMN)
        return 'n';
    const struct select *child = s->from.tables[e->table].child;
    if (child)
        return child->outputs.items[e->column].affinity;
    return e->type == VALUE_TEXT ? 't' : e->type == VALUE_REAL ? 'r' : 'i';
}

/* Of columns and functions SQLite knows only what affinity says. */
static uint8_t kinds_of(const struct output *o)
{
    enum expr_op op = o->expr->op;
    if (o->affinity != 'n')
        return KIND_BLOB | (o->affinity == 't' ? KIND_TEXT : KIND_NUMBER);
    if (o->kinds)
        return o->kinds;
    if (o->expr->type == VALUE_NULL)
        return 0;
    if (op == EXPR_AGGREGATE || op == EXPR_WINDOW || op == EXPR_CALL)
        return KINDS;
    return op >= EXPR_ADD && op <= EXPR_NOT_NULL ? KIND_NUMBER : KINDS_UNKNOWN;
}

static void lift_all(struct plan *p, struct select *s)
{
    for (size_t i = 0; i < s->outputs.count; i++)
        s->outputs.items[i].expr = lift(p, s, s->outputs.items[i].expr);
    for (size_t i = 0; i < s->order.v.count; i++)
        s->order.v.items[i].expr = lift(p, s, s->order.v.items[i].expr);
    if (s->having)
        *vec_push(&s->staged.early.v) = lift(p, s, s->having);
}

static bool needs_order(const struct select *s)
{
    for (size_t i = 0; i < s->aggregates.count; i++) {
        const struct aggregate *a = &s->aggregates.items[i];
        bool real = a->arg && a->arg->type == VALUE_REAL;
        if (a->kind == AGGREGATE_FIRST && !join_order_determines(s, &s->keys, a->arg->table))
            return true;
        if (aggregate_kinds[a->kind].order >= (real ? ORDER_OF_REALS : ORDER_ALWAYS))
            return true;
    }
    return s->kind != SELECT_GROUP;
}

static bool is_sorted_in_part(const struct select *s, uint32_t column);

static bool is_sorted_column(const struct select *s, const struct expr *e)
{
    const struct select *child =
        e->op == EXPR_COLUMN && s->kind != SELECT_UNION ? s->from.tables[e->table].child : NULL;
    if (child && child->kind == SELECT_UNION)
        return is_sorted_in_part(child, e->column);
    if (e->op != EXPR_COLUMN || !s->from.tables[e->table].stored)
        return false;
    return sql_table_sorted(s->from.tables[e->table].stored, e->column);
}

/* What SQLite may read from its end. */
static bool is_sorted_in_part(const struct select *s, uint32_t column)
{
    for (size_t i = 0; i < s->parts.count; i++) {
        const struct select *part = s->parts.items[i];
        if (part->kind == SELECT_UNION ||
            (part->kind == SELECT_PLAIN &&
             is_sorted_column(part, part->outputs.items[column].expr)))
            return true;
    }
    return false;
}

/* Groups come in the directions of an ORDER BY that has as many terms. */
static void direct_keys(struct select *s, const struct order_list *order)
{
    if (s->kind != SELECT_GROUP || order->v.count != s->keys.v.count)
        return;
    for (size_t k = 0; k < s->keys.v.count; k++)
        s->keys_desc[k] = order->v.items[k].desc;
}

/* Whether more is done than to compute and to filter. */
static bool works(const struct select *s)
{
    bool more = s->kind == SELECT_GROUP || s->kind == SELECT_WINDOW || s->order.v.count > 0;
    for (size_t i = 0; !more && i < s->parts.count; i++)
        more = works(s->parts.items[i]);
    return more;
}

static bool reads_made_rows(const struct select *s)
{
    const struct select *child = s->from.tables[s->from.order[0]].child;
    return child && works(child);
}

/* Whether a SELECT is asked for each of the rows: which are left, or all about them. */
static bool has_correlated(const struct select *s)
{
    bool any = false;
    for (size_t i = 0; !any && i < s->from.early.v.count; i++)
        any = expr_has(s->from.early.v.items[i], EXPR_CORRELATED);
    for (size_t i = 0; !any && i < s->from.late.v.count; i++)
        any = expr_has(s->from.late.v.items[i], EXPR_CORRELATED);
    for (size_t i = 0; !any && s->limit == UINT64_MAX && i < s->outputs.count; i++)
        any = expr_has(s->outputs.items[i].expr, EXPR_CORRELATED);
    return any;
}

/* What SQLite has a short way for, or nothing is won with. */
static bool is_worthwhile(const struct select *s, enum select_use use, bool outermost, bool builds)
{
    if (use != USE_ROWS)
        return true;
    if (s->kind == SELECT_PLAIN && s->order.v.count == 0)
        return outermost ? builds || reads_made_rows(s) || has_correlated(s)
                         : s->limit < UINT64_MAX;
    if (s->kind == SELECT_PLAIN)
        return !is_sorted_column(s, s->order.v.items[0].expr);
    const struct aggregate *a = s->aggregates.items;
    bool best = s->aggregates.count == 1 && s->keys.v.count == 0 && s->kind == SELECT_GROUP &&
                s->from.tables[s->from.order[0]].stored &&
                (a->kind == AGGREGATE_MIN || a->kind == AGGREGATE_MAX);
    return !best;
}

/* Columns that the groups' keys do not determine are those of the first row, or of the row that the
 * only min() or max() has found. */
static bool bare_columns_fit(struct select *s)
{
    uint32_t bests = 0;
    bool bare = false;
    for (uint32_t i = 0; i < s->aggregates.count; i++) {
        const struct aggregate *a = &s->aggregates.items[i];
        bare |= a->kind == AGGREGATE_FIRST && !join_order_determines(s, &s->keys, a->arg->table);
        if (a->kind == AGGREGATE_FIRST && s->keys.v.count == 0)
            return false;
        if (a->kind != AGGREGATE_MIN && a->kind != AGGREGATE_MAX)
            continue;
        bests++;
        s->pick = i;
    }
    if (!bare || bests == 0)
        return true;
    const struct aggregate *a = &s->aggregates.items[s->pick];
    s->picks = bests == 1 && a->arg->type == VALUE_INT && !a->filter && !a->distinct;
    return s->picks;
}

static bool refused(const struct binder *b, const char *words)
{
    refusal_because(b->environment, words);
    return false;
}

/* SQLite does not sort what nobody sees sorted. */
static const char unseen_order[] = "ORDER BY without LIMIT in a subquery";

static const char *const source_reasons[] = {
    [SOURCE_WAITS] = "columns that cannot be read",
    [SOURCE_APART] = "a join that is none by row numbers or by equal integers",
    [SOURCE_FEW] = "conditions leave few rows, which an index may find",
};

bool settle_select(struct binder *b, struct select *s, bool outermost)
{
    bool grouped = s->keys.v.count > 0 || s->aggregates.count > 0;
    if (grouped && s->windows.count > 0)
        return refused(b, "window functions over groups");
    s->kind = grouped ? SELECT_GROUP : s->windows.count ? SELECT_WINDOW : SELECT_PLAIN;
    if (s->kind == SELECT_GROUP && s->keys.v.count == 0 && s->order.v.count > 0)
        return refused(b, "ORDER BY of one row");
    if (b->use == USE_VALUE && s->limit > 1)
        s->limit = 1;
    if (s->order.v.count > 0 && !outermost && s->limit == UINT64_MAX && b->use != USE_INPUT)
        return refused(b, unseen_order);
    for (size_t i = 0; i < s->outputs.count; i++) {
        struct output *o = &s->outputs.items[i];
        o->affinity = affinity_of(s, o->expr);
        o->kinds = kinds_of(o);
    }
    direct_keys(s, &s->order);
    settle_spans(s, b->environment->is_part);
    enum source_verdict verdict = source_plan(b->plan, &s->from);
    if (verdict != SOURCE_PLANNED)
        return refused(b, source_reasons[verdict]);
    if (!is_worthwhile(s, b->use, outermost, b->environment->builds))
        return refused(b, s->order.v.count > 0      ? "ORDER BY of what is in that order"
                          : s->kind == SELECT_GROUP ? "min() or max() alone"
                                                    : refusal_only_filters);
    if (s->kind == SELECT_PLAIN && s->order.v.count > 0 && source_expands(&s->from))
        return refused(b, "ORDER BY over a join that makes more rows");
    for (size_t i = 0; s->limit < UINT64_MAX && i < s->outputs.count; i++)
        if (expr_has(s->outputs.items[i].expr, EXPR_ABS)) /* an error also of rows left out */
            return refused(b, "abs() beside LIMIT");
    if (s->kind != SELECT_PLAIN)
        lift_all(b->plan, s);
    bool any_order = b->use == USE_LIST && s->kind == SELECT_PLAIN && s->limit == UINT64_MAX;
    if (!bare_columns_fit(s))
        return refused(b, "a column that is neither aggregated nor grouped by");
    s->ordered = s->from.order[0] == 0;
    if (!s->ordered && !any_order && needs_order(s)) {
        join_order_settle(b->plan, s);
        s->ordered = true;
    }
    return true;
}

bool settle_union(struct binder *b, struct select *s, bool outermost)
{
    if (b->use == USE_VALUE && s->limit > 1)
        s->limit = 1;
    if (s->order.v.count > 0 && !outermost && s->limit == UINT64_MAX && b->use != USE_INPUT)
        return refused(b, unseen_order);
    if (s->order.v.count == 0 && !outermost && s->limit < UINT64_MAX)
        return refused(b, "LIMIT without ORDER BY in a subquery"); /* it may sort first */
    for (size_t i = 0; i < s->parts.count; i++)
        direct_keys(s->parts.items[i], &s->order);
    bool alone = b->depth == 1 && !b->environment->builds;
    return !alone || works(s) || refused(b, refusal_only_filters);
}
