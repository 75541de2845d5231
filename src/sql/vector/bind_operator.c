/* __intrinsic_table_ptr(f((SELECT aggregate(...) FROM (SELECT ...)), ..., '(keys)')), as macros
 * like _interval_intersect! write it: the inner SELECTs become inputs of f. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace/trace.h"
#include "sql/engine/column_operator.h"
#include "sql/engine/session_state.h"
#include "sql/vector/bind_expression.h"
#include "sql/batches/evaluate.h"

enum { SHOWN_COLUMNS = 32, INPUTS_MAX = 15 };

static const char shows[] = "__intrinsic_table_ptr", shows_column[] = "__intrinsic_table_ptr_bind";

bool bind_is_table_of_operator(struct str name)
{
    return same_name(str_from(shows), name);
}

bool bind_is_operators(const struct sql_session *s, struct str name)
{
    return same_name(str_from(shows_column), name) || column_operator_find(s, name);
}

static const struct sql_node *without_parentheses(const struct sql_node *n)
{
    while (n->kind == SQL_PARENTHESES && n->part[0]->count == 1)
        n = n->part[0]->part[0];
    return n;
}

/* What __intrinsic_table_ptr_bind says in the conditions that all rows meet. */
struct shown_columns {
    const struct binder *binder;
    const struct sql_node *only;     /* NULL, or the one call that is looked for: */
    bool found, again;               /* one is said twice */
    struct str names[SHOWN_COLUMNS]; /* empty: nothing is */
};

static bool name_of(const struct binder *b, const struct sql_node *n, struct str *out)
{
    struct token t = bind_token(b, n);
    *out = token_name(t);
    return n->kind == SQL_LITERAL && t.kind == TOKEN_STRING &&
           !memchr(t.text.p + 1, '\'', t.text.n - 2);
}

static void look_at_call(struct shown_columns *l, const struct sql_node *call)
{
    const struct binder *b = l->binder;
    const struct sql_node *list = call->part[CALL_ARGUMENTS];
    struct str name = bind_token(b, call->part[CALL_NAME]).text, text;
    uint32_t column = SHOWN_COLUMNS;
    if (!same_name(str_from(shows_column), name) || list->count != 2 || call->op ||
        list->part[0]->kind != SQL_COLUMN || list->part[0]->part[COLUMN_TABLE] ||
        !name_of(b, list->part[1], &text))
        return;
    struct str shown = token_name(bind_token(b, list->part[0]));
    for (uint32_t i = 0; i < SHOWN_COLUMNS; i++) {
        char known[8];
        snprintf(known, sizeof known, "c%u", i);
        column = same_name(str_from(known), shown) ? i : column;
    }
    if (column == SHOWN_COLUMNS)
        return;
    l->again |= l->names[column].n > 0;
    l->names[column] = text;
    l->found |= l->only == call;
}

static bool look_at_condition(void *self, const struct sql_node *n)
{
    if (n->kind == SQL_CALL)
        look_at_call(self, n);
    return n->kind == SQL_LIST || n->kind == SQL_PARENTHESES ||
           (n->kind == SQL_BINARY && n->op == SQL_OP_AND);
}

bool bind_shown_column(const struct binder *b, const struct sql_node *call)
{
    struct shown_columns l = {.binder = b, .only = call};
    sql_visit(b->where, look_at_condition, &l);
    return l.found;
}

/* The call of the aggregate in SELECT aggregate(...) FROM (SELECT ...) AS alias; NULL where it is
 * more than that. */
static const struct sql_node *input_of(const struct binder *b, const struct column_operator *o,
                                       const struct sql_node *n, const struct sql_node **from)
{
    struct query q;
    if (n->kind != SQL_SUBQUERY || !bind_query_of(n->part[0], &q) || q.with || q.order || q.limit)
        return NULL;
    struct sql_node *const *part = q.core->part;
    if (part[CORE_WHERE] || part[CORE_GROUP] || part[CORE_HAVING] || part[CORE_WINDOWS] ||
        part[CORE_RESULTS]->count != 1 || part[CORE_FROM]->count != 1)
        return NULL;
    const struct sql_node *join = part[CORE_FROM]->part[0], *result = part[CORE_RESULTS]->part[0];
    if (join->part[JOIN_ON] || join->part[JOIN_USING] || result->kind != SQL_RESULT ||
        join->part[JOIN_SOURCE]->kind != SQL_TABLE_SELECT)
        return NULL;
    const struct sql_node *call = result->part[RESULT_VALUE];
    bool plain = call->kind == SQL_CALL && call->op == SQL_OP_NONE && !call->part[CALL_ORDER] &&
                 !call->part[CALL_FILTER] && !call->part[CALL_OVER];
    *from = join->part[JOIN_SOURCE];
    return plain && same_name(str_from(o->aggregate), bind_token(b, call).text) ? call : NULL;
}

/* The names of the columns that the aggregate is given: integers, then a text and a key. */
static bool argument_names(const struct binder *b, const struct column_operator *o,
                           const struct sql_node *list, const struct sql_node *from,
                           struct name_list *out)
{
    const struct sql_node *alias = from->part[1];
    for (uint32_t i = 0; i < list->count; i++) {
        const struct sql_node *n = list->part[i];
        struct str key;
        bool names_key = i >= o->integers && (i - o->integers) % 2 == 0;
        if (names_key) {
            if (!name_of(b, n, &key))
                return false;
            continue;
        }
        if (n->kind != SQL_COLUMN || n->part[COLUMN_SCHEMA])
            return false;
        if (n->part[COLUMN_TABLE] &&
            !(alias && same_name(token_name(bind_token(b, alias)),
                                 token_name(bind_token(b, n->part[COLUMN_TABLE])))))
            return false;
        *vec_push(&out->v) = token_name(bind_token(b, n->part[COLUMN_NAME]));
    }
    return list->count >= o->integers && (list->count - o->integers) % 2 == 0 &&
           out->v.count - o->integers <= OPERATOR_KEYS_MAX;
}

/* The number of the only output of that name, or its count. */
static uint32_t only_output(const struct select *s, struct str name)
{
    uint32_t found = (uint32_t)s->outputs.count, count = 0;
    for (uint32_t i = 0; i < s->outputs.count; i++)
        if (same_name(str_from(s->outputs.items[i].name), name)) {
            found = i;
            count++;
        }
    return count == 1 ? found : (uint32_t)s->outputs.count;
}

/* An input and which of its outputs are the arguments. */
static bool bind_input(struct binder *b, struct select *s, const struct sql_node *n)
{
    struct operator_plan *o = &s->operation;
    const struct sql_node *from, *call = input_of(b, o->operator, n, &from);
    struct name_list names = {0};
    bool ok = call && argument_names(b, o->operator, call->part[CALL_ARGUMENTS], from, &names);
    b->plan->refused |= ++b->plan->queries > QUERIES_MAX;
    ok = ok && !b->plan->refused && (s->parts.count == 0 || names.v.count == o->arguments);
    const struct name_list *wanted = b->wanted;
    b->wanted = &names;
    struct select *part = ok ? bind_select(b, from->part[0], USE_INPUT) : NULL;
    b->wanted = wanted;
    if (part && s->parts.count == 0) {
        o->arguments = (uint32_t)names.v.count;
        o->outputs =
            arena_alloc(&b->plan->arena, INPUTS_MAX * (size_t)o->arguments * sizeof *o->outputs);
    }
    for (uint32_t k = 0; part && k < o->arguments; k++) {
        uint32_t at = only_output(part, names.v.items[k]);
        bool fits = at < part->outputs.count;
        enum value_type type = fits ? part->outputs.items[at].expr->type : VALUE_NULL;
        fits = type == VALUE_INT || (k >= o->operator->integers && type == VALUE_TEXT);
        o->outputs[s->parts.count * o->arguments + k] = at;
        part = fits ? part : NULL;
    }
    vec_release(&names.v);
    if (part)
        *vec_push(&s->parts) = part;
    return part;
}

static void add_output(struct binder *b, struct select *s, const char *name, enum value_type type)
{
    uint32_t number = (uint32_t)s->outputs.count;
    char *copy = arena_alloc_bytes(&b->plan->arena, strlen(name) + 1);
    memcpy(copy, name, strlen(name) + 1);
    *vec_push(&s->outputs) = (struct output){.expr = expr_column(b->plan, 0, number, type),
                                             .name = copy,
                                             .affinity = 'n',
                                             .kinds = KINDS};
}

/* The columns of the table that it makes, behind the hidden first one. */
static bool add_outputs(struct binder *b, struct select *s)
{
    const struct operator_plan *o = &s->operation;
    const char *names[OPERATOR_KEYS_MAX];
    char *text = alloc_copy(o->names, strlen(o->names));
    uint32_t keys = column_operator_names(text, names);
    bool fits = keys == o->arguments - o->operator->integers;
    add_output(b, s, "", VALUE_INT);
    for (const char *const *c = o->operator->columns; *c; c++)
        add_output(b, s, *c, VALUE_INT);
    for (uint32_t k = 0; fits && k < keys; k++)
        add_output(b, s, names[k],
                   s->parts.items[0]->outputs.items[o->outputs[o->operator->integers + k]]
                       .expr->type);
    free(text);
    return fits;
}

static struct select *bind_operation(struct binder *b, const struct sql_node *call)
{
    const struct sql_node *list = call->part[CALL_ARGUMENTS];
    struct str name = bind_token(b, call).text, names;
    const struct column_operator *o = column_operator_find(b->plan->session, name);
    if (!o || !same_name(str_from(o->function), name) || call->op != SQL_OP_NONE ||
        call->part[CALL_ORDER] || call->part[CALL_FILTER] || call->part[CALL_OVER] ||
        list->count < 2 || list->count > INPUTS_MAX + 1 ||
        !name_of(b, list->part[list->count - 1], &names) ||
        b->environment->function_is_taken(b->plan->session, name, list->count))
        return NULL;
    struct select *s = alloc_array(1, sizeof *s);
    *vec_push(&b->plan->all) = s;
    *s = (struct select){.kind = SELECT_OPERATOR, .limit = UINT64_MAX};
    s->operation.operator= o;
    s->operation.names = arena_copy(&b->plan->arena, names).p;
    for (uint32_t i = 0; i + 1 < list->count; i++)
        if (!bind_input(b, s, list->part[i]))
            return NULL;
    return add_outputs(b, s) ? s : NULL;
}

/* The table's columns by what they are bound to; the others are not understood. */
static bool show_columns(struct binder *b, const struct select *s, uint32_t table,
                         struct scope_source *out)
{
    struct shown_columns shown = {.binder = b};
    sql_visit(b->where, look_at_condition, &shown);
    if (shown.again)
        return false;
    out->count = SHOWN_COLUMNS;
    out->columns = arena_alloc(&b->plan->arena, SHOWN_COLUMNS * sizeof *out->columns);
    for (uint32_t i = 0; i < SHOWN_COLUMNS; i++) {
        char name[8];
        snprintf(name, sizeof name, "c%u", i);
        out->columns[i] =
            (struct scope_column){.name = arena_copy(&b->plan->arena, str_from(name))};
        if (shown.names[i].n == 0)
            continue;
        uint32_t at = 1; /* behind the hidden one; the first of the name */
        while (at < s->outputs.count &&
               !same_name(str_from(s->outputs.items[at].name), shown.names[i]))
            at++;
        if (at == s->outputs.count)
            return false;
        out->columns[i].expr = expr_column(b->plan, table, at, s->outputs.items[at].expr->type);
    }
    return true;
}

bool bind_operator(struct binder *b, const struct sql_node *n, struct scope_source *out)
{
    const struct sql_node *list = n->part[TABLE_ARGUMENTS];
    struct plan_source *from = &b->select->from;
    const struct sql_node *call = list->count == 1 ? without_parentheses(list->part[0]) : NULL;
    struct select *s = NULL;
    if (call && call->kind == SQL_CALL && from->count < TABLES_MAX &&
        !b->environment->function_is_taken(b->plan->session, str_from(shows),
                                           VECTOR_TABLE_FUNCTION))
        s = bind_operation(b, call);
    if (!s || from->count == TABLES_MAX)
        return false;
    uint32_t table = from->count++;
    from->tables[table] = (struct source_table){.child = s};
    return show_columns(b, s, table, out);
}
