#include "sql/engine/schema_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "sql/engine/session_state.h"

struct schema_names {
    VEC(struct schema_definition) objects;
    struct map by_name; /* number + 1 of the last one with that hash */
    sqlite3_stmt *version, *rows;
    sqlite3_int64 known_version, last_row; /* -1: nothing is known */
    uint64_t generation;
};

static struct schema_names *names_of(struct sql_session *s)
{
    if (!s->schema_names) {
        s->schema_names = alloc_array(1, sizeof *s->schema_names);
        s->schema_names->known_version = -1;
    }
    return s->schema_names;
}

static void forget(struct schema_names *n)
{
    for (size_t i = 0; i < n->objects.count; i++) {
        free(n->objects.items[i].name);
        free(n->objects.items[i].sql);
    }
    n->objects.count = 0;
    map_release(&n->by_name);
    n->by_name = (struct map){0};
    n->known_version = -1;
    n->last_row = 0;
    n->generation++;
}

void schema_names_free(struct schema_names *n)
{
    if (!n)
        return;
    forget(n);
    map_release(&n->by_name);
    vec_release(&n->objects);
    free(n);
}

/* Of letters in whatever case, as far as SQLite's names know them. */
static uint64_t hash_of(struct str name)
{
    uint64_t hash = name.n;
    for (size_t i = 0; i < name.n; i++) {
        unsigned char c = (unsigned char)name.p[i];
        hash = hash * 31 + (c >= 'A' && c <= 'Z' ? c | 0x20U : c);
    }
    return hash_u64(hash);
}

void schema_names_add(struct sql_session *s, const char *type, const char *name, const char *sql)
{
    struct schema_names *n = names_of(s);
    bool inserted;
    uint32_t *last = map_insert(&n->by_name, hash_of(str_from(name)), &inserted);
    struct schema_definition *o = vec_push(&n->objects);
    *o = (struct schema_definition){.name = alloc_copy(name, strlen(name)),
                                    .sql = sql ? alloc_copy(sql, strlen(sql)) : NULL,
                                    .number = (uint32_t)n->objects.count - 1,
                                    .next = *last};
    snprintf(o->type, sizeof o->type, "%s", type);
    *last = (uint32_t)n->objects.count;
}

/* `*kept`, compiled from `sql` at the first call. */
static sqlite3_stmt *statement(struct sql_session *s, sqlite3_stmt **kept, const char *sql)
{
    if (!*kept)
        sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, kept, NULL);
    return *kept;
}

/* -1 where it cannot be told. */
static sqlite3_int64 version_of(struct sql_session *s)
{
    sqlite3_stmt *stmt = statement(s, &names_of(s)->version, "PRAGMA main.schema_version");
    bool known = stmt && sqlite3_step(stmt) == SQLITE_ROW;
    sqlite3_int64 version = known ? sqlite3_column_int64(stmt, 0) : -1;
    sqlite3_reset(stmt);
    return version;
}

static const char *text_at(sqlite3_stmt *stmt, int column)
{
    return (const char *)sqlite3_column_text(stmt, column);
}

/* Reads the rows behind the last one. False where that cannot be done; `*count` is how many rows
 * the schema has then, or 0 where there are no new ones. */
static bool read_rows(struct sql_session *s, sqlite3_int64 *count)
{
    struct schema_names *n = names_of(s);
    sqlite3_stmt *stmt =
        statement(s, &n->rows,
                  "SELECT rowid, type, name, sql, (SELECT count(*) FROM main.sqlite_schema)"
                  " FROM main.sqlite_schema WHERE rowid > ?1 ORDER BY rowid");
    int rc = SQLITE_ERROR;
    *count = 0;
    if (!stmt)
        return false;
    sqlite3_bind_int64(stmt, 1, n->last_row);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        if (!text_at(stmt, 1) || !text_at(stmt, 2))
            break;
        schema_names_add(s, text_at(stmt, 1), text_at(stmt, 2), text_at(stmt, 3));
        n->last_row = sqlite3_column_int64(stmt, 0);
        *count = sqlite3_column_int64(stmt, 4);
    }
    sqlite3_reset(stmt);
    return rc == SQLITE_DONE;
}

/* Each statement that changes the schema counts its version up. So if it went up by as many as
 * there are rows behind the last one, and there are as many rows more, none did anything else. */
static bool is_only_longer(struct sql_session *s, sqlite3_int64 version)
{
    struct schema_names *n = names_of(s);
    sqlite3_int64 before = (sqlite3_int64)n->objects.count, count;
    if (n->known_version < 0 || version <= n->known_version || !read_rows(s, &count))
        return false;
    sqlite3_int64 added = (sqlite3_int64)n->objects.count - before;
    return added == version - n->known_version && count == before + added;
}

bool schema_names_ready(struct sql_session *s)
{
    struct schema_names *n = names_of(s);
    sqlite3_int64 count, version = sqlite3_get_autocommit(s->db) ? version_of(s) : -1;
    if (version < 0)
        return false;
    if (version == n->known_version)
        return true;
    if (!is_only_longer(s, version)) {
        forget(n);
        if (!read_rows(s, &count)) {
            forget(n);
            return false;
        }
    }
    n->known_version = version;
    return true;
}

const struct schema_definition *schema_names_find(const struct sql_session *s, struct str name)
{
    const struct schema_names *n = s->schema_names;
    const uint32_t *last = map_find(&n->by_name, hash_of(name));
    for (uint32_t i = last ? *last : 0; i > 0; i = n->objects.items[i - 1].next) {
        const struct schema_definition *o = &n->objects.items[i - 1];
        if (strlen(o->name) == name.n && sqlite3_strnicmp(o->name, name.p, (int)name.n) == 0)
            return o;
    }
    return NULL;
}

uint64_t schema_names_generation(const struct sql_session *s)
{
    return s->schema_names->generation;
}

void schema_names_begin(struct sql_session *s)
{
    struct schema_names *n = names_of(s);
    sqlite3_stmt *stmt = NULL;
    sqlite3_prepare_v2(s->db, "SELECT count(*), max(rowid) FROM main.sqlite_schema", -1, &stmt,
                       NULL);
    bool known = stmt && sqlite3_step(stmt) == SQLITE_ROW &&
                 sqlite3_column_int64(stmt, 0) == (sqlite3_int64)n->objects.count;
    n->last_row = known ? sqlite3_column_int64(stmt, 1) : 0;
    n->known_version = known ? version_of(s) : -1;
    sqlite3_finalize(stmt);
}
