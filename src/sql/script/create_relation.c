#include "sql/script/creation.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/tables/catalog.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_builder.h"
#include "sql/hints/sqlite_error.h"
#include "sql/language/language.h"
#include "sql/language/macro.h"
#include "sql/script/prelude.h"
#include "sql/script/script.h"
#include "sql/script/table_fill.h"
#include "sql/tokens/source_error.h"

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

struct status creation_make_room(struct creation *p, struct token name, const char *kind)
{
    char type[8];
    struct str n = token_name(name);
    if (p->session->language->schema) /* defines each name once */
        return status_ok_value();
    if (!session_object_exists(p->session, n, type))
        return status_ok_value();
    if (!p->replace)
        return token_error(name,
                           "%s %.*s already exists: CREATE OR REPLACE PERFETTO %s would replace it",
                           type, (int)n.n, n.p, kind);
    const char *drop = strcmp(type, "view") == 0 ? "VIEW" : "TABLE";
    return exec(p->session, name, sqlite3_mprintf("DROP %s \"%.*w\"", drop, (int)n.n, n.p));
}

/* A schema names exactly the columns that the SELECT gives. */
static struct status check_schema(struct token at, const struct declared_columns *schema,
                                  sqlite3_stmt *stmt)
{
    struct status status = status_ok_value();
    bool *given = alloc_array(schema->v.count + 1, sizeof *given);
    int columns = schema->v.count ? sqlite3_column_count(stmt) : 0;
    for (int i = 0; i < columns && status_ok(status); i++) {
        const char *name = sqlite3_column_name(stmt, i);
        int k = declared_columns_find(schema, name);
        if (k < 0)
            status =
                token_error(at, "the SELECT gives a column %s that the schema does not name", name);
        else
            given[k] = true;
    }
    for (size_t k = 0; k < schema->v.count && status_ok(status); k++) {
        struct str n = token_name(schema->v.items[k].name);
        if (!given[k])
            status = token_error(schema->v.items[k].name,
                                 "the schema names a column %.*s that the SELECT does not give",
                                 (int)n.n, n.p);
    }
    free(given);
    return status;
}

/* What a column of the view or table will be called. */
static const char *column_name(sqlite3_stmt *stmt, int i, bool is_table)
{
    const char *name = sqlite3_column_name(stmt, i);
    return is_table ? table_builder_name(name) : name;
}

static struct status check_names(struct token at, sqlite3_stmt *stmt, bool is_table)
{
    int n = sqlite3_column_count(stmt);
    if (n == 0)
        return token_error(at, "expected a SELECT that gives columns");
    for (int i = 0; i < n; i++) {
        const char *name = column_name(stmt, i, is_table);
        if (is_table && sqlite3_stricmp(name, "_auto_id") == 0)
            return token_error(at, "each table has its own column %s: name the SELECT's with AS",
                               name);
        for (int k = 0; k < i; k++)
            if (sqlite3_stricmp(name, column_name(stmt, k, is_table)) == 0)
                return token_error(at, "two columns are called %s: name one of them with AS", name);
    }
    return status_ok_value();
}

/* Compiles the SELECT; `*out` is NULL where it does not, or not give what the schema says. */
static struct status prepare_select(struct creation *p, struct token name,
                                    const struct declared_columns *schema,
                                    const struct token_list *select, sqlite3_stmt **out)
{
    char *text = tokens_text(select->v.items, select->v.count);
    int rc = session_prepare(p->session, text, 0, out);
    free(text);
    if (rc != SQLITE_OK)
        return sqlite_error(p->session, select);
    struct status s = check_names(name, *out, p->node->kind == SQL_CREATE_TABLE);
    if (status_ok(s))
        s = check_schema(name, schema, *out);
    if (!status_ok(s)) {
        sqlite3_finalize(*out);
        *out = NULL;
    }
    return s;
}

/* A view whose SELECT does not compile, or does not give what the schema says, is refused here and
 * not where it is first read. */
static struct status check_view(struct creation *p, struct token name,
                                const struct declared_columns *schema,
                                const struct token_list *select)
{
    sqlite3_stmt *stmt = NULL;
    struct status s = prepare_select(p, name, schema, select, &stmt);
    sqlite3_finalize(stmt);
    return s;
}

/* A view of the prelude, which is plain SQL: nothing in it has to be rewritten. */
static struct status store_view(struct creation *p)
{
    struct str name = token_name(creation_token(p, CREATE_NAME));
    struct sql_span span = p->node->part[CREATE_VIEW_SELECT]->span;
    char *copy = alloc_copy(name.p, name.n);
    char *text = tokens_text(p->tokens->v.items + span.first, span.end - span.first);
    char *sql = sqlite3_mprintf("CREATE VIEW \"%w\" AS %s", copy, text);
    int rc = prelude_define(p->session, "view", copy, sql);
    sqlite3_free(sql);
    free(text);
    free(copy);
    return rc == SQLITE_OK ? status_ok_value() : sqlite_error(p->session, p->tokens);
}

static struct status add_view(struct creation *p, struct token name,
                              const struct token_list *select)
{
    struct str n = token_name(name);
    struct status s = creation_make_room(p, name, "VIEW");
    if (!status_ok(s))
        return s;
    char *head = sqlite3_mprintf("CREATE VIEW \"%.*w\" AS ", (int)n.n, n.p);
    struct sql_source source = {.name = "view", .text = str_from(head)};
    struct token_list statement = {0};
    *vec_push(&statement.v) = (struct token){TOKEN_SPACE, source.text, &source};
    for (size_t i = 0; i < select->v.count; i++)
        *vec_push(&statement.v) = select->v.items[i];
    s = script_run_sqlite(p->session, &statement);
    vec_release(&statement.v);
    sqlite3_free(head);
    return s;
}

struct status create_view(struct creation *p)
{
    struct token name = creation_token(p, CREATE_NAME);
    struct declared_columns schema = {0};
    struct sql_parsed select = {0};
    if (p->session->language->schema)
        return store_view(p);
    struct status s = creation_columns(p, p->node->part[CREATE_COLUMNS], &schema);
    if (status_ok(s))
        s = creation_body(p, p->node->part[CREATE_VIEW_SELECT], &select);
    if (status_ok(s))
        s = check_view(p, name, &schema, &select.tokens);
    if (status_ok(s))
        s = add_view(p, name, &select.tokens);
    vec_release(&schema.v);
    sql_parsed_release(&select);
    return s;
}

/* Runs the SELECT into a table of its own. */
static struct status build_table(struct creation *p, const struct sql_parsed *select,
                                 struct token name, const struct declared_columns *schema,
                                 struct table **out)
{
    sqlite3_stmt *stmt = NULL;
    struct status s = prepare_select(p, name, schema, &select->tokens, &stmt);
    if (!status_ok(s))
        return s;
    struct table_rows rows = {p->session, name, &select->tokens, select->tree.root, schema, stmt};
    s = table_fill(&rows, out);
    sqlite3_finalize(stmt);
    return s;
}

static struct status add_table(struct creation *p, struct token name,
                               const struct token_list *select, struct table *table)
{
    struct sql_session *s = p->session;
    struct sql_table *t = sql_table_own(table, &s->trace->strings, &s->cancel);
    struct status status = creation_make_room(p, name, "TABLE");
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

struct status create_table(struct creation *p)
{
    struct token name = creation_token(p, CREATE_NAME);
    struct declared_columns schema = {0};
    struct sql_parsed select = {0};
    struct table *table = NULL;
    char type[8];
    struct status s = creation_columns(p, p->node->part[CREATE_COLUMNS], &schema);
    if (status_ok(s) && !p->replace && session_object_exists(p->session, token_name(name), type))
        s = creation_make_room(p, name, "TABLE");
    if (status_ok(s))
        s = creation_body(p, p->node->part[CREATE_TABLE_SELECT], &select);
    if (status_ok(s))
        s = macro_check_variables(select.tokens.v.items, select.tokens.v.count);
    if (status_ok(s))
        s = build_table(p, &select, name, &schema, &table);
    if (status_ok(s))
        s = add_table(p, name, &select.tokens, table);
    vec_release(&schema.v);
    sql_parsed_release(&select);
    return s;
}
