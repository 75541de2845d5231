#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/vector/bind_expression.h"

enum { OUTPUTS_MAX = 200 };

static int clause_of(struct token t)
{
    static const char *const words[CLAUSES] = {"SELECT", "FROM",  "WHERE", "GROUP",
                                               "HAVING", "ORDER", "LIMIT"};
    for (int i = 0; i < CLAUSES; i++)
        if (token_is_word(t, words[i]))
            return i;
    return -1;
}

static bool is_compound(struct token t)
{
    return token_is_word(t, "UNION") || token_is_word(t, "EXCEPT") ||
           token_is_word(t, "INTERSECT") || token_is_word(t, "VALUES") ||
           token_is_word(t, "WINDOW") || t.kind == TOKEN_VARIABLE;
}

bool clauses_split(struct reader r, struct clauses *out)
{
    int depth = 0, current = -1;
    *out = (struct clauses){0};
    for (uint32_t i = r.at; i < r.end; i++) {
        struct token t = r.words->items[i];
        depth += token_is(t, '(') - token_is(t, ')');
        if (depth > 0)
            continue;
        int clause = clause_of(t);
        bool is_name = i > r.at && token_is(r.words->items[i - 1], '.');
        if (depth < 0 || is_compound(t))
            return false;
        if (clause < 0 || is_name)
            continue;
        bool expected = current < 0 ? clause == CLAUSE_SELECT && i == r.at : clause > current;
        if (!expected)
            return false;
        if (current >= 0)
            out->at[current].end = i;
        out->at[clause] = (struct reader){r.words, i + 1, r.end};
        out->has[clause] = true;
        current = clause;
    }
    return depth == 0 && out->has[CLAUSE_SELECT] && out->has[CLAUSE_FROM];
}

/* A SELECT that only names, computes and filters can become part of the one that reads it. */
bool clauses_are_simple(const struct clauses *c)
{
    for (uint32_t i = c->at[CLAUSE_SELECT].at; i < c->at[CLAUSE_SELECT].end; i++)
        if (token_is_word(c->at[CLAUSE_SELECT].words->items[i], "OVER"))
            return false;
    return !c->has[CLAUSE_GROUP] && !c->has[CLAUSE_HAVING] && !c->has[CLAUSE_ORDER] &&
           !c->has[CLAUSE_LIMIT];
}

bool clauses_aggregate(const struct clauses *c)
{
    const struct reader *r = &c->at[CLAUSE_SELECT];
    for (uint32_t i = r->at; i + 1 < r->end; i++)
        if (token_is(r->words->items[i + 1], '(') && vector_is_aggregate(r->words->items[i].text))
            return true;
    return false;
}

void select_add_condition(struct select *s, struct expr *e)
{
    if (e->op != EXPR_AND) {
        *vec_push(&s->from.conditions.v) = e;
        return;
    }
    select_add_condition(s, e->args[0]);
    select_add_condition(s, e->args[1]);
}

struct expr *bind_plain(struct binder *b, struct reader *r)
{
    bool aggregates = b->aggregates, windows = b->windows;
    b->aggregates = b->windows = false;
    struct expr *e = bind_expression(b, r);
    b->aggregates = aggregates;
    b->windows = windows;
    return e;
}

bool bind_condition(struct binder *b, struct reader r)
{
    struct expr *e = bind_plain(b, &r);
    if (!e || e->type != VALUE_INT || r.at != r.end)
        return false;
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

/* The text of the words [from, to), as it is written. */
static char *written(struct plan *p, const struct words *w, uint32_t from, uint32_t to)
{
    uint32_t first = w->at[from], last = w->at[to - 1];
    char *text = tokens_text(w->all + first, last - first + 1);
    char *copy = copy_name(p, str_from(text));
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

/* The last of the words where they are a column, or one in parentheses: a, a.b, (a.b); else
 * TOKEN_END. */
static struct token column_word(const struct words *w, uint32_t from, uint32_t to)
{
    while (from < to && token_is(w->items[from], '(') && token_is(w->items[to - 1], ')')) {
        from++;
        to--;
    }
    bool column = to - from == 1 || (to - from == 3 && token_is(w->items[from + 1], '.'));
    return column && token_is_name(w->items[to - 1]) ? w->items[to - 1]
                                                     : (struct token){.kind = TOKEN_END};
}

/* (a.b) is called as a.b is. */
static char *default_name(struct binder *b, const struct expr *e, const struct words *w,
                          uint32_t from, uint32_t to)
{
    struct token column = column_word(w, from, to);
    const struct scope_column *c =
        column.kind == TOKEN_END ? NULL : named_column(b, e, token_name(column));
    return c ? copy_name(b->plan, c->name) : written(b->plan, w, from, to);
}

/* See `kinds` of outputs; 0 for what its expression says. */
static uint8_t kinds_of_words(const struct words *w, uint32_t from, uint32_t to)
{
    uint32_t number = from + token_is(w->items[from], '-');
    if (number + 1 == to && w->items[number].kind == TOKEN_NUMBER)
        return KIND_NUMBER;
    return column_word(w, from, to).kind == TOKEN_END ? 0 : KINDS;
}

static bool add_star(struct binder *b, struct select *s)
{
    const struct scope_source *source = &b->scope->sources[0];
    if (b->scope->count != 1)
        return false;
    for (uint32_t i = 0; i < source->count && s->outputs.count < OUTPUTS_MAX; i++) {
        const struct scope_column *c = &source->columns[i];
        if (!c->hidden && !c->expr && !b->may_skip)
            return false;
        if (!c->hidden)
            *vec_push(&s->outputs) = (struct output){.expr = c->expr,
                                                     .name = copy_name(b->plan, c->name),
                                                     .kinds = KINDS};
    }
    return s->outputs.count < OUTPUTS_MAX;
}

/* Keywords that SQLite takes for names where nothing else can stand, as behind AS. */
static bool names_behind_as(struct token t)
{
    static const char *const words[] = {"FIRST", "LAST", "KEY",    "PLAN", "OF",
                                        "QUERY", "ROW",  "GROUPS", "ROWS", "ACTION"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is_word(t, words[i]))
            return true;
    return false;
}

static bool skip_output(struct binder *b, struct reader *r, struct select *s)
{
    struct str name;
    if (!b->may_skip || s->outputs.count >= OUTPUTS_MAX || !bind_unknown_output(r, &name))
        return false;
    *vec_push(&s->outputs) = (struct output){.name = copy_name(b->plan, name)};
    b->plan->skips = true;
    return true;
}

static bool bind_output(struct binder *b, struct reader *r, struct select *s)
{
    uint32_t from = r->at;
    if (reader_accept_char(r, '*'))
        return add_star(b, s);
    struct expr *e = bind_expression(b, r);
    uint32_t to = r->at;
    if (!e || e->type == VALUE_NULL) {
        r->at = from;
        return skip_output(b, r, s);
    }
    if (s->outputs.count >= OUTPUTS_MAX)
        return false;
    bool as = reader_accept(r, "AS");
    struct token name = reader_peek(r);
    char *text;
    if (is_alias(name) || (as && names_behind_as(name))) {
        text = copy_name(b->plan, token_name(reader_take(r)));
        if (name.kind == TOKEN_QUOTED && strchr(text, name.text.p[0]))
            return false;
    } else if (as) {
        return false;
    } else {
        text = default_name(b, e, r->words, from, to);
    }
    *vec_push(&s->outputs) =
        (struct output){.expr = e, .name = text, .kinds = kinds_of_words(r->words, from, to)};
    return true;
}

bool bind_outputs(struct binder *b, struct reader r, struct select *s)
{
    if (token_is_word(reader_peek(&r), "DISTINCT") || token_is_word(reader_peek(&r), "ALL"))
        return false;
    do {
        if (!bind_output(b, &r, s))
            return false;
    } while (reader_accept_char(&r, ','));
    return r.at == r.end;
}

/* GROUP BY, ORDER BY and LIMIT. */

/* A term that is the number of an output, or names one. */
static struct expr *output_term(const struct select *s, struct reader *r, bool by_name)
{
    struct reader next = *r;
    struct token t = reader_take(&next), end = reader_peek(&next);
    bool alone = end.kind == TOKEN_END || token_is(end, ',') || token_is_word(end, "ASC") ||
                 token_is_word(end, "DESC");
    int64_t number;
    if (!alone)
        return NULL;
    if (t.kind == TOKEN_NUMBER && str_to_i64(t.text, &number) && number >= 1 &&
        (uint64_t)number <= s->outputs.count) {
        *r = next;
        return s->outputs.items[number - 1].expr;
    }
    for (size_t i = 0; by_name && token_is_name(t) && i < s->outputs.count; i++)
        if (same_name(str_from(s->outputs.items[i].name), token_name(t))) {
            *r = next;
            return s->outputs.items[i].expr;
        }
    return NULL;
}

static bool bind_groups(struct binder *b, struct reader r)
{
    struct select *s = b->select;
    bool windows = b->windows;
    if (!reader_accept(&r, "BY"))
        return false;
    b->aggregates = b->windows = false;
    do {
        struct expr *e = output_term(s, &r, false);
        e = e ? e : bind_expression(b, &r);
        bool fits = e && e->op != EXPR_CONST && (e->type == VALUE_INT || e->type == VALUE_TEXT) &&
                    !expr_has(e, EXPR_AGGREGATE) && !expr_has(e, EXPR_WINDOW);
        if (!fits || s->keys.v.count == SCAN_ORDERS)
            return false;
        *vec_push(&s->keys.v) = e;
    } while (reader_accept_char(&r, ','));
    b->aggregates = true;
    b->windows = windows;
    return r.at == r.end;
}

bool bind_order_terms(struct binder *b, struct reader *r, struct order_list *out,
                      const struct select *named)
{
    do {
        struct expr *e = named ? output_term(named, r, true) : NULL;
        e = e ? e : bind_expression(b, r);
        bool desc = reader_accept(r, "DESC");
        if (!desc)
            reader_accept(r, "ASC");
        if (!e || e->op == EXPR_CONST || e->type == VALUE_NULL || out->v.count == SCAN_ORDERS)
            return false;
        *vec_push(&out->v) = (struct order_key){e, desc};
    } while (reader_accept_char(r, ','));
    return true;
}

static bool bind_order(struct binder *b, struct reader r)
{
    return reader_accept(&r, "BY") && bind_order_terms(b, &r, &b->select->order, b->select) &&
           r.at == r.end;
}

static bool bind_count(struct binder *b, struct reader *r, int64_t *out)
{
    struct expr *e = bind_expression(b, r);
    if (!e || e->op != EXPR_CONST || e->type != VALUE_INT)
        return false;
    *out = e->number;
    return true;
}

static bool bind_limit(struct binder *b, struct reader r)
{
    int64_t limit, offset = 0;
    struct scope none = {0}, *scope = b->scope;
    b->scope = &none;
    bool ok = bind_count(b, &r, &limit);
    if (ok && reader_accept(&r, "OFFSET"))
        ok = bind_count(b, &r, &offset);
    b->scope = scope;
    if (!ok || r.at != r.end)
        return false;
    b->select->limit = limit < 0 ? UINT64_MAX : (uint64_t)limit;
    b->select->offset = offset < 0 ? 0 : (uint64_t)offset;
    return true;
}

bool bind_ending(struct binder *b, const struct clauses *c)
{
    if (c->has[CLAUSE_ORDER] && !bind_order(b, c->at[CLAUSE_ORDER]))
        return false;
    return !c->has[CLAUSE_LIMIT] || bind_limit(b, c->at[CLAUSE_LIMIT]);
}

static bool bind_having(struct binder *b, struct reader r)
{
    struct expr *e = bind_expression(b, &r);
    b->select->having = e;
    return e && e->type == VALUE_INT && r.at == r.end && b->select->keys.v.count > 0;
}

static bool bind_clauses(struct binder *b, const struct clauses *c)
{
    struct select *s = b->select;
    if (!bind_from(b, c->at[CLAUSE_FROM]))
        return false;
    b->aggregates = b->windows = true;
    if (!bind_outputs(b, c->at[CLAUSE_SELECT], s))
        return false;
    b->scope->named = s;
    if (c->has[CLAUSE_WHERE] && !bind_condition(b, c->at[CLAUSE_WHERE]))
        return false;
    if (c->has[CLAUSE_GROUP] && !bind_groups(b, c->at[CLAUSE_GROUP]))
        return false;
    if (c->has[CLAUSE_HAVING] && !bind_having(b, c->at[CLAUSE_HAVING]))
        return false;
    return bind_ending(b, c);
}

static struct cte *bind_cte(struct binder *b, struct reader *r)
{
    struct cte *c = arena_alloc(&b->plan->arena, sizeof *c);
    struct token name = reader_take(r);
    if (!is_alias(name) || !reader_accept(r, "AS"))
        return NULL;
    if (reader_accept(r, "NOT") && !token_is_word(reader_peek(r), "MATERIALIZED"))
        return NULL;
    reader_accept(r, "MATERIALIZED");
    if (!reader_accept_char(r, '(') || !reader_take_group(r, &c->body))
        return NULL;
    c->name = token_name(name);
    c->outer = b->ctes;
    b->ctes = c;
    return c;
}

/* WITH name AS (SELECT ...), ... */
static bool bind_ctes(struct binder *b, struct reader *r)
{
    VEC(struct cte *) all = {0};
    bool ok = true;
    if (!reader_accept(r, "WITH"))
        return true;
    do {
        struct cte *c = bind_cte(b, r);
        ok = c != NULL;
        if (ok)
            *vec_push(&all) = c;
    } while (ok && reader_accept_char(r, ','));
    for (size_t i = 0; i < all.count; i++)
        all.items[i]->last = b->ctes;
    vec_release(&all);
    return ok;
}

struct select *bind_select(struct binder *outer, struct reader r, enum select_use use)
{
    struct plan *p = outer->plan;
    struct scope scope = {0};
    struct clauses clauses;
    struct select *s = alloc_array(1, sizeof *s);
    *vec_push(&p->all) = s;
    s->limit = UINT64_MAX;
    struct binder b = {.plan = p,
                       .environment = outer->environment,
                       .ctes = outer->ctes,
                       .hidden = outer->hidden,
                       .scope = &scope,
                       .select = s,
                       .use = use,
                       .depth = outer->depth + 1};
    bool outermost = outer->select == NULL && !outer->environment->is_part;
    p->refused |= b.depth > DEPTH_MAX;
    if (p->refused || !bind_ctes(&b, &r))
        return NULL;
    bool ok = bind_is_union(r) ? bind_union(&b, r) && settle_union(&b, s, outermost)
                               : clauses_split(r, &clauses) && bind_clauses(&b, &clauses) &&
                                     settle_select(&b, s, outermost);
    return ok && !p->refused ? s : NULL;
}
