#include "sql/vector/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace.h"
#include "sql/engine/arg_cache.h"
#include "sql/engine/session_state.h"

struct vector_memory *vector_memory_of(struct sql_session *s)
{
    if (!s->vector)
        s->vector = alloc_array(1, sizeof *s->vector);
    return s->vector;
}

sqlite3_stmt *vector_memory_statement(struct sql_session *s, sqlite3_stmt **kept, const char *sql)
{
    if (!*kept)
        sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, kept, NULL);
    return *kept;
}

static void forget_definitions(struct vector_memory *m)
{
    for (size_t i = 0; i < m->definitions.count; i++) {
        free(m->definitions.items[i].name);
        free(m->definitions.items[i].sql);
    }
    m->definitions.count = 0;
}

struct arg_cache *vector_memory_args(struct sql_session *s)
{
    struct vector_memory *m = vector_memory_of(s);
    if (!m->args)
        m->args = arg_cache_new(&s->trace->args);
    return m->args;
}

void vector_memory_free(struct vector_memory *m)
{
    if (!m)
        return;
    forget_definitions(m);
    vec_release(&m->definitions);
    arg_cache_free(m->args);
    free(m);
}

/* -1 where it cannot be told. */
static sqlite3_int64 schema_version(struct sql_session *s)
{
    struct vector_memory *m = vector_memory_of(s);
    sqlite3_stmt *stmt = vector_memory_statement(s, &m->version, "PRAGMA main.schema_version");
    bool known = stmt && sqlite3_step(stmt) == SQLITE_ROW;
    sqlite3_int64 version = known ? sqlite3_column_int64(stmt, 0) : -1;
    sqlite3_reset(stmt);
    return version;
}

/* Within a transaction it is not known whether what is kept is of the schema as it is: a version
 * that is rolled back may come again for another schema. */
void vector_memory_refresh(struct sql_session *s)
{
    struct vector_memory *m = vector_memory_of(s);
    sqlite3_int64 version = sqlite3_get_autocommit(s->db) ? schema_version(s) : -1;
    m->current = version >= 0;
    if (!m->current)
        return;
    if (version != m->known_version)
        forget_definitions(m);
    m->known_version = version;
}

static struct known_definition *known(struct sql_session *s, struct str name)
{
    struct vector_memory *m = vector_memory_of(s);
    for (size_t i = 0; m->current && i < m->definitions.count; i++) {
        struct known_definition *d = &m->definitions.items[i];
        if (d->length == name.n && sqlite3_strnicmp(d->name, name.p, (int)name.n) == 0)
            return d;
    }
    return NULL;
}

const char *vector_memory_definition(struct sql_session *s, struct str name)
{
    const struct known_definition *d = known(s, name);
    return d ? d->sql : NULL;
}

struct glanced *vector_memory_glanced(struct sql_session *s, struct str name)
{
    struct known_definition *d = known(s, name);
    return d ? &d->glanced : NULL;
}

void vector_memory_add(struct sql_session *s, struct str name, const char *sql)
{
    *vec_push(&vector_memory_of(s)->definitions) =
        (struct known_definition){.name = alloc_copy(name.p, name.n),
                                  .sql = alloc_copy(sql, strlen(sql)),
                                  .length = name.n};
}

void vector_memory_keep(struct sql_session *s, struct str name, const char *sql)
{
    if (vector_memory_of(s)->current)
        vector_memory_add(s, name, sql);
}

void vector_memory_begin(struct sql_session *s)
{
    struct vector_memory *m = vector_memory_of(s);
    m->known_version = schema_version(s);
}
