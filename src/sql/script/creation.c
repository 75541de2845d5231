#include "sql/script/creation.h"

#include "sql/script/script.h"
#include "sql/tokens/source_error.h"

struct token creation_token(const struct creation *p, uint32_t child)
{
    return p->tokens->v.items[p->node->part[child]->span.first];
}

struct status creation_type(const struct creation *p, const struct sql_node *type,
                            enum declared_type *out)
{
    struct token t = p->tokens->v.items[type->span.first];
    if (declared_type_find(t, out))
        return status_ok_value();
    return expected_error(t, CREATION_TYPES);
}

struct status creation_columns(const struct creation *p, const struct sql_node *list,
                               struct declared_columns *out)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct sql_node *name = list->part[i]->part[0], *type = list->part[i]->part[1];
        struct declared_column column = {.name = p->tokens->v.items[name->span.first]};
        struct status s = creation_type(p, type, &column.type);
        if (!status_ok(s))
            return s;
        if (out->variadic)
            return token_error(column.name, "only the last parameter may be TYPE...");
        out->variadic = token_is(p->tokens->v.items[type->span.end - 1], '.');
        *vec_push(&out->v) = column;
    }
    return status_ok_value();
}

struct status creation_body(const struct creation *p, const struct sql_node *body,
                            struct sql_parsed *out)
{
    struct sql_span span = body->span;
    return script_expand(p->session, p->tokens->v.items + span.first, span.end - span.first, out,
                         NULL);
}
