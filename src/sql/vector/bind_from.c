#include <stdio.h>
#include <string.h>

#include "core/trace/stored_columns.h"
#include "sql/engine/row_finder.h"
#include "sql/tables/shown_table.h"
#include "sql/tokens/keywords.h"
#include "sql/vector/bind_expression.h"
#include "sql/vector/refusal.h"
#include "sql/batches/evaluate.h"
#include "sql/batches/source.h"

enum value_type bind_column_type(const struct sql_table *t, uint32_t column)
{
    switch (sql_column_type(&t->columns[column])) {
    case COLUMN_TYPE_STR:
        return VALUE_TEXT;
    case COLUMN_TYPE_F64:
        return VALUE_REAL;
    default:
        return VALUE_INT;
    }
}

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
        out->columns[i] =
            (struct scope_column){str_from(t->columns[i].name),
                                  expr_column(b->plan, table, t->columns[i].column,
                                              bind_column_type(t->table, t->columns[i].column)),
                                  t->all && c->hidden};
    }
    return true;
}

/* function(column of a table before it) */
static bool bind_row_function(struct binder *b, const struct sql_node *n, struct scope_source *out)
{
    struct str name = token_name(bind_token(b, n->part[TABLE_NAME]));
    const struct sql_node *list = n->part[TABLE_ARGUMENTS];
    const struct row_function *f = row_function_find(name);
    if (!f || b->environment->function_is_taken(b->plan->session, name, VECTOR_TABLE_FUNCTION) ||
        b->scope->count == 0 || list->count != 1 || source_expands(&b->select->from))
        return false;
    struct expr *key = bind_plain(b, list->part[0]);
    if (!key || key->op != EXPR_COLUMN || key->type != VALUE_INT)
        return false;
    struct shown_table shown = {.table = row_function_results(f, b->plan->session)};
    if (!stored_table_ready(b->plan->session->trace,
                            row_function_starts(f, b->plan->session)->table))
        return false;
    shown.column_count = (int)shown.table->column_count;
    shown.columns = arena_alloc(&b->plan->arena, shown.table->column_count * sizeof *shown.columns);
    for (uint32_t i = 0; i < shown.table->column_count; i++)
        shown.columns[i] =
            (struct shown_column){i, (char *)(uintptr_t)shown.table->columns[i].name};
    if (!read_table(b, &shown, out))
        return false;
    struct source_table *t = &b->select->from.tables[b->select->from.count - 1];
    t->key = key;
    t->function = f;
    t->many = true;
    return true;
}

static bool has_colon(const struct select *s)
{
    bool any = false;
    for (size_t i = 0; i < s->outputs.count; i++)
        any |= strchr(s->outputs.items[i].name, ':') != NULL;
    return any;
}

/* A SELECT's outputs as columns. Of those of one name SQLite calls the others name:1, name:2 ... */
static bool name_columns(struct binder *b, const struct select *s, struct scope_source *out)
{
    enum { SAME_MAX = 3 }; /* from where on the numbers are random */
    out->count = (uint32_t)s->outputs.count;
    out->columns = arena_alloc(&b->plan->arena, (out->count + (size_t)1) * sizeof *out->columns);
    for (uint32_t i = 0; i < out->count; i++) {
        struct str name = str_from(s->outputs.items[i].name), numbered = name;
        uint32_t same = 0;
        for (uint32_t k = 0; k < i; k++)
            same += same_name(str_from(s->outputs.items[k].name), name);
        if (same > SAME_MAX || (same > 0 && has_colon(s)))
            return false;
        if (same > 0) {
            char *text = arena_alloc_bytes(&b->plan->arena, name.n + 3);
            snprintf(text, name.n + 3, "%s:%u", name.p, same);
            numbered = str_from(text);
        }
        out->columns[i] = (struct scope_column){.name = numbered};
    }
    return true;
}

/* Makes the SELECT's tables and conditions those of the one that reads it. */
static bool look_through(struct binder *b, const struct query *q, struct scope_source *out)
{
    const struct sql_node *core = q->core;
    const struct cte *ctes = b->ctes;
    struct scope scope = {0}, *outer = b->scope;
    struct select named = {0};
    bool aggregates = b->aggregates, windows = b->windows;
    const struct sql_node *where = b->where;
    const struct name_list *wanted = b->wanted;
    b->aggregates = b->windows = false;
    b->where = core->part[CORE_WHERE];
    b->wanted = NULL;
    b->scope = &scope;
    bool ok = (!q->with || bind_with(b, q->with, q->with->part[0]->count)) &&
              bind_from(b, core->part[CORE_FROM]);
    b->may_skip = true;
    ok = ok && bind_outputs(b, core->part[CORE_RESULTS], &named);
    b->may_skip = false;
    scope.named = &named;
    ok = ok && (!core->part[CORE_WHERE] || bind_condition(b, core->part[CORE_WHERE]));
    b->scope = outer;
    b->ctes = ctes;
    b->aggregates = aggregates;
    b->windows = windows;
    b->where = where;
    b->wanted = wanted;
    ok = ok && name_columns(b, &named, out);
    for (uint32_t i = 0; ok && i < out->count; i++)
        out->columns[i].expr = named.outputs.items[i].expr;
    vec_release(&named.outputs);
    return ok;
}

/* Reads the rows of a SELECT that stands alone. */
static bool read_select(struct binder *b, const struct sql_node *n, struct scope_source *out)
{
    uint32_t table;
    struct select *child = bind_select(b, n, USE_ROWS);
    if (!child || !new_table(b, &table))
        return false;
    b->select->from.tables[table].child = child;
    if (!name_columns(b, child, out))
        return false;
    for (uint32_t i = 0; i < out->count; i++)
        out->columns[i].expr = expr_column(b->plan, table, i, child->outputs.items[i].expr->type);
    return true;
}

/* What is undone where a SELECT turns out not to be simple. */
static bool bind_query(struct binder *b, const struct sql_node *n, struct scope_source *out)
{
    struct query q;
    struct select *s = b->select;
    b->plan->refused |= ++b->depth > DEPTH_MAX || ++b->plan->queries > QUERIES_MAX;
    if (b->plan->refused)
        return false;
    bool plain = bind_query_of(n, &q), simple = plain && query_is_simple(&q);
    uint32_t tables = s->from.count;
    size_t conditions = s->from.conditions.v.count;
    bool ok = simple && look_through(b, &q, out);
    /* What only names, computes and filters is not read apart: it need not be tried. */
    bool apart = bind_is_union(n) || (plain && (!simple || query_aggregates(b, &q)));
    if (!ok && !b->plan->refused && apart) {
        s->from.count = tables;
        s->from.conditions.v.count = conditions;
        refusal_forget(b->environment);
        ok = read_select(b, n, out);
    }
    b->depth--;
    return ok;
}

static bool is_hidden(const struct binder *b, struct str name)
{
    for (const struct hidden_ctes *h = b->hidden; h; h = h->outer)
        for (const struct cte *c = h->first->last; c != h->first->outer; c = c->outer)
            if (same_name(c->name, name))
                return true;
    return false;
}

static bool bind_named(struct binder *b, struct str name, struct scope_source *out)
{
    struct named_relation found;
    const struct cte *c = b->ctes;
    const struct hidden_ctes *hidden = b->hidden;
    if (is_hidden(b, name))
        return false;
    while (c && !same_name(c->name, name))
        c = c->outer;
    const struct cte *all = b->ctes;
    const struct token *tokens = b->tokens;
    bool ok;
    if (c) {
        struct hidden_ctes own = {c, hidden};
        b->ctes = c->outer;
        b->hidden = &own;
        ok = bind_query(b, c->select, out);
    } else {
        if (!names_find(b->plan, name, &found))
            return false;
        b->ctes = NULL;
        b->hidden = NULL;
        if (found.view)
            b->tokens = found.view->tokens;
        ok = found.table   ? read_table(b, found.table, out)
             : found.spans ? bind_spans(b, found.spans, out)
                           : bind_query(b, found.view->select, out);
    }
    b->tokens = tokens;
    b->ctes = all;
    b->hidden = hidden;
    return ok;
}

bool is_alias(struct token t)
{
    static const char *const others[] = {"INDEXED", "OUTER", "RIGHT", "FULL", "NATURAL", "CROSS"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (token_is_word(t, others[i]))
            return false;
    return t.kind == TOKEN_QUOTED || (t.kind == TOKEN_WORD && !sql_is_keyword(t.text));
}

/* A table, view or subquery, with its alias. */
static bool bind_source(struct binder *b, const struct sql_node *n)
{
    struct scope_source *source;
    const struct sql_node *alias;
    struct str name = {0};
    if (!add_source(b, &source))
        return false;
    if (n->kind == SQL_TABLE_SELECT) {
        alias = n->part[1];
        if (!bind_query(b, n->part[0], source))
            return false;
    } else {
        bool plain = n->kind == SQL_TABLE && !n->part[TABLE_SCHEMA] && !n->part[TABLE_INDEXED] &&
                     is_alias(bind_token(b, n->part[TABLE_NAME]));
        if (!plain)
            return false;
        alias = n->part[TABLE_ALIAS];
        name = token_name(bind_token(b, n->part[TABLE_NAME]));
        if (!n->part[TABLE_ARGUMENTS]         ? !bind_named(b, name, source)
            : bind_is_table_of_operator(name) ? !bind_operator(b, n, source)
                                              : !bind_row_function(b, n, source))
            return false;
    }
    if (alias && !is_alias(bind_token(b, alias)))
        return false;
    source->alias = alias ? token_name(bind_token(b, alias)) : name;
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
    return expr_measure(e) ? e : NULL;
}

/* The condition of a join, NULL for none. False where it is not understood. */
static bool bind_join_condition(struct binder *b, const struct sql_node *join, struct expr **out)
{
    const struct sql_node *on = join->part[JOIN_ON], *names = join->part[JOIN_USING];
    *out = NULL;
    if (on) {
        *out = names ? NULL : bind_expression(b, on);
        return *out && (*out)->type == VALUE_INT;
    }
    if (!names)
        return true;
    struct token name = bind_token(b, names->part[0]);
    if (names->count != 1 || !token_is_name(name))
        return false;
    *out = shared_column(b, token_name(name));
    return *out != NULL;
}

/* Whether a row of the table can be found by the value of e: its number, or one that a SELECT's
 * result has once. */
static bool finds_rows(struct plan_source *from, const struct expr *e, uint32_t table)
{
    struct source_table *t = &from->tables[table];
    if (source_is_row_number(from, e, table))
        return true;
    if (!t->child || e->op != EXPR_COLUMN || e->table != table || e->type != VALUE_INT ||
        !source_may_be_unique(t->child, e->column))
        return false;
    t->by_value = true;
    t->match = e->column;
    return true;
}

/* Conditions of a view over one table, from number `first` on, say which of its rows there are. */
static bool take_conditions(struct binder *b, uint32_t table, size_t first)
{
    struct plan_source *from = &b->select->from;
    struct expr *only = NULL;
    for (size_t i = first; i < from->conditions.v.count; i++) {
        struct expr *e = from->conditions.v.items[i];
        if (!from->tables[table].stored || !source_is_of_table(e, table))
            return false;
        only = only ? expr_node(b, EXPR_AND, VALUE_INT, (struct expr *[]){only, e}, 2) : e;
        if (!only)
            return false;
    }
    from->conditions.v.count = first;
    from->tables[table].only = only;
    return true;
}

/* LEFT JOIN of one table or result: nothing else is sure to be NULL where there is no row. */
static bool join_left(struct binder *b, uint32_t first, size_t conditions, struct expr *on)
{
    struct plan_source *from = &b->select->from;
    const struct scope_source *source = &b->scope->sources[b->scope->count - 1];
    if (!on || on->op != EXPR_EQ || from->count != first + 1 || from->tables[first].many ||
        !take_conditions(b, first, conditions))
        return false;
    for (uint32_t i = 0; i < source->count; i++)
        if (source->columns[i].expr && source->columns[i].expr->op != EXPR_COLUMN)
            return false;
    bool second = finds_rows(from, on->args[1], first);
    if (!second && !finds_rows(from, on->args[0], first))
        return false;
    struct expr *key = on->args[second ? 0 : 1];
    if (key->type != VALUE_INT || key->op != EXPR_COLUMN || key->table == first)
        return false;
    from->tables[first].left = true;
    from->tables[first].key = key;
    return true;
}

static bool bind_join(struct binder *b, const struct sql_node *join)
{
    bool left = join->op == SQL_OP_LEFT_JOIN;
    bool inner = join->op == SQL_OP_COMMA || join->op == SQL_OP_JOIN ||
                 join->op == SQL_OP_INNER_JOIN || join->op == SQL_OP_CROSS_JOIN;
    uint32_t first = b->select->from.count;
    size_t conditions = b->select->from.conditions.v.count;
    struct expr *on;
    if ((!left && !inner) || join->op2 != SQL_OP_NONE || !bind_source(b, join->part[JOIN_SOURCE]) ||
        !bind_join_condition(b, join, &on))
        return false;
    if (left)
        return join_left(b, first, conditions, on);
    if (on)
        select_add_condition(b->select, on);
    return true;
}

/* Whether what a function is given is one thing among all tables, as SQLite wants it. */
static bool argument_is_clear(struct binder *b, const struct sql_node *source)
{
    const struct sql_node *list = source->kind == SQL_TABLE ? source->part[TABLE_ARGUMENTS] : NULL;
    bool of_row =
        list && !bind_is_table_of_operator(token_name(bind_token(b, source->part[TABLE_NAME])));
    return !of_row || bind_plain(b, list->part[0]);
}

bool bind_from(struct binder *b, const struct sql_node *from)
{
    const struct sql_node *first = from->part[0];
    bool ok = !first->part[JOIN_ON] && !first->part[JOIN_USING] &&
              bind_source(b, first->part[JOIN_SOURCE]);
    uint32_t i = 0;
    while (ok && ++i < from->count)
        ok = bind_join(b, from->part[i]);
    for (uint32_t k = 1; ok && k < from->count; k++)
        ok = argument_is_clear(b, from->part[k]->part[JOIN_SOURCE]);
    if (!ok)
        refusal_of_node(b->environment, b->tokens, i < from->count ? from->part[i] : from);
    return ok;
}
