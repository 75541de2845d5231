#include "sql/script/sql_function.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/session_state.h"
#include "sql/hints/sqlite_error.h"
#include "sql/script/function_body.h"
#include "sql/language/language.h"
#include "sql/tokens/source_error.h"

static void free_parameters(struct function_parameter *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(items[i].name);
}

static void forget(struct sql_function *f)
{
    struct sql_session *s = f->session;
    for (size_t i = 0; i < s->language->scalar_functions.count; i++)
        if (s->language->scalar_functions.items[i] == f)
            s->language->scalar_functions.items[i] =
                s->language->scalar_functions.items[--s->language->scalar_functions.count];
}

static void free_function(void *p)
{
    struct sql_function *f = p;
    forget(f);
    function_memo_free(f->memo);
    for (size_t i = 0; i < f->idle.count; i++)
        function_body_free(f, f->idle.items[i]);
    vec_release(&f->idle);
    sql_parsed_release(&f->body);
    free_parameters(f->parameters.items, f->parameters.count);
    vec_release(&f->parameters);
    free_parameters(f->columns.items, f->columns.count);
    vec_release(&f->columns);
    free(f->name);
    free(f->text);
    free(f);
}

static char *name_copy(struct token t)
{
    struct str n = token_name(t);
    if (t.kind == TOKEN_VARIABLE)
        n = str_skip(n, 1);
    return alloc_copy(n.p, n.n);
}

static struct sql_function *make_function(struct sql_session *s, const struct function_spec *spec)
{
    struct sql_function *f = alloc_array(1, sizeof *f);
    f->session = s;
    f->name = alloc_copy(spec->name.p, spec->name.n);
    f->delegates = spec->delegate.n > 0;
    f->variadic = spec->parameters.variadic;
    f->text = f->delegates ? alloc_copy(spec->delegate.p, spec->delegate.n)
                           : tokens_text(spec->body, spec->body_count);
    for (size_t i = 0; i < spec->parameters.v.count; i++) {
        struct declared_column c = spec->parameters.v.items[i];
        *vec_push(&f->parameters) = (struct function_parameter){name_copy(c.name), c.type};
    }
    for (size_t i = 0; i < spec->columns.v.count; i++) {
        struct declared_column c = spec->columns.v.items[i];
        *vec_push(&f->columns) = (struct function_parameter){name_copy(c.name), c.type};
    }
    return f;
}

static int add_function(struct sql_session *s, struct sql_function *f, bool is_table)
{
    int argc = f->variadic ? -1 : (int)f->parameters.count;
    if (is_table)
        return sqlite3_create_module_v2(s->db, f->name, &function_table_module, f, free_function);
    *vec_push(&s->language->scalar_functions) = f;
    return sqlite3_create_function_v2(s->db, f->name, argc, SQLITE_UTF8 | SQLITE_INNOCUOUS, f,
                                      function_call_scalar, NULL, NULL, free_function);
}

struct status sql_function_memoize(struct sql_session *s, struct str name)
{
    for (size_t i = 0; i < s->language->scalar_functions.count; i++) {
        struct sql_function *f = s->language->scalar_functions.items[i];
        if (strlen(f->name) != name.n || sqlite3_strnicmp(f->name, name.p, (int)name.n) != 0)
            continue;
        if (f->delegates || f->parameters.count != 1 ||
            f->parameters.items[0].type != DECLARED_LONG)
            continue;
        if (!f->memo)
            f->memo = function_memo_new();
        return status_ok_value();
    }
    return status_error(STATUS_SQL, "there is no SQL function %.*s of one LONG", (int)name.n,
                        name.p);
}

/* The body's token that spells the variable. */
static struct token variable_token(const struct function_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->body_count; i++)
        if (str_eq(spec->body[i].text, str_from(name)))
            return spec->body[i];
    return spec->body[0];
}

/* Every variable of the body has to be a parameter, or it would silently be NULL. */
static struct status check_variables(const struct sql_function *f, const struct function_spec *spec,
                                     sqlite3_stmt *stmt)
{
    for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++) {
        const char *name = sqlite3_bind_parameter_name(stmt, i);
        bool known = false;
        for (size_t k = 0; name && name[0] == '$' && k < f->parameters.count; k++)
            known |= strcmp(f->parameters.items[k].name, name + 1) == 0;
        if (!known)
            return token_error(name ? variable_token(spec, name) : spec->body[0],
                               "function %s has no parameter %s", f->name, name ? name : "?");
    }
    return status_ok_value();
}

static struct status check_columns(const struct sql_function *f, const struct function_spec *spec,
                                   sqlite3_stmt *stmt)
{
    int columns = sqlite3_column_count(stmt);
    if (!spec->is_table && columns == 1)
        return status_ok_value();
    if (!spec->is_table)
        return token_error(spec->body[0],
                           "the SELECT of a scalar function must give one column, not %d", columns);
    if (columns == (int)f->columns.count)
        return status_ok_value();
    return token_error(spec->body[0], "the SELECT gives %d columns, RETURNS TABLE names %d",
                       columns, (int)f->columns.count);
}

static struct status check_body(struct sql_function *f, const struct function_spec *spec)
{
    struct token_list body = {0};
    for (size_t i = 0; i < spec->body_count; i++)
        *vec_push(&body.v) = spec->body[i];
    struct function_body b = {0};
    struct status s;
    if (function_body_compile(f, (int)f->parameters.count, &b) != SQLITE_OK)
        s = sqlite_error(f->session, &body);
    else
        s = check_variables(f, spec, b.stmt);
    if (status_ok(s))
        s = check_columns(f, spec, b.stmt);
    function_body_free(f, b);
    vec_release(&body.v);
    return s;
}

static void remove_function(struct sql_session *s, const struct sql_function *f, bool is_table)
{
    char *name = alloc_copy(f->name, strlen(f->name));
    int argc = f->variadic ? -1 : (int)f->parameters.count;
    if (is_table)
        sqlite3_create_module_v2(s->db, name, NULL, NULL, NULL);
    else
        sqlite3_create_function_v2(s->db, name, argc, SQLITE_UTF8, NULL, NULL, NULL, NULL, NULL);
    free(name);
}

static struct sql_function *find_scalar(struct sql_session *s, const struct sql_function *like)
{
    for (size_t i = 0; i < s->language->scalar_functions.count; i++) {
        struct sql_function *f = s->language->scalar_functions.items[i];
        bool same_count = f->variadic
                              ? like->variadic
                              : !like->variadic && f->parameters.count == like->parameters.count;
        if (same_count && sqlite3_stricmp(f->name, like->name) == 0)
            return f;
    }
    return NULL;
}

/* Puts a function in the place of the one that is known to SQLite, which refuses to while any
 * statement runs: a metric's file defines its functions inside of SELECT run_metric(...). */
static bool replace_in_place(struct sql_session *s, struct sql_function *f)
{
    struct sql_function *old = find_scalar(s, f);
    if (!old || old->in_use > 0 || (old->memo && function_memo_runs(old->memo)))
        return false;
    struct sql_function kept = *old;
    *old = *f;
    *f = kept;
    free_function(f);
    return true;
}

const struct vector_function *sql_function_find(struct sql_session *s, struct str name,
                                                uint32_t arguments)
{
    for (size_t i = 0; i < s->language->scalar_functions.count; i++) {
        struct sql_function *f = s->language->scalar_functions.items[i];
        if (!f->variadic && f->parameters.count == arguments && strlen(f->name) == name.n &&
            sqlite3_strnicmp(f->name, name.p, (int)name.n) == 0)
            return function_value(f);
    }
    return NULL;
}

struct status sql_function_define(struct sql_session *s, const struct function_spec *spec)
{
    struct sql_function *f = make_function(s, spec);
    struct status status = status_ok_value();
    if (spec->replaces && !f->delegates)
        status = check_body(f, spec);
    if (!status_ok(status)) {
        free_function(f);
        return status;
    }
    if (spec->replaces && !spec->is_table && replace_in_place(s, f))
        return status_ok_value();
    if (add_function(s, f, spec->is_table) != SQLITE_OK)
        return status_error(STATUS_SQL, "cannot define function %.*s: %s", (int)spec->name.n,
                            spec->name.p, sqlite3_errmsg(s->db));
    /* A new function has to be there before its body is compiled: it may call itself. */
    if (!spec->replaces && !f->delegates)
        status = check_body(f, spec);
    if (!status_ok(status))
        remove_function(s, f, spec->is_table);
    return status;
}
