#include "sql/export/database_export.h"

#include <stdio.h>
#include <string.h>

#include "base/output_file.h"
#include "base/vec.h"
#include "sql/engine/database.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"

/* A statement that makes an object of the database. */
struct statement_list {
    VEC(char *) v; /* from sqlite3_mprintf */
};

static const char over_table[] = "USING tptui_table(";

/* A virtual table that shows columns of another one: there, a view. */
static char *make_renaming_view(const char *name, const char *arguments)
{
    const char *comma = strchr(arguments, ',');
    size_t n = strlen(arguments);
    if (!comma || n == 0)
        return NULL;
    return sqlite3_mprintf("CREATE VIEW perfetto_export.\"%w\" AS SELECT %.*s FROM %.*s", name,
                           (int)(n - 1 - (size_t)(comma + 1 - arguments)), comma + 1,
                           (int)(comma - arguments), arguments);
}

/* The query of a CREATE VIEW. */
static const char *find_body(const char *sql)
{
    for (const char *p = sql; *p; p++)
        if (compare_any_case_n(p, " AS ", 4) == 0 || compare_any_case_n(p, " AS\n", 4) == 0)
            return p + 4;
    return NULL;
}

/* The statement for a row of sqlite_master; NULL: there is none to make. */
static char *make_statement(sqlite3_stmt *row)
{
    const char *type = (const char *)sqlite3_column_text(row, 0);
    const char *name = (const char *)sqlite3_column_text(row, 1);
    const char *sql = (const char *)sqlite3_column_text(row, 2);
    if (!type || !name || !sql)
        return NULL;
    const char *arguments = strstr(sql, over_table);
    if (strcmp(type, "table") == 0 && arguments && strncmp(sql, "CREATE VIRTUAL", 14) == 0)
        return make_renaming_view(name, arguments + sizeof over_table - 1);
    if (strcmp(type, "table") == 0)
        return sqlite3_mprintf("CREATE TABLE perfetto_export.\"%w\" AS SELECT * FROM main.\"%w\"",
                               name, name);
    const char *body = strcmp(type, "view") == 0 ? find_body(sql) : NULL;
    return body ? sqlite3_mprintf("CREATE VIEW perfetto_export.\"%w\" AS %s", name, body) : NULL;
}

static struct status sql_error(struct sql_session *s, int rc)
{
    if (rc == SQLITE_INTERRUPT || atomic_load(&s->cancel))
        return interrupted();
    return status_error(STATUS_SQL, "export: %s", database_message(s->db, &s->rules));
}

/* Tables that operators have made for a statement are not what anybody wants to have. */
static const char objects_query[] =
    "SELECT type, name, sql FROM main.sqlite_master WHERE type IN ('table', 'view') AND "
    "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND (sql NOT LIKE 'CREATE VIRTUAL%' OR "
    "sql LIKE '%USING tptui\\_table%' ESCAPE '\\' OR sql LIKE '%USING tptui\\_args%' ESCAPE '\\') "
    "ORDER BY type, name";

static struct status list_statements(struct sql_session *s, struct statement_list *out)
{
    sqlite3_stmt *row = NULL;
    int rc = sqlite3_prepare_v2(s->db, objects_query, -1, &row, NULL);
    while (rc == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
        char *statement = make_statement(row);
        if (statement)
            *vec_push(&out->v) = statement;
    }
    rc = sqlite3_finalize(row);
    return rc == SQLITE_OK ? status_ok_value() : sql_error(s, rc);
}

static struct status execute(struct sql_session *s, const char *sql)
{
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? status_ok_value() : sql_error(s, rc);
}

/* Adds statements that make tables of the views that plain SQLite cannot read: they call functions
 * of the session's. */
static void list_unreadable(const char *path, struct statement_list *out)
{
    sqlite3 *plain = NULL;
    sqlite3_stmt *views = NULL;
    int rc = database_open(path, SQLITE_OPEN_READONLY, NULL, &plain);
    if (rc == SQLITE_OK)
        database_seal(plain, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(plain, "SELECT name FROM sqlite_master WHERE type = 'view'", -1,
                                &views, NULL);
    while (rc == SQLITE_OK && sqlite3_step(views) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(views, 0);
        char *query = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
        sqlite3_stmt *probe = NULL;
        if (sqlite3_prepare_v2(plain, query, -1, &probe, NULL) != SQLITE_OK)
            *vec_push(&out->v) =
                sqlite3_mprintf("DROP VIEW perfetto_export.\"%w\"; "
                                "CREATE TABLE perfetto_export.\"%w\" AS SELECT * FROM main.\"%w\"",
                                name, name, name);
        sqlite3_finalize(probe);
        sqlite3_free(query);
    }
    sqlite3_finalize(views);
    sqlite3_close(plain);
}

static struct status attach(struct sql_session *s, const char *path)
{
    char *statement = sqlite3_mprintf("ATTACH %Q AS perfetto_export", path);
    struct status status = execute(s, statement);
    sqlite3_free(statement);
    if (status_ok(status))
        /* Nothing is left of a file that was not finished. Sealed databases cannot do without a
         * journal, which is empty where the file is new. */
        status = execute(s, "PRAGMA perfetto_export.journal_mode = MEMORY; "
                            "PRAGMA perfetto_export.synchronous = OFF");
    return status;
}

static void detach(struct sql_session *s)
{
    sqlite3_exec(s->db, "DETACH perfetto_export", NULL, NULL, NULL);
}

/* Makes what is listed, all of it or nothing. The list is emptied. */
static struct status make_all(struct sql_session *s, const char *path, struct statement_list *list)
{
    struct status status = attach(s, path);
    if (status_ok(status))
        status = execute(s, "BEGIN");
    for (size_t i = 0; i < list->v.count && status_ok(status); i++)
        status = execute(s, list->v.items[i]);
    if (status_ok(status))
        status = execute(s, "COMMIT");
    else if (!sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    detach(s);
    for (size_t i = 0; i < list->v.count; i++)
        sqlite3_free(list->v.items[i]);
    list->v.count = 0;
    return status;
}

static struct status write_database(void *self, const char *path)
{
    struct sql_session *s = self;
    struct statement_list list = {0};
    bool may_attach = s->rules.may_attach;
    s->rules.may_attach = true;
    struct status status = list_statements(s, &list);
    if (status_ok(status))
        status = make_all(s, path, &list);
    if (status_ok(status)) {
        list_unreadable(path, &list);
        status = make_all(s, path, &list);
    }
    vec_release(&list.v);
    s->rules.may_attach = may_attach;
    return status;
}

struct status database_export(struct sql_session *s, const char *path)
{
    return replace_file_by_name(path, write_database, s);
}
