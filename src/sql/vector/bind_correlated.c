#include "base/alloc.h"
#include "sql/vector/bind_expression.h"
#include "sql/vector/evaluate.h"

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

/* Whether one of the words may be a name of the inner SELECT, which it then is. */
static bool names_inner(const struct scope *inner, struct reader r)
{
    struct token before = {.kind = TOKEN_END};
    while (r.at < r.end) {
        struct token t = reader_take(&r), next = reader_peek(&r);
        if (token_is_name(t) && !token_is(before, '.') && !token_is(next, '(') &&
            (token_is(next, '.') ? scope_has_alias(inner, token_name(t))
                                 : scope_has(inner, token_name(t))))
            return true;
        before = t;
    }
    return false;
}

/* Conditions. */

static bool is_equals(struct token t)
{
    return t.kind == TOKEN_OPERATOR && (str_eq(t.text, STR("=")) || str_eq(t.text, STR("==")));
}

/* What binds as an equality does or less. */
static bool is_other_operator(struct token t)
{
    static const char *const words[] = {"OR",   "NOT",  "IS",      "IN",     "BETWEEN",
                                        "LIKE", "GLOB", "MATCH",   "REGEXP", "ISNULL",
                                        "CASE", "AND",  "NOTNULL", "COLLATE"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is_word(t, words[i]))
            return true;
    return t.kind == TOKEN_OPERATOR && (str_eq(t.text, STR("<>")) || str_eq(t.text, STR("!=")));
}

/* The two sides of a condition that is one equality. */
static bool split_equality(struct reader r, struct reader *left, struct reader *right)
{
    int depth = 0;
    uint32_t at = r.end;
    for (uint32_t i = r.at; i < r.end; i++) {
        struct token t = r.words->items[i];
        depth += token_is(t, '(') - token_is(t, ')');
        if (depth == 0 && (is_other_operator(t) || (is_equals(t) && at < r.end)))
            return false;
        at = depth == 0 && is_equals(t) ? i : at;
    }
    *left = (struct reader){r.words, r.at, at};
    *right = (struct reader){r.words, at + 1, r.end};
    return at < r.end;
}

static struct expr *bind_side(struct binder *b, struct reader r)
{
    bool aggregates = b->aggregates, windows = b->windows;
    b->aggregates = b->windows = false;
    struct expr *e = bind_expression(b, &r);
    b->aggregates = aggregates;
    b->windows = windows;
    bool fits = e && e->op != EXPR_CONST && (e->type == VALUE_INT || e->type == VALUE_TEXT) &&
                !expr_has(e, EXPR_AGGREGATE) && !expr_has(e, EXPR_WINDOW) && r.at == r.end;
    return fits ? e : NULL;
}

static bool bind_equality(struct correlating *l, struct reader own, struct reader asked)
{
    struct expr *mine = names_inner(l->inner.scope, asked) ? NULL : bind_side(&l->inner, own);
    struct expr *other = mine ? bind_side(l->outer, asked) : NULL;
    if (!other || other->type != mine->type || l->own.v.count == CORRELATED_KEYS)
        return false;
    *vec_push(&l->own.v) = mine;
    *vec_push(&l->asked.v) = other;
    return true;
}

static bool bind_part(struct correlating *l, struct reader r)
{
    struct reader left, right;
    if (bind_condition(&l->inner, r))
        return true;
    return split_equality(r, &left, &right) &&
           (bind_equality(l, left, right) || bind_equality(l, right, left));
}

/* Where the first AND stands that is no BETWEEN's, in no parentheses and no CASE. */
static uint32_t next_and(struct reader r)
{
    int depth = 0, between = 0;
    for (; r.at < r.end; r.at++) {
        struct token t = r.words->items[r.at];
        depth += token_is(t, '(') - token_is(t, ')');
        depth += token_is_word(t, "CASE") - token_is_word(t, "END");
        if (depth == 0 && token_is_word(t, "BETWEEN"))
            between++;
        else if (depth == 0 && token_is_word(t, "AND") && between-- == 0)
            break;
    }
    return r.at;
}

static bool bind_parts(struct correlating *l, struct reader r)
{
    while (r.at < r.end) {
        struct reader part = {r.words, r.at, next_and(r)};
        if (!bind_part(l, part))
            return false;
        r.at = part.end + (part.end < r.end);
    }
    return l->own.v.count > 0;
}

/* The SELECT. */

/* Outputs that nobody reads: a name, a number or all columns. */
static bool pass_outputs(struct correlating *l, struct reader r)
{
    uint32_t words = r.end - r.at;
    struct token first = reader_take(&r);
    bool number = words == 1 && (first.kind == TOKEN_NUMBER || token_is(first, '*'));
    bool name =
        token_is_name(first) && (words == 1 || (words == 3 && token_is(reader_peek(&r), '.')));
    l->inner.plan->skips |= name; /* there may be none of that name */
    return number || name;
}

static bool bind_clauses(struct correlating *l, const struct clauses *c, enum correlated_use use)
{
    struct select *s = l->inner.select;
    struct reader limit = c->at[CLAUSE_LIMIT];
    bool one = limit.end - limit.at == 1 && str_eq(limit.words->items[limit.at].text, STR("1"));
    if (c->has[CLAUSE_GROUP] || c->has[CLAUSE_HAVING] || c->has[CLAUSE_ORDER] ||
        !c->has[CLAUSE_WHERE] || (c->has[CLAUSE_LIMIT] && !one) ||
        !bind_from(&l->inner, c->at[CLAUSE_FROM]))
        return false;
    l->inner.aggregates = use == CORRELATED_VALUE;
    if (use == CORRELATED_EXISTS ? !pass_outputs(l, c->at[CLAUSE_SELECT])
                                 : !bind_outputs(&l->inner, c->at[CLAUSE_SELECT], s))
        return false;
    l->inner.scope->named = s;
    return (use == CORRELATED_EXISTS || s->outputs.count == 1) &&
           bind_parts(l, c->at[CLAUSE_WHERE]);
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
    for (uint32_t i = 0; i < keys; i++) {
        e->args[i] = l->asked.v.items[i];
        e->depth = e->args[i]->depth >= e->depth ? e->args[i]->depth + 1 : e->depth;
    }
    p->refused |= e->depth > DEPTH_MAX;
    return p->refused ? NULL : e;
}

static struct expr *bind_correlated(struct binder *b, struct reader *r, enum correlated_use use)
{
    struct reader text;
    struct clauses c;
    struct scope scope = {0};
    b->plan->refused |= ++b->plan->queries > QUERIES_MAX || b->depth >= DEPTH_MAX;
    if (b->plan->refused || !reader_take_group(r, &text) || !clauses_split(text, &c))
        return NULL;
    struct correlating l = {.outer = b,
                            .inner = {.plan = b->plan,
                                      .environment = b->environment,
                                      .ctes = b->ctes,
                                      .hidden = b->hidden,
                                      .scope = &scope,
                                      .select = new_select(b->plan),
                                      .use = USE_UNION,
                                      .depth = b->depth + 1}};
    struct expr *e = NULL;
    bool ok = bind_clauses(&l, &c, use);
    bool aggregates = l.inner.select->aggregates.count > 0;
    if (ok && settle(&l))
        e = correlated_expr(&l, use, aggregates);
    vec_release(&l.own.v);
    vec_release(&l.asked.v);
    return e;
}

struct expr *bind_value_by_key(struct binder *b, struct reader *r)
{
    return bind_correlated(b, r, CORRELATED_VALUE);
}

struct expr *bind_exists(struct binder *b, struct reader *r)
{
    return bind_begins_select(r) ? bind_correlated(b, r, CORRELATED_EXISTS) : NULL;
}
