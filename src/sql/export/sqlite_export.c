#include "sql/export/sqlite_export.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sql/engine/database.h"

struct sqlite_export {
    sqlite3 *db;
    sqlite3_stmt *insert;
    char *table;
    int rc;            /* of the first step that failed, */
    char message[256]; /* and what it says */
};

struct status sqlite_export_new(const char *path, const char *table, struct sqlite_export **out)
{
    *out = NULL;
    if (unlink(path) != 0 && errno != ENOENT)
        return status_error(STATUS_IO, "%s: %s", path, strerror(errno));
    struct sqlite_export *e = alloc_array(1, sizeof *e);
    int rc = database_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL, &e->db);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(e->db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN", NULL,
                          NULL, NULL);
    if (rc != SQLITE_OK) {
        struct status s = status_error(STATUS_IO, "%s: %s", path, database_message(e->db, NULL));
        sqlite3_close(e->db);
        free(e);
        return s;
    }
    database_seal(e->db, NULL);
    e->table = alloc_copy(table, strlen(table));
    *out = e;
    return status_ok_value();
}

static void note(struct sqlite_export *e, int rc)
{
    if (e->rc != SQLITE_OK || rc == SQLITE_DONE || rc == SQLITE_OK)
        return;
    e->rc = rc;
    snprintf(e->message, sizeof e->message, "%s", database_message(e->db, NULL));
}

/* Two columns of one name cannot be in a table: the second gets its number. */
static bool is_taken(int columns, const char *const *names, int i)
{
    (void)columns;
    for (int k = 0; k < i; k++)
        if (sqlite3_stricmp(names[k], names[i]) == 0)
            return true;
    return false;
}

static bool export_begin(void *self, int columns, const char *const *names)
{
    struct sqlite_export *e = self;
    sqlite3_str *create = sqlite3_str_new(e->db), *insert = sqlite3_str_new(e->db);
    sqlite3_str_appendf(create, "CREATE TABLE \"%w\"(", e->table);
    sqlite3_str_appendf(insert, "INSERT INTO \"%w\" VALUES(", e->table);
    for (int i = 0; i < columns; i++) {
        if (is_taken(columns, names, i))
            sqlite3_str_appendf(create, "%s\"%w_%d\"", i ? ", " : "", names[i], i + 1);
        else
            sqlite3_str_appendf(create, "%s\"%w\"", i ? ", " : "", names[i]);
        sqlite3_str_appendall(insert, i ? ", ?" : "?");
    }
    sqlite3_str_appendall(create, ")");
    sqlite3_str_appendall(insert, ")");
    char *create_sql = sqlite3_str_finish(create), *insert_sql = sqlite3_str_finish(insert);
    note(e, sqlite3_exec(e->db, create_sql, NULL, NULL, NULL));
    if (e->rc == SQLITE_OK)
        note(e, sqlite3_prepare_v2(e->db, insert_sql, -1, &e->insert, NULL));
    sqlite3_free(create_sql);
    sqlite3_free(insert_sql);
    return e->rc == SQLITE_OK;
}

static int bind(sqlite3_stmt *s, int i, const struct sql_value *v)
{
    switch (v->type) {
    case SQL_INT:
        return sqlite3_bind_int64(s, i, v->i);
    case SQL_REAL:
        return sqlite3_bind_double(s, i, v->d);
    case SQL_TEXT:
        return sqlite3_bind_text64(s, i, v->s.p, v->s.n, SQLITE_STATIC, SQLITE_UTF8);
    case SQL_BLOB:
        return sqlite3_bind_blob64(s, i, v->s.p, v->s.n, SQLITE_STATIC);
    case SQL_NULL:
        break;
    }
    return sqlite3_bind_null(s, i);
}

static bool export_row(void *self, int columns, const struct sql_value *values)
{
    struct sqlite_export *e = self;
    for (int i = 0; i < columns; i++)
        note(e, bind(e->insert, i + 1, &values[i]));
    note(e, sqlite3_step(e->insert));
    sqlite3_reset(e->insert);
    return e->rc == SQLITE_OK;
}

struct sql_sink sqlite_export_sink(struct sqlite_export *e)
{
    return (struct sql_sink){.begin = export_begin, .row = export_row, .self = e};
}

struct status sqlite_export_end(struct sqlite_export *e)
{
    sqlite3_finalize(e->insert);
    note(e, sqlite3_exec(e->db, "COMMIT", NULL, NULL, NULL));
    struct status s =
        e->rc == SQLITE_OK ? status_ok_value() : status_error(STATUS_IO, "%s", e->message);
    note(e, sqlite3_close(e->db));
    free(e->table);
    free(e);
    return s;
}
