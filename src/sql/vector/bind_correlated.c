#include "base/alloc.h"
#include "sql/vector/bind_expression.h"
#include "sql/batches/evaluate.h"

/* What is asked of the SELECT. */
enum correlated_use { CORRELATED_VALUE, CORRELATED_EXISTS };

/* The SELECT is read as one that groups by what its conditions compare with the outer row. */
struct correlating {
    struct binder *outer, inner;
    struct expr_list own, asked; /* pairwise equal: of its rows, of the outer one */
};

/* Names. */

static bool scope_has(const struct scope *scope, struct str name)
{
    for (uint32_t s = 0; s < scope->count; s++)
        for (uint32_t i = 0; i < scope->sources[s].count; i++)
            if (same_name(scope->sources[s].columns[i].name, name))
                return true;
    for (size_t i = 0; scope->named && i < scope->named->outputs.count; i++)
        if (same_name(str_from(scope->named->outputs.items[i].name), name))
            return true;
    return false;
}

static bool scope_has_alias(const struct scope *scope, struct str alias)
{
    for (uint32_t s = 0; s < scope->count; s++)
        if (same_name(scope->sources[s].alias, alias))
            return true;
    return false;
}

struct naming {
    const struct binder *inner;
    bool any;
};

static bool note_name(void *self, const struct sql_node *n)
{
    struct naming *l = self;
    if (n->kind == SQL_COLUMN) {
        const struct sql_node *table = n->part[COLUMN_TABLE];
        struct str name = token_name(bind_token(l->inner, table ? table : n->part[COLUMN_NAME]));
        l->any |= table ? scope_has_alias(l->inner->scope, name) : scope_has(l->inner->scope, name);
    }
    return !l->any;
}

/* Whether a name in the expression may be one of the inner SELECT, which it then is. */
static bool names_inner(const struct binder *inner, const struct sql_node *n)
{
    struct naming l = {.inner = inner};
    sql_visit(n, note_name, &l);
    return l.any;
}

/* Conditions. */

static struct expr *bind_side(struct binder *b, const struct sql_node *n)
{
    struct expr *e = bind_plain(b, n);
    bool fits = e && e->op != EXPR_CONST && (e->type == VALUE_INT || e->type == VALUE_TEXT) &&
                !expr_has(e, EXPR_AGGREGATE) && !expr_has(e, EXPR_WINDOW);
    return fits ? e : NULL;
}

static bool bind_equality(struct correlating *l, const struct sql_node *own,
                          const struct sql_node *asked)
{
    struct expr *mine = names_inner(&l->inner, asked) ? NULL : bind_side(&l->inner, own);
    struct expr *other = mine ? bind_side(l->outer, asked) : NULL;
    if (!other || other->type != mine->type || l->own.v.count == CORRELATED_KEYS)
        return false;
    *vec_push(&l->own.v) = mine;
    *vec_push(&l->asked.v) = other;
    return true;
}

static bool bind_parts(struct correlating *l, const struct sql_node *n)
{
    bool binary = n->kind == SQL_BINARY;
    if (binary && n->op == SQL_OP_AND)
        return bind_parts(l, n->part[0]) && bind_parts(l, n->part[1]);
    return bind_condition(&l->inner, n) ||
           (binary && n->op == SQL_OP_EQ &&
            (bind_equality(l, n->part[0], n->part[1]) || bind_equality(l, n->part[1], n->part[0])));
}

/* The SELECT. */

/* Outputs that nobody reads: a name, a number or all columns. */
static bool pass_outputs(struct correlating *l, const struct sql_node *results)
{
    const struct sql_node *n = results->part[0];
    if (results->count != 1)
        return false;
    if (n->kind == SQL_STAR)
        return !n->part[STAR_TABLE] && !n->part[STAR_EXCEPT] && !n->part[STAR_REPLACE];
    const struct sql_node *value = n->kind == SQL_RESULT ? n->part[RESULT_VALUE] : n;
    bool name = value->kind == SQL_COLUMN && !value->part[COLUMN_SCHEMA];
    bool number = value->kind == SQL_LITERAL && bind_token(&l->inner, value).kind == TOKEN_NUMBER;
    l->inner.plan->skips |= name; /* there may be none of that name */
    return (name || number) && !n->part[RESULT_NAME];
}

static bool is_one(const struct binder *b, const struct sql_node *limit)
{
    const struct sql_node *n = limit->part[0];
    return !limit->part[1] && n->kind == SQL_LITERAL && str_eq(bind_token(b, n).text, STR("1"));
}

static bool bind_clauses(struct correlating *l, const struct query *q, enum correlated_use use)
{
    struct select *s = l->inner.select;
    struct sql_node *const *part = q->core->part;
    if (part[CORE_GROUP] || part[CORE_HAVING] || q->order || q->with || !part[CORE_WHERE] ||
        (q->limit && !is_one(&l->inner, q->limit)) || !bind_from(&l->inner, part[CORE_FROM]))
        return false;
    l->inner.aggregates = use == CORRELATED_VALUE;
    if (use == CORRELATED_EXISTS ? !pass_outputs(l, part[CORE_RESULTS])
                                 : !bind_outputs(&l->inner, part[CORE_RESULTS], s))
        return false;
    l->inner.scope->named = s;
    bool value = s->outputs.count == 1 && s->outputs.items[0].expr->type != VALUE_NULL;
    return (use == CORRELATED_EXISTS || value) && bind_parts(l, part[CORE_WHERE]) &&
           l->own.v.count > 0;
}

/* Rows by key: the value, and the keys behind it. */
static bool settle(struct correlating *l)
{
    struct select *s = l->inner.select;
    for (size_t i = 0; i < l->own.v.count; i++) {
        struct expr *e = l->own.v.items[i];
        *vec_push(&s->keys.v) = e;
        *vec_push(&s->outputs) = (struct output){.expr = e, .used = true};
    }
    s->outputs.items[0].used = true;
    return settle_select(&l->inner, s, false);
}

static struct select *new_select(struct plan *p)
{
    struct select *s = alloc_array(1, sizeof *s);
    *vec_push(&p->all) = s;
    s->limit = UINT64_MAX;
    return s;
}

static struct expr *correlated_expr(struct correlating *l, enum correlated_use use, bool aggregates)
{
    struct plan *p = l->outer->plan;
    uint32_t keys = (uint32_t)l->asked.v.count;
    struct correlated *correlated = arena_alloc(&p->arena, sizeof *correlated);
    *correlated = (struct correlated){.select = l->inner.select,
                                      .keys = keys,
                                      .exists = use == CORRELATED_EXISTS,
                                      .aggregates = aggregates};
    *vec_push(&p->correlated) = correlated;
    enum value_type type =
        use == CORRELATED_EXISTS ? VALUE_INT : l->inner.select->outputs.items[0].expr->type;
    struct expr *e = expr_new(p, EXPR_CORRELATED, type, keys);
    e->correlated = correlated;
    e->column = (uint32_t)p->correlated.count; /* each is an expression of its own */
    for (uint32_t i = 0; i < keys; i++)
        e->args[i] = l->asked.v.items[i];
    p->refused |= !expr_measure(e);
    return p->refused ? NULL : e;
}

static struct expr *bind_correlated(struct binder *b, const struct sql_node *select,
                                    enum correlated_use use)
{
    struct query q;
    struct scope scope = {0};
    b->plan->refused |= ++b->plan->queries > QUERIES_MAX || b->depth >= DEPTH_MAX;
    if (b->plan->refused || !bind_query_of(select, &q))
        return NULL;
    struct correlating l = {.outer = b,
                            .inner = {.plan = b->plan,
                                      .tokens = b->tokens,
                                      .environment = b->environment,
                                      .ctes = b->ctes,
                                      .hidden = b->hidden,
                                      .scope = &scope,
                                      .select = new_select(b->plan),
                                      .use = USE_UNION,
                                      .depth = b->depth + 1}};
    struct expr *e = NULL;
    bool ok = bind_clauses(&l, &q, use);
    bool aggregates = l.inner.select->aggregates.count > 0;
    if (ok && settle(&l))
        e = correlated_expr(&l, use, aggregates);
    vec_release(&l.own.v);
    vec_release(&l.asked.v);
    return e;
}

struct expr *bind_value_by_key(struct binder *b, const struct sql_node *select)
{
    return bind_correlated(b, select, CORRELATED_VALUE);
}

struct expr *bind_exists(struct binder *b, const struct sql_node *select)
{
    return bind_correlated(b, select, CORRELATED_EXISTS);
}
