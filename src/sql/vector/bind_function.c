#include "sql/vector/bind_expression.h"

/* A call of a function whose body is read in its place. */
struct bound_call {
    const struct vector_function *function;
    struct expr **args;
    bool *used;
    const struct bound_call *outer; /* around it */
};

static bool accepts(enum declared_type type, enum value_type value)
{
    switch (type) {
    case DECLARED_LONG:
        return value == VALUE_INT;
    case DECLARED_DOUBLE:
        return value == VALUE_INT || value == VALUE_REAL;
    case DECLARED_STRING:
    case DECLARED_BYTES:
        return value == VALUE_TEXT;
    case DECLARED_ANY:
        break;
    }
    return true;
}

/* Of what the body does not read SQLite would still find errors. */
static bool may_stay_unread(const struct expr *e)
{
    return e->op == EXPR_COLUMN || e->op == EXPR_CONST;
}

static bool arguments_fit(const struct bound_call *c)
{
    bool fit = true;
    for (uint32_t i = 0; fit && i < c->function->count; i++)
        fit = c->args[i]->type == VALUE_NULL ||
              accepts(c->function->parameters[i].type, c->args[i]->type);
    return fit;
}

static bool is_bound(const struct binder *b, const struct vector_function *f)
{
    const struct bound_call *c = b->called;
    while (c && c->function != f)
        c = c->outer;
    return c;
}

/* SQLite knows no affinity of what a function gives. */
static struct expr *without_affinity(struct binder *b, struct expr *e)
{
    bool has = e && (e->op == EXPR_COLUMN || e->op == EXPR_TO_INT || e->op == EXPR_TO_REAL ||
                     e->op == EXPR_VALUE || e->op == EXPR_CORRELATED);
    return has ? expr_node(b, EXPR_COALESCE, e->type, &e, 1) : e;
}

struct expr *bind_variable(struct binder *b, const struct sql_node *n)
{
    struct str name = bind_token(b, n).text;
    for (uint32_t i = b->called ? b->called->function->count : 0; i-- > 0;) {
        if (name.p[0] != '$' ||
            !str_eq(str_skip(name, 1), str_from(b->called->function->parameters[i].name)))
            continue;
        b->called->used[i] = true;
        return b->called->args[i];
    }
    return NULL;
}

struct expr *bind_function(struct binder *b, const struct sql_node *call)
{
    const struct sql_node *list = call->part[CALL_ARGUMENTS];
    const struct vector_function *f =
        b->environment->find_function(b->plan->session, bind_token(b, call->part[CALL_NAME]).text,
                                      list->count);
    struct expr *args[LIST_MAX];
    bool used[LIST_MAX] = {0};
    struct bound_call c = {f, args, used, b->called};
    struct scope none = {0};
    struct binder inner = *b;
    b->plan->refused |= ++b->plan->nodes > NODES_MAX;
    if (!f || is_bound(b, f) || b->plan->refused ||
        !bind_arguments(b, list, f->count, f->count < LIST_MAX ? f->count : LIST_MAX, args) ||
        !arguments_fit(&c))
        return NULL;
    inner.tokens = f->tokens;
    inner.ctes = NULL;
    inner.hidden = NULL;
    inner.scope = &none;
    inner.called = &c;
    struct expr *e = bind_plain(&inner, f->value);
    for (uint32_t i = 0; e && i < f->count; i++)
        if (!used[i] && !may_stay_unread(args[i]))
            return NULL;
    return without_affinity(b, e);
}
