#include "sql/script/prelude.h"

#include <string.h>

#include "sql/tables/catalog.h"
#include "sql/engine/database.h"
#include "sql/engine/family.h"
#include "sql/engine/found_tables.h"
#include "sql/engine/operator_vtab.h"
#include "sql/engine/schema_names.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/engine/table_function.h"
#include "sql/language/language.h"
#include "sql/script/script.h"
#include "sql/language/stdlib_modules.h"
#include "sql/tokens/lexer.h"
#include "sql/tokens/token_cursor.h"

int prelude_define(struct sql_session *s, const char *type, const char *name, const char *sql)
{
    schema_names_add(s, type, name, sql);
    sqlite3_bind_text(s->language->schema, 1, type, -1, SQLITE_STATIC);
    sqlite3_bind_text(s->language->schema, 2, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s->language->schema, 3, sql, -1, SQLITE_STATIC);
    sqlite3_step(s->language->schema);
    return sqlite3_reset(s->language->schema);
}

void prelude_begin(struct sql_session *s)
{
    const struct table *tables = tables_array_const(&s->trace->tables);
    s->schema_waits = true;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (i != TABLE_args)
            catalog_add(&s->catalog, tables[i].def->name,
                        sql_table_new(&tables[i], &s->trace->strings, &s->cancel), NULL);
}

static int create_core_tables(struct sql_session *s)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < TABLE_COUNT; i++) {
        const char *name = table_defs[i].name;
        char *sql = sqlite3_mprintf("CREATE VIRTUAL TABLE %s USING %s", name,
                                    i == TABLE_args ? ARGS_MODULE : TABLE_MODULE);
        rc = prelude_define(s, "table", name, sql);
        sqlite3_free(sql);
    }
    return rc;
}

/* Virtual tables over the stored ones: SQLite copies a view of a virtual table for each LEFT JOIN,
 * where it only looks into a virtual table. */
static int create_core_views(struct sql_session *s)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < VIEW_COUNT; i++) {
        const struct view_def *v = &view_defs[i];
        if (!v->columns)
            continue;
        char *sql = sqlite3_mprintf("CREATE VIRTUAL TABLE %s USING " TABLE_MODULE "(%s, %s)",
                                    v->name, table_defs[v->table].name, v->columns);
        rc = prelude_define(s, "table", v->name, sql);
        sqlite3_free(sql);
    }
    return rc;
}

static int open_schema(struct sql_session *s)
{
    int rc = sqlite3_exec(s->db, "PRAGMA writable_schema=ON; BEGIN", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return rc;
    return sqlite3_prepare_v2(s->db,
                              "INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql)"
                              " VALUES (?1, ?2, ?2, 0, ?3)",
                              -1, &s->language->schema, NULL);
}

static int close_schema(struct sql_session *s)
{
    sqlite3_finalize(s->language->schema);
    s->language->schema = NULL;
    /* The last statement has SQLite read the definitions now and not in somebody's first query. */
    return sqlite3_exec(s->db,
                        "COMMIT; PRAGMA writable_schema=RESET; SELECT 1 FROM sqlite_master LIMIT 0",
                        NULL, NULL, NULL);
}

static struct status run_modules(struct sql_session *s)
{
    struct status status = status_ok_value();
    for (size_t i = 0; i < embedded_module_count && status_ok(status); i++) {
        const struct embedded_module *m = &embedded_modules[i];
        if (strncmp(m->name, "prelude.", 8) != 0)
            continue;
        struct sql_source source = {.name = m->name,
                                    .text = {m->text, m->size},
                                    .is_program = true};
        status = script_run(s, &source, NULL);
    }
    return status;
}

static struct status define_all(struct sql_session *s)
{
    struct status status = status_ok_value();
    int rc = open_schema(s);
    if (rc == SQLITE_OK)
        rc = create_core_tables(s);
    if (rc == SQLITE_OK)
        rc = create_core_views(s);
    if (rc == SQLITE_OK)
        status = run_modules(s);
    if (rc == SQLITE_OK && status_ok(status))
        rc = close_schema(s);
    if (rc != SQLITE_OK && status_ok(status))
        status =
            status_error(STATUS_SQL, "cannot set up SQL: %s",
                         sqlite3_errcode(s->db) == rc ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc));
    return status;
}

/* As if nothing had been defined. */
static void take_back(struct sql_session *s)
{
    sqlite3_finalize(s->language->schema);
    s->language->schema = NULL;
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(s->db, "PRAGMA writable_schema=RESET", NULL, NULL, NULL);
    schema_names_free(s->schema_names);
    s->schema_names = NULL;
}

struct status prelude_need(struct sql_session *s)
{
    if (!s->schema_waits)
        return status_ok_value();
    database_unseal(s->db);
    found_tables_forget(s);
    s->schema_waits = false;
    struct status status = define_all(s);
    if (status_ok(status)) {
        schema_names_begin(s);
        if (s->on_schema)
            s->on_schema(s->on_schema_self);
    } else {
        take_back(s);
        s->schema_waits = true;
    }
    database_seal(s->db, &s->rules);
    return status;
}

static bool has_prefix(struct str name, const char *prefix)
{
    size_t n = strlen(prefix);
    return name.n > n && compare_any_case_n(name.p, prefix, n) == 0;
}

static bool is_called(const char *called, struct str name)
{
    return strlen(called) == name.n && compare_any_case_n(called, name.p, name.n) == 0;
}

static bool family_needs_schema(const struct sql_family *f, struct str name)
{
    for (const struct native_function *n = f->functions; f->runs_statements && n && n->name; n++)
        if (is_called(n->name, name))
            return true;
    for (const struct table_function *t = f->table_functions; t && t->name; t++)
        if (is_called(t->name, name))
            return true;
    for (const struct operator_table *t = f->operators; t && t->name; t++)
        if (is_called(t->name, name))
            return true;
    for (const struct virtual_table *t = f->virtual_tables; t && t->name; t++)
        if (is_called(t->name, name))
            return true;
    return false;
}

/* Whether it is one of SQLite's that tell of the schema, or something that may run statements. */
static bool needs_schema(const struct sql_session *s, struct str name)
{
    if (has_prefix(name, "sqlite_") || has_prefix(name, "pragma_"))
        return true;
    for (size_t i = 0; s->families[i]; i++)
        if (family_needs_schema(s->families[i], name))
            return true;
    return false;
}

/* Behind a dot a table's name may be of another database, in which a module is found, too. */
static bool names_table(struct str name)
{
    for (size_t i = 0; i < VIEW_COUNT; i++)
        if (is_called(view_defs[i].name, name))
            return true;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (is_called(table_defs[i].name, name))
            return true;
    return false;
}

/* Statements are worked on in batches by definitions that the schema has. */
static bool is_small(const struct sql_session *s)
{
    const struct table *tables = tables_array_const(&s->trace->tables);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (tables[i].rows >= s->vector_rows)
            return false;
    return true;
}

bool prelude_can_wait(const struct sql_session *s, const struct token_list *statement)
{
    struct token_cursor c = {statement->v.items, statement->v.count, 0};
    struct str last = STR("");
    bool behind_dot = false;
    if (!cursor_accept(&c, "SELECT") && !cursor_accept(&c, "WITH"))
        return false;
    for (size_t i = 0; i < statement->v.count; i++) {
        struct token t = statement->v.items[i];
        bool name = t.kind == TOKEN_WORD || t.kind == TOKEN_QUOTED || t.kind == TOKEN_STRING;
        if (token_is(t, '!') || (name && needs_schema(s, token_name(t))))
            return false;
        if (name && behind_dot && !is_called("main", last) && names_table(token_name(t)))
            return false;
        behind_dot = token_is(t, '.') || (behind_dot && token_is_blank(t));
        last = name ? token_name(t) : last;
    }
    return is_small(s);
}
