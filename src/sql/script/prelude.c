#include "sql/script/prelude.h"

#include <string.h>

#include "sql/engine/catalog.h"
#include "sql/engine/schema_names.h"
#include "sql/engine/session_state.h"
#include "sql/engine/sql_table.h"
#include "sql/language/language.h"
#include "sql/script/script.h"
#include "sql/language/stdlib_modules.h"
#include "sql/tokens/lexer.h"

int prelude_define(struct sql_session *s, const char *type, const char *name, const char *sql)
{
    schema_names_add(s, type, name, sql);
    sqlite3_bind_text(s->language->schema, 1, type, -1, SQLITE_STATIC);
    sqlite3_bind_text(s->language->schema, 2, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s->language->schema, 3, sql, -1, SQLITE_STATIC);
    sqlite3_step(s->language->schema);
    return sqlite3_reset(s->language->schema);
}

static int create_core_tables(struct sql_session *s)
{
    const struct table *tables = tables_array_const(&s->trace->tables);
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < TABLE_COUNT; i++) {
        const char *name = tables[i].def->name;
        bool args = &tables[i] == &s->trace->tables.args;
        if (!args)
            catalog_add(&s->catalog, name,
                        sql_table_new(&tables[i], &s->trace->strings, &s->cancel), NULL);
        char *sql = sqlite3_mprintf("CREATE VIRTUAL TABLE %s USING %s", name,
                                    args ? "tptui_args" : "tptui_table");
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
        char *sql = sqlite3_mprintf("CREATE VIRTUAL TABLE %s USING tptui_table(%s, %s)", v->name,
                                    table_defs[v->table].name, v->columns);
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

struct status prelude_run(struct sql_session *s)
{
    struct status status = status_ok_value();
    int rc = open_schema(s);
    if (rc == SQLITE_OK)
        rc = create_core_tables(s);
    if (rc == SQLITE_OK)
        rc = create_core_views(s);
    if (rc == SQLITE_OK)
        status = run_modules(s);
    if (rc == SQLITE_OK)
        rc = close_schema(s);
    schema_names_begin(s);
    if (rc != SQLITE_OK && status_ok(status))
        status =
            status_error(STATUS_SQL, "cannot set up SQL: %s",
                         sqlite3_errcode(s->db) == rc ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc));
    return status;
}
