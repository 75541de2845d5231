#include "sql/script/function_body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

void function_body_free(struct sql_function *f, struct function_body b)
{
    if (!f->session->closing)
        sqlite3_finalize(b.stmt);
    free(b.binds);
}

static char *delegate_text(const struct sql_function *f, int argc)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text, "SELECT %s(", f->text);
    for (int i = 0; i < argc; i++)
        sqlite3_str_appendf(text, "%s?%d", i ? "," : "", i + 1);
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

static void find_binds(const struct sql_function *f, struct function_body *b)
{
    int n = f->delegates ? b->argc : (int)f->parameters.count;
    b->binds = alloc_array((size_t)n + 1, sizeof *b->binds);
    for (int i = 0; i < n; i++) {
        char name[256];
        snprintf(name, sizeof name, "$%s", f->delegates ? "" : f->parameters.items[i].name);
        b->binds[i] = f->delegates ? i + 1 : sqlite3_bind_parameter_index(b->stmt, name);
    }
}

int function_body_compile(struct sql_function *f, int argc, struct function_body *out)
{
    char *delegated = f->delegates ? delegate_text(f, argc) : NULL;
    struct function_body b = {.argc = argc};
    int rc = session_prepare(f->session, delegated ? delegated : f->text, SQLITE_PREPARE_PERSISTENT,
                             &b.stmt);
    sqlite3_free(delegated);
    if (rc != SQLITE_OK)
        return rc;
    find_binds(f, &b);
    *out = b;
    return SQLITE_OK;
}

int function_body_take(struct sql_function *f, int argc, struct function_body *out)
{
    for (size_t i = f->idle.count; i-- > 0;) {
        if (f->variadic && f->idle.items[i].argc != argc)
            continue;
        *out = f->idle.items[i];
        f->idle.items[i] = vec_last(&f->idle);
        f->idle.count--;
        f->in_use++;
        return SQLITE_OK;
    }
    int rc = function_body_compile(f, argc, out);
    f->in_use += rc == SQLITE_OK;
    return rc;
}

void function_body_give_back(struct sql_function *f, struct function_body b)
{
    sqlite3_reset(b.stmt);
    sqlite3_clear_bindings(b.stmt); /* which may be large, or pointers to what is */
    *vec_push(&f->idle) = b;
    f->in_use--;
}

/* The value of a SELECT that has nothing but that; NULL where it has more. */
static const struct sql_node *only_value(const struct sql_node *select)
{
    const struct sql_node *core = sql_is(select, SQL_SELECT) ? select->part[SELECT_BODY] : NULL;
    bool more = !sql_is(core, SQL_CORE) || core->op != SQL_OP_NONE;
    for (uint32_t i = 0; !more && i < select->count; i++)
        more = select->part[i] && i != SELECT_BODY;
    for (uint32_t i = 0; !more && i < core->count; i++)
        more = core->part[i] && i != CORE_RESULTS;
    const struct sql_node *results = more ? NULL : core->part[CORE_RESULTS];
    bool one = results && results->count == 1 && results->part[0]->kind == SQL_RESULT;
    return one ? results->part[0]->part[RESULT_VALUE] : NULL;
}

const struct vector_function *function_value(struct sql_function *f)
{
    if (!f->is_read && !f->delegates) {
        f->source = (struct sql_source){.name = f->name, .text = str_from(f->text)};
        lexer_statement(&f->source, 0, &f->body.tokens);
        f->body.tree = sql_parse_statement(&f->body.arena, &f->body.tokens);
        f->value =
            (struct vector_function){.parameters = f->parameters.items,
                                     .count = (uint32_t)f->parameters.count,
                                     .tokens = f->body.tokens.v.items,
                                     .value =
                                         f->body.tree.whole ? only_value(f->body.tree.root) : NULL};
    }
    f->is_read = true;
    return f->value.value && !f->memo ? &f->value : NULL;
}

static const char *type_name(enum declared_type type)
{
    static const char *const names[] = {"ANY", "LONG", "DOUBLE", "STRING", "BYTES"};
    return names[type];
}

static bool accepts(enum declared_type type, int value_type)
{
    if (value_type == SQLITE_NULL)
        return true;
    switch (type) {
    case DECLARED_LONG:
        return value_type == SQLITE_INTEGER;
    case DECLARED_DOUBLE:
        return value_type == SQLITE_INTEGER || value_type == SQLITE_FLOAT;
    case DECLARED_STRING:
        return value_type == SQLITE_TEXT;
    case DECLARED_BYTES:
        return value_type == SQLITE_BLOB || value_type == SQLITE_TEXT;
    case DECLARED_ANY:
        break;
    }
    return true;
}

char *function_check_arguments(const struct sql_function *f, int argc, sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++) {
        size_t k = (size_t)i < f->parameters.count ? (size_t)i : f->parameters.count - 1;
        struct function_parameter p = f->parameters.items[k];
        int type = sqlite3_value_type(argv[i]);
        if (!accepts(p.type, type))
            return sqlite3_mprintf("function %s: parameter %s is %s, not %s", f->name, p.name,
                                   type_name(p.type), value_type_name(type));
    }
    return NULL;
}

void function_body_bind(const struct function_body *b, int argc, sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++)
        if (b->binds[i])
            bind_value(b->stmt, b->binds[i], argv[i]);
}

char *function_failure(const struct sql_function *f)
{
    const char *inner = session_message(f->session);
    return strncmp(inner, "function ", 9) == 0 ? sqlite3_mprintf("%s", inner)
                                               : sqlite3_mprintf("function %s: %s", f->name, inner);
}
