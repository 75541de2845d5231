#include "sql/engine/family.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/compile_memory.h"
#include "sql/engine/operator_vtab.h"
#include "sql/engine/session_state.h"
#include "sql/engine/table_function.h"

static int add_function(sqlite3 *db, const struct native_function *f, void *state)
{
    bool harmless = !(f->flags & SQLITE_DIRECTONLY);
    int flags = SQLITE_UTF8 | f->flags | (harmless ? SQLITE_INNOCUOUS : 0);
    if (f->value)
        return sqlite3_create_window_function(db, f->name, f->argc, flags, state, f->step, f->final,
                                              f->value, f->inverse, NULL);
    return sqlite3_create_function_v2(db, f->name, f->argc, flags, state, f->call, f->step,
                                      f->final, NULL);
}

static int add_functions(sqlite3 *db, const struct native_function *f, void *state)
{
    int rc = SQLITE_OK;
    for (; f && f->name && rc == SQLITE_OK; f++)
        rc = add_function(db, f, state);
    return rc;
}

static int add_module(struct sql_session *s, const char *name, const sqlite3_module *module,
                      const void *detail)
{
    struct virtual_table_client *client = alloc_array(1, sizeof *client);
    *client = (struct virtual_table_client){s, name, detail};
    return sqlite3_create_module_v2(s->db, name, module, client, free);
}

static int add_operator(struct sql_session *s, const struct operator_table *t)
{
    int rc = add_module(s, t->name, &operator_module, t);
    if (rc != SQLITE_OK || !t->marker)
        return rc;
    const struct native_function marker = {.name = t->marker,
                                           .argc = 2,
                                           .call = operator_marker_called};
    return add_function(s->db, &marker, NULL);
}

static int add_family(struct sql_session *s, const struct sql_family *f, void *state)
{
    int rc = add_functions(s->db, f->functions, state);
    for (const struct table_function *t = f->table_functions; t && t->name && rc == SQLITE_OK; t++)
        rc = add_module(s, t->name, &table_function_module, t);
    for (const struct operator_table *t = f->operators; t && t->name && rc == SQLITE_OK; t++)
        rc = add_operator(s, t);
    for (const struct virtual_table *t = f->virtual_tables; t && t->name && rc == SQLITE_OK; t++)
        rc = add_module(s, t->name, t->module, t->detail);
    return rc;
}

int families_register(struct sql_session *s)
{
    size_t count = 0;
    while (s->families[count])
        count++;
    s->family_states = alloc_array(count, sizeof *s->family_states);
    int rc = SQLITE_OK;
    for (size_t i = 0; i < count && rc == SQLITE_OK; i++) {
        const struct sql_family *f = s->families[i];
        void *state = f->init ? f->init(s) : NULL;
        s->family_states[i] = state;
        rc = add_family(s, f, state ? state : s);
    }
    return rc;
}

void families_release(struct sql_session *s)
{
    for (size_t i = 0; s->family_states && s->families[i]; i++)
        if (s->family_states[i])
            s->families[i]->release(s->family_states[i]);
    free(s->family_states);
}

static bool define_function(struct sql_session *s)
{
    for (size_t i = 0; s->families[i]; i++)
        if (s->families[i]->define && s->families[i]->define(s))
            return true;
    return false;
}

/* A level takes up to 4 KB of the stack, more in a build with sanitizers. */
enum { NESTED_MAX = 200 };

int session_step(struct sql_session *s, sqlite3_stmt *stmt)
{
    s->too_deep = s->nested >= NESTED_MAX;
    if (s->too_deep)
        return SQLITE_ERROR;
    s->nested++;
    int rc = compile_memory_step(stmt);
    s->nested--;
    return rc;
}

const char *session_message(struct sql_session *s)
{
    bool too_deep = s->too_deep;
    s->too_deep = false;
    return too_deep ? "it calls itself, or too much runs inside it"
                    : database_message(s->db, &s->rules);
}

int session_prepare(struct sql_session *s, const char *text, unsigned flags, sqlite3_stmt **out)
{
    struct compile_memory memory;
    int rc;
    s->rules.alters = false;
    do {
        compile_memory_begin(&memory, &s->cancel);
        rc = sqlite3_prepare_v3(s->db, text, -1, flags, out, NULL);
        compile_memory_end(&memory);
    } while (rc == SQLITE_ERROR && define_function(s));
    s->rules.too_large = memory.exceeded;
    return memory.cancelled && rc == SQLITE_NOMEM ? SQLITE_INTERRUPT : rc;
}
