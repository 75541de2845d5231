#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/shown_table.h"
#include "sql/tokens/keywords.h"
#include "sql/vector/aggregate.h"
#include "sql/vector/bind.h"
#include "sql/vector/evaluate.h"
#include "sql/vector/source.h"
#include "sql/vector/window.h"

enum { OUTPUTS_MAX = 200 };

/* Where a SELECT's clauses are: each from its keyword's end to the next one's. */
enum clause {
    CLAUSE_SELECT,
    CLAUSE_FROM,
    CLAUSE_WHERE,
    CLAUSE_GROUP,
    CLAUSE_HAVING,
    CLAUSE_ORDER,
    CLAUSE_LIMIT,
    CLAUSES
};

struct clauses {
    struct reader at[CLAUSES];
    bool has[CLAUSES];
};

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

/* False where the SELECT has parts that stand in another order, or that are unknown here. */
static bool split(struct reader r, struct clauses *out)
{
    int depth = 0, current = -1;
    *out = (struct clauses){0};
    for (uint32_t i = r.at; i < r.end; i++) {
        struct token t = r.words->items[i];
        depth += token_is(t, '(') - token_is(t, ')');
        int clause = depth == 0 ? clause_of(t) : -1;
        bool is_name = i > r.at && token_is(r.words->items[i - 1], '.');
        if (depth < 0 || (depth == 0 && is_compound(t)))
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
static bool is_simple(const struct clauses *c)
{
    for (uint32_t i = c->at[CLAUSE_SELECT].at; i < c->at[CLAUSE_SELECT].end; i++)
        if (token_is_word(c->at[CLAUSE_SELECT].words->items[i], "OVER"))
            return false;
    return !c->has[CLAUSE_GROUP] && !c->has[CLAUSE_HAVING] && !c->has[CLAUSE_ORDER] &&
           !c->has[CLAUSE_LIMIT];
}

static struct expr *column_of(struct plan *p, uint32_t table, uint32_t column, enum value_type type)
{
    struct expr *e = expr_new(p, EXPR_COLUMN, type, 0);
    e->table = table;
    e->column = column;
    return e;
}

static enum value_type type_of_column(const struct sql_column *c)
{
    switch (sql_column_type(c)) {
    case COLUMN_TYPE_STR:
        return VALUE_TEXT;
    case COLUMN_TYPE_F64:
        return VALUE_REAL;
    default:
        return VALUE_INT;
    }
}

/* Conditions. */

static void add_condition(struct select *s, struct expr *e)
{
    if (e->op != EXPR_AND) {
        *vec_push(&s->from.conditions.v) = e;
        return;
    }
    add_condition(s, e->args[0]);
    add_condition(s, e->args[1]);
}

static bool bind_condition(struct binder *b, struct reader r)
{
    bool aggregates = b->aggregates, windows = b->windows;
    b->aggregates = b->windows = false;
    b->has_or = false;
    struct expr *e = bind_expression(b, &r);
    b->aggregates = aggregates;
    b->windows = windows;
    if (!e || e->type != VALUE_INT || r.at != r.end)
        return false;
    if (b->has_or)
        b->select->ordered = false;
    add_condition(b->select, e);
    return true;
}

/* FROM. */

static bool add_source(struct binder *b, struct scope_source **out)
{
    if (b->scope->count == TABLES_MAX)
        return false;
    *out = &b->scope->sources[b->scope->count];
    **out = (struct scope_source){0};
    return true;
}

static bool new_table(struct binder *b, uint32_t *table)
{
    if (b->select->from.count == TABLES_MAX)
        return false;
    *table = b->select->from.count++;
    b->select->from.tables[*table] = (struct source_table){0};
    return true;
}

static bool read_table(struct binder *b, const struct shown_table *t, struct scope_source *out)
{
    uint32_t table;
    if (!new_table(b, &table))
        return false;
    b->select->from.tables[table].stored = t->table;
    out->count = (uint32_t)t->column_count;
    out->columns = arena_alloc(&b->plan->arena, (out->count + (size_t)1) * sizeof *out->columns);
    for (uint32_t i = 0; i < out->count; i++) {
        const struct sql_column *c = &t->table->columns[t->columns[i].column];
        out->columns[i] = (struct scope_column){str_from(t->columns[i].name),
                                                column_of(b->plan, table, t->columns[i].column,
                                                          type_of_column(c)),
                                                t->all && c->hidden};
    }
    return true;
}

static bool bind_outputs(struct binder *b, struct reader r, struct select *s);
static bool bind_from(struct binder *b, struct reader r);

/* Makes the SELECT's tables and conditions those of the one that reads it. */
static bool look_through(struct binder *b, const struct clauses *c, struct scope_source *out)
{
    struct scope scope = {0}, *outer = b->scope;
    struct select named = {0};
    bool aggregates = b->aggregates, windows = b->windows;
    b->aggregates = b->windows = false;
    b->scope = &scope;
    bool ok = bind_from(b, c->at[CLAUSE_FROM]) && bind_outputs(b, c->at[CLAUSE_SELECT], &named);
    scope.named = &named;
    ok = ok && (!c->has[CLAUSE_WHERE] || bind_condition(b, c->at[CLAUSE_WHERE]));
    b->scope = outer;
    b->aggregates = aggregates;
    b->windows = windows;
    out->count = (uint32_t)named.outputs.count;
    out->columns = arena_alloc(&b->plan->arena, (out->count + (size_t)1) * sizeof *out->columns);
    for (uint32_t i = 0; i < out->count; i++)
        out->columns[i] = (struct scope_column){str_from(named.outputs.items[i].name),
                                                named.outputs.items[i].expr, false};
    vec_release(&named.outputs);
    return ok;
}

/* Reads the rows of a SELECT that stands alone. */
static bool read_select(struct binder *b, struct reader r, struct scope_source *out)
{
    uint32_t table;
    struct select *child = bind_select(b, r);
    if (!child || !new_table(b, &table))
        return false;
    b->select->from.tables[table].child = child;
    out->count = (uint32_t)child->outputs.count;
    out->columns = arena_alloc(&b->plan->arena, (out->count + (size_t)1) * sizeof *out->columns);
    for (uint32_t i = 0; i < out->count; i++) {
        const struct output *o = &child->outputs.items[i];
        out->columns[i] = (struct scope_column){str_from(o->name),
                                                column_of(b->plan, table, i, o->expr->type), false};
    }
    return true;
}

/* What is undone where a SELECT turns out not to be simple. */
static bool bind_query(struct binder *b, struct reader r, struct scope_source *out)
{
    struct clauses c;
    struct select *s = b->select;
    if (++b->depth > DEPTH_MAX || !split(r, &c))
        return false;
    uint32_t tables = s->from.count;
    size_t conditions = s->from.conditions.v.count;
    bool ordered = s->ordered;
    bool ok = is_simple(&c) && look_through(b, &c, out);
    if (!ok && !b->plan->refused) {
        s->from.count = tables;
        s->from.conditions.v.count = conditions;
        s->ordered = ordered;
        ok = read_select(b, r, out);
    }
    b->depth--;
    return ok;
}

static bool bind_named(struct binder *b, struct str name, struct scope_source *out)
{
    struct named_relation found;
    const struct cte *c = b->ctes;
    while (c && !same_name(c->name, name))
        c = c->outer;
    const struct cte *all = b->ctes;
    bool ok;
    if (c) {
        b->ctes = c->outer;
        ok = bind_query(b, c->body, out);
    } else {
        if (!names_find(b->plan, name, &found))
            return false;
        b->ctes = NULL;
        ok = found.table ? read_table(b, found.table, out)
                         : bind_query(b, (struct reader){found.view, 0, found.view->count}, out);
    }
    b->ctes = all;
    return ok;
}

/* Up to the parenthesis that closes the one the reader stands behind; false where none does. */
static bool take_group(struct reader *r, struct reader *inner)
{
    int depth = 1;
    *inner = *r;
    for (; r->at < r->end; r->at++) {
        struct token t = r->words->items[r->at];
        depth += token_is(t, '(') - token_is(t, ')');
        if (depth > 0)
            continue;
        inner->end = r->at++;
        return true;
    }
    return false;
}

static bool is_alias(struct token t)
{
    static const char *const others[] = {"INDEXED", "OUTER", "RIGHT", "FULL", "NATURAL", "CROSS"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (token_is_word(t, others[i]))
            return false;
    return t.kind == TOKEN_QUOTED || (t.kind == TOKEN_WORD && !sql_is_keyword(t.text));
}

/* A table, view or subquery, with its alias. */
static bool bind_source(struct binder *b, struct reader *r)
{
    struct scope_source *source;
    struct reader inner;
    struct str name = {0};
    if (!add_source(b, &source))
        return false;
    struct token t = reader_take(r);
    if (token_is(t, '(')) {
        if (!take_group(r, &inner) || !bind_query(b, inner, source))
            return false;
    } else {
        bool plain =
            is_alias(t) && !token_is(reader_peek(r), '(') && !token_is(reader_peek(r), '.');
        if (!plain || !bind_named(b, token_name(t), source))
            return false;
        name = token_name(t);
    }
    bool as = reader_accept(r, "AS");
    if (is_alias(reader_peek(r)))
        name = token_name(reader_take(r));
    else if (as)
        return false;
    source->alias = name;
    b->scope->count++;
    return true;
}

static struct expr *only_column(const struct scope_source *s, struct str name)
{
    struct expr *found = NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!same_name(s->columns[i].name, name))
            continue;
        if (found)
            return NULL;
        found = s->columns[i].expr;
    }
    return found;
}

/* left.name = right.name for a name in USING, of the last source. */
static struct expr *shared_column(struct binder *b, struct str name)
{
    struct scope *scope = b->scope;
    uint32_t last = scope->count - 1;
    struct expr *right = only_column(&scope->sources[last], name);
    scope->count--;
    scope->named = NULL;
    struct expr *left = bind_name(b, name);
    scope->count++;
    if (!left || !right || left->type != right->type || left->type == VALUE_NULL ||
        scope->shared_count == TABLES_MAX)
        return NULL;
    scope->shared[scope->shared_count].name = name;
    scope->shared[scope->shared_count++].source = last;
    struct expr *e = expr_new(b->plan, EXPR_EQ, VALUE_INT, 2);
    e->args[0] = left;
    e->args[1] = right;
    e->depth = (left->depth > right->depth ? left->depth : right->depth) + 1;
    return e;
}

/* The condition of a join, NULL for none. False where it is not understood. */
static bool bind_join_condition(struct binder *b, struct reader *r, struct expr **out)
{
    *out = NULL;
    if (reader_accept(r, "ON")) {
        b->has_or = false;
        *out = bind_expression(b, r);
        return *out && (*out)->type == VALUE_INT && !b->has_or;
    }
    if (!reader_accept(r, "USING"))
        return true;
    struct token name = reader_accept_char(r, '(') ? reader_take(r) : (struct token){0};
    if (!token_is_name(name) || !reader_accept_char(r, ')'))
        return false;
    *out = shared_column(b, token_name(name));
    return *out != NULL;
}

static bool is_row_number(const struct source *from, const struct expr *e, uint32_t table)
{
    if (e->op != EXPR_COLUMN || e->table != table)
        return false;
    enum column_type type = sql_column_type(&from->tables[table].stored->columns[e->column]);
    return type == COLUMN_TYPE_ID || type == COLUMN_TYPE_ALIAS;
}

/* LEFT JOIN of one stored table by the number of its rows: nothing else is sure to be NULL where
 * there is no row. */
static bool join_left(struct binder *b, uint32_t first, size_t conditions, struct expr *on)
{
    struct source *from = &b->select->from;
    const struct scope_source *source = &b->scope->sources[b->scope->count - 1];
    if (!on || on->op != EXPR_EQ || from->count != first + 1 ||
        from->conditions.v.count != conditions || !from->tables[first].stored)
        return false;
    for (uint32_t i = 0; i < source->count; i++)
        if (source->columns[i].expr->op != EXPR_COLUMN)
            return false;
    bool second = is_row_number(from, on->args[1], first);
    if (!second && !is_row_number(from, on->args[0], first))
        return false;
    struct expr *key = on->args[second ? 0 : 1];
    if (key->type != VALUE_INT || key->op != EXPR_COLUMN || key->table == first)
        return false;
    from->tables[first].left = true;
    from->tables[first].key = key;
    return true;
}

static bool bind_from(struct binder *b, struct reader r)
{
    if (!bind_source(b, &r))
        return false;
    while (r.at < r.end) {
        bool comma = reader_accept_char(&r, ','), left = !comma && reader_accept(&r, "LEFT");
        if (left)
            reader_accept(&r, "OUTER");
        else if (!comma)
            reader_accept(&r, "INNER");
        uint32_t first = b->select->from.count;
        size_t conditions = b->select->from.conditions.v.count;
        struct expr *on;
        if ((!comma && !reader_accept(&r, "JOIN")) || !bind_source(b, &r) ||
            !bind_join_condition(b, &r, &on))
            return false;
        if (left && !join_left(b, first, conditions, on))
            return false;
        if (left)
            continue;
        b->select->ordered = false;
        if (on)
            add_condition(b->select, on);
    }
    return true;
}

/* Outputs. */

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

/* (a.b) is called as a.b is. */
static char *default_name(struct binder *b, const struct expr *e, const struct words *w,
                          uint32_t from, uint32_t to)
{
    uint32_t at = from, end = to;
    while (at < end && token_is(w->items[at], '(') && token_is(w->items[end - 1], ')')) {
        at++;
        end--;
    }
    bool column = end - at == 1 || (end - at == 3 && token_is(w->items[at + 1], '.'));
    const struct scope_column *c = NULL;
    if (column && token_is_name(w->items[end - 1]))
        c = named_column(b, e, token_name(w->items[end - 1]));
    return c ? copy_name(b->plan, c->name) : written(b->plan, w, from, to);
}

static bool add_star(struct binder *b, struct select *s)
{
    const struct scope_source *source = &b->scope->sources[0];
    if (b->scope->count != 1)
        return false;
    for (uint32_t i = 0; i < source->count && s->outputs.count < OUTPUTS_MAX; i++) {
        const struct scope_column *c = &source->columns[i];
        if (!c->hidden)
            *vec_push(&s->outputs) = (struct output){c->expr, copy_name(b->plan, c->name), false};
    }
    return s->outputs.count < OUTPUTS_MAX;
}

static bool bind_output(struct binder *b, struct reader *r, struct select *s)
{
    uint32_t from = r->at;
    if (reader_accept_char(r, '*'))
        return add_star(b, s);
    struct expr *e = bind_expression(b, r);
    uint32_t to = r->at;
    if (!e || e->type == VALUE_NULL || s->outputs.count >= OUTPUTS_MAX)
        return false;
    bool as = reader_accept(r, "AS");
    struct token name = reader_peek(r);
    char *text;
    if (is_alias(name)) {
        text = copy_name(b->plan, token_name(reader_take(r)));
        if (name.kind == TOKEN_QUOTED && strchr(text, name.text.p[0]))
            return false;
    } else if (as) {
        return false;
    } else {
        text = default_name(b, e, r->words, from, to);
    }
    *vec_push(&s->outputs) = (struct output){e, text, false};
    return true;
}

static bool bind_outputs(struct binder *b, struct reader r, struct select *s)
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

static bool bind_order_terms(struct binder *b, struct reader *r, struct order_list *out,
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

/* Windows. */

static struct expr *carry(struct select *s, struct expr *e)
{
    for (size_t i = 0; i < s->carried.v.count; i++)
        if (expr_same(s->carried.v.items[i], e))
            return s->carried.v.items[i];
    *vec_push(&s->carried.v) = e;
    return e;
}

static bool bind_partition(struct binder *b, struct reader *r, struct expr_list *partition,
                           struct order_list *order)
{
    if (reader_accept(r, "PARTITION")) {
        if (!reader_accept(r, "BY"))
            return false;
        do {
            struct expr *e = bind_expression(b, r);
            if (!e || e->op == EXPR_CONST || e->type == VALUE_NULL ||
                partition->v.count == SCAN_ORDERS)
                return false;
            *vec_push(&partition->v) = e;
        } while (reader_accept_char(r, ','));
    }
    if (!reader_accept(r, "ORDER"))
        return true;
    if (!reader_accept(r, "BY") || !bind_order_terms(b, r, order, NULL))
        return false;
    /* A table that is in this order may be read from its end. */
    for (size_t i = 0; partition->v.count == 0 && i < order->v.count; i++)
        if (order->v.items[i].desc)
            return false;
    return true;
}

/* Whether the window is that of the SELECT's other functions; the first one decides. */
static bool same_window(struct select *s, const struct expr_list *partition,
                        const struct order_list *order)
{
    if (s->windows.count == 0) {
        for (size_t i = 0; i < partition->v.count; i++)
            *vec_push(&s->partition.v) = carry(s, partition->v.items[i]);
        for (size_t i = 0; i < order->v.count; i++)
            *vec_push(&s->window_order.v) =
                (struct order_key){carry(s, order->v.items[i].expr), order->v.items[i].desc};
        return true;
    }
    if (partition->v.count != s->partition.v.count || order->v.count != s->window_order.v.count)
        return false;
    for (size_t i = 0; i < partition->v.count; i++)
        if (!expr_same(partition->v.items[i], s->partition.v.items[i]))
            return false;
    for (size_t i = 0; i < order->v.count; i++)
        if (!expr_same(order->v.items[i].expr, s->window_order.v.items[i].expr) ||
            order->v.items[i].desc != s->window_order.v.items[i].desc)
            return false;
    return true;
}

struct expr *bind_window(struct binder *b, struct reader *r, struct window_call call)
{
    struct expr_list partition = {0};
    struct order_list order = {0};
    struct select *s = b->select;
    if (!b->windows || !reader_accept_char(r, '('))
        return NULL;
    bool aggregates = b->aggregates;
    b->windows = b->aggregates = false;
    bool ok = bind_partition(b, r, &partition, &order) && reader_accept_char(r, ')') &&
              same_window(s, &partition, &order);
    b->windows = true;
    b->aggregates = aggregates;
    vec_release(&partition.v);
    vec_release(&order.v);
    if (!ok)
        return NULL;
    call.arg = call.arg ? carry(s, call.arg) : NULL;
    call.fallback = call.fallback ? carry(s, call.fallback) : NULL;
    struct expr *e = expr_new(b->plan, EXPR_WINDOW, window_type(&call), 0);
    e->column = (uint32_t)s->windows.count;
    *vec_push(&s->windows) = call;
    return e;
}

/* What is read of groups and windows. */

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
    const struct expr *kept = carry(s, e);
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
            return column_of(p, 0, k, e->type);
    if (e->op == EXPR_CONST)
        return e;
    if (e->op == EXPR_AGGREGATE)
        return column_of(p, 0, keys + e->column, e->type);
    if (e->op == EXPR_WINDOW)
        return column_of(p, 0, e->column, e->type);
    if (e->op == EXPR_COLUMN && s->kind == SELECT_GROUP)
        return column_of(p, 0, keys + first_of_group(s, e), e->type);
    if (e->op == EXPR_COLUMN)
        return column_of(p, 0, windows + carried_number(s, e), e->type);
    struct expr *copy = expr_new(p, e->op, e->type, e->count);
    struct expr **args = copy->args;
    *copy = *e;
    copy->args = args;
    copy->buffer = NULL;
    for (uint32_t i = 0; i < e->count; i++)
        args[i] = lift(p, s, e->args[i]);
    return copy;
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

/* Whether what is asked of the rows needs SQLite's order of them, which is not known. */

static bool is_key(const struct select *s, const struct expr *e)
{
    for (size_t k = 0; k < s->keys.v.count; k++)
        if (expr_same(e, s->keys.v.items[k]))
            return true;
    return false;
}

/* Whether all rows of a group have the same row of a table. */
static bool table_is_determined(const struct select *s, uint32_t table, uint32_t depth)
{
    const struct source_table *t = &s->from.tables[table];
    for (size_t k = 0; t->stored && k < s->keys.v.count; k++)
        if (is_row_number(&s->from, s->keys.v.items[k], table))
            return true;
    if (!t->key || depth == TABLES_MAX)
        return false;
    return is_key(s, t->key) ||
           (t->key->op == EXPR_COLUMN && table_is_determined(s, t->key->table, depth + 1));
}

static bool needs_order(const struct select *s)
{
    for (size_t i = 0; i < s->aggregates.count; i++) {
        const struct aggregate *a = &s->aggregates.items[i];
        bool real = a->arg && a->arg->type == VALUE_REAL;
        if (a->kind == AGGREGATE_FIRST && !s->picks && !table_is_determined(s, a->arg->table, 0))
            return true;
        if (real && a->kind != AGGREGATE_COUNT && a->kind != AGGREGATE_FIRST)
            return true;
    }
    return s->kind != SELECT_GROUP;
}

static bool is_sorted_column(const struct select *s, const struct expr *e)
{
    if (e->op != EXPR_COLUMN || !s->from.tables[e->table].stored)
        return false;
    return sql_table_sorted(s->from.tables[e->table].stored, e->column);
}

/* SQLite reads groups in the directions of an ORDER BY that has as many terms. */
static void direct_keys(struct select *s)
{
    if (s->order.v.count != s->keys.v.count || s->keys.v.count == 0)
        return;
    for (size_t k = 0; k < s->keys.v.count; k++)
        s->keys_desc[k] = s->order.v.items[k].desc;
    if (s->keys_desc[0] && is_sorted_column(s, s->keys.v.items[0]))
        s->ordered = false; /* a table may be read from its end */
}

/* What SQLite has a short way for, or nothing is won with. */
static bool is_worthwhile(const struct select *s, bool outermost, bool builds)
{
    if (s->kind == SELECT_PLAIN && s->order.v.count == 0)
        return outermost ? builds : s->limit < UINT64_MAX;
    if (s->kind == SELECT_PLAIN)
        return !is_sorted_column(s, s->order.v.items[0].expr);
    const struct aggregate *a = s->aggregates.items;
    bool best = s->aggregates.count == 1 && s->keys.v.count == 0 && s->kind == SELECT_GROUP &&
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
        bare |= a->kind == AGGREGATE_FIRST && !table_is_determined(s, a->arg->table, 0);
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

/* A condition on a LEFT JOIN's table may make it a JOIN like any other. */
static bool may_drop_left(const struct source *from)
{
    bool left = false;
    for (uint32_t t = 0; t < from->count; t++)
        left |= from->tables[t].left;
    return left && from->late.v.count > 0;
}

static bool settle(struct binder *b, struct select *s, bool outermost)
{
    bool grouped = s->keys.v.count > 0 || s->aggregates.count > 0;
    if (grouped && s->windows.count > 0)
        return false;
    s->kind = grouped ? SELECT_GROUP : s->windows.count ? SELECT_WINDOW : SELECT_PLAIN;
    if (s->kind == SELECT_GROUP && s->keys.v.count == 0 && s->order.v.count > 0)
        return false;
    if (s->order.v.count > 0 && !outermost && s->limit == UINT64_MAX)
        return false; /* SQLite does not sort what nobody sees sorted */
    direct_keys(s);
    if (!source_plan(b->plan, &s->from) || !is_worthwhile(s, outermost, b->environment->builds))
        return false;
    if (may_drop_left(&s->from))
        s->ordered = false;
    for (size_t i = 0; s->limit < UINT64_MAX && i < s->outputs.count; i++)
        if (expr_has(s->outputs.items[i].expr, EXPR_ABS))
            return false; /* an error also of rows that are left out */
    if (s->kind != SELECT_PLAIN)
        lift_all(b->plan, s);
    if (!bare_columns_fit(s) || (!s->ordered && needs_order(s)))
        return false;
    return s->kind != SELECT_PLAIN || s->order.v.count == 0 || s->from.count == 1;
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
    if (c->has[CLAUSE_ORDER] && !bind_order(b, c->at[CLAUSE_ORDER]))
        return false;
    return !c->has[CLAUSE_LIMIT] || bind_limit(b, c->at[CLAUSE_LIMIT]);
}

/* WITH name AS (SELECT ...), ...: the SELECTs, the last one first. */
static bool bind_ctes(struct binder *b, struct reader *r)
{
    if (!reader_accept(r, "WITH"))
        return true;
    do {
        struct cte *c = arena_alloc(&b->plan->arena, sizeof *c);
        struct token name = reader_take(r);
        if (!is_alias(name) || !reader_accept(r, "AS"))
            return false;
        if (reader_accept(r, "NOT") && !token_is_word(reader_peek(r), "MATERIALIZED"))
            return false;
        reader_accept(r, "MATERIALIZED");
        if (!reader_accept_char(r, '(') || !take_group(r, &c->body))
            return false;
        c->name = token_name(name);
        c->outer = b->ctes;
        b->ctes = c;
    } while (reader_accept_char(r, ','));
    return true;
}

struct select *bind_select(struct binder *outer, struct reader r)
{
    struct plan *p = outer->plan;
    struct scope scope = {0};
    struct clauses clauses;
    struct select *s = alloc_array(1, sizeof *s);
    *vec_push(&p->all) = s;
    s->ordered = true;
    s->limit = UINT64_MAX;
    struct binder b = {.plan = p,
                       .environment = outer->environment,
                       .ctes = outer->ctes,
                       .scope = &scope,
                       .select = s,
                       .depth = outer->depth + 1};
    bool outermost = outer->select == NULL;
    if (b.depth > DEPTH_MAX || !bind_ctes(&b, &r) || !split(r, &clauses) ||
        !bind_clauses(&b, &clauses) || !settle(&b, s, outermost) || p->refused)
        return NULL;
    return s;
}
