/* The statements that PerfettoSQL adds to SQL: CREATE PERFETTO ..., DROP PERFETTO ..., INCLUDE,
 * PERFETTO PRAGMA. */
#include "sql/language/perfetto_statement.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/catalog.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/engine/sql_table.h"
#include "sql/engine/table_builder.h"
#include "sql/language/language.h"
#include "sql/language/macro.h"
#include "sql/language/module.h"
#include "sql/language/prelude.h"
#include "sql/language/script.h"
#include "sql/language/sql_function.h"
#include "sql/tokens/source_error.h"
#include "sql/tokens/sql_type.h"
#include "sql/tokens/token_cursor.h"

/* A statement being carried out. */
struct perfetto {
    struct sql_session *session;
    struct token_cursor c;
    bool replace; /* CREATE OR REPLACE */
};

static struct status expect(struct token_cursor *c, const char *keyword)
{
    return cursor_accept(c, keyword) ? status_ok_value() : expected_error(cursor_peek(c), keyword);
}

static struct status take_name(struct token_cursor *c, const char *what, struct token *out)
{
    *out = cursor_take(c);
    return token_is_name(*out) ? status_ok_value() : expected_error(*out, what);
}

/* Everything from the cursor on, macros expanded. */
static struct status rest_expanded(struct perfetto *p, struct token_list *out)
{
    if (cursor_peek(&p->c).kind == TOKEN_END)
        return expected_error(cursor_peek(&p->c), "SELECT");
    return script_expand(p->session, p->c.tokens + p->c.at, p->c.count - p->c.at, out);
}

static bool object_exists(struct sql_session *s, struct str name, char type[8])
{
    sqlite3_stmt *stmt = NULL;
    sqlite3_prepare_v2(s->db, "SELECT type FROM sqlite_master WHERE lower(name) = lower(?1)", -1,
                       &stmt, NULL);
    sqlite3_bind_text(stmt, 1, name.p, (int)name.n, SQLITE_STATIC);
    bool found = sqlite3_step(stmt) == SQLITE_ROW;
    snprintf(type, 8, "%s", found ? (const char *)sqlite3_column_text(stmt, 0) : "");
    sqlite3_finalize(stmt);
    return found;
}

static struct status exec(struct sql_session *s, struct token at, char *sql)
{
    char *message = NULL;
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, &message);
    sqlite3_free(sql);
    if (rc == SQLITE_OK)
        return status_ok_value();
    struct status status = token_error(at, "%s", message);
    sqlite3_free(message);
    return status;
}

/* Makes the name free for a new table or view. */
static struct status make_room(struct perfetto *p, struct token name, const char *kind)
{
    char type[8];
    struct str n = token_name(name);
    if (p->session->language->schema) /* defines each name once */
        return status_ok_value();
    if (!object_exists(p->session, n, type))
        return status_ok_value();
    if (!p->replace)
        return token_error(name,
                           "%s %.*s already exists: CREATE OR REPLACE PERFETTO %s would replace it",
                           type, (int)n.n, n.p, kind);
    const char *drop = strcmp(type, "view") == 0 ? "VIEW" : "TABLE";
    return exec(p->session, name, sqlite3_mprintf("DROP %s \"%.*w\"", drop, (int)n.n, n.p));
}

static struct status optional_schema(struct token_cursor *c, struct declared_columns *out)
{
    return token_is(cursor_peek(c), '(') ? declared_columns_parse(c, out) : status_ok_value();
}

static int schema_index(const struct declared_columns *schema, const char *name)
{
    for (size_t i = 0; i < schema->v.count; i++) {
        struct str n = token_name(schema->v.items[i].name);
        if (n.n == strlen(name) && sqlite3_strnicmp(n.p, name, (int)n.n) == 0)
            return (int)i;
    }
    return -1;
}

/* A schema names exactly the columns that the SELECT gives. */
static struct status check_schema(struct token at, const struct declared_columns *schema,
                                  sqlite3_stmt *stmt)
{
    int columns = sqlite3_column_count(stmt);
    if (schema->v.count == 0)
        return status_ok_value();
    for (int i = 0; i < columns; i++)
        if (schema_index(schema, sqlite3_column_name(stmt, i)) < 0)
            return token_error(at, "the SELECT gives a column %s that the schema does not name",
                               sqlite3_column_name(stmt, i));
    for (size_t k = 0; k < schema->v.count; k++) {
        struct str n = token_name(schema->v.items[k].name);
        bool found = false;
        for (int i = 0; i < columns && !found; i++)
            found = schema_index(schema, sqlite3_column_name(stmt, i)) == (int)k;
        if (!found)
            return token_error(schema->v.items[k].name,
                               "the schema names a column %.*s that the SELECT does not give",
                               (int)n.n, n.p);
    }
    return status_ok_value();
}

static void declare_types(const struct declared_columns *schema, sqlite3_stmt *stmt,
                          struct table_builder *b)
{
    for (int i = 0; schema->v.count > 0 && i < sqlite3_column_count(stmt); i++)
        table_builder_declare(
            b, i, schema->v.items[schema_index(schema, sqlite3_column_name(stmt, i))].type);
}

static struct status check_names(struct token at, sqlite3_stmt *stmt)
{
    int n = sqlite3_column_count(stmt);
    if (n == 0)
        return token_error(at, "expected a SELECT that gives columns");
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (sqlite3_stricmp(sqlite3_column_name(stmt, i), sqlite3_column_name(stmt, k)) == 0)
                return token_error(at, "two columns are called %s: name one of them with AS",
                                   sqlite3_column_name(stmt, i));
    return status_ok_value();
}

/* A view whose SELECT does not compile, or does not give what the schema says, is refused here and
 * not where it is first read. */
static struct status check_view(struct perfetto *p, struct token name,
                                const struct declared_columns *schema,
                                const struct token_list *select)
{
    char *text = tokens_text(select->v.items, select->v.count);
    sqlite3_stmt *stmt = NULL;
    int rc = session_prepare(p->session, text, 0, &stmt);
    free(text);
    if (rc != SQLITE_OK)
        return script_sqlite_error(p->session, select);
    struct status s = check_names(name, stmt);
    if (status_ok(s))
        s = check_schema(name, schema, stmt);
    sqlite3_finalize(stmt);
    return s;
}

/* A view of the prelude. */
static struct status store_view(struct sql_session *s, struct str name,
                                const struct token_list *select)
{
    char *copy = alloc_copy(name.p, name.n), *text = tokens_text(select->v.items, select->v.count);
    char *sql = sqlite3_mprintf("CREATE VIEW \"%w\" AS %s", copy, text);
    int rc = prelude_define(s, "view", copy, sql);
    sqlite3_free(sql);
    free(text);
    free(copy);
    return rc == SQLITE_OK ? status_ok_value() : script_sqlite_error(s, select);
}

static struct status add_view(struct perfetto *p, struct token name,
                              const struct token_list *select)
{
    struct str n = token_name(name);
    if (p->session->language->schema)
        return store_view(p->session, n, select);
    struct status s = make_room(p, name, "VIEW");
    if (!status_ok(s))
        return s;
    char *head = sqlite3_mprintf("CREATE VIEW \"%.*w\" AS ", (int)n.n, n.p);
    struct sql_source source = {.name = "view", .text = str_from(head)};
    struct token_list statement = {0};
    *vec_push(&statement.v) = (struct token){TOKEN_SPACE, source.text, &source};
    for (size_t i = 0; i < select->v.count; i++)
        *vec_push(&statement.v) = select->v.items[i];
    s = script_run_sqlite(p->session, &statement, NULL);
    vec_release(&statement.v);
    sqlite3_free(head);
    return s;
}

static struct status create_view(struct perfetto *p)
{
    struct token name;
    struct declared_columns schema = {0};
    struct token_list select = {0};
    struct status s = take_name(&p->c, "the view's name", &name);
    if (status_ok(s))
        s = optional_schema(&p->c, &schema);
    if (status_ok(s))
        s = expect(&p->c, "AS");
    if (status_ok(s))
        s = rest_expanded(p, &select);
    if (status_ok(s) && !p->session->language->schema)
        s = check_view(p, name, &schema, &select);
    if (status_ok(s))
        s = add_view(p, name, &select);
    vec_release(&schema.v);
    vec_release(&select.v);
    return s;
}

static struct table_builder *new_builder(struct sql_session *s, sqlite3_stmt *stmt)
{
    int n = sqlite3_column_count(stmt);
    const char **names = alloc_array((size_t)n, sizeof *names);
    for (int i = 0; i < n; i++)
        names[i] = sqlite3_column_name(stmt, i);
    struct table_builder *b = table_builder_new(&s->trace->strings, n, names);
    free(names);
    return b;
}

static struct status fill(struct sql_session *s, const struct token_list *select, struct token at,
                          sqlite3_stmt *stmt, struct table_builder *b)
{
    int rc;
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        struct status status = table_builder_add(b, stmt);
        if (!status_ok(status)) {
            struct status located = token_error(at, "%s", status.message);
            status_release(&status);
            return located;
        }
    }
    if (rc == SQLITE_DONE)
        return status_ok_value();
    return rc == SQLITE_INTERRUPT ? status_error(STATUS_CANCELLED, "interrupted")
                                  : script_sqlite_error(s, select);
}

/* Runs the SELECT into a table of its own. */
static struct status build_table(struct perfetto *p, const struct token_list *select,
                                 struct token name, const struct declared_columns *schema,
                                 struct table **out)
{
    char *text = tokens_text(select->v.items, select->v.count);
    sqlite3_stmt *stmt = NULL;
    int rc = session_prepare(p->session, text, 0, &stmt);
    free(text);
    if (rc != SQLITE_OK)
        return script_sqlite_error(p->session, select);
    struct table_builder *b = NULL;
    struct status s = check_names(name, stmt);
    if (status_ok(s))
        s = check_schema(name, schema, stmt);
    if (status_ok(s)) {
        b = new_builder(p->session, stmt);
        declare_types(schema, stmt, b);
    }
    if (status_ok(s))
        s = fill(p->session, select, name, stmt, b);
    sqlite3_finalize(stmt);
    if (!status_ok(s)) {
        table_builder_free(b);
        return s;
    }
    struct str n = token_name(name);
    char *table_name = alloc_copy(n.p, n.n);
    *out = table_builder_finish(b, table_name);
    free(table_name);
    return s;
}

static struct status add_table(struct perfetto *p, struct token name,
                               const struct token_list *select, struct table *table)
{
    struct sql_session *s = p->session;
    struct sql_table *t = sql_table_own(table, &s->trace->strings, &s->cancel);
    struct status status = make_room(p, name, "TABLE");
    if (!status_ok(status)) {
        sql_table_unref(t);
        return status;
    }
    catalog_remove(&s->catalog, table->def->name); /* one that SQLite dropped by a ROLLBACK */
    catalog_add(&s->catalog, table->def->name, t, tokens_text(select->v.items, select->v.count));
    status =
        exec(s, name,
             sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\" USING tptui_table", table->def->name));
    if (!status_ok(status))
        catalog_remove(&s->catalog, table->def->name);
    return status;
}

static struct status create_table(struct perfetto *p)
{
    struct token name;
    struct declared_columns schema = {0};
    struct token_list select = {0};
    struct table *table = NULL;
    char type[8];
    struct status s = take_name(&p->c, "the table's name", &name);
    if (status_ok(s))
        s = optional_schema(&p->c, &schema);
    if (status_ok(s) && cursor_accept(&p->c, "USING"))
        s = expect(&p->c, "DATAFRAME");
    if (status_ok(s))
        s = expect(&p->c, "AS");
    if (status_ok(s) && !p->replace && object_exists(p->session, token_name(name), type))
        s = make_room(p, name, "TABLE");
    if (status_ok(s))
        s = rest_expanded(p, &select);
    if (status_ok(s))
        s = macro_check_variables(select.v.items, select.v.count);
    if (status_ok(s))
        s = build_table(p, &select, name, &schema, &table);
    if (status_ok(s))
        s = add_table(p, name, &select, table);
    vec_release(&schema.v);
    vec_release(&select.v);
    return s;
}

static struct status parse_returns(struct perfetto *p, struct function_spec *spec)
{
    struct status s = expect(&p->c, "RETURNS");
    if (!status_ok(s))
        return s;
    spec->is_table = cursor_accept(&p->c, "TABLE");
    return spec->is_table ? declared_columns_parse(&p->c, &spec->columns)
                          : declared_type_parse(&p->c, &spec->result);
}

static struct status define_function(struct perfetto *p, struct function_spec *spec)
{
    struct token_list body = {0};
    struct status s;
    struct token target;
    if (cursor_accept(&p->c, "DELEGATES")) {
        s = expect(&p->c, "TO");
        if (status_ok(s))
            s = take_name(&p->c, "the function to call", &target);
        if (status_ok(s))
            spec->delegate = token_name(target);
    } else if (spec->parameters.variadic) {
        s = token_error(cursor_peek(&p->c),
                        "TYPE... needs DELEGATES TO: the parameters of a body are counted");
    } else {
        s = expect(&p->c, "AS");
        if (status_ok(s))
            s = rest_expanded(p, &body);
        spec->body = body.v.items;
        spec->body_count = body.v.count;
    }
    if (status_ok(s))
        s = sql_function_define(p->session, spec);
    vec_release(&body.v);
    return s;
}

bool session_name_taken(struct sql_session *s, struct str name)
{
    char type[8];
    for (size_t i = 0; i < s->language->functions.count; i++) {
        const char *key = s->language->functions.items[i];
        if (sqlite3_strnicmp(key, name.p, (int)name.n) == 0 && key[name.n] == '/')
            return true;
    }
    return object_exists(s, name, type);
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

static struct status create_function(struct perfetto *p)
{
    struct token name;
    struct function_spec spec = {0};
    char *key = NULL;
    struct status s = take_name(&p->c, "the function's name", &name);
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

struct name_list {
    VEC(struct str) v;
};

/* "(name Type, ...)": a macro's parameter types say what tokens are meant; any are taken. */
static struct status parse_macro_parameters(struct token_cursor *c, struct name_list *out)
{
    if (!cursor_accept_char(c, '('))
        return expected_error(cursor_peek(c), "(");
    if (cursor_accept_char(c, ')'))
        return status_ok_value();
    do {
        struct token name, type;
        struct status s = take_name(c, "a parameter's name", &name);
        if (status_ok(s))
            s = take_name(c, "a type (Expr, TableOrSubquery, ColumnName ...)", &type);
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

static struct status create_macro(struct perfetto *p)
{
    struct token name, type;
    struct name_list parameters = {0};
    struct status s = take_name(&p->c, "the macro's name", &name);
    if (status_ok(s))
        s = parse_macro_parameters(&p->c, &parameters);
    if (status_ok(s))
        s = expect(&p->c, "RETURNS");
    if (status_ok(s))
        s = take_name(&p->c, "a type (Expr, TableOrSubquery, ColumnName ...)", &type);
    if (status_ok(s))
        s = expect(&p->c, "AS");
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

struct sql_index_name {
    struct token name, table;
};

static struct status parse_index_name(struct token_cursor *c, struct sql_index_name *out)
{
    struct status s = take_name(c, "the index's name", &out->name);
    if (status_ok(s))
        s = expect(c, "ON");
    return status_ok(s) ? take_name(c, "the table's name", &out->table) : s;
}

static char *index_key(struct sql_index_name i)
{
    struct str n = token_name(i.name), t = token_name(i.table);
    return sqlite3_mprintf("%.*s ON %.*s", (int)n.n, n.p, (int)t.n, t.p);
}

/* The position of an index in the session's list, or -1. */
static int find_index(const struct sql_session *s, const char *key)
{
    for (size_t i = 0; i < s->language->index_names.count; i++)
        if (sqlite3_stricmp(s->language->index_names.items[i], key) == 0)
            return (int)i;
    return -1;
}

static struct status index_columns(struct perfetto *p, struct sql_table *t)
{
    if (!cursor_accept_char(&p->c, '('))
        return expected_error(cursor_peek(&p->c), "(");
    bool first = true;
    do {
        struct token column;
        struct status s = take_name(&p->c, "a column's name", &column);
        if (!status_ok(s))
            return s;
        struct str n = token_name(column);
        char *name = alloc_copy(n.p, n.n);
        int at = sql_table_find(t, name);
        free(name);
        if (at < 0)
            return token_error(column, "no such column: %.*s", (int)n.n, n.p);
        if (first && !sql_table_index(t, (uint32_t)at))
            return status_error(STATUS_CANCELLED, "interrupted");
        first = false;
    } while (cursor_accept_char(&p->c, ','));
    return cursor_accept_char(&p->c, ')') ? status_ok_value()
                                          : expected_error(cursor_peek(&p->c), ") or a comma");
}

static struct status create_index(struct perfetto *p)
{
    struct sql_index_name i;
    struct status s = parse_index_name(&p->c, &i);
    if (!status_ok(s))
        return s;
    struct str n = token_name(i.table);
    char *name = alloc_copy(n.p, n.n);
    struct sql_table *t = catalog_find(&p->session->catalog, name);
    free(name);
    if (!t)
        return token_error(i.table, "%.*s is not a Perfetto table, and only those have indexes",
                           (int)n.n, n.p);
    char *key = index_key(i);
    bool known = find_index(p->session, key) >= 0;
    if (known && !p->replace)
        s = token_error(i.name,
                        "index %s already exists: CREATE OR REPLACE PERFETTO INDEX would "
                        "replace it",
                        key);
    if (status_ok(s))
        s = index_columns(p, t);
    if (status_ok(s) && !known)
        *vec_push(&p->session->language->index_names) = alloc_copy(key, strlen(key));
    sqlite3_free(key);
    return s;
}

/* Indexes are made whenever they pay; dropping one forgets its name. */
static struct status drop_index(struct perfetto *p)
{
    struct sql_index_name i;
    struct status s = parse_index_name(&p->c, &i);
    if (!status_ok(s))
        return s;
    char *key = index_key(i);
    int at = find_index(p->session, key);
    if (at < 0) {
        s = token_error(i.name, "no such index: %s", key);
    } else {
        free(p->session->language->index_names.items[at]);
        p->session->language->index_names.items[at] = vec_last(&p->session->language->index_names);
        p->session->language->index_names.count--;
    }
    sqlite3_free(key);
    return s;
}

static struct status drop_object(struct perfetto *p)
{
    struct token kind = cursor_peek(&p->c);
    if (cursor_accept(&p->c, "INDEX"))
        return drop_index(p);
    if (token_is_word(kind, "TABLE") || token_is_word(kind, "VIEW"))
        return token_error(kind, "expected INDEX: tables and views go with DROP %.*s NAME",
                           (int)kind.text.n, kind.text.p);
    if (token_is_word(kind, "FUNCTION") || token_is_word(kind, "MACRO"))
        return token_error(kind,
                           "expected INDEX: a %.*s cannot be dropped, CREATE OR REPLACE PERFETTO "
                           "%.*s makes it anew",
                           (int)kind.text.n, kind.text.p, (int)kind.text.n, kind.text.p);
    return expected_error(kind, "INDEX");
}

/* a.b, a.*, * */
static struct status include(struct perfetto *p)
{
    struct token first = cursor_peek(&p->c);
    struct token before = first;
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (struct token t = first; t.kind != TOKEN_END; before = t, t = cursor_peek(&p->c)) {
        bool parted = p->c.at > 0 && token_is_blank(p->c.tokens[p->c.at - 1]);
        if (sqlite3_str_length(text) > 0 && parted && token_is_name(t) && !token_is(before, '.')) {
            sqlite3_free(sqlite3_str_finish(text));
            return token_error(t, "syntax error near %.*s: a ; is missing before it", (int)t.text.n,
                               t.text.p);
        }
        cursor_take(&p->c);
        sqlite3_str_append(text, t.text.p, (int)t.text.n);
    }
    char *name = sqlite3_str_finish(text);
    struct status s =
        name ? module_include(p->session, first, name) : expected_error(first, "a module's name");
    sqlite3_free(name);
    return s;
}

static struct status create(struct perfetto *p)
{
    static const struct {
        const char *keyword;
        struct status (*run)(struct perfetto *p);
    } kinds[] = {
        {"TABLE", create_table}, {"VIEW", create_view},   {"FUNCTION", create_function},
        {"MACRO", create_macro}, {"INDEX", create_index},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (cursor_accept(&p->c, kinds[i].keyword))
            return kinds[i].run(p);
    return expected_error(cursor_peek(&p->c), "TABLE, VIEW, FUNCTION, MACRO or INDEX");
}

/* PERFETTO PRAGMA pipelines = 0 or 1. Pipelines are always understood. */
static struct status pragma(struct perfetto *p)
{
    struct token name, value;
    struct status s = expect(&p->c, "PRAGMA");
    if (status_ok(s))
        s = take_name(&p->c, "pipelines", &name);
    if (!status_ok(s))
        return s;
    if (!token_is_word(name, "PIPELINES"))
        return token_error(name, "no such pragma: %.*s; there is pipelines", (int)name.text.n,
                           name.text.p);
    if (!cursor_accept_char(&p->c, '='))
        return expected_error(cursor_peek(&p->c), "=");
    value = cursor_take(&p->c);
    int64_t number;
    if (value.kind != TOKEN_NUMBER || !str_to_i64(value.text, &number))
        return expected_error(value, "a whole number");
    value = cursor_peek(&p->c);
    return value.kind == TOKEN_END ? s : expected_error(value, "the end");
}

/* A plain CREATE of a module that runs again: what it made before goes away. */
static struct status make_room_again(struct perfetto *p)
{
    struct token_cursor c = p->c;
    if (!cursor_accept(&c, "TEMP"))
        cursor_accept(&c, "TEMPORARY");
    cursor_accept(&c, "VIRTUAL");
    if (!cursor_accept(&c, "TABLE") && !cursor_accept(&c, "VIEW"))
        return status_ok_value();
    struct token name = cursor_take(&c);
    return token_is_name(name) ? make_room(p, name, "TABLE") : status_ok_value();
}

bool perfetto_statement(struct sql_session *s, const struct token_list *tokens,
                        struct status *status)
{
    struct perfetto p = {.session = s, .c = {tokens->v.items, tokens->v.count, 0}};
    if (cursor_accept(&p.c, "INCLUDE")) {
        *status = expect(&p.c, "PERFETTO");
        if (status_ok(*status))
            *status = expect(&p.c, "MODULE");
        if (status_ok(*status))
            *status = include(&p);
        return true;
    }
    if (cursor_accept(&p.c, "PERFETTO")) {
        *status = pragma(&p);
        return true;
    }
    bool drop = cursor_accept(&p.c, "DROP");
    if (!drop && !cursor_accept(&p.c, "CREATE"))
        return false;
    if (!drop && cursor_accept(&p.c, "OR"))
        p.replace = cursor_accept(&p.c, "REPLACE");
    p.replace |= s->language->redoing > 0;
    if (!cursor_accept(&p.c, "PERFETTO")) {
        *status = drop || s->language->redoing == 0 ? status_ok_value() : make_room_again(&p);
        return !status_ok(*status);
    }
    *status = drop ? drop_object(&p) : create(&p);
    return true;
}
