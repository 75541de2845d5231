#include "sql/script/create_function.h"

#include <string.h>

#include "base/alloc.h"
#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/language/macro.h"
#include "sql/script/sql_function.h"
#include "sql/tokens/source_error.h"
#include "sql/tokens/sql_type.h"

static struct status parse_returns(struct creation *p, struct function_spec *spec)
{
    struct status s = cursor_expect(&p->c, "RETURNS");
    if (!status_ok(s))
        return s;
    spec->is_table = cursor_accept(&p->c, "TABLE");
    return spec->is_table ? declared_columns_parse(&p->c, &spec->columns)
                          : declared_type_parse(&p->c, &spec->result);
}

/* Whether a function of that name can be called, with however many arguments. */
static bool can_call(struct sql_session *s, struct str name)
{
    static const char text[] =
        "SELECT 1 FROM pragma_function_list WHERE name = ?1 COLLATE NOCASE LIMIT 1";
    sqlite3_stmt *stmt = NULL;
    bool found = false;
    if (sqlite3_prepare_v2(s->db, text, -1, &stmt, NULL) == SQLITE_OK) {
        sqlite3_bind_text64(stmt, 1, name.p, name.n, SQLITE_STATIC, SQLITE_UTF8);
        found = sqlite3_step(stmt) == SQLITE_ROW;
    }
    sqlite3_finalize(stmt);
    return found;
}

static struct status read_target(struct creation *p, struct function_spec *spec)
{
    struct token target;
    struct status s = cursor_expect(&p->c, "TO");
    if (status_ok(s))
        s = cursor_take_name(&p->c, "the function to call", &target);
    if (!status_ok(s))
        return s;
    struct str name = spec->delegate = token_name(target);
    if (spec->is_table || can_call(p->session, name))
        return s;
    /* The first half is what scripts look for. */
    return token_error(target,
                       "Target function '%.*s' not found in registry: no such function: %.*s",
                       (int)name.n, name.p, (int)name.n, name.p);
}

static struct status define_function(struct creation *p, struct function_spec *spec)
{
    struct token_list body = {0};
    struct status s;
    if (cursor_accept(&p->c, "DELEGATES")) {
        s = read_target(p, spec);
    } else if (spec->parameters.variadic) {
        s = token_error(cursor_peek(&p->c),
                        "TYPE... needs DELEGATES TO: the parameters of a body are counted");
    } else {
        s = cursor_expect(&p->c, "AS");
        if (status_ok(s))
            s = creation_body(p, &body);
        spec->body = body.v.items;
        spec->body_count = body.v.count;
    }
    if (status_ok(s))
        s = sql_function_define(p->session, spec);
    vec_release(&body.v);
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
    struct token name;
    struct function_spec spec = {0};
    char *key = NULL;
    struct status s = cursor_take_name(&p->c, "the function's name", &name);
    if (status_ok(s))
        s = declared_columns_parse(&p->c, &spec.parameters);
    if (status_ok(s))
        s = parse_returns(p, &spec);
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

/* "(name Type, ...)": a macro's parameter types say what tokens are meant; any are taken. */
static struct status parse_macro_parameters(struct token_cursor *c, struct argument_names *out)
{
    if (!cursor_accept_char(c, '('))
        return expected_error(cursor_peek(c), "(");
    if (cursor_accept_char(c, ')'))
        return status_ok_value();
    do {
        struct token name, type;
        struct status s = cursor_take_name(c, "a parameter's name", &name);
        if (status_ok(s))
            s = cursor_take_name(c, "a type (Expr, TableOrSubquery, ColumnName ...)", &type);
        if (!status_ok(s))
            return s;
        for (size_t i = 0; i < out->v.count; i++)
            if (str_eq(out->v.items[i], token_name(name)))
                return token_error(name, "two parameters are called %.*s", (int)name.text.n,
                                   name.text.p);
        *vec_push(&out->v) = token_name(name);
    } while (cursor_accept_char(c, ','));
    return cursor_accept_char(c, ')') ? status_ok_value()
                                      : expected_error(cursor_peek(c), ") or a comma");
}

struct status create_macro(struct creation *p)
{
    struct token name, type;
    struct argument_names parameters = {0};
    struct status s = cursor_take_name(&p->c, "the macro's name", &name);
    if (status_ok(s))
        s = parse_macro_parameters(&p->c, &parameters);
    if (status_ok(s))
        s = cursor_expect(&p->c, "RETURNS");
    if (status_ok(s))
        s = cursor_take_name(&p->c, "a type (Expr, TableOrSubquery, ColumnName ...)", &type);
    if (status_ok(s))
        s = cursor_expect(&p->c, "AS");
    struct str n = token_name(name);
    if (status_ok(s) && !p->replace && macro_find(&p->session->language->macros, n))
        s = token_error(
            name, "macro %.*s already exists: CREATE OR REPLACE PERFETTO MACRO would replace it",
            (int)n.n, n.p);
    if (status_ok(s) && cursor_peek(&p->c).kind == TOKEN_END)
        s = expected_error(cursor_peek(&p->c), "the macro's body");
    if (status_ok(s))
        s = macro_check_body(p->c.tokens + p->c.at, p->c.count - p->c.at);
    if (status_ok(s)) {
        macro_define(&p->session->language->macros, n, parameters.v.items, parameters.v.count,
                     p->c.tokens + p->c.at, p->c.count - p->c.at);
    }
    vec_release(&parameters.v);
    return s;
}
