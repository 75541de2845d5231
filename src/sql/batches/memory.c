#include "sql/batches/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace/trace.h"
#include "core/store/arg_cache.h"
#include "sql/engine/schema_names.h"
#include "sql/engine/session_state.h"

struct vector_memory *vector_memory_of(struct sql_session *s)
{
    if (!s->vector) {
        s->vector = alloc_array(1, sizeof *s->vector);
        arena_init(&s->vector->views);
    }
    return s->vector;
}

sqlite3_stmt *vector_memory_statement(struct sql_session *s, sqlite3_stmt **kept, const char *sql)
{
    if (!*kept)
        sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, kept, NULL);
    return *kept;
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
    vec_release(&m->objects);
    arena_release(&m->views);
    arg_cache_free(m->args);
    free(m);
}

void vector_memory_refresh(struct sql_session *s)
{
    struct vector_memory *m = vector_memory_of(s);
    m->current = schema_names_ready(s);
    if (!m->current || m->generation == schema_names_generation(s))
        return;
    m->objects.count = 0;
    arena_reset(&m->views);
    m->generation = schema_names_generation(s);
}

static const struct schema_definition *known(struct sql_session *s, struct str name)
{
    const struct schema_definition *o =
        vector_memory_of(s)->current ? schema_names_find(s, name) : NULL;
    bool is = o && o->sql && (strcmp(o->type, "table") == 0 || strcmp(o->type, "view") == 0);
    return is ? o : NULL;
}

const char *vector_memory_definition(struct sql_session *s, struct str name)
{
    const struct schema_definition *o = known(s, name);
    return o ? o->sql : NULL;
}

struct known_name *vector_memory_known(struct sql_session *s, struct str name)
{
    struct vector_memory *m = vector_memory_of(s);
    const struct schema_definition *o = known(s, name);
    while (o && m->objects.count <= o->number)
        *vec_push(&m->objects) = (struct known_name){0};
    return o ? &m->objects.items[o->number] : NULL;
}
