#include "sql/engine/found_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"

static const sqlite3_module *module_called(const struct sql_session *s, const char *name)
{
    for (size_t i = 0; s->families[i]; i++)
        for (const struct virtual_table *t = s->families[i]->virtual_tables; t && t->name; t++)
            if (strcmp(t->name, name) == 0)
                return t->module;
    return NULL;
}

static bool add_module(struct sql_session *s, const char *name, const char *module,
                       const struct view_def *view)
{
    struct virtual_table_client *client = alloc_array(1, sizeof *client);
    *client = (struct virtual_table_client){s, name, view};
    *vec_push(&s->found_tables) = name;
    return sqlite3_create_module_v2(s->db, name, module_called(s, module), client, free) ==
           SQLITE_OK;
}

/* Where SQLite's last error is a missing table that is the trace's. */
static bool find_table(struct sql_session *s)
{
    static const char missing[] = "no such table: ";
    const char *message = sqlite3_errmsg(s->db);
    if (!s->schema_waits || strncmp(message, missing, sizeof missing - 1) != 0)
        return false;
    const char *name = message + sizeof missing - 1;
    name += sqlite3_strnicmp(name, "main.", 5) == 0 ? 5 : 0;
    for (size_t i = 0; i < VIEW_COUNT; i++)
        if (view_defs[i].columns && sqlite3_stricmp(view_defs[i].name, name) == 0)
            return add_module(s, view_defs[i].name, TABLE_MODULE, &view_defs[i]);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (sqlite3_stricmp(table_defs[i].name, name) == 0)
            return add_module(s, table_defs[i].name, i == TABLE_args ? ARGS_MODULE : TABLE_MODULE,
                              NULL);
    return false;
}

void found_tables_forget(struct sql_session *s)
{
    for (size_t i = 0; i < s->found_tables.count; i++)
        sqlite3_create_module_v2(s->db, s->found_tables.items[i], NULL, NULL, NULL);
    s->found_tables.count = 0;
}

const struct sql_family found_tables_family = {.define = find_table};
