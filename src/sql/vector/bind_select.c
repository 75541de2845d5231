#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/batches/evaluate.h"
#include "sql/vector/bind_expression.h"
#include "sql/vector/refusal.h"

enum { OUTPUTS_MAX = 200 };

bool bind_query_of(const struct sql_node *select, struct query *out)
{
    bool whole = sql_is(select, SQL_SELECT); /* one of a UNION's is the core alone */
    const struct sql_node *core = whole ? select->part[SELECT_BODY] : select;
    *out = (struct query){.core = core};
    if (whole)
        *out = (struct query){select->part[SELECT_WITH], core, select->part[SELECT_ORDER],
                              select->part[SELECT_LIMIT]};
    return sql_is(core, SQL_CORE) && core->op == SQL_OP_NONE && core->part[CORE_FROM] &&
           !core->part[CORE_WINDOWS];
}

static bool note_window(void *self, const struct sql_node *n)
{
    bool *any = self;
    *any |= n->kind == SQL_CALL && n->part[CALL_OVER];
    return !*any;
}

bool query_is_simple(const struct query *q)
{
    bool windows = false;
    sql_visit(q->core->part[CORE_RESULTS], note_window, &windows);
    return !windows && !q->core->part[CORE_GROUP] && !q->core->part[CORE_HAVING] && !q->order &&
           !q->limit;
}

struct calls {
    const struct binder *binder;
    bool aggregates;
};

static bool note_aggregate(void *self, const struct sql_node *n)
{
    struct calls *c = self;
    c->aggregates |= n->kind == SQL_CALL && vector_is_aggregate(bind_token(c->binder, n).text);
    return !c->aggregates;
}

bool query_aggregates(const struct binder *b, const struct query *q)
{
    struct calls c = {.binder = b};
    sql_visit(q->core->part[CORE_RESULTS], note_aggregate, &c);
    return c.aggregates;
}

void select_add_condition(struct select *s, struct expr *e)
{
    if (e->op == EXPR_CONST && e->type == VALUE_INT && e->number)
        return;
    if (e->op != EXPR_AND) {
        *vec_push(&s->from.conditions.v) = e;
        return;
    }
    select_add_condition(s, e->args[0]);
    select_add_condition(s, e->args[1]);
}

struct expr *bind_plain(struct binder *b, const struct sql_node *n)
{
    bool aggregates = b->aggregates, windows = b->windows;
    b->aggregates = b->windows = false;
    struct expr *e = bind_expression(b, n);
    b->aggregates = aggregates;
    b->windows = windows;
    return e;
}

bool bind_condition(struct binder *b, const struct sql_node *n)
{
    struct expr *e = bind_plain(b, n);
    if (!e || e->type != VALUE_INT) {
        refusal_of_node(b->environment, b->tokens, n);
        return false;
    }
    select_add_condition(b->select, e);
    return true;
}

static char *copy_name(struct plan *p, struct str s)
{
    char *copy = arena_alloc_bytes(&p->arena, s.n + 1);
    if (s.n)
        memcpy(copy, s.p, s.n);
    copy[s.n] = 0;
    return copy;
}

/* The node's text, as it is written. */
static char *written(const struct binder *b, const struct sql_node *n)
{
    char *text = tokens_text(b->tokens + n->span.first, n->span.end - n->span.first);
    char *copy = copy_name(b->plan, str_from(text));
    free(text);
    return copy;
}

/* The column that an output is, as its table calls it; NULL where it is none. */
static const struct scope_column *named_column(const struct binder *b, const struct expr *e,
                                               struct str name)
{
    for (uint32_t s = 0; s < b->scope->count; s++)
        for (uint32_t i = 0; i < b->scope->sources[s].count; i++) {
            const struct scope_column *c = &b->scope->sources[s].columns[i];
            if (c->expr == e && same_name(c->name, name))
                return c;
        }
    return NULL;
}

/* The name of a column, also of one in parentheses: a, a.b, (a.b); else TOKEN_END. */
static struct token column_word(const struct binder *b, const struct sql_node *n)
{
    while (n->kind == SQL_PARENTHESES && n->part[0]->count == 1)
        n = n->part[0]->part[0];
    bool column = n->kind == SQL_COLUMN && !n->part[COLUMN_SCHEMA];
    return column ? bind_token(b, n->part[COLUMN_NAME]) : (struct token){.kind = TOKEN_END};
}

/* (a.b) is called as a.b is. */
static char *default_name(const struct binder *b, const struct expr *e, const struct sql_node *n)
{
    struct token column = column_word(b, n);
    const struct scope_column *c =
        column.kind == TOKEN_END ? NULL : named_column(b, e, token_name(column));
    return c ? copy_name(b->plan, c->name) : written(b, n);
}

/* See `kinds` of outputs; 0 for what its expression says. */
static uint8_t kinds_of(const struct binder *b, const struct sql_node *n)
{
    const struct sql_node *number =
        n->kind == SQL_UNARY && n->op == SQL_OP_SUBTRACT ? n->part[0] : n;
    if (number->kind == SQL_LITERAL && bind_token(b, number).kind == TOKEN_NUMBER)
        return KIND_NUMBER;
    if (n->kind == SQL_CALL &&
        b->environment->function_is_taken(b->plan->session, bind_token(b, n).text,
                                          n->part[CALL_ARGUMENTS]->count))
        return KINDS;
    return column_word(b, n).kind == TOKEN_END ? 0 : KINDS;
}

static bool is_wanted(const struct binder *b, struct str name)
{
    bool is = !b->wanted;
    for (size_t i = 0; !is && i < b->wanted->v.count; i++)
        is = same_name(b->wanted->v.items[i], name);
    return is;
}

static bool add_columns_of(struct binder *b, const struct scope_source *source, struct select *s)
{
    for (uint32_t i = 0; i < source->count && s->outputs.count < OUTPUTS_MAX; i++) {
        const struct scope_column *c = &source->columns[i];
        if (c->hidden || !is_wanted(b, c->name))
            continue;
        if (!c->expr && !b->may_skip)
            return false;
        *vec_push(&s->outputs) =
            (struct output){.expr = c->expr, .name = copy_name(b->plan, c->name), .kinds = KINDS};
    }
    return s->outputs.count < OUTPUTS_MAX;
}

/* The columns of the table of that name, or of all: then USING leaves some out. */
static bool add_star(struct binder *b, const struct sql_node *table, struct select *s)
{
    uint32_t found = 0;
    if (!table && b->scope->shared_count > 0)
        return false;
    for (uint32_t i = 0; i < b->scope->count; i++) {
        const struct scope_source *source = &b->scope->sources[i];
        if (table && !same_name(source->alias, token_name(bind_token(b, table))))
            continue;
        if (!add_columns_of(b, source, s))
            return false;
        found++;
    }
    return found == (table ? 1 : b->scope->count);
}

/* Keywords that SQLite takes for names where nothing else can stand, as behind an output. */
static bool names_outputs(struct token t)
{
    static const char *const words[] = {"FIRST", "LAST", "KEY",    "PLAN", "OF",
                                        "QUERY", "ROW",  "GROUPS", "ROWS", "ACTION"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is_word(t, words[i]))
            return true;
    return false;
}

static bool skip_output(struct binder *b, const struct sql_node *result, struct select *s)
{
    if (!b->may_skip || !bind_unknown_output(b, result))
        return false;
    struct str name = token_name(bind_token(b, result->part[RESULT_NAME]));
    *vec_push(&s->outputs) = (struct output){.name = copy_name(b->plan, name)};
    b->plan->skips = true;
    refusal_forget(b->environment);
    return true;
}

static bool bind_output(struct binder *b, const struct sql_node *n, struct select *s)
{
    if (s->outputs.count >= OUTPUTS_MAX)
        return false;
    if (n->kind == SQL_STAR)
        return !n->part[STAR_EXCEPT] && !n->part[STAR_REPLACE] &&
               add_star(b, n->part[STAR_TABLE], s);
    if (n->kind != SQL_RESULT)
        return false;
    const struct sql_node *value = n->part[RESULT_VALUE], *named = n->part[RESULT_NAME];
    struct expr *e = bind_expression(b, value);
    if (!e || (e->type == VALUE_NULL && b->use != USE_UNION))
        return skip_output(b, n, s);
    char *text;
    if (named) {
        struct token name = bind_token(b, named);
        if (!is_alias(name) && !names_outputs(name))
            return false;
        text = copy_name(b->plan, token_name(name));
        if (name.kind == TOKEN_QUOTED && strchr(text, name.text.p[0]))
            return false;
    } else {
        text = default_name(b, e, value);
    }
    *vec_push(&s->outputs) = (struct output){.expr = e, .name = text, .kinds = kinds_of(b, value)};
    return true;
}

bool bind_outputs(struct binder *b, const struct sql_node *results, struct select *s)
{
    for (uint32_t i = 0; i < results->count; i++)
        if (!bind_output(b, results->part[i], s)) {
            refusal_of_node(b->environment, b->tokens, results->part[i]);
            return false;
        }
    return true;
}

/* GROUP BY, ORDER BY and LIMIT. */

/* A term that is the number of an output, or names one. */
static struct expr *output_term(const struct binder *b, const struct select *s,
                                const struct sql_node *n, bool by_name)
{
    struct token t = bind_token(b, n);
    int64_t number;
    if (n->kind == SQL_LITERAL && t.kind == TOKEN_NUMBER && str_to_i64(t.text, &number) &&
        number >= 1 && (uint64_t)number <= s->outputs.count)
        return s->outputs.items[number - 1].expr;
    bool named = by_name && n->kind == SQL_COLUMN && !n->part[COLUMN_TABLE] && token_is_name(t);
    for (size_t i = 0; named && i < s->outputs.count; i++)
        if (same_name(str_from(s->outputs.items[i].name), token_name(t)))
            return s->outputs.items[i].expr;
    return NULL;
}

static bool bind_groups(struct binder *b, const struct sql_node *terms)
{
    struct select *s = b->select;
    for (uint32_t i = 0; i < terms->count; i++) {
        struct expr *e = output_term(b, s, terms->part[i], false);
        e = e ? e : bind_plain(b, terms->part[i]);
        bool fits = e && e->op != EXPR_CONST && e->type != VALUE_NULL &&
                    !expr_has(e, EXPR_AGGREGATE) && !expr_has(e, EXPR_WINDOW);
        if (!fits || s->keys.v.count == SCAN_ORDERS) {
            refusal_of_node(b->environment, b->tokens, terms);
            return false;
        }
        *vec_push(&s->keys.v) = e;
    }
    return true;
}

bool bind_order_terms(struct binder *b, const struct sql_node *terms, struct order_list *out,
                      const struct select *named)
{
    for (uint32_t i = 0; i < terms->count; i++) {
        const struct sql_node *term = terms->part[i];
        if (term->kind != SQL_ORDER_TERM || term->op2 != SQL_OP_NONE)
            return false;
        struct expr *e = named ? output_term(b, named, term->part[0], true) : NULL;
        e = e ? e : bind_expression(b, term->part[0]);
        if (!e || e->op == EXPR_CONST || e->type == VALUE_NULL || out->v.count == SCAN_ORDERS)
            return false;
        *vec_push(&out->v) = (struct order_key){e, term->op == SQL_OP_DESC};
    }
    return true;
}

static bool bind_count(struct binder *b, const struct sql_node *n, int64_t *out)
{
    struct expr *e = bind_expression(b, n);
    if (!e || e->op != EXPR_CONST || e->type != VALUE_INT)
        return false;
    *out = e->number;
    return true;
}

static bool bind_limit(struct binder *b, const struct sql_node *n)
{
    int64_t limit, offset = 0;
    struct scope none = {0}, *scope = b->scope;
    b->scope = &none;
    bool ok =
        bind_count(b, n->part[0], &limit) && (!n->part[1] || bind_count(b, n->part[1], &offset));
    b->scope = scope;
    if (!ok)
        return false;
    b->select->limit = limit < 0 ? UINT64_MAX : (uint64_t)limit;
    b->select->offset = offset < 0 ? 0 : (uint64_t)offset;
    return true;
}

bool bind_ending(struct binder *b, const struct sql_node *order, const struct sql_node *limit)
{
    const struct sql_node *n = NULL;
    if (order && !bind_order_terms(b, order, &b->select->order, b->select))
        n = order;
    else if (limit && !bind_limit(b, limit))
        n = limit;
    if (n)
        refusal_of_node(b->environment, b->tokens, n);
    return !n;
}

static bool bind_having(struct binder *b, const struct sql_node *n)
{
    struct expr *e = bind_expression(b, n);
    b->select->having = e;
    return e && e->type == VALUE_INT && b->select->keys.v.count > 0;
}

static bool bind_clauses(struct binder *b, const struct query *q)
{
    struct select *s = b->select;
    struct sql_node *const *part = q->core->part;
    b->where = part[CORE_WHERE];
    if (!bind_from(b, part[CORE_FROM]))
        return false;
    b->aggregates = b->windows = true;
    if (!bind_outputs(b, part[CORE_RESULTS], s))
        return false;
    b->scope->named = s;
    if (part[CORE_WHERE] && !bind_condition(b, part[CORE_WHERE]))
        return false;
    if (part[CORE_GROUP] && !bind_groups(b, part[CORE_GROUP]))
        return false;
    if (part[CORE_HAVING] && !bind_having(b, part[CORE_HAVING])) {
        refusal_of_node(b->environment, b->tokens, part[CORE_HAVING]);
        return false;
    }
    return bind_ending(b, q->order, q->limit);
}

/* WITH name AS (SELECT ...), ...: the first `count` tables of it. */
bool bind_with(struct binder *b, const struct sql_node *with, uint32_t count)
{
    const struct cte *outer = b->ctes;
    struct cte *all = arena_alloc(&b->plan->arena, (count + (size_t)1) * sizeof *all);
    if (with->op != SQL_OP_NONE) {
        refusal_of_node(b->environment, b->tokens, with);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct sql_node *t = with->part[0]->part[i];
        bool fits = t->kind == SQL_WITH_TABLE && !t->part[WITH_TABLE_COLUMNS] &&
                    is_alias(bind_token(b, t->part[WITH_TABLE_NAME]));
        if (!fits) {
            refusal_of_node(b->environment, b->tokens, t);
            return false;
        }
        all[i] = (struct cte){.name = token_name(bind_token(b, t->part[WITH_TABLE_NAME])),
                              .select = t->part[WITH_TABLE_SELECT],
                              .outer = i > 0 ? &all[i - 1] : outer,
                              .last = &all[count - 1]};
    }
    b->ctes = count > 0 ? &all[count - 1] : outer;
    return true;
}

struct select *bind_select(struct binder *outer, const struct sql_node *n, enum select_use use)
{
    struct plan *p = outer->plan;
    struct scope scope = {0};
    struct query q;
    struct select *s = alloc_array(1, sizeof *s);
    *vec_push(&p->all) = s;
    s->limit = UINT64_MAX;
    struct binder b = {.plan = p,
                       .tokens = outer->tokens,
                       .environment = outer->environment,
                       .ctes = outer->ctes,
                       .hidden = outer->hidden,
                       .scope = &scope,
                       .select = s,
                       .use = use,
                       .wanted = use == USE_INPUT ? outer->wanted : NULL,
                       .depth = outer->depth + 1};
    bool outermost = outer->select == NULL && !outer->environment->is_part;
    bool plain = bind_query_of(n, &q);
    p->refused |= b.depth > DEPTH_MAX;
    if (p->refused || (q.with && !bind_with(&b, q.with, q.with->part[0]->count)))
        return NULL;
    bool ok = bind_is_union(n) ? bind_union(&b, n) && settle_union(&b, s, outermost)
                               : plain && bind_clauses(&b, &q) && settle_select(&b, s, outermost);
    if (!ok)
        refusal_of_node(b.environment, b.tokens, n);
    return ok && !p->refused ? s : NULL;
}
