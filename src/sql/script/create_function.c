#include "sql/script/creation.h"

#include <string.h>

#include "base/alloc.h"
#include "sql/engine/query_text.h"
#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/language/macro.h"
#include "sql/script/sql_function.h"
#include "sql/tokens/source_error.h"

static struct status read_returns(struct creation *p, struct function_spec *spec)
{
    const struct sql_node *returns = p->node->part[CREATE_FUNCTION_RETURNS];
    spec->is_table = sql_is(returns, SQL_RETURNS_TABLE);
    return spec->is_table ? creation_columns(p, returns->part[0], &spec->columns)
                          : creation_type(p, returns, &spec->result);
}

/* Whether a function of that name can be called, with however many arguments. */
static bool can_call(struct sql_session *s, struct str name)
{
    return query_has_text(s->db,
                          "SELECT 1 FROM pragma_function_list WHERE name = %.*Q COLLATE NOCASE",
                          (int)name.n, name.p);
}

static struct status read_target(struct creation *p, struct function_spec *spec)
{
    struct token target = creation_token(p, CREATE_FUNCTION_TARGET);
    struct str name = spec->delegate = token_name(target);
    if (spec->is_table || can_call(p->session, name))
        return status_ok_value();
    /* The first half is what scripts look for. */
    return token_error(target,
                       "Target function '%.*s' not found in registry: no such function: %.*s",
                       (int)name.n, name.p, (int)name.n, name.p);
}

/* The AS before the body. */
static struct token keyword_before(const struct creation *p, const struct sql_node *body)
{
    uint32_t i = body->span.first;
    do
        i--;
    while (token_is_blank(p->tokens->v.items[i]));
    return p->tokens->v.items[i];
}

static struct status define_function(struct creation *p, struct function_spec *spec)
{
    struct sql_parsed body = {0};
    struct status s;
    const struct sql_node *select = p->node->part[CREATE_FUNCTION_BODY];
    if (!select) {
        s = read_target(p, spec);
    } else if (spec->parameters.variadic) {
        s = token_error(keyword_before(p, select),
                        "TYPE... needs DELEGATES TO: the parameters of a body are counted");
    } else {
        s = creation_body(p, select, &body);
        spec->body = body.tokens.v.items;
        spec->body_count = body.tokens.v.count;
    }
    if (status_ok(s))
        s = sql_function_define(p->session, spec);
    sql_parsed_release(&body);
    return s;
}

/* How the session's list names a function: scalar ones differ by argument count, of table functions
 * there is one of a name. For sqlite3_free. */
static char *function_key(const struct function_spec *spec)
{
    int argc = spec->parameters.variadic ? -1 : (int)spec->parameters.v.count;
    struct str n = spec->name;
    return spec->is_table ? sqlite3_mprintf("%.*s/table", (int)n.n, n.p)
                          : sqlite3_mprintf("%.*s/%d", (int)n.n, n.p, argc);
}

static bool function_known(const struct sql_session *s, const char *key)
{
    for (size_t i = 0; i < s->language->functions.count; i++)
        if (sqlite3_stricmp(s->language->functions.items[i], key) == 0)
            return true;
    return false;
}

struct status create_function(struct creation *p)
{
    struct token name = creation_token(p, CREATE_NAME);
    struct function_spec spec = {0};
    char *key = NULL;
    struct status s = creation_columns(p, p->node->part[CREATE_COLUMNS], &spec.parameters);
    if (status_ok(s))
        s = read_returns(p, &spec);
    if (status_ok(s)) {
        spec.name = token_name(name);
        key = function_key(&spec);
        spec.replaces = function_known(p->session, key);
        if (spec.replaces && !p->replace)
            s = token_error(name,
                            "function %.*s already exists: CREATE OR REPLACE PERFETTO FUNCTION "
                            "would replace it",
                            (int)spec.name.n, spec.name.p);
    }
    if (status_ok(s))
        s = define_function(p, &spec);
    if (status_ok(s) && !spec.replaces)
        *vec_push(&p->session->language->functions) = alloc_copy(key, strlen(key));
    sqlite3_free(key);
    vec_release(&spec.parameters.v);
    vec_release(&spec.columns.v);
    return s;
}

struct argument_names {
    VEC(struct str) v;
};

/* A macro's parameter types say what tokens are meant; any are taken. */
static struct status read_macro_parameters(const struct creation *p, struct argument_names *out)
{
    const struct sql_node *list = p->node->part[CREATE_COLUMNS];
    for (uint32_t k = 0; k < list->count; k++) {
        struct token name = p->tokens->v.items[list->part[k]->span.first];
        for (size_t i = 0; i < out->v.count; i++)
            if (str_eq(out->v.items[i], token_name(name)))
                return token_error(name, "two parameters are called %.*s", (int)name.text.n,
                                   name.text.p);
        *vec_push(&out->v) = token_name(name);
    }
    return status_ok_value();
}

struct status create_macro(struct creation *p)
{
    struct token name = creation_token(p, CREATE_NAME);
    struct sql_span body = p->node->part[CREATE_MACRO_BODY]->span;
    const struct token *first = p->tokens->v.items + body.first;
    struct macro_table *macros = &p->session->language->macros;
    struct argument_names parameters = {0};
    struct str n = token_name(name);
    struct status s = read_macro_parameters(p, &parameters);
    if (status_ok(s) && !p->replace && macro_find(macros, n))
        s = token_error(
            name, "macro %.*s already exists: CREATE OR REPLACE PERFETTO MACRO would replace it",
            (int)n.n, n.p);
    if (status_ok(s))
        s = macro_check_body(first, body.end - body.first);
    if (status_ok(s))
        macro_define(macros, n, parameters.v.items, parameters.v.count, first,
                     body.end - body.first);
    vec_release(&parameters.v);
    return s;
}
