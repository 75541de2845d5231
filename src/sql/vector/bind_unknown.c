#include "sql/vector/bind_expression.h"

struct unknown_output {
    const struct binder *binder;
    bool
        special; /* something may make something else of all rows than to compute a value of each */
};

static bool look_at(void *self, const struct sql_node *n)
{
    struct unknown_output *l = self;
    bool is_aggregate = false, call = n->kind == SQL_CALL;
    struct token t = call ? bind_token(l->binder, n) : (struct token){.kind = TOKEN_END};
    l->special |= n->kind == SQL_SELECT || n->kind == SQL_MACRO;
    l->special |= call && (n->part[CALL_OVER] || !bind_knows_call(t.text, &is_aggregate));
    l->special |= is_aggregate;
    return !l->special;
}

bool bind_unknown_output(const struct binder *b, const struct sql_node *result)
{
    struct unknown_output l = {.binder = b};
    bool named = result->kind == SQL_RESULT && result->part[RESULT_NAME] &&
                 is_alias(bind_token(b, result->part[RESULT_NAME]));
    if (named)
        sql_visit(result->part[RESULT_VALUE], look_at, &l);
    return named && !l.special;
}
