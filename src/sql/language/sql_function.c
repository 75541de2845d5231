#include "sql/language/sql_function.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/engine/values.h"
#include "sql/language/language.h"
#include "sql/language/script.h"
#include "sql/tokens/source_error.h"
#include "sql/engine/vtab.h"

struct parameter {
    char *name; /* without $ */
    enum declared_type type;
};

/* A compiled body; there are several only where the function calls itself. */
struct body {
    sqlite3_stmt *stmt;
    int argc;   /* of a variadic delegate */
    int *binds; /* where each parameter goes, 0 where the body does not use it */
};

/* A memoized function's results by its argument. A call of itself that has none yet is noted and
 * gives NULL; the body runs again once that is known: recursion of any depth, one level at a time.
 */
struct memo {
    struct map known;   /* argument -> index in `values` */
    struct map started; /* arguments whose body has run, to find those that need themselves */
    VEC(sqlite3_value *) values;
    VEC(int64_t) waiting; /* arguments to be computed, the last first */
    VEC(int64_t) missing; /* those that the body has asked for */
    bool running;
};

struct sql_function {
    struct sql_session *session;
    char *name, *text;
    VEC(struct parameter) parameters;
    VEC(struct parameter) columns; /* what a table function returns */
    VEC(struct body) idle;
    size_t in_use; /* bodies that run */
    bool delegates, variadic;
    struct memo *memo; /* NULL: not memoized */
};

static void free_parameters(struct parameter *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(items[i].name);
}

static void free_body(struct sql_function *f, struct body b)
{
    if (!f->session->closing)
        sqlite3_finalize(b.stmt);
    free(b.binds);
}

static void free_memo(struct memo *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->values.count; i++)
        sqlite3_value_free(m->values.items[i]);
    vec_release(&m->values);
    vec_release(&m->waiting);
    vec_release(&m->missing);
    map_release(&m->known);
    map_release(&m->started);
    free(m);
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
    free_memo(f->memo);
    for (size_t i = 0; i < f->idle.count; i++)
        free_body(f, f->idle.items[i]);
    vec_release(&f->idle);
    free_parameters(f->parameters.items, f->parameters.count);
    vec_release(&f->parameters);
    free_parameters(f->columns.items, f->columns.count);
    vec_release(&f->columns);
    free(f->name);
    free(f->text);
    free(f);
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

static void find_binds(const struct sql_function *f, struct body *b)
{
    int n = f->delegates ? b->argc : (int)f->parameters.count;
    b->binds = alloc_array((size_t)n + 1, sizeof *b->binds);
    for (int i = 0; i < n; i++) {
        char name[256];
        snprintf(name, sizeof name, "$%s", f->delegates ? "" : f->parameters.items[i].name);
        b->binds[i] = f->delegates ? i + 1 : sqlite3_bind_parameter_index(b->stmt, name);
    }
}

static int compile(struct sql_function *f, int argc, struct body *out)
{
    char *delegated = f->delegates ? delegate_text(f, argc) : NULL;
    struct body b = {.argc = argc};
    int rc = session_prepare(f->session, delegated ? delegated : f->text, SQLITE_PREPARE_PERSISTENT,
                             &b.stmt);
    sqlite3_free(delegated);
    if (rc != SQLITE_OK)
        return rc;
    find_binds(f, &b);
    *out = b;
    return SQLITE_OK;
}

static int take_body(struct sql_function *f, int argc, struct body *out)
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
    int rc = compile(f, argc, out);
    f->in_use += rc == SQLITE_OK;
    return rc;
}

static void give_back(struct sql_function *f, struct body b)
{
    sqlite3_reset(b.stmt);
    sqlite3_clear_bindings(b.stmt); /* which may be large, or pointers to what is */
    *vec_push(&f->idle) = b;
    f->in_use--;
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

static const char *value_type_name(int type)
{
    static const char *const names[] = {
        [SQLITE_INTEGER] = "LONG", [SQLITE_FLOAT] = "DOUBLE", [SQLITE_TEXT] = "STRING",
        [SQLITE_BLOB] = "BYTES",   [SQLITE_NULL] = "NULL",
    };
    return names[type];
}

/* NULL where all fits, else a message for sqlite3_free. */
static char *check_arguments(const struct sql_function *f, int argc, sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++) {
        size_t k = (size_t)i < f->parameters.count ? (size_t)i : f->parameters.count - 1;
        struct parameter p = f->parameters.items[k];
        int type = sqlite3_value_type(argv[i]);
        if (!accepts(p.type, type))
            return sqlite3_mprintf("function %s: parameter %s is %s, not %s", f->name, p.name,
                                   type_name(p.type), value_type_name(type));
    }
    return NULL;
}

static void bind_arguments(const struct body *b, int argc, sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++)
        if (b->binds[i])
            bind_value(b->stmt, b->binds[i], argv[i]);
}

/* Names the innermost function. For sqlite3_free. */
static char *failure_message(const struct sql_function *f)
{
    const char *inner = session_message(f->session);
    return strncmp(inner, "function ", 9) == 0 ? sqlite3_mprintf("%s", inner)
                                               : sqlite3_mprintf("function %s: %s", f->name, inner);
}

static void result_failure(sqlite3_context *ctx, const struct sql_function *f, int rc)
{
    if (rc == SQLITE_INTERRUPT) {
        sqlite3_result_error_code(ctx, rc);
        return;
    }
    char *message = failure_message(f);
    sqlite3_result_error(ctx, message, -1);
    sqlite3_free(message);
}

/* What a statement that ended like this means for the function's caller. */
static void report(sqlite3_context *ctx, const struct sql_function *f, int rc)
{
    if (rc == SQLITE_ROW) {
        char *message = sqlite3_mprintf("function %s: its SELECT gives more than one row", f->name);
        sqlite3_result_error(ctx, message, -1);
        sqlite3_free(message);
    } else if (rc != SQLITE_DONE) {
        result_failure(ctx, f, rc);
    }
}

/* Runs the body for one argument; `*out` is owned by the caller. */
static int run_for(struct sql_function *f, int64_t argument, sqlite3_value **out)
{
    struct body b;
    int rc = take_body(f, 1, &b);
    if (rc != SQLITE_OK)
        return rc;
    if (b.binds[0])
        sqlite3_bind_int64(b.stmt, b.binds[0], argument);
    rc = session_step(f->session, b.stmt);
    if (rc == SQLITE_ROW) {
        *out = sqlite3_value_dup(sqlite3_column_value(b.stmt, 0));
        rc = session_step(f->session, b.stmt);
    }
    give_back(f, b);
    return rc;
}

/* The last of those that wait: its value, or what has to be computed before it. */
static int advance(sqlite3_context *ctx, struct sql_function *f)
{
    struct memo *m = f->memo;
    int64_t argument = vec_last(&m->waiting);
    sqlite3_value *value = NULL;
    if (map_find(&m->known, (uint64_t)argument)) {
        m->waiting.count--;
        return SQLITE_OK;
    }
    m->missing.count = 0;
    map_set(&m->started, (uint64_t)argument, 1);
    m->running = true;
    int rc = run_for(f, argument, &value);
    m->running = false;
    if (rc == SQLITE_DONE && m->missing.count == 0) {
        map_set(&m->known, (uint64_t)argument, (uint32_t)m->values.count);
        *vec_push(&m->values) = value;
        return SQLITE_OK;
    }
    sqlite3_value_free(value);
    if (rc != SQLITE_DONE) {
        report(ctx, f, rc);
        return SQLITE_ERROR;
    }
    for (size_t i = 0; i < m->missing.count; i++) {
        if (map_find(&m->started, (uint64_t)m->missing.items[i])) {
            char *message = sqlite3_mprintf("function %s: its value for %lld needs itself", f->name,
                                            (long long)m->missing.items[i]);
            sqlite3_result_error(ctx, message, -1);
            sqlite3_free(message);
            return SQLITE_ERROR;
        }
        *vec_push(&m->waiting) = m->missing.items[i];
    }
    return SQLITE_OK;
}

static void call_memoized(sqlite3_context *ctx, struct sql_function *f, int64_t argument)
{
    struct memo *m = f->memo;
    if (m->running) {
        const uint32_t *known = map_find(&m->known, (uint64_t)argument);
        if (known && m->values.items[*known])
            result_value(ctx, m->values.items[*known]);
        else if (!known)
            *vec_push(&m->missing) = argument;
        return;
    }
    m->waiting.count = 0;
    map_release(&m->started);
    *vec_push(&m->waiting) = argument;
    while (m->waiting.count > 0)
        if (advance(ctx, f) != SQLITE_OK)
            return;
    const uint32_t *known = map_find(&m->known, (uint64_t)argument);
    if (known && m->values.items[*known])
        result_value(ctx, m->values.items[*known]);
}

static void call_scalar(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sql_function *f = sqlite3_user_data(ctx);
    char *problem = check_arguments(f, argc, argv);
    if (problem) {
        sqlite3_result_error(ctx, problem, -1);
        sqlite3_free(problem);
        return;
    }
    if (f->memo && sqlite3_value_type(argv[0]) == SQLITE_INTEGER) {
        call_memoized(ctx, f, sqlite3_value_int64(argv[0]));
        return;
    }
    struct body b;
    int rc = take_body(f, argc, &b);
    if (rc != SQLITE_OK) {
        result_failure(ctx, f, rc);
        return;
    }
    bind_arguments(&b, argc, argv);
    rc = session_step(f->session, b.stmt);
    if (rc == SQLITE_ROW) {
        result_value(ctx, sqlite3_column_value(b.stmt, 0));
        rc = session_step(f->session, b.stmt);
    }
    report(ctx, f, rc);
    give_back(f, b);
}

struct function_vtab {
    sqlite3_vtab base;
    struct sql_function *function;
};

struct function_cursor {
    sqlite3_vtab_cursor base;
    struct sql_function *function;
    struct body body;
    bool eof;
    int64_t row;
};

static int function_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                            sqlite3_vtab **out, char **error)
{
    (void)argc, (void)argv, (void)error;
    struct sql_function *f = aux;
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (size_t i = 0; i < f->columns.count; i++)
        sqlite3_str_appendf(text, "%s\"%w\" %s", i ? "," : "", f->columns.items[i].name,
                            declared_type_sql(f->columns.items[i].type));
    for (size_t i = 0; i < f->parameters.count; i++)
        sqlite3_str_appendf(text, ",\"_in_%w\" HIDDEN", f->parameters.items[i].name);
    sqlite3_str_appendall(text, ")");
    int rc = vtab_declare(db, text);
    if (rc != SQLITE_OK)
        return rc;
    struct function_vtab *v = alloc_array(1, sizeof *v);
    v->function = f;
    *out = &v->base;
    return SQLITE_OK;
}

static int function_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct sql_function *f = ((struct function_vtab *)base)->function;
    int first = (int)f->columns.count, wanted = (int)f->parameters.count, found = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        if (c->iColumn < first || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!c->usable)
            return SQLITE_CONSTRAINT;
        if (info->aConstraintUsage[i].argvIndex)
            continue;
        info->aConstraintUsage[i].argvIndex = c->iColumn - first + 1;
        info->aConstraintUsage[i].omit = 1;
        found++;
    }
    if (found != wanted)
        return plan_without_arguments(info);
    info->estimatedCost = 100;
    info->estimatedRows = 25;
    return SQLITE_OK;
}

static int function_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct function_cursor *c = alloc_array(1, sizeof *c);
    c->function = ((struct function_vtab *)base)->function;
    *out = &c->base;
    return SQLITE_OK;
}

static int function_close(sqlite3_vtab_cursor *base)
{
    struct function_cursor *c = (struct function_cursor *)base;
    if (c->body.stmt)
        give_back(c->function, c->body);
    free(c);
    return SQLITE_OK;
}

static int fail(struct function_cursor *c, int rc)
{
    if (rc == SQLITE_INTERRUPT)
        return rc;
    sqlite3_vtab *v = c->base.pVtab;
    sqlite3_free(v->zErrMsg);
    v->zErrMsg = failure_message(c->function);
    return SQLITE_ERROR;
}

static int function_next(sqlite3_vtab_cursor *base)
{
    struct function_cursor *c = (struct function_cursor *)base;
    int rc = session_step(c->function->session, c->body.stmt);
    c->eof = rc != SQLITE_ROW;
    c->row++;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : fail(c, rc);
}

static int function_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                           sqlite3_value **argv)
{
    (void)text;
    struct function_cursor *c = (struct function_cursor *)base;
    if (plan == PLAN_WITHOUT_ARGUMENTS)
        return vtab_fail(base->pVtab,
                         status_error(STATUS_SQL, "function %s takes %d argument%s",
                                      c->function->name, (int)c->function->parameters.count,
                                      c->function->parameters.count == 1 ? "" : "s"));
    char *problem = check_arguments(c->function, argc, argv);
    if (problem) {
        sqlite3_free(base->pVtab->zErrMsg);
        base->pVtab->zErrMsg = problem;
        return SQLITE_ERROR;
    }
    int rc = c->body.stmt ? SQLITE_OK : take_body(c->function, argc, &c->body);
    if (rc != SQLITE_OK)
        return fail(c, rc);
    sqlite3_reset(c->body.stmt);
    bind_arguments(&c->body, argc, argv);
    c->row = -1;
    return function_next(base);
}

static int function_eof(sqlite3_vtab_cursor *base)
{
    return ((struct function_cursor *)base)->eof;
}

static int function_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    struct function_cursor *c = (struct function_cursor *)base;
    if (i < (int)c->function->columns.count)
        result_value(ctx, sqlite3_column_value(c->body.stmt, i));
    return SQLITE_OK;
}

static int function_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((struct function_cursor *)base)->row;
    return SQLITE_OK;
}

static const sqlite3_module table_function_module = {
    .iVersion = 2,
    .xConnect = function_connect,
    .xBestIndex = function_best_index,
    .xDisconnect = vtab_free,
    .xOpen = function_open,
    .xClose = function_close,
    .xFilter = function_filter,
    .xNext = function_next,
    .xEof = function_eof,
    .xColumn = function_column,
    .xRowid = function_rowid,
};

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
        *vec_push(&f->parameters) = (struct parameter){name_copy(c.name), c.type};
    }
    for (size_t i = 0; i < spec->columns.v.count; i++) {
        struct declared_column c = spec->columns.v.items[i];
        *vec_push(&f->columns) = (struct parameter){name_copy(c.name), c.type};
    }
    return f;
}

static int add_function(struct sql_session *s, struct sql_function *f, bool is_table)
{
    int argc = f->variadic ? -1 : (int)f->parameters.count;
    if (is_table)
        return sqlite3_create_module_v2(s->db, f->name, &table_function_module, f, free_function);
    *vec_push(&s->language->scalar_functions) = f;
    return sqlite3_create_function_v2(s->db, f->name, argc, SQLITE_UTF8 | SQLITE_INNOCUOUS, f,
                                      call_scalar, NULL, NULL, free_function);
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
            f->memo = alloc_array(1, sizeof *f->memo);
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
    struct body b = {0};
    struct status s;
    if (compile(f, (int)f->parameters.count, &b) != SQLITE_OK)
        s = script_sqlite_error(f->session, &body);
    else
        s = check_variables(f, spec, b.stmt);
    if (status_ok(s))
        s = check_columns(f, spec, b.stmt);
    free_body(f, b);
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
    if (!old || old->in_use > 0 || (old->memo && old->memo->running))
        return false;
    struct sql_function kept = *old;
    *old = *f;
    *f = kept;
    free_function(f);
    return true;
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
